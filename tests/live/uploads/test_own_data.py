"""Try-it inputs as items of a benchmark of one's own."""

import shutil
import threading
from pathlib import Path

import pytest
from PIL import Image

from backend.benchmarks import load_benchmark
from backend.benchmarks.items_folder.folder import own_folder
from backend.errors import UsageError
from backend.images import open_image
from backend.intake.own_data import save
from backend.items import Protocol
from backend.live.uploads.own_data import can_save, names, save_item

RED, BLUE = (Image.new("RGB", (8, 8), colour) for colour in ("red", "blue"))


def test_items_of_every_shape_are_kept_with_their_pictures():
    first = save_item("My set", "quad", [(RED, ""), (BLUE, "")], ("a red square", "a blue square"), ["colour"])
    second = save_item("My set", "choice", [(RED, "")], ("red", "blue", "green"))
    third = save_item("My set", "triplet", [(RED, "")], ("red", "crimson", "blue"), ["my own word"])
    assert (first.name, first.item_id, first.n_items, first.is_new) == ("custom:My-set", "quad/1", 1, True)
    assert (second.item_id, third.item_id, third.n_items) == ("choice/1", "triplet/1", 3)
    quad, choice, triplet = load_benchmark("custom:My-set")
    assert (quad.protocol, quad.truth, quad.tags) == (Protocol.QUAD, ((0, 0), (1, 1)), {"concept": ("colour",)})
    assert (choice.truth, triplet.truth) == (((0, 0),), ((0, 0), (0, 1)))
    assert quad.images[0].key == choice.images[0].key != quad.images[1].key
    assert open_image(quad.images[1].uri).getpixel((0, 0)) == (0, 0, 255)
    assert names() == ["My-set"]


def test_the_same_again_is_found_and_numbers_go_on():
    for n in range(3):
        assert save_item("mine", "choice", [(RED, "")], (f"true {n}", "false")).item_id == f"choice/{n + 1}"
    again = save_item("mine", "choice", [(RED.copy(), "")], ("true 1", "false"), ["colour"])
    assert (again.item_id, again.n_items, again.is_new) == ("choice/2", 3, False)
    assert save_item("mine", "choice", [(BLUE, "")], ("true 1", "false")).is_new


def test_scenes_of_the_world_stay_codes():
    code = next(iter(load_benchmark("world"))).images[0].key
    save_item("scenes", "choice", [(RED, code)], ("a", "b"))
    (item,) = load_benchmark("custom:scenes")
    assert item.images[0].key == item.images[0].uri == code
    assert not (own_folder("custom:scenes") / "images").exists()


def test_the_folder_can_be_moved(tmp_path: Path):
    save_item("mine", "choice", [(RED, "")], ("a", "b"))
    save_item("mine", "choice", [(RED, "")], ("c", "d"))
    shutil.move(own_folder("custom:mine"), tmp_path / "moved")
    items = list(load_benchmark("custom", tmp_path / "moved"))
    assert [Path(item.images[0].uri).parent for item in items] == [tmp_path / "moved" / "images"] * 2


def test_sessions_at_once_lose_nothing():
    def one(n: int) -> None:
        save_item("together", "choice", [(RED, "")], (f"true {n}", "false"))

    threads = [threading.Thread(target=one, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    items = list(load_benchmark("custom:together"))
    assert sorted(item.texts[0] for item in items) == [f"true {n}" for n in range(8)]
    assert sorted(item.item_id for item in items) == sorted(f"choice/{n + 1}" for n in range(8))


@pytest.mark.parametrize(
    ("label", "layout", "says"),
    [
        ("x", "grid", "says of no caption that it is true"),
        ("  ", "choice", "1 to 60 characters"),
        ("n" * 61, "choice", "1 to 60"),
    ],
)
def test_what_cannot_be_saved_says_why(label, layout, says):
    with pytest.raises(UsageError, match=says):
        save_item(label, layout, [(RED, "")], ("a", "b"))
    assert names() == []
    assert not can_save("grid")


def test_an_imported_benchmark_is_not_added_to(tmp_path):
    (tmp_path / "t.csv").write_text("image,caption,negative\na.png,yes,no\n")
    save(tmp_path / "t.csv", None, "imported")
    with pytest.raises(UsageError, match="was imported from a file"):
        save_item("imported", "choice", [(RED, "")], ("a", "b"))
    assert names() == []


def test_a_name_cannot_lead_out_of_the_folder():
    with pytest.raises(UsageError, match=r"the name \.\./\.\./x: a benchmark's name has 1 to 80 letters"):
        save_item("../../x", "choice", [(RED, "")], ("a", "b"))
