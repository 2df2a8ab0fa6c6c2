import errno
import os
import shutil
import time
from pathlib import Path

import duckdb
import pytest

from backend import durable
from backend.durable import replaced, sync_dir, unwritable, write_synced


def test_what_was_written_is_there(tmp_path):
    write_synced(tmp_path / "a", b"bytes")
    sync_dir(tmp_path)
    assert (tmp_path / "a").read_bytes() == b"bytes"


@pytest.mark.parametrize(
    ("number", "said", "elsewhere", "in_cache"),
    [
        (errno.EROFS, "the disk of {} is read-only", "choose another place", "FLIPSIDE_CACHE"),
        (errno.ENOSPC, "no space is left on its disk", "choose another place", "FLIPSIDE_CACHE"),
    ],
)
def test_a_file_that_cannot_be_written_is_named_as_it_was_asked_for(
    tmp_path, monkeypatch, number, said, elsewhere, in_cache
):
    def refuses(path: Path, data: bytes) -> None:
        raise OSError(number, os.strerror(number), None if number == errno.ENOSPC else str(path))

    monkeypatch.setattr(durable, "write_synced", refuses)
    cache, other = tmp_path / "cache", tmp_path / "papers" / "t.md"
    for path, advice in ((other, elsewhere), (cache / "a.json", in_cache)):
        with pytest.raises(OSError, match="Errno") as refused:
            replaced(path, b"x")
        told = unwritable(refused.value, cache)
        assert advice in told
        assert ".aside-" not in told
    assert f"{other}: {said.format(other.parent)}" in unwritable(OSError(number, "x", str(other)), cache)
    assert "FLIPSIDE_CACHE" not in unwritable(OSError(number, "x", str(other)), cache)


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, "x"), "no space is left on its disk. Free some, or choose another place."),
        (OSError(errno.EFBIG, "x"), "a file would be longer than your shell or this disk allows. Raise the limit"),
        (OSError(errno.EROFS, "x"), "the disk of {here} is read-only. Make it writable, or choose another place."),
        (OSError(errno.EACCES, "x"), "may not be read or written by you. Change its permissions, or choose another"),
        (OSError(errno.EIO, "Input/output error"), "cannot be written (Input/output error). Choose another place."),
        (duckdb.IOException('Could not write file ".aside-1-a.csv": File too large'), "a file would be longer than"),
        (duckdb.IOException("IO Error: no reason\nLINE 1"), "cannot be written (IO Error: no reason). Choose another"),
    ],
)
def test_what_was_asked_for_by_name_and_not_written_has_a_next_step(error, said, tmp_path):
    place = tmp_path / "not" / "there" / "a.csv"
    told = durable.not_written(error, place)
    assert told.startswith(f"{place}: {said.format(here=tmp_path)}"), "of a path that is not there, the folder that is"
    assert durable.not_written(error, place, durable.IN_CACHE).endswith(
        "et FLIPSIDE_CACHE to a folder that you can write."
    )


def test_what_a_killed_import_left_is_gone_a_day_later(tmp_path):
    left, fresh, other = tmp_path / ".import-killed", tmp_path / ".import-at-work", tmp_path / "runs"
    for folder in (left, fresh, other):
        folder.mkdir()
        (folder / "file").write_text("x")
    long_ago = time.time() - 100_000
    os.utime(left, (long_ago, long_ago))
    with durable.scratch_folder(tmp_path) as made:
        assert made.parent == tmp_path
        (made / "unpacked").write_text("x")
    assert sorted(path.name for path in tmp_path.iterdir()) == [".import-at-work", "runs"]


def test_a_tree_that_cannot_be_copied_says_why_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`copytree` said it in a list of words: a full disk was said to be a fault of what ships."""
    (tmp_path / "one" / "in").mkdir(parents=True)
    for name in ("a", "in/b", "in/left"):
        (tmp_path / "one" / name).write_text(name)
    durable.copied_tree(tmp_path / "one", tmp_path / "other", ignore=shutil.ignore_patterns("left"))
    assert sorted(path.name for path in (tmp_path / "other").rglob("*")) == ["a", "b", "in"]

    def full(source: str, target: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", source, None, target)

    monkeypatch.setattr(shutil, "copy2", full)
    with pytest.raises(OSError, match="No space left") as said:
        durable.copied_tree(tmp_path / "one", tmp_path / "third")
    assert durable.is_full(said.value)
    assert durable.unwritable(said.value, tmp_path / "third") == durable.full(tmp_path / "third"), "where it goes"
