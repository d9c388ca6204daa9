"""Local parts and migrations: the state that can affect a case, in the revised form."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from evaluator_folders import python_folder

from decidendi.evaluators import CaseRecord, Pair, load_evaluator, pair
from decidendi.judgment import JSON, BadInputError, Case
from decidendi.receipts import Status, certify_many

TWO = {"EU": {"limit": 1}, "US": {"limit": 2}, "default": {"limit": 0}}
PICK = '[local]\nauthority = { pick = ["grounds.region"], keep = ["default"] }\n'
ENTRY = '[local]\nentry = "local:select"\n'
SELECT = """
def select(grounds, norms, authority):
    region = grounds["region"]
    return {"authority": {k: authority[k] for k in (region, "default") if k in authority}}
"""


def record(old: JSON, revised: JSON | None = None) -> CaseRecord:
    return CaseRecord(7, Case("c"), {"grounds": (old, old if revised is None else revised)})


def both(folder: Path, more: str, **files: str) -> Pair:
    files.setdefault("authority__json", json.dumps(TWO))
    one = load_evaluator(python_folder(folder, more=more, **files))
    return pair(one, one)


def regions(content: JSON) -> list[str]:
    assert isinstance(content, dict)
    return sorted(content)


@pytest.mark.parametrize(("more", "files"), [(PICK, {}), (ENTRY, {"local__py": SELECT})])
def test_a_part_holds_what_either_side_of_the_case_can_need(
    tmp_path: Path, more: str, files: dict[str, str]
) -> None:
    eu, us, mars = ({"region": name} for name in ("EU", "US", "MARS"))
    with both(tmp_path, more, **files) as one:
        first, again = one.transition(record({**eu})), one.transition(record({**eu}))
        moved = one.transition(record({**eu}, {**us}))
        nowhere = one.transition(record({**mars}))
    assert regions(first.old["authority"]) == ["EU", "default"]
    assert first.old.sources[2] is again.old.sources[2], "digested once"
    assert regions(moved.old["authority"]) == ["EU", "US", "default"]
    assert moved.old.key[1:] == moved.revised.key[1:]
    assert regions(nowhere.old["authority"]) == ["default"]


def test_selections_that_cannot_be_joined_leave_the_whole(tmp_path: Path) -> None:
    select = (
        "def select(grounds, norms, authority):\n    return {'authority': [grounds['region']]}\n"
    )
    with both(tmp_path, ENTRY, local__py=select) as one:
        moved = one.transition(record({"region": "EU"}, {"region": "US"}))
        still = one.transition(record({"region": "EU"}, {"region": "EU"}))
    assert moved.old["authority"] == TWO
    assert still.old["authority"] == ["EU"]


@pytest.mark.parametrize(
    ("select", "said"),
    [
        ("def select(**k):\n    raise KeyError('x')\n", r"local.py:2: KeyError: 'x'"),
        ("def select(**k):\n    return 3\n", "did not return an object"),
        ("def select(**k):\n    return {'grounds': 1}\n", "did not return an object"),
        ("def select(**k):\n    return {'norms': 1.5}\n", "is a float"),
        ("def select(**k):\n    k['authority'].clear()\n    return {}\n", "changed the authority"),
        ("import sys\ndef select(**k):\n    sys.exit(3)\n", "SystemExit"),
    ],
)
def test_a_selection_that_fails_makes_a_bad_case(tmp_path: Path, select: str, said: str) -> None:
    with both(tmp_path, ENTRY, local__py=select) as one:
        with pytest.raises(BadInputError, match=said) as caught:
            one.transition(record({}))
        assert caught.value.place.line == 7


@pytest.mark.parametrize(
    ("more", "select", "said"),
    [
        (ENTRY, "def select(grounds): ...\n", "is called with grounds, norms, authority"),
        (ENTRY, "def other(): ...\n", "has no 'select'"),
        (ENTRY, "1/0\n", "ZeroDivisionError"),
    ],
)
def test_a_selection_that_cannot_be_called_is_found_at_once(
    tmp_path: Path, more: str, select: str, said: str
) -> None:
    with pytest.raises(BadInputError, match=said) as caught:
        both(tmp_path, more, local__py=select)
    assert str(caught.value.place.file).endswith("evaluator.toml")


def test_picking_needs_an_object(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="not a JSON object"):
        both(tmp_path, PICK, authority__json="[]")


def test_picked_keys_may_be_numbers_and_lists(tmp_path: Path) -> None:
    more = '[local]\nauthority = { pick = ["grounds.of.id", "grounds.also"] }\n'
    with both(tmp_path, more, authority__json='{"7": 1, "EU": 2, "true": 3, "x": 4}') as one:
        found = one.transition(record({"of": {"id": 7}, "also": ["EU", True, None, {}]}))
        none = one.transition(record("text"))
    assert found.old["authority"] == {"7": 1, "EU": 2}
    assert none.old["authority"] == {}


DECIDE = """
def decide(grounds, norms, authority):
    if "cents" in grounds:
        amount = grounds["cents"]
    else:
        amount = 100 * grounds["eur"]
    return "approve" if amount <= norms["limit"] else "deny"
"""
MIGRATE = """
def grounds(old):
    return {"cents": old.pop("eur") * 100}
def norms(old):
    return {"limit": old["limit"] * FACTOR}
"""
MIGRATIONS = '[migrations]\ngrounds = "migrate:grounds"\n'


def migrating(tmp: Path, migrate: str = MIGRATE, more: str = MIGRATIONS) -> Pair:
    schemas = {"eur": '{"required": ["eur"]}', "cents": '{"required": ["cents"]}'}

    def version(name: str, limit: str, unit: str, more: str) -> Path:
        folder = python_folder(
            tmp / name,
            DECIDE,
            more,
            norms__json=limit,
            s__json=schemas[unit],
            migrate__py=migrate,
        )
        toml = folder / "evaluator.toml"
        toml.write_text(toml.read_text().replace('"case"', '"case"\nschema = "s.json"'))
        return folder

    old = version("v1", '{"limit": 1000}', "eur", "")
    new = version("v2", '{"limit": 2000}', "cents", more)
    return pair(load_evaluator(old), load_evaluator(new))


def test_a_migration_makes_a_changed_form_certifiable(tmp_path: Path) -> None:
    with migrating(tmp_path) as one:
        transitions = [
            one.transition(record({"eur": 15})),
            one.transition(record({"eur": 30}, {"cents": 500})),
        ]
        found = list(certify_many(one.adjudicator, transitions, contract=one.contract))
    assert [c.receipt.members if c.receipt else c.finding for c in found] == [
        (("norms",),),
        (("grounds",),),
    ]
    assert transitions[0].migrated is not None
    assert transitions[0].migrated["grounds"] == {"cents": 1500}
    assert transitions[0].old["grounds"] == {"eur": 15}, "the old form stays as it was"


def test_without_a_migration_it_is_uncertifiable(tmp_path: Path) -> None:
    with migrating(tmp_path, more="") as one:
        moved = one.transition(record({"eur": 30}, {"cents": 500}))
        (found,) = certify_many(one.adjudicator, [moved], contract=one.contract)
    assert found.status is Status.UNCERTIFIABLE


def test_a_migration_that_fails_makes_a_bad_case(tmp_path: Path) -> None:
    raises = r"line 7: grounds: the migration failed: migrate.py"
    with migrating(tmp_path) as one, pytest.raises(BadInputError, match=raises):
        one.transition(record({"euros": 1}))
    migrate = "def grounds(old):\n    return 1.5\n"
    no_value = "no canonical value"
    with migrating(tmp_path, migrate) as one, pytest.raises(BadInputError, match=no_value):
        one.transition(record({"eur": 1}))


def test_a_whole_source_is_migrated_once(tmp_path: Path) -> None:
    more = '[migrations]\nnorms = "migrate:norms"\n'
    with migrating(tmp_path, "FACTOR = 2" + MIGRATE, more) as one:
        found = one.transition(record({"eur": 1}))
    assert found.migrated is not None and found.migrated["norms"] == {"limit": 2000}
    assert found.migrated.key == found.revised.key
    with pytest.raises(
        BadInputError, match=r"norms: the migration failed: migrate.py:5: NameError"
    ):
        migrating(tmp_path, MIGRATE, more)
