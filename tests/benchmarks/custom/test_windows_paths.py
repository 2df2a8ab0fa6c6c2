r"""Tables that were written on Windows: `photos\1.png` is a path, a full one is found by its end, or is missing."""

import json

import pytest

from backend.benchmarks.custom.opening import opened
from backend.benchmarks.custom.pictures import Pictures
from backend.benchmarks.items_folder.folder import read_own
from backend.benchmarks.reading.malformed import Malformed
from backend.predictions.finding import bare


@pytest.fixture
def folder(tmp_path):
    for name in ("photos/1.png", "photos/day one/2.png", "other/1.png", "3.png"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(name.encode())
    return tmp_path


@pytest.mark.parametrize("where", ["beside", "images", "whole"])
@pytest.mark.parametrize(
    ("written", "file"),
    [
        (r"photos\1.png", "photos/1.png"),
        (r".\photos\1.png", "photos/1.png"),
        (r"photos\day one/2.png", "photos/day one/2.png"),
        (r"C:\Users\me\photos\1.png", "photos/1.png"),
        ("c:/Users/me/photos\\1.png", "photos/1.png"),
        (r"\\server\share\photos\day one\2.png", "photos/day one/2.png"),
        (r"\\server\share/photos/day one\2.png", "photos/day one/2.png"),
        (r"\photos\1.png", "photos/1.png"),
        (r"D:\3.png", "3.png"),
    ],
)
def test_a_path_of_windows_finds_its_picture(folder, tmp_path_factory, where, written, file):
    home = folder if where == "beside" else tmp_path_factory.mktemp("elsewhere")
    pictures = Pictures(home, folder if where == "images" else None, whole=folder if where == "whole" else None)
    found = pictures.find(written)
    assert (found.key, found.uri) == (written, str(folder / file))


@pytest.mark.parametrize("written", [r"photos\9.png", r"C:\Users\me\9.png", r"\\server\share\9.png", r"C:\a\..\3.png"])
def test_what_is_not_there_is_missing(folder, written):
    assert Pictures(folder, whole=folder).find(written).missing


def test_what_leads_out_is_refused_and_what_is_unclear_is_named(folder):
    with pytest.raises(Malformed, match="leads out of the folder"):
        Pictures(folder / "photos").find(r"..\3.png")
    with pytest.raises(Malformed, match=r"could be .*1\.png; name it with its folders"):
        Pictures(folder / "photos" / "day one", whole=folder).find(r"C:\me\1.png")


def test_a_file_whose_own_name_holds_a_backslash_is_still_found(folder):
    for name in (r"photos\1.png", r"C:\x.png", r"\\a\b.png"):
        (folder / name).write_bytes(b"itself")
        found = Pictures(folder).find(name)
        assert (found.key, found.uri) == (name, str(folder / name))
        assert Pictures(folder / "other", whole=folder).find(r"photos\1.png").uri == str(folder / r"photos\1.png")


def test_the_item_stays_though_its_picture_is_nowhere(folder):
    table = folder / "t.csv"
    table.write_text(
        "image,caption,paraphrase,negative\nphotos\\1.png,a,b,c\nC:\\Users\\me\\gone.png,d,e,f\n\\\\nas\\gone.png,g,h,i\n"
    )
    items = list(opened(table))
    assert [item.item_id for item in items] == ["t/1", "t/2", "t/3"]
    assert [item.images[0].missing for item in items] == [False, True, True]


def test_its_texts_are_scored_and_the_item_is_named(flipside, folder):
    (folder / "t.csv").write_text("image,caption,paraphrase,negative\nphotos\\1.png,a,b,c\nC:\\me\\gone.png,d,e,f\n")
    found = flipside("import", "custom", "--data", folder / "t.csv", "--as", "win", "--json").json
    assert (found["n_items"], found["n_images_missing"], found["skipped"]) == (2, 1, [])
    done = flipside("run", "--model", "fake:ok", "--benchmark", "custom:win", "--kinds", "t2t,itc", "--json").json
    assert done["parts"]["t2t"]["rows"] == 6
    (left_out,) = [entry for entry in done["left_out"] if entry["reason"] == "image missing"]
    assert left_out["items"] == ["t/2"]


def test_items_that_were_written_by_hand_on_windows(folder):
    (folder / "benchmark.json").write_text('{"format": 1, "name": "hand"}')
    record = {
        "item_id": "a/1", "subset": "a", "protocol": "choice", "images": [r"photos\1.png"], "texts": ["x", "y"],
        "truth": [[0, 0]],
    }  # fmt: skip
    other = record | {"item_id": "a/2", "images": [{"key": "k", "uri": r"photos\day one\2.png"}]}
    (folder / "items.jsonl").write_text(f"{json.dumps(record)}\n{json.dumps(other)}\n")
    assert [item.images[0].uri for item in read_own(folder, absolute=False)] == [
        str(folder / "photos/1.png"),
        str(folder / "photos/day one/2.png"),
    ]


def test_predictions_name_pictures_so_too():
    assert bare(r"C:\photos\139.jpg") == bare("photos/139.jpg") == "139"
