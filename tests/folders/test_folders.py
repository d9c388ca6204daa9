"""Folders of runs: one writer, whole files, one run."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from decidendi.folders import (
    LOCK,
    StorageError,
    bind,
    cut_torn_line,
    make_folder,
    move_aside,
    only_writer,
    write_whole,
)
from decidendi.judgment import BadInputError


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "file"

    def lines() -> object:
        yield b"half"
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_whole(path, lines())
    assert list(path.parent.iterdir()) == []
    write_whole(path, b"first")
    with pytest.raises(RuntimeError):
        write_whole(path, lines())
    assert path.read_bytes() == b"first"
    write_whole(path, [b"a\n", b"b\n"])
    assert path.read_bytes() == b"a\nb\n"
    assert [entry.name for entry in path.parent.iterdir()] == ["file"]


def test_what_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / "file").mkdir()
    with pytest.raises(StorageError, match="file"):
        write_whole(tmp_path / "file", b"")
    (tmp_path / "plain").touch()
    with pytest.raises(BadInputError, match="not a folder"), only_writer(tmp_path / "plain"):
        pass
    with pytest.raises(StorageError, match="plain"), only_writer(tmp_path / "plain" / "run"):
        pass


@given(
    lines=st.lists(st.binary(max_size=5).map(lambda b: b.replace(b"\n", b"") + b"\n"), max_size=5),
    torn=st.one_of(
        st.binary(max_size=20).map(lambda b: b.replace(b"\n", b"")),
        st.integers(65_530, 65_540).map(lambda n: b"x" * n),
    ),
)
def test_a_torn_line_is_cut_off_and_nothing_else(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], torn: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "journal"
    path.write_bytes(b"".join(lines) + torn)
    cut_torn_line(path)
    assert path.read_bytes() == b"".join(lines)


def test_one_writer_at_a_time(tmp_path: Path) -> None:
    with (
        only_writer(tmp_path / "run"),
        pytest.raises(BadInputError, match="another run is writing"),
        only_writer(tmp_path / "run"),
    ):
        pass
    with only_writer(tmp_path / "run"):
        pass


def test_a_folder_is_of_one_run(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    bound = {"format": "f/1", "tool": "1", "model": {"name": "a", "heat": 0.5}}
    assert bind(path, bound, free=["tool"]) is True
    assert bind(path, {**bound, "tool": "2"}, free=["tool"]) is False
    with pytest.raises(BadInputError, match=r'differ in model\.name: "a" there, "b" asked for'):
        bind(path, {**bound, "model": {"name": "b", "heat": 0.5}}, free=["tool"])
    with pytest.raises(BadInputError, match="not a run of g/1"):
        bind(path, {**bound, "format": "g/1"})


def test_a_folder_with_other_things_is_no_run(tmp_path: Path) -> None:
    make_folder(tmp_path / "new", "run.json")
    (tmp_path / "new" / LOCK).touch()
    (tmp_path / "new" / "sources").mkdir()
    make_folder(tmp_path / "new", "run.json", early=["sources"])
    with pytest.raises(BadInputError, match="sources"):
        make_folder(tmp_path / "new", "run.json")
    (tmp_path / "new" / "run.json").touch()
    make_folder(tmp_path / "new", "run.json")
    with pytest.raises(BadInputError, match="not a folder"):
        make_folder(tmp_path / "new" / "run.json", "run.json")


def test_a_run_is_moved_aside_to_a_free_name(tmp_path: Path) -> None:
    for number in (1, 2):
        (tmp_path / "run").mkdir()
        assert move_aside(tmp_path / "run").name == f"run.{number}"
