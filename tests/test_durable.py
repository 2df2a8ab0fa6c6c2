import errno
import os
import time
from pathlib import Path

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
        (errno.EROFS, "the disk is read-only", "choose another place", "FLIPSIDE_CACHE"),
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
    assert f"{other}: {said}" in unwritable(OSError(number, "x", str(other)), cache)
    assert "FLIPSIDE_CACHE" not in unwritable(OSError(number, "x", str(other)), cache)


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
