"""An evaluator at a git revision, read without touching anybody's files."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from evaluator_folders import DECIDE, python_folder

from decidendi.evaluators import Evaluator, load_evaluator, load_revision, pair
from decidendi.judgment import BadInputError, Source, State


def git(at: Path, *args: str) -> str:
    who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    command = ["git", "-C", str(at), *who, *args]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository whose folder sub/refunds has two committed versions and a dirty third."""
    root = tmp_path / "repo"
    root.mkdir()
    git(root, "init", "-q", "-b", "main")
    folder = python_folder(root / "sub" / "refunds")
    git(root, "add", ".")
    git(root, "commit", "-qm", "first")
    git(root, "tag", "v1")
    (folder / "decide.py").write_text("from ways import decide\n")
    (folder / "ways.py").write_text(DECIDE.replace("<=", "<"))
    (folder / "norms.json").write_text('{"limit": 200}')
    git(root, "add", ".")
    git(root, "commit", "-qm", "second")
    (folder / "norms.json").write_text("not even JSON")
    (folder / "ways.py").unlink()
    return folder


def decides(one: Evaluator, amount: int) -> object:
    with pair(one, one) as both:
        grounds = Source("grounds", {"amount": amount, "region": "EU"})
        state = State([grounds, one.sources["norms"], one.sources["authority"]])
        return both.adjudicator.adjudicate([state])[0]


def test_two_revisions_live_side_by_side(repository: Path) -> None:
    before = git(repository, "status", "--porcelain")
    old, new = load_revision(repository, "v1"), load_revision(repository, "HEAD")
    assert (decides(old, 100), decides(new, 200), decides(new, 199)) == (
        "approve",
        "deny",
        "approve",
    )
    assert decides(old, 101) == "deny", "the second version's modules are not the first's"
    assert old.revision == git(repository, "rev-parse", "v1")
    assert list(new.program.code) == ["decide.py", "ways.py"]
    assert git(repository, "status", "--porcelain") == before


def test_a_revision_is_what_the_folder_was(repository: Path) -> None:
    git(repository, "checkout", "-q", "-f", "v1")
    here, there = load_evaluator(repository), load_revision(repository, "v1")
    assert here.digest == there.digest
    assert here.identity == there.identity


def test_the_folder_need_not_exist_any_more(repository: Path) -> None:
    git(repository.parent, "rm", "-qrf", "refunds")
    assert load_revision(repository, "v1").name == "refunds"


@pytest.mark.parametrize(
    "revision", ["v9", "--help", "-h", "--all", "", "v1:sub", "HEAD^9", "a\0b"]
)
def test_what_is_no_revision(repository: Path, revision: str) -> None:
    with pytest.raises(BadInputError, match="no revision"):
        load_revision(repository, revision)


def test_no_repository_and_no_such_folder_then(repository: Path, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="not in a git repository"):
        load_revision(tmp_path, "v1")
    with pytest.raises(BadInputError, match="does not exist at revision"):
        load_revision(repository / "elsewhere", "v1")
    with pytest.raises(BadInputError, match=r"no evaluator.toml"):
        load_revision(repository.parent, "v1")


def test_problems_name_commit_and_path(repository: Path) -> None:
    (repository / "norms.json").write_text('{"limit": 0.5}')
    git(repository, "commit", "-qam", "third")
    with pytest.raises(BadInputError) as caught:
        load_revision(repository, "HEAD")
    commit = git(repository, "rev-parse", "HEAD")[:12]
    assert caught.value.place.file == f"{commit}:sub/refunds/norms.json"


def test_links_are_refused_at_a_revision_too(repository: Path) -> None:
    (repository / "norms.json").unlink()
    (repository / "norms.json").symlink_to("authority.json")
    git(repository, "commit", "-qam", "link")
    with pytest.raises(BadInputError, match="symbolic link"):
        load_revision(repository, "HEAD")


def test_the_variables_of_a_hook_lead_nowhere_else(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    monkeypatch.setenv("GIT_WORK_TREE", "/nowhere")
    assert load_revision(repository, "v1").name == "refunds"


def test_without_git(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "PATH", "")
    with pytest.raises(BadInputError, match="git is not installed"):
        load_revision(repository, "v1")
