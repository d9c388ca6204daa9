"""What a run refuses before anything is written: case files and folders that cannot be."""

from __future__ import annotations

import gzip
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from toyrun import World, write_cases

from decidendi.certification import certify_run
from decidendi.evaluators import load_evaluator
from decidendi.judgment import BadInputError


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def run(world: World) -> dict[str, Any]:
    return certify_run(world.old, world.revised, world.cases, world.out).content


@pytest.mark.parametrize("text", ["", "\n", " \n\t\r\n\n"])
def test_a_file_without_a_case_is_refused(world: World, text: str) -> None:
    world.cases.write_text(text)
    with pytest.raises(BadInputError, match="no case in the file"):
        run(world)
    assert not world.out.exists()


def test_what_can_be_read_only_once_is_refused_and_does_not_hang(world: World) -> None:
    pipe = world.folder / "pipe"
    os.mkfifo(pipe)
    read, write = os.pipe()
    os.close(write)
    for name in (pipe, Path(f"/dev/fd/{read}")):
        with pytest.raises(BadInputError, match="not a regular file") as caught:
            certify_run(world.old, world.revised, name, world.out)
        assert "write the cases to a file" in caught.value.remedy
    os.close(read)
    assert not world.out.exists()


def test_a_folder_of_other_things_is_left_alone(world: World) -> None:
    world.out.mkdir()
    (world.out / "thesis.tex").write_text("mine")
    with pytest.raises(BadInputError, match=r"holds other files and no run \('thesis.tex'"):
        run(world)
    assert [path.name for path in world.out.iterdir()] == ["thesis.tex"]
    (world.out / "thesis.tex").unlink()
    (world.out / ".lock").touch()  # left by a run that was killed at once
    (world.out / "sources").mkdir()
    assert run(world)["cases"] == 120


@pytest.mark.parametrize(
    ("data", "said", "remedy"),
    [
        (gzip.compress(b'{"id": "a"}', mtime=0), "compressed by gzip", "gunzip -c"),
        (b'[{"id": "a", "grounds": {}}]', "a JSON array", "jq -c '.[]'"),
        (b'[\n  {\n    "id": "a"}\n]\n', "a JSON array", "jq -c '.[]'"),
        (b'{\n  "id": "a"\n}\n', "over several lines", "jq -c . FILE"),
        ("{}".encode("utf-16"), "UTF-16", "UTF-8"),
    ],
)
def test_a_case_file_of_another_form_is_refused_with_a_way_out(
    world: World, data: bytes, said: str, remedy: str
) -> None:
    world.cases.write_bytes(data)
    with pytest.raises(BadInputError, match=said) as caught:
        run(world)
    assert remedy in caught.value.remedy
    assert not world.out.exists()


def test_a_case_that_a_migration_cannot_carry_over_says_so(world: World) -> None:
    (world.v2 / "migrate.py").write_text(
        "def grounds(old):\n"
        "    return {**old, 'cents': int(old['cents']) * (1 if old['days'] else 1.5)}\n"
    )
    manifest = world.v2 / "evaluator.toml"
    manifest.write_text(manifest.read_text() + '\n[migrations]\ngrounds = "migrate:grounds"\n')
    lines = [
        {"id": "good", "grounds": {"region": "north", "days": 5, "cents": 1}},
        {"id": "raises", "grounds": {"region": "north", "days": 5, "cents": "many"}},
        {"id": "float", "grounds": {"region": "north", "days": 0, "cents": 1}},
    ]
    write_cases(world.cases, lines)
    made = certify_run(world.old, world.revised, world.cases, world.out)
    assert made.content["open"]["bad"] == {"migration failed": 2}


BROKEN = {
    "rego": ('package p\n\nverdict := "yes" if {\n', "policy.rego:", "not valid Rego"),
    "python": ("def decide(grounds):\n    return (\n", "policy.py:2", "not valid Python"),
}
ADJUDICATOR = {
    "rego": 'engine = "rego"\nquery = "data.p.verdict"',
    "python": 'engine = "python"\nentry = "norms:decide"',
}


def policies(folder: Path, engine: str, text: str) -> Path:
    folder.mkdir(exist_ok=True)
    suffix = "py" if engine == "python" else engine
    form = 'format = "python"\n' if engine == "python" else ""
    (folder / "evaluator.toml").write_text(
        'name = "p"\nversion = "1"\nverdicts = ["yes", "no"]\n'
        f"[adjudicator]\n{ADJUDICATOR[engine]}\n"
        f'[sources.grounds]\nfrom = "case"\n[sources.norms]\nfiles = ["policy.{suffix}"]\n{form}'
    )
    (folder / f"policy.{suffix}").write_text(text)
    return folder


@pytest.mark.parametrize("engine", ["rego", "python"])
def test_a_policy_that_cannot_be_parsed_ends_before_the_run(tmp_path: Path, engine: str) -> None:
    text, where, said = BROKEN[engine]
    sound = {"rego": 'package p\n\nverdict := "yes"\n', "python": "def decide(grounds): return 1\n"}
    old = load_evaluator(policies(tmp_path / "a", engine, sound[engine]))
    new = load_evaluator(policies(tmp_path / "b", engine, text))
    cases = write_cases(tmp_path / "c.jsonl", [{"id": "1", "grounds": 1}])
    with pytest.raises(BadInputError, match=said) as caught:
        certify_run(old, new, cases, tmp_path / "run")
    assert f"{tmp_path / 'b'}/{where}" in str(caught.value)
    assert "decidendi check FOLDER" in str(caught.value)
    assert not (tmp_path / "run").exists()


def test_a_query_that_no_policy_has_ends_before_the_run(tmp_path: Path) -> None:
    both = [
        load_evaluator(policies(tmp_path / name, "rego", f'package q\n\nverdict := "{name}"\n'))
        for name in ("yes", "no")
    ]
    cases = write_cases(tmp_path / "c.jsonl", [{"id": "1", "grounds": 1}])
    with pytest.raises(BadInputError, match=r"no policy has the rule data\.p\.verdict") as caught:
        certify_run(*both, cases, tmp_path / "run")
    assert "the packages are: data.q" in caught.value.remedy


def test_a_cedar_policy_that_cannot_be_parsed_ends_before_the_run(tmp_path: Path) -> None:
    example = Path(__file__).parents[2] / "examples" / "loans-cedar"
    shutil.copytree(example, tmp_path / "loans")
    old, new = tmp_path / "loans" / "v1", tmp_path / "loans" / "v2"
    policy = next(new.rglob("*.cedar"))
    policy.write_text(policy.read_text() + "permit (principal, action, resource) when {")
    with pytest.raises(BadInputError, match="not valid Cedar") as caught:
        certify_run(
            load_evaluator(old), load_evaluator(new), example / "cases.jsonl", tmp_path / "run"
        )
    assert str(policy) in str(caught.value)
