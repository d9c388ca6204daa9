"""The command line: exit codes, messages without tracebacks, inert output."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "certification"))
from toyrun import DECIDE, World, some_cases, write_cases, write_evaluator

from decidendi.cli import main


class Said(NamedTuple):
    code: int
    out: str
    err: str


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path, count=60)


class Cli:
    def __init__(self, capfd: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> None:
        self._capfd = capfd
        self._patch = patch

    def __call__(self, *arguments: object) -> Said:
        self._patch.setattr(sys, "argv", ["decidendi", *map(str, arguments)])
        self._capfd.readouterr()
        with pytest.raises(SystemExit) as stopped:
            main()
        out, err = self._capfd.readouterr()
        assert "Traceback" not in err
        return Said(int(stopped.value.code or 0), out, err)


@pytest.fixture
def cli(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    monkeypatch.setenv("COLUMNS", "100")
    return Cli(capfd, monkeypatch)


def certify(cli: Cli, world: World, *more: object) -> Said:
    return cli("certify", world.v1, world.v2, "--cases", world.cases, "--out", world.out, *more)


def test_from_certifying_to_replaying(cli: Cli, world: World) -> None:
    said = certify(cli, world)
    assert said.code == 0, said.err
    assert "toy 1.0 → 2.0: 60 cases" in said.out and "norms alone" in said.out
    assert said.err == ""
    assert cli("verify", world.out).out.startswith("60 certificates: verified")
    said = cli("replay", world.out, "--evaluators", world.v1, world.v2)
    assert (said.code, "all as certified" in said.out) == (0, True)
    case = next(c for c in summary_examples(world.out) if c)
    said = cli("explain", world.out, case)
    assert said.code == 0
    assert "◉" in said.out and "old: " in said.out and "receipt: " in said.out
    said = cli("explain", world.out, case, "--json")
    assert json.loads(said.out)["case"] == case


def summary_examples(out: Path) -> list[str]:
    import pyarrow.parquet as pq

    rows = pq.read_table(out / "cases.parquet").to_pylist()
    return [row["id"] for row in rows if row["receipt"] == "norms alone"]


def test_json_is_the_summary_file(cli: Cli, world: World) -> None:
    said = certify(cli, world, "--json")
    assert json.loads(said.out) == json.loads((world.out / "summary.json").read_text())
    assert certify(cli, world, "--quiet") == Said(0, "", "")


def test_gates_fail_with_1_and_say_which(cli: Cli, world: World) -> None:
    said = certify(cli, world, "--fail-on", "changed")
    assert said.code == 1 and "gate failed" in said.err and "changed" in said.err
    assert re.search(r"may be: c\d+, c\d+, c\d+, c\d+, c\d+, …$", said.err)
    assert certify(cli, world, "--fail-on", "changed=60", "--fail-on", "bad").code == 0
    said = certify(cli, world, "--fail-on", "weather")
    assert said.code == 2 and "'weather' is not a gate" in said.err


def test_a_bad_case_ends_with_3_and_is_listed(cli: Cli, tmp_path: Path) -> None:
    world = World(tmp_path, count=5, tail='{"id": "c1", "grounds": {}}\n{"id"')
    said = certify(cli, world)
    assert said.code == 3
    assert "duplicate id 1" in said.out and "not valid JSON 1" in said.out
    assert "line 6 (c1): id: the id 'c1' already stands on an earlier line (give every" in said.out
    assert "line 7: not valid JSON: unexpected end of data at column 6 (the last" in said.out
    assert f"all in {world.out / 'bad.jsonl'}" in said.out
    listed = [json.loads(line) for line in (world.out / "bad.jsonl").read_text().splitlines()]
    assert [(one["line"], one["field"]) for one in listed] == [(6, "id"), (7, None)]
    assert json.loads(certify(cli, world, "--json").out)["bad"] == {
        "file": "bad.jsonl", "first": listed,
    }  # fmt: skip
    said = certify(cli, world, "--fail-on", "bad=1")
    assert said.code == 1
    assert said.err == "gate failed: 2 cases are bad, at most 1 may be: line 6, line 7\n"


def test_bad_input_ends_with_2(cli: Cli, world: World, tmp_path: Path) -> None:
    said = cli("certify", tmp_path, world.v2, "--cases", world.cases, "--out", world.out)
    assert said.code == 2 and "evaluator.toml" in said.err
    (world.v2 / "evaluator.toml").write_text("name = ")
    said = certify(cli, world)
    assert said.code == 2 and "evaluator.toml" in said.err
    assert cli("certify", world.v1, "--cases", world.cases).code == 2
    assert cli("certify", world.v1, world.v1, "--cases", tmp_path / "no.jsonl").code == 2
    assert cli("verify", tmp_path).code == 2
    assert cli("explain", tmp_path, "c1").code == 2
    assert cli("replay", tmp_path).code == 2
    assert cli("nonsense").code == 2
    assert not world.out.exists()


def test_non_comparable_ends_with_3_and_names_the_fields(cli: Cli, world: World) -> None:
    write_evaluator(world.v2, revised=True, code=DECIDE + "\n# more\n")
    said = certify(cli, world)
    assert said.code == 3
    assert "cannot be compared" in said.err and "decide.py" in said.err


def test_another_run_in_the_folder_ends_with_2(cli: Cli, world: World) -> None:
    certify(cli, world)
    write_cases(world.cases, some_cases(61))
    said = certify(cli, world)
    assert said.code == 2 and "cases.digest" in said.err and "--fresh" in said.err
    said = certify(cli, world, "--timeout", 9)
    assert 'options.timeout (null there, "9.0" here)' in said.err
    aside = world.out.with_name("run.1")
    said = certify(cli, world, "--fresh")
    assert (said.code, said.err) == (0, f"The run that was in {world.out} is now in {aside}.\n")
    assert cli("verify", aside).code == 0 and "61 cert" in cli("verify", world.out).out
    stranger = world.folder / "stranger"
    stranger.mkdir()
    (stranger / "run.json").write_text("{}")
    said = cli("certify", world.v1, world.v2, "--cases", world.cases, "--out", stranger, "--fresh")
    assert said.code == 2 and (stranger / "run.json").exists()


def test_nondeterminism_is_said_loudly(cli: Cli, tmp_path: Path) -> None:
    code = "import random\nMOOD = random.Random(3)\n" + DECIDE.replace(
        '    if grounds["region"]',
        '    if MOOD.random() < 0.4:\n        return "refer"\n    if grounds["region"]',
        1,
    )
    world = World(tmp_path, count=30, code=code)
    said = certify(cli, world)
    assert said.code == 3 and "NOT DETERMINISTIC" in said.err


def test_git_revisions(cli: Cli, world: World) -> None:
    repo = world.folder / "repo"
    repo.mkdir()

    def git(*arguments: str) -> None:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", *who, *arguments], cwd=repo, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    for source, tag in ((world.v1, "old"), (world.v2, "new")):
        shutil.copytree(source, repo / "evaluator", dirs_exist_ok=True)
        git("add", ".")
        git("commit", "-qm", tag)
        git("tag", tag)
    said = cli(
        "certify", repo / "evaluator", "--old", "old", "--revised", "new",
        "--cases", world.cases, "--out", world.out,
    )  # fmt: skip
    assert said.code == 0, said.err
    assert cli("verify", world.out).code == 0


def test_exports_and_single_files(cli: Cli, world: World, tmp_path: Path) -> None:
    certify(cli, world)
    target, proof = tmp_path / "c.json", tmp_path / "p.json"
    assert cli("export", world.out, "c5", "--to", target, "--proof", proof).code == 0
    said = cli("verify", target, "--proof", proof)
    assert said.code == 0 and "verified, unsigned" in said.out and "root sha256:" in said.out
    assert cli("export", world.out, "c5").out == target.read_text()
    target.write_text(target.read_text().replace('"c5"', '"c6"'))
    said = cli("verify", target)
    assert said.code == 1 and "NOT VERIFIED" in said.err
    assert not json.loads(cli("verify", target, "--json").out)["verified"]


def test_options_that_would_not_be_heeded_are_refused(cli: Cli, world: World) -> None:
    certify(cli, world)
    file = world.folder / "c.json"
    cli("export", world.out, "c5", "--to", file)
    for option in ("--key", "--proof"):
        said = cli("verify", world.out, option, "/nonexistent")
        assert said.code == 2 and f"{option} is for an exported certificate" in said.err
    said = cli("verify", file, "--case", "c5")
    assert said.code == 2 and "--case is for a run folder" in said.err


def test_an_altered_run_fails_verification(cli: Cli, world: World) -> None:
    certify(cli, world)
    (world.out / "summary.json").write_text("{}")
    said = cli("verify", world.out)
    assert said.code == 1 and "summary.json" in said.err
    assert cli("verify", world.out, "--quiet").out == ""


HOSTILE = "\x1b]0;owned\x07\x1b[2J[bold red]x[/]\u202eevil\u2028\r\n<script>\x9b31m:smile:"


def test_hostile_strings_are_inert(cli: Cli, tmp_path: Path) -> None:
    def poisoned(value: Any) -> Any:
        return {**value, "note": HOSTILE, HOSTILE: 1}

    cases = some_cases(30)
    for case in cases:
        case["id"] += HOSTILE
        case["unit"] += HOSTILE
        sides = case["grounds"]
        case["grounds"] = {side: poisoned(sides[side]) for side in ("old", "revised")}
        case["grounds"]["old"]["boom"] = True
    code = DECIDE.replace('ValueError("cannot', 'ValueError(grounds["note"] + "cannot')
    world = World(tmp_path, code=code)
    write_cases(world.cases, cases, tail=json.dumps({"id": HOSTILE + "bad"}) + "\n")
    outputs = [certify(cli, world)]
    assert outputs[0].code == 3
    for case in cases[:12]:
        outputs.append(cli("explain", world.out, case["id"]))
    outputs.append(cli("explain", world.out, "nobody" + HOSTILE))
    outputs.append(cli("verify", world.out, "--case", HOSTILE))
    outputs.append(cli("certify", world.v1, HOSTILE, "--cases", world.cases))
    outputs.append(cli("replay", world.out, "--evaluators", world.v1, world.v2))
    for said in outputs:
        for text in (said.out, said.err):
            assert not set(text) & set("\x1b\x07\x9b\u202e\u2028\r"), repr(text)
    shown = "".join(said.out for said in outputs)
    assert "[bold red]x[/]" in shown and ":smile:" in shown  # markup is shown, not obeyed
    assert "\\x1b[2J" in shown


def test_schemas_and_check(cli: Cli, world: World) -> None:
    for name in ("evaluator", "cases", "certificate"):
        assert json.loads(cli("schema", name).out)["$schema"]
    assert cli("check", world.v1).code == 0
    (world.v1 / "norms.json").write_text("{")
    said = cli("check", world.v1)
    assert said.code == 2 and "norms.json" in said.err
    assert json.loads(cli("check", world.v1, "--json").out)["problems"]


def test_a_missing_extra_is_said_once_with_what_to_install(
    cli: Cli, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = world.v1 / "evaluator.toml"
    text = manifest.read_text().replace('"python"', '"rego"')
    manifest.write_text(text.replace('entry = "decide:decide"', 'query = "data.toy.verdict"'))
    (world.v1 / "norms.rego").write_text("package toy\nverdict := 1\n")
    manifest.write_text(manifest.read_text().replace("norms.json", "norms.rego"))
    monkeypatch.setitem(sys.modules, "regorus", None)
    said = cli("check", world.v1)
    assert said.code == 2
    assert said.err.count("install the extra rego, e.g. pip install '.[rego]' in a clone") == 1


@pytest.mark.parametrize(
    "command", ["certify", "explain", "verify", "replay", "export", "check", "schema"]
)
def test_every_command_helps_with_an_example(cli: Cli, command: str) -> None:
    said = cli(command, "--help")
    assert said.code == 0
    assert "Example" in said.out and f"decidendi {command}" in said.out


def test_no_command_shows_help_and_version_says_it(cli: Cli) -> None:
    assert "certify" in cli("--help").out
    assert cli("--version").out.startswith("decidendi ")


def test_interrupted_it_says_how_to_go_on_and_goes_on(world: World) -> None:
    slow = DECIDE.replace("def decide(", "import time\n\ndef decide(").replace(
        '    if grounds["region"]', '    time.sleep(0.05)\n    if grounds["region"]', 1
    )
    for folder, revised in ((world.v1, False), (world.v2, True)):
        write_evaluator(folder, revised=revised, code=slow)
    arguments = [str(world.v1), str(world.v2), "--cases", str(world.cases), "--out", str(world.out)]
    command = [sys.executable, "-c", "from decidendi.cli import main; main()", "certify"]
    with subprocess.Popen([*command, *arguments], stderr=subprocess.PIPE, text=True) as process:
        deadline = time.monotonic() + 30
        while not (world.out / "ledger.sqlite").exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.3)
        os.kill(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert "goes on from there" in err and "Traceback" not in err


def test_a_reader_that_goes_away_is_no_error(world: World) -> None:
    command = [sys.executable, "-c", "from decidendi.cli import main; main()"]
    script = f"'{command[0]}' -c '{command[2]}' schema certificate | head -1"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "{\n" and done.stderr == ""


def test_what_an_evaluator_prints_does_not_spoil_our_output(cli: Cli, tmp_path: Path) -> None:
    code = DECIDE.replace("    if grounds.get", "    print('chatty')\n    if grounds.get", 1)
    world = World(tmp_path, count=5, code=code)
    said = certify(cli, world, "--json")
    assert json.loads(said.out)["cases"] == 5
    assert "chatty" in said.err


def test_a_case_that_closes_the_output_leaves_it_to_the_others(cli: Cli, tmp_path: Path) -> None:
    close = "    import sys\n    print('chatty')\n    sys.stdout.close()\n    if grounds.get"
    world = World(tmp_path, count=5, code=DECIDE.replace("    if grounds.get", close, 1))
    said = certify(cli, world)
    assert (said.code, "chatty" in said.err) == (0, True)
    assert "5 cases" in said.out


def test_files_that_are_no_certificates(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    deep = "[" * 900 + "]" * 900
    envelope = '{"payload": "e30=", "payloadType": 3, "signatures": []}'
    for text in ("", "[]", "3", '{"a": 1, "a": 2}', deep, envelope, '{"payload": 1}', "\x00"):
        path.write_text(text)
        said = cli("verify", path)
        assert said.code in (1, 2) and said.err, text[:40]


MANY = """
name = "many"
version = "{version}"
verdicts = ["yes", "no"]
[adjudicator]
engine = "python"
entry = "decide:decide"
[sources.grounds]
from = "case"
"""


@pytest.mark.parametrize("kinds", [1, 5])
def test_other_numbers_of_kinds(cli: Cli, tmp_path: Path, kinds: int) -> None:
    names = [f"k{i}" for i in range(1, kinds)]
    for version in ("v1", "v2"):
        folder = tmp_path / version
        folder.mkdir()
        tables = "".join(f'[sources.{name}]\nfiles = ["{name}.json"]\n' for name in names)
        (folder / "evaluator.toml").write_text(MANY.format(version=version) + tables)
        (folder / "decide.py").write_text(
            f"def decide({', '.join(['grounds', *names])}):\n"
            f"    return 'yes' if {' + '.join(['grounds', *names])} >= {kinds} else 'no'\n"
        )
        for name in names:
            (folder / f"{name}.json").write_text(str(int(version == "v2")))
    (tmp_path / "cases.jsonl").write_text('{"id": "c", "grounds": {"old": 0, "revised": 1}}\n')
    out = tmp_path / "run"
    said = cli("certify", tmp_path / "v1", tmp_path / "v2", "--cases", tmp_path / "cases.jsonl",
               "--out", out)  # fmt: skip
    assert said.code == 0, said.err
    said = cli("explain", out, "c")
    assert said.code == 0 and "no" in said.out and "yes" in said.out
    assert said.out.count("◉") == 1
    assert cli("verify", out).code == 0
