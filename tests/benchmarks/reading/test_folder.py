import doctest

import pytest

from backend.benchmarks.reading import folder as folder_module
from backend.benchmarks.reading.folder import Folder, safe
from backend.benchmarks.reading.malformed import Malformed
from backend.items import ImageRef


def test_examples():
    assert doctest.testmod(folder_module).failed == 0


def put(root, *names):
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()


def test_the_file_nearest_to_the_root_is_found_and_folders_are_passed_over(tmp_path):
    put(
        tmp_path, "deep/er/add_att.json", "data/add_att.json", "data_unrefined/add_att.json", "data_unrefined/only.json"
    )
    found = Folder(tmp_path)
    assert found.find("add_att.json") == tmp_path / "data/add_att.json"
    assert found.find("er/add_att.json") == tmp_path / "deep/er/add_att.json"
    assert found.find("r/add_att.json") is None  # part of a folder's name is no folder
    assert found.find("only.json", without=("data_unrefined",)) is None
    assert found.find("absent.json") is None


def test_all_files_of_a_pattern(tmp_path):
    put(
        tmp_path, "x/Object/Size/small.json", "y/Object/Size/large.json", "Object/small.json", "skip/Object/Size/a.json"
    )
    found = Folder(tmp_path).find_all("Object/*/*.json", without=("skip",))
    assert found == [tmp_path / "x/Object/Size/small.json", tmp_path / "y/Object/Size/large.json"]


def test_hidden_files_and_what_archives_leave_are_passed_over(tmp_path):
    put(tmp_path, ".git/a.json", "__MACOSX/a.json", ".a.json")
    assert Folder(tmp_path).find("a.json") is None


def test_an_image_by_its_path_then_by_its_name(tmp_path):
    put(tmp_path, "images/VG_100K/1.jpg", "images/VG_100K_2/1.jpg", "flat/2.jpg")
    found = Folder(tmp_path)
    assert found.image("VG_100K_2/1.jpg").uri == str(tmp_path / "images/VG_100K_2/1.jpg")
    assert found.image("1.jpg", prefer=("VG_100K_2",)).uri == str(tmp_path / "images/VG_100K_2/1.jpg")
    assert found.image("elsewhere/2.jpg").uri == str(tmp_path / "flat/2.jpg")
    assert found.image("elsewhere/2.jpg", by_name=False) == ImageRef("elsewhere/2.jpg", "")
    assert found.image("3.jpg").missing


def test_a_name_that_several_folders_share_stands_for_none_of_them(tmp_path):
    put(tmp_path, "frames/v1/1.png", "frames/v2/1.png", "frames/v1/7.png")
    found = Folder(tmp_path)
    assert found.image("v3/1.png").missing
    assert found.image("v3/1.png", suffixes=(".jpg",)).missing
    assert found.image("v3/1.png", prefer=("v2",)).uri == str(tmp_path / "frames/v2/1.png")
    assert found.image("v3/7.png").uri == str(tmp_path / "frames/v1/7.png")


def test_an_image_under_another_suffix(tmp_path):
    put(tmp_path, "eqbenag/v/1.jpg", "eqbenyoucook2/v/1.npy")
    found = Folder(tmp_path)
    frame = found.image("eqbenag/v/1.png", suffixes=(".jpg",), by_name=False)
    assert (frame.key, frame.uri) == ("eqbenag/v/1.png", str(tmp_path / "eqbenag/v/1.jpg"))
    assert found.image("eqbenyoucook2/v/1.npy").uri == f"bgr:{tmp_path / 'eqbenyoucook2/v/1.npy'}"
    assert found.image("ex_0_img_0", suffixes=(".png",)).missing


@pytest.mark.parametrize(
    "name", ["../a.jpg", "a/../../b.jpg", "/etc/passwd", "C:\\a.jpg", "..\\a.jpg", "", " ", "a\0b"]
)
def test_a_name_that_leads_out_is_refused(tmp_path, name):
    with pytest.raises(Malformed, match=r"leads out of the folder|is none"):
        safe(name)
    with pytest.raises(Malformed):
        Folder(tmp_path).image(name)


def test_links_out_of_the_folder_are_followed_only_where_the_owner_says_so(tmp_path, monkeypatch):
    put(tmp_path, "elsewhere/1.jpg", "data/own/2.jpg")
    data = tmp_path / "data"
    (data / "val2017").symlink_to(tmp_path / "elsewhere")
    (data / "alias").symlink_to(data / "own")
    (data / "circle").symlink_to(data)
    (data / "one.jpg").symlink_to(tmp_path / "elsewhere/1.jpg")
    found = Folder(data)
    assert found.find("1.jpg") is None
    assert found.find("one.jpg") is None
    assert found.find("2.jpg") is not None
    assert found.links_out == ["one.jpg", "val2017"]
    monkeypatch.setenv("FLIPSIDE_FOLLOW_LINKS", "1")
    followed = Folder(data)
    assert followed.find("1.jpg") == data / "val2017/1.jpg"
    assert followed.links_out == []
