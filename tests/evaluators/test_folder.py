"""Reading an evaluator's folder: what is wrong is told with file, field and remedy."""

from __future__ import annotations

import os
from pathlib import Path

import jsonschema_rs
import pytest
from evaluator_folders import AUTHORITY, CEDAR, REGO, manifest, python_folder, write

from decidendi.evaluators import check_folder, evaluator_schema, load_evaluator
from decidendi.judgment import BadInputError

TOML = manifest("python", 'entry = "decide:decide"')


def refused(folder: Path) -> BadInputError:
    with pytest.raises(BadInputError) as caught:
        load_evaluator(folder)
    error = caught.value
    assert error.remedy and error.place.file
    told = [(p.place, p.what) for p in check_folder(folder) if not p.hint]
    assert (error.place, error.what) in told, "check tells it as well"
    return error


@pytest.mark.parametrize(
    ("change", "field", "said"),
    [
        (("engine =", "engin ="), "adjudicator.engine", "missing"),
        (('"python"', '"pyhton"'), "adjudicator.engine", "unknown engine"),
        (('entry = "decide:decide"', ""), "adjudicator.entry", "missing"),
        (("decide:decide", "decide"), "adjudicator.entry", "form"),
        (("name =", "nmae ="), "name", "missing"),
        (('version = "1"', "version = 1"), "version", "string"),
        (('["approve", "deny", "refer"]', '["approve"]'), "verdicts", "at least 2"),
        (('"refer"]', '"deny"]'), "verdicts", "twice"),
        (('files = ["norms.json"]', ""), "sources.norms", "either from or files"),
        (('from = "case"', 'from = "file"'), "sources.grounds.from", "'case'"),
        (("[sources.norms]", "[sources.norms]\nshcema = 'x'"), "sources.norms.shcema", "unknown"),
        (("[sources.norms]", "[sources.'no-rms']"), "sources.no-rms", "form"),
        (("[sources.norms]", "[sources.class]"), "sources.class", "word of Python"),
        (("[sources.grounds]", "[sources.unit]"), "sources.unit", "something else"),
        (("norms.json", "../norms.json"), "sources.norms.files", "leads out"),
        (("norms.json", "/etc/passwd"), "sources.norms.files", "not a path inside"),
        (("norms.json", "C:/norms.json"), "sources.norms.files", "not a path inside"),
        (('"norms.json"', "'a\\norms.json'"), "sources.norms.files", "not a plain path"),
        (("norms.json", "absent.json"), "sources.norms.files", "no file"),
        (("norms.json", "*.yaml"), "sources.norms.files", "matches no file"),
        (('"norms.json"', '"norms.json", "./norms.json"'), "sources.norms.files", "named twice"),
        (('"norms.json"', '"*.json"'), "sources.authority.files", "also belongs to"),
    ],
)
def test_a_manifest_is_read_strictly(
    tmp_path: Path, change: tuple[str, str], field: str, said: str
) -> None:
    text = TOML.replace(*change, 1)
    assert text != TOML
    error = refused(python_folder(tmp_path, evaluator__toml=text))
    assert error.place.field == field
    assert said in error.what


@pytest.mark.parametrize(
    ("more", "field", "said"),
    [
        ('[local]\nentry = "decide:x"\nauthority = {pick = []}', "local", "both"),
        ('[local]\ngrounds = {pick = ["grounds.a"]}', "local.grounds", "comes from files"),
        ('[local]\nauthority = {pick = ["norms.a"]}', "local.authority.pick", "in the case"),
        ('[local]\nauthority = {picks = ["grounds.a"]}', "local.authority.pick", "missing"),
        ('[migrations]\nground = "m:g"', "migrations.ground", "not a kind"),
        ('[migrations]\ngrounds = "m:g"', "migrations.grounds", "no module"),
        ("[loc]", "loc", "unknown field"),
    ],
)
def test_the_other_tables_too(tmp_path: Path, more: str, field: str, said: str) -> None:
    error = refused(python_folder(tmp_path, more=more))
    assert error.place.field == field
    assert said in error.what


def test_did_you_mean(tmp_path: Path) -> None:
    folder = python_folder(tmp_path, evaluator__toml=TOML.replace("version", "verison"))
    remedies = " ".join(p.remedy for p in check_folder(folder))
    assert "did you mean 'version'?" in remedies


@pytest.mark.parametrize(
    ("data", "line", "said"),
    [
        (b"a = 1\nb = \n", 2, "not valid TOML"),
        (b"a = 1\nb = '\xff'", 2, "not UTF-8"),
        (b"[a", 1, "not valid TOML"),
    ],
)
def test_a_manifest_that_is_no_toml(tmp_path: Path, data: bytes, line: int, said: str) -> None:
    error = refused(write(tmp_path, {"evaluator.toml": data}))
    assert error.place.line == line and said in error.what


@pytest.mark.parametrize(
    ("name", "data", "field", "said"),
    [
        ("norms.json", b'{"limit": 1.5}', "limit", "float"),
        ("norms.json", b'{"a": [{"b": 9007199254740993}]}', "a[0].b", "2^53"),
        ("norms.json", b'{"limit": 1, "limit": 2}', None, "twice"),
        ("norms.json", b'{"limit": "e\xcc\x81"}', "limit", "NFC"),
        ("norms.json", b'{"limit": "\\ud800"}', None, "not valid JSON"),
        ("norms.json", b"{", None, "not valid JSON"),
        ("authority.json", b"\xff", None, "not valid JSON"),
        ("decide.py", b"def decide(:\n", None, "not valid Python"),
        ("decide.py", b"x = '\xff'\n", None, "not UTF-8"),
        ("decide.py", b"\xef\xbb\xbfx = 1\n", None, "byte order mark"),
        ("norms.json", b" " * (17 * 2**20), None, "more than"),
    ],
)
def test_a_source_is_read_strictly(
    tmp_path: Path, name: str, data: bytes, field: str | None, said: str
) -> None:
    error = refused(write(python_folder(tmp_path), {name: data}))
    assert error.place.file == str(tmp_path / name)
    assert error.place.field == field
    assert said in error.what


def test_links_and_special_files_are_refused(tmp_path: Path) -> None:
    folder = python_folder(tmp_path / "e")
    (tmp_path / "secret.json").write_text("1")
    (folder / "norms.json").unlink()
    (folder / "norms.json").symlink_to(tmp_path / "secret.json")
    assert "symbolic link" in refused(folder).what
    (folder / "norms.json").unlink()
    os.mkfifo(folder / "norms.json")
    assert "not a regular file" in refused(folder).what
    (folder / "norms.json").unlink()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "norms.json").write_text("1")
    (folder / "sub").symlink_to(tmp_path / "outside")
    text = TOML.replace('"norms.json"', '"sub/norms.json"')
    (folder / "evaluator.toml").write_text(text)
    assert "symbolic link" in refused(folder).what
    (folder / "evaluator.toml").write_text(TOML.replace('"norms.json"', '"sub*"'))
    assert "symbolic link" in refused(folder).what


def test_no_folder_and_no_manifest(tmp_path: Path) -> None:
    assert "no such folder" in refused(tmp_path / "none").what
    with pytest.raises(BadInputError, match=r"no evaluator.toml"):
        load_evaluator(tmp_path)
    assert len(check_folder(tmp_path)) == 1


def test_contents_are_files_or_objects_of_files(tmp_path: Path) -> None:
    text = TOML.replace('files = ["norms.json"]', 'files = ["p/**/*.txt", "p/x.json", "p/.h.txt"]')
    files = {"p/a.txt": "A", "p/q/r/b.txt": "B", "p/x.json": "[1]", "p/.h.txt": "H", "p/c.md": ""}
    one = load_evaluator(write(python_folder(tmp_path, evaluator__toml=text), files))
    assert one.sources["norms"].content == {
        "p/a.txt": "A",
        "p/q/r/b.txt": "B",
        "p/x.json": [1],
        "p/.h.txt": "H",
    }
    assert one.sources["authority"].content == {"EU": {"since": 2020}}
    single = TOML.replace('files = ["norms.json"]', 'files = ["p/a.*"]')
    again = load_evaluator(python_folder(tmp_path, evaluator__toml=single))
    assert again.sources["norms"].content == {"p/a.txt": "A"}, "a pattern gives an object"


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        (b'{"type": "nope"}', "not a usable JSON Schema"),
        (b'{"$ref": "https://example.org/s.json"}', "not a usable JSON Schema"),
        (b'{"$ref": "other.json"}', "not a usable JSON Schema"),
        (b'{"$schema": "http://json-schema.org/draft-07/schema#"}', "another draft"),
        (b"[]", "a schema is an object"),
        (b"{", "not valid JSON"),
    ],
)
def test_schemas_are_checked(tmp_path: Path, schema: bytes, said: str) -> None:
    text = TOML.replace('from = "case"', 'from = "case"\nschema = "s.json"')
    error = refused(python_folder(tmp_path, evaluator__toml=text, s__json=schema))
    assert said in error.what
    assert error.place.file == str(tmp_path / "s.json")


def problems(folder: Path) -> list[str]:
    return [str(problem).replace(f"{folder}/", "") for problem in check_folder(folder)]


def test_check_finds_nothing_wrong_with_what_is_right(tmp_path: Path) -> None:
    assert problems(python_folder(tmp_path)) == []


@pytest.mark.parametrize(
    ("decide", "said"),
    [
        ("def decide(grounds, norms):\n    return 'approve' 'deny' 'refer'\n", "is called with"),
        ("def other(): pass\n", "has no 'decide'"),
        ("decide = 3\n", "is not a function"),
        ("async def decide(grounds, norms, authority): pass\n", "coroutine"),
        ("import nothing_of_this_name\n", "decide.py:1: ModuleNotFoundError"),
        ("import sys\nsys.exit(3)\n", "SystemExit"),
    ],
)
def test_check_tries_the_entry(tmp_path: Path, decide: str, said: str) -> None:
    folder = python_folder(tmp_path, decide)
    found = [p for p in problems(folder) if "occurs nowhere" not in p]
    assert len(found) == 1 and said in found[0]


def test_check_tells_everything_at_once(tmp_path: Path) -> None:
    query = 'query = "data.refund.verdict"'
    text = manifest("rego", query, norms="p/*.rego").replace('"refer"]', '"reffer"]')
    folder = write(
        tmp_path,
        {
            "evaluator.toml": text + '[local]\nentry = "local:select"\n',
            "p/a.rego": "package refunds\nimport rego.v1\nx := {\n",
            "p/b.rego": "package b\nimport rego.v1\n\ny { true }\n",
            "stray.rego": REGO,
            "local.py": "def select(grounds): ...\n",
            "authority.json": '{"limit": 0.5}',
        },
    )
    found = problems(folder)
    assert any(p.startswith("p/a.rego:4: not valid Rego") for p in found)
    assert any(p.startswith("p/b.rego:4: not valid Rego") for p in found)
    assert any("authority.json: limit: 0.5 is a float" in p for p in found)
    assert any("stray.rego: belongs to no kind" in p for p in found)
    assert any("local.entry: local:select takes (grounds)" in p for p in found)
    assert any("verdicts: 'reffer' occurs nowhere" in p for p in found)
    write(folder, {"p/a.rego": REGO, "p/b.rego": "package b\n", "authority.json": AUTHORITY})
    assert any("no policy has the rule data.refund.verdict" in p for p in problems(folder))


def test_check_of_cedar(tmp_path: Path) -> None:
    settings = (
        "actions = { refer = 'Action::\"refer\"', aprove = 'Action::\"approve\"' }\n"
        'otherwise = "deny"\nprincipal = "User"\nresource = \'R::"{case.id}"\'\n'
    )
    files = {
        "evaluator.toml": manifest("cedar", settings, norms="norms.cedar"),
        "norms.cedar": CEDAR + "permit(",
        "authority.json": "[]",
    }
    found = " ".join(problems(write(tmp_path, files)))
    assert "'aprove' is not a verdict" in found
    assert "'User' is not an entity" in found
    assert "'case.id' does not begin with a kind" in found
    assert "norms.cedar: not valid Cedar" in found


def test_check_of_a_source_that_does_not_fit_its_own_schema(tmp_path: Path) -> None:
    text = TOML.replace('files = ["norms.json"]', 'files = ["norms.json"]\nschema = "s.json"')
    schema = '{"properties": {"limit": {"type": "string"}}}'
    found = problems(python_folder(tmp_path, evaluator__toml=text, s__json=schema))
    assert found == [
        "evaluator.toml: sources.norms: does not fit its schema: limit: 100 is not of type "
        '"string" (correct the source, or s.json)'
    ]


def test_the_schema_of_the_manifest_says_the_same() -> None:
    import tomllib

    schema = jsonschema_rs.Draft202012Validator(evaluator_schema())
    assert schema.is_valid(tomllib.loads(TOML))
    assert not schema.is_valid(tomllib.loads(TOML.replace("version", "verison")))


def test_policies_of_another_language(tmp_path: Path) -> None:
    folder = python_folder(
        tmp_path, evaluator__toml=manifest("rego", 'query = "data.refunds.verdict"')
    )
    assert "no kind holds rego policies" in refused(folder).what
    mixed = manifest("rego", 'query = "data.a.b"').replace('"norms.json"', '"norms.json", "a.rego"')
    folder = python_folder(tmp_path, evaluator__toml=mixed, a__rego="package a\n")
    assert "policies and other files" in refused(folder).what
