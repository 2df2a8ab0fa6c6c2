"""Uploaded tables and archives: laid aside safely, or refused in one sentence."""

import os
import stat
import time
from io import BytesIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import pytest

from backend.errors import FlipsideError
from backend.live.uploads import own_uploads

TABLE = "image,caption,negative\na.png,a cat,a dog\n"


def archive(*entries: tuple[str | ZipInfo, bytes | str]) -> bytes:
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as out:
        for name, data in entries:
            out.writestr(name, data)
    return buffer.getvalue()


def test_a_table_is_laid_aside_as_it_is(flipside_cache: Path) -> None:
    staged = own_uploads.stage(TABLE.encode(), "../my table.CSV")
    assert staged.tables == (staged.file,)
    assert staged.file.name == "my table.csv"
    assert staged.file.read_text() == TABLE
    assert staged.images is None
    assert flipside_cache in staged.file.parents
    assert own_uploads.stage(TABLE.encode(), "../my table.CSV") == staged


def test_an_archive_is_unpacked_with_its_tables_and_pictures() -> None:
    data = archive(("set/t.csv", TABLE), ("set/pics/a.png", b"x"), ("__MACOSX/set/t.csv", "junk"))
    staged = own_uploads.stage(data, "set.zip")
    assert staged.images is not None
    assert [path.relative_to(staged.images).as_posix() for path in staged.tables] == ["set/t.csv"]
    assert own_uploads.stage(data, "set.zip") == staged


def link() -> ZipInfo:
    info = ZipInfo("t.csv")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


@pytest.mark.parametrize(
    ("data", "name", "says"),
    [
        (b"", "t.csv", "is empty"),
        (b"x", "t.exe", "is no table"),
        (b"x", "", "is no table"),
        (b"not a zip", "t.zip", "zip the folder anew"),
        (archive(("t.csv", TABLE))[:-30], "t.zip", "zip the folder anew"),
        (archive(("a.png", b"x")), "t.zip", "holds no table"),
        (archive(), "t.zip", "holds no table"),
        (archive(("../../t.csv", TABLE)), "t.zip", "leads out of its folder"),
        (archive(("/etc/t.csv", TABLE)), "t.zip", "leads out of its folder"),
        (archive((link(), "/etc/passwd")), "t.zip", "is a link"),
        (archive(("t.csv", b"0" * (80 << 20))), "t.zip", "unpacks to more"),
    ],
)
def test_what_is_no_table_is_refused_in_one_sentence(data: bytes, name: str, says: str, flipside_cache: Path) -> None:
    with pytest.raises(FlipsideError, match=says) as caught:
        own_uploads.stage(data, name)
    assert "\n" not in str(caught.value)
    assert str(flipside_cache) not in str(caught.value)
    assert not list(flipside_cache.rglob("*.unpacking*"))
    assert not list(flipside_cache.rglob("passwd"))


def test_uploads_go_after_a_day() -> None:
    old = own_uploads.stage(TABLE.encode(), "old.csv").file
    past = time.time() - 2 * 86_400
    os.utime(old.parent / ".lock", (past, past))
    new = own_uploads.stage(TABLE.encode(), "new.csv").file
    assert new.exists()
    assert not old.exists()
