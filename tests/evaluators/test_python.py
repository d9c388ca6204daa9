"""The Python engine: pristine arguments, code as a source, modules kept apart."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from evaluator_folders import manifest, python_folder, write

from decidendi.evaluators import (
    AdjudicatorLaws,
    check_adjudicator,
    function_adjudicator,
    load_evaluator,
    pair,
)
from decidendi.judgment import Adjudicator, Identity, Source, State, Unmeasured, Verdict

VERDICTS = ("approve", "deny")


def state(amount: int, limit: int = 10) -> State:
    return State.of(
        {"grounds": {"amount": amount, "log": []}, "norms": {"limit": limit}, "authority": 1}
    )


def decide(grounds: Any, norms: Any, authority: Any) -> str:
    return "approve" if grounds["amount"] <= norms["limit"] else "deny"


class TestFunction(AdjudicatorLaws):
    def adjudicator(self) -> Adjudicator:
        return function_adjudicator(decide, name="f", verdicts=VERDICTS)

    def states(self) -> list[State]:
        return [state(1), state(11), state(2, 1)]


def test_a_function_that_changes_its_arguments_gets_pristine_ones() -> None:
    def spoiling(grounds: Any, norms: Any, authority: Any) -> str:
        norms["limit"] -= 6
        return "approve" if grounds["amount"] <= norms["limit"] else "deny"

    adjudicator = function_adjudicator(spoiling, name="s", verdicts=VERDICTS)
    norms = Source("norms", {"limit": 10})
    states = [
        State([Source("grounds", {"amount": n}), norms, Source("authority", 0)]) for n in (4, 4, 5)
    ]
    assert adjudicator.adjudicate(states) == ["approve", "approve", "deny"]
    assert norms.content == {"limit": 10}
    assert check_adjudicator(adjudicator, states) == []


def test_answers_that_are_no_verdict() -> None:
    answers: list[object] = [True, None, "maybe", 3, {}, Unmeasured, ["approve"]]
    for answer in answers:
        given = function_adjudicator(lambda a=answer, **_: a, name="g", verdicts=VERDICTS)
        (verdict,) = given.adjudicate([state(1)])
        assert isinstance(verdict, Unmeasured) and verdict.reason == "label"


def test_identity_binds_the_function() -> None:
    one = function_adjudicator(decide, name="f", verdicts=VERDICTS)
    other = function_adjudicator(lambda **_: "deny", name="f", verdicts=VERDICTS)
    newer = function_adjudicator(decide, name="f", verdicts=VERDICTS, version="2")
    assert len({a.identity.digest for a in (one, other, newer)}) == 3


SOURCE = manifest("python", 'entry = "norms:decide"', norms="norms.py").replace(
    'files = ["norms.py"]', 'files = ["norms.py"]\nformat = "python"'
)
NORMS = """
LIMIT = 100
def decide(grounds, authority):
    return "approve" if grounds["amount"] <= LIMIT else "deny"
"""


def test_code_can_be_a_source(tmp_path: Path) -> None:
    versions = [
        load_evaluator(
            write(
                tmp_path / str(limit),
                {
                    "evaluator.toml": SOURCE,
                    "norms.py": NORMS.replace("100", str(limit)),
                    "authority.json": "{}",
                },
            )
        )
        for limit in (100, 200)
    ]
    with pair(*versions) as both:
        assert both.adjudicator.identity.digest == versions[0].identity.digest
        grounds = Source("grounds", {"amount": 150})
        states = [
            State([grounds, one.sources["norms"], one.sources["authority"]])
            for one in (*versions, *versions)
        ]
        assert both.adjudicator.adjudicate(states) == ["deny", "approve"] * 2
        assert check_adjudicator(both.adjudicator, states) == []
        broken = State([grounds, Source("norms", "def decide(:"), Source("authority", 1)])
        empty = State([grounds, Source("norms", ""), Source("authority", 1)])
        assert [type(v) for v in both.adjudicator.adjudicate([broken, empty])] == [Unmeasured] * 2


def test_a_function_may_receive_a_source_as_a_module(tmp_path: Path) -> None:
    toml = SOURCE.replace("norms:decide", "entry:decide")
    code = (
        "def decide(grounds, norms, authority):\n"
        "    return 'approve' if grounds['amount'] <= norms.LIMIT else 'deny'\n"
    )
    files = {"evaluator.toml": toml, "norms.py": NORMS, "entry.py": code, "authority.json": "{}"}
    one = load_evaluator(write(tmp_path, files))
    with pair(one, one) as both:
        given = State(
            [Source("grounds", {"amount": 3}), one.sources["norms"], Source("authority", 1)]
        )
        assert both.adjudicator.adjudicate([given]) == ["approve"]


def test_modules_of_the_folder_are_found_and_bound(tmp_path: Path) -> None:
    files = {
        "decide.py": "import json, pack.sub as s\nfrom pack import deep\nfrom helper import *\n"
        "def decide(grounds, norms, authority):\n"
        "    import late\n    return s.SAY + deep.MORE + REST + late.END\n",
        "pack/__init__.py": "",
        "pack/sub.py": "from . import other\nfrom ..helper import REST\nSAY = other.A\n",
        "pack/other.py": "A = 'ap'\n",
        "pack/deep.py": "from .other import A\nMORE = 'pr'\n",
        "helper.py": "from dataclasses import dataclass\n@dataclass\nclass X:\n    a: int\n"
        "REST = 'ov'\n",
        "late.py": "END = 'e'\n",
        "unused.py": "1/0\n",
        "json.py": "",
    }
    folder = write(python_folder(tmp_path), files)
    one = load_evaluator(folder)
    assert sorted(one.program.code) == sorted(set(files) - {"unused.py"})
    path, modules = list(sys.path), set(sys.modules)
    with pair(one, one) as both:
        assert both.adjudicator.adjudicate([state(1)]) == ["approve"]
    assert sys.path == path
    assert all(name.startswith("_decidendi_") for name in set(sys.modules) - modules)


def test_what_no_import_names_cannot_be_imported(tmp_path: Path) -> None:
    code = (
        "import importlib\n"
        "def decide(grounds, norms, authority):\n"
        "    return importlib.import_module('hidden').X + __import__('hidden').X\n"
    )
    one = load_evaluator(python_folder(tmp_path, code, hidden__py="X = 'approve'\n"))
    with pair(one, one) as both:
        (verdict,) = both.adjudicator.adjudicate([state(1)])
    assert isinstance(verdict, Unmeasured) and "ModuleNotFoundError" in verdict.detail


class _Bad:
    """Breaks the laws it is told to."""

    def __init__(self, fault: str) -> None:
        self.fault, self.calls = fault, 0
        self.identity = Identity(
            "bad", "python", "sha256:0", VERDICTS, deterministic=fault != "draws"
        )

    def adjudicate(self, states: list[State]) -> list[Verdict]:
        self.calls += 1
        if self.fault == "raises":
            raise ValueError("no")
        if self.fault == "order":
            return list(sorted(decide(s["grounds"], s["norms"], 0) for s in states))
        if self.fault == "short":
            return ["approve"]
        if self.fault == "label":
            return ["perhaps" for _ in states]
        if self.fault == "batch":
            return ["approve" if len(states) > 1 else "deny"] * len(states)
        if self.fault == "flaky":
            return ["approve" if (self.calls + i) % 2 else "deny" for i in range(len(states))]
        if self.fault == "spoils":
            for s in states:
                if isinstance(s["norms"], dict):
                    s["norms"]["limit"] = 0
        if self.fault == "mistyped":
            contents: list[Any] = [s["norms"] for s in states]
            return [content["limit"] and "deny" for content in contents]
        return ["deny" for _ in states]


@pytest.mark.parametrize(
    "fault", ["raises", "order", "short", "label", "batch", "flaky", "spoils", "mistyped", "draws"]
)
def test_every_breach_of_the_laws_is_found(fault: str) -> None:
    bad: Any = _Bad(fault)
    assert check_adjudicator(bad, [state(1), state(11), state(1)])


def test_a_function_that_keeps_the_laws_keeps_them_all() -> None:
    fine: Any = _Bad("nothing")
    assert check_adjudicator(fine, [state(1), state(11)]) == []


def test_code_may_be_written_in_any_characters(tmp_path: Path) -> None:
    code = "# e\u0301\ndef decide(grounds, norms, authority):\n    return 'approve'\n"
    one = load_evaluator(python_folder(tmp_path, code))
    with pair(one, one) as both:
        assert both.adjudicator.adjudicate([state(1)]) == ["approve"]


def test_a_stochastic_function_is_told_which_draw_it_is() -> None:
    def drawn(repeat: int, **_: object) -> str:
        return VERDICTS[repeat % 2]

    adjudicator = function_adjudicator(drawn, name="d", verdicts=VERDICTS, deterministic=False)
    assert adjudicator.draw([state(1)] * 3, [0, 1, 2]) == ["approve", "deny", "approve"]
    assert adjudicator.adjudicate([state(1)]) == ["approve"]
    assert check_adjudicator(adjudicator, [state(1)]) == []
