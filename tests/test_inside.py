"""What is put into a data folder after its import: links out of it, named pipes, folders."""

import os

import pytest
from PIL import Image

from backend.benchmarks.custom.opening import opened
from backend.engine.inputs import image_bytes
from backend.engine.inputs.decode import decode
from backend.engine.inputs.selection import Selection
from backend.errors import FlipsideError
from backend.images import open_image, open_item, open_stored
from backend.intake import own_data
from backend.items import ImageRef

LEFT = "a link out of the folder, not followed; set FLIPSIDE_FOLLOW_LINKS=1 if it is yours"


def drawn(path, colour):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", (8, 8), colour).save(path)
    return path


def imported(source, **how):
    with own_data.keeping(source, "mine") as found:
        own_data.keep(opened(found, "mine", **how), Selection(), str(source))


@pytest.fixture(params=["folder", "table"])
def own(request, tmp_path, flipside_cache):
    """An imported picture, in a folder or beside a table that was named alone."""
    path = drawn(tmp_path / "data" / "p" / "ok.png", "red")
    drawn(tmp_path / "data" / "q" / "other.png", "green")
    table = tmp_path / "data" / "t.csv"
    table.write_text("image,caption,negative\np/ok.png,a,b\n")
    imported(table.parent if request.param == "folder" else table)
    assert open_item(str(path)).getpixel((0, 0)) == (255, 0, 0)
    return path


@pytest.fixture
def secret(tmp_path):
    return drawn(tmp_path / "private" / "ok.png", "blue")


def refused(path, says):
    for door in (open_item, open_stored):
        for uri in (str(path), f"crop:0,0,2,2:{path}"):
            with pytest.raises(FlipsideError, match=says):
                door(uri)
    assert says in decode(ImageRef("p/ok.png", str(path))).problem
    assert image_bytes.sha256_of(str(path)) == ""


def test_a_link_out_is_not_followed_unless_its_owner_says_so(own, secret, monkeypatch):
    own.unlink()
    own.symlink_to(secret)
    refused(own, LEFT)
    assert open_image(str(own)).getpixel((0, 0)) == (0, 0, 255), "Python opens what it names"
    monkeypatch.setenv("FLIPSIDE_FOLLOW_LINKS", "1")
    assert open_item(str(own)).getpixel((0, 0)) == (0, 0, 255)


def test_the_folder_may_have_become_a_link_too(own, secret):
    own.unlink()
    own.parent.rmdir()
    own.parent.symlink_to(secret.parent)
    refused(own, LEFT)


def test_no_file_of_the_machine_is_opened(own):
    own.unlink()
    own.symlink_to("/etc/passwd")
    refused(own, LEFT)


def test_a_link_within_the_folder_is_followed_as_at_import(own):
    own.unlink()
    own.symlink_to(own.parent.parent / "q" / "other.png")
    assert open_stored(str(own)).getpixel((0, 0)) == (0, 128, 0)


def test_named_pipes_and_folders_are_no_pictures(own):
    own.unlink()
    os.mkfifo(own)
    refused(own, "is a named pipe, where a picture was expected")
    own.unlink()
    own.mkdir()
    refused(own, "is a folder, where a picture was expected")


def test_links_that_the_import_followed_are_followed_afterwards(tmp_path, flipside_cache, secret, monkeypatch):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "p").symlink_to(secret.parent)
    (tmp_path / "data" / "t.csv").write_text("image,caption,negative\np/ok.png,a,b\n")
    monkeypatch.setenv("FLIPSIDE_FOLLOW_LINKS", "1")
    imported(tmp_path / "data")
    monkeypatch.delenv("FLIPSIDE_FOLLOW_LINKS")
    assert open_item(str(tmp_path / "data" / "p" / "ok.png")).getpixel((0, 0)) == (0, 0, 255)


def test_a_full_path_that_is_a_link_was_the_owners_word(tmp_path, flipside_cache, secret):
    (tmp_path / "here").mkdir()
    (link := tmp_path / "here" / "a.png").symlink_to(secret)
    (tmp_path / "t.csv").write_text(f"image,caption,negative\n{link},a,b\n")
    imported(tmp_path / "t.csv", full_paths=True)
    assert open_item(str(link)).getpixel((0, 0)) == (0, 0, 255)
