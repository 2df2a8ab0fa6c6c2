"""A browser user finds benchmarks in the owner's data folders, and nothing outside them."""

import os
from pathlib import Path

import pytest

from backend.errors import UsageError
from backend.live.uploads import data_folders


def visla(folder: Path, name: str = "Generic_VISLA.tsv") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("made up")
    return folder


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path / "benchmarks"
    made.mkdir()
    monkeypatch.setenv("FLIPSIDE_DATA", str(made))
    return made


def test_roots_are_the_owners_or_the_defaults(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, flipside_cache: Path
) -> None:
    monkeypatch.delenv("FLIPSIDE_DATA", raising=False)
    (flipside_cache / "data").mkdir()
    assert (flipside_cache / "data").resolve() in data_folders.roots().values()
    for name in ("a/data", "b/data"):
        (tmp_path / name).mkdir(parents=True)
    given = [tmp_path / "a/data", tmp_path / "b/data", tmp_path / "nowhere", tmp_path / "a/data"]
    monkeypatch.setenv("FLIPSIDE_DATA", os.pathsep.join(map(str, given)))
    assert data_folders.roots() == {"data": tmp_path / "a/data", "data (2)": tmp_path / "b/data"}


def test_places_name_the_subfolder_and_the_root_only_where_no_subfolder_has_it(root: Path) -> None:
    visla(root / "one" / "deep")
    visla(root / "two")
    (root / "empty").mkdir()
    found = [(place.where, place.name) for place in data_folders.places()]
    assert found == [("benchmarks/one", "visla"), ("benchmarks/two", "visla")]
    (root / "one" / "deep" / "Generic_VISLA.tsv").unlink()
    (root / "two" / "Generic_VISLA.tsv").unlink()
    visla(root)
    (place,) = data_folders.places()
    assert (place.where, place.folder) == ("benchmarks", root)


def test_what_is_no_root_has_no_subfolders(root: Path) -> None:
    with pytest.raises(UsageError, match="no data folder"):
        data_folders.subfolders("../" + root.name)


def test_links_out_of_a_root_are_left_alone_unless_the_owner_allows_them(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = visla(root.parent / "outside")
    (root / "link").symlink_to(outside)
    visla(root / "real")
    (root / "inner").symlink_to(root / "real")
    assert data_folders.subfolders("benchmarks") == ["inner", "real"]
    monkeypatch.setenv("FLIPSIDE_FOLLOW_LINKS", "1")
    assert data_folders.subfolders("benchmarks") == ["inner", "link", "real"]


def test_hidden_folders_and_files_are_no_subfolders(root: Path) -> None:
    (root / ".git").mkdir()
    (root / "file.txt").write_text("x")
    assert data_folders.subfolders("benchmarks") == []
    assert data_folders.places() == []
