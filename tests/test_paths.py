"""Where things are kept: in a checkout, in an installed copy, and where somebody says so."""

from pathlib import Path

import pytest

from backend import paths
from backend.errors import UsageError
from backend.live.uploads import data_folders


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """A user's home folder; neither a cache nor data folders are named."""
    for name in ("FLIPSIDE_CACHE", "FLIPSIDE_DATA", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setattr(paths.sys, "platform", "linux")
    return tmp_path


@pytest.fixture
def installed(home, monkeypatch) -> Path:
    """The program lies in a folder that nothing may be written to."""
    monkeypatch.setattr(paths, "INSTALLED", True)
    monkeypatch.setattr(paths, "ROOT", home / "site-packages" / "flipside" / "_tree")
    return home


def test_a_checkout_keeps_everything_in_its_own_cache(home):
    assert paths.cache_dir() == paths.ROOT / "cache"
    assert paths.work_dir() == paths.ROOT


def test_an_installed_copy_uses_the_users_cache_folder(installed, monkeypatch):
    assert paths.cache_dir() == installed / ".cache" / "flipside"
    monkeypatch.setenv("XDG_CACHE_HOME", str(installed / "xdg"))
    assert paths.cache_dir() == installed / "xdg" / "flipside"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # the specification: such a value is ignored
    assert paths.cache_dir() == installed / ".cache" / "flipside"
    monkeypatch.setattr(paths.sys, "platform", "darwin")
    assert paths.cache_dir() == installed / "Library" / "Caches" / "flipside"
    monkeypatch.setenv("FLIPSIDE_CACHE", "~/mine")
    assert paths.cache_dir() == installed / "mine"


def test_processes_of_an_installed_copy_stand_in_its_cache(installed):
    assert paths.work_dir() == installed / ".cache" / "flipside"
    assert paths.work_dir().is_dir()
    assert paths.module_command("backend.x", "a")[2:] == [
        str(installed / "site-packages" / "flipside" / "process.py"), "backend.x", "a",
    ]  # fmt: skip


def test_data_folders_of_an_installed_copy_are_not_beside_the_code(installed):
    for folder in (paths.ROOT / "data", paths.cache_dir() / "data"):
        folder.mkdir(parents=True)
    assert list(data_folders.roots().values()) == [paths.cache_dir() / "data"]


def test_what_is_typed_is_read_or_refused(home, monkeypatch):
    """Failed before: each caller had a RuntimeError of its own."""
    assert paths.typed_path("~/model") == home / "model"
    with pytest.raises(UsageError, match=r"^--to ~nobodys/x: there is no user 'nobodys'\. Write \./~nobodys/x for"):
        paths.typed_path("~nobodys/x", "--to")

    def nobody(self):
        raise RuntimeError

    monkeypatch.setattr(paths.Path, "expanduser", nobody)
    with pytest.raises(UsageError, match=r"^~/x: your home folder is not known here\. Write the path without ~"):
        paths.typed_path("~/x")


def test_names_that_no_file_can_have_name_none(home):
    (home / "model").mkdir()
    assert paths.existing("~/model") == home / "model"
    for name in ("~/none", "~nobody-here/model", "m" * 300, "a\0b"):
        assert paths.existing(name) is None
