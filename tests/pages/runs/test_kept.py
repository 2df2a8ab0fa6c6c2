"""Uploaded files are counted as they were uploaded."""

from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

from backend import paths
from backend.live.uploads import own_uploads
from pages.runs import kept


def test_an_archive_is_one_file_whatever_is_unpacked_of_it(flipside_cache: Path) -> None:
    """A zip of five files was “6 files”."""
    data = BytesIO()
    with ZipFile(data, "w") as archive:
        for name in ("items.csv", "p0.png", "p1.png"):
            archive.writestr(f"own/{name}", "image,true,false\n")
    staged = own_uploads.stage(data.getvalue(), "own.zip")
    own_uploads.stage(b"image,true,false\n", "table.csv")
    files = [path for path in (paths.cache_dir() / "uploads").rglob("*") if path.is_file() and path.name[0] != "."]
    assert len(files) == 5
    assert flipside_cache in staged.file.parents
    assert sorted(path.name for path in kept.as_uploaded(files)) == ["own.zip", "table.csv"]
