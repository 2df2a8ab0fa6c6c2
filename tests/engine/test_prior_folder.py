"""`--prior images:N@FOLDER`: a seeded draw from a folder, named by what was drawn and never by where it lies."""

import shutil

import numpy as np
import pytest
from PIL import Image

from backend.engine.inputs.prior import PriorSource
from backend.engine.runner import run
from backend.engine.storage import files, identity, shards
from backend.errors import FlipsideError, UsageError
from backend.images import open_image
from backend.models import load
from backend.store.build.reader import open_store
from backend.store.scores import drawn
from tests.engine.samples import mixed


@pytest.fixture(autouse=True)
def nothing_ships(tmp_path, monkeypatch):
    """Reading what ships takes seconds."""
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: tmp_path / "none")


@pytest.fixture
def folder(tmp_path):
    """Eight pictures at two depths, and files that are none."""
    root = tmp_path / "train 2017"
    (root / "deep").mkdir(parents=True)
    for k in range(8):
        pixels = np.random.default_rng(k).integers(0, 255, (8, 8, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(root / ("deep" if k % 2 else ".") / f"{k}.{'PNG' if k % 3 else 'png'}")
    (root / "notes.txt").write_text("no picture")
    return root


def parts(summary):
    return [part for part in summary.parts if part.startswith("prior@images")]


def test_images_are_drawn_from_the_folder_and_recorded_without_its_path(tmp_path, folder):
    summary = run("fake:ok", mixed(tmp_path / "p"), ["prior"], priors=[f"images:3@{folder}"])
    (part,) = parts(summary)
    assert part.startswith("prior@images:3@train_2017-")
    assert identity.is_part(part)
    written = (summary.run_dir / "run.json").read_text() + (summary.run_dir / "manifest.json").read_text()
    assert str(tmp_path) not in written.replace(str(tmp_path / "p"), "")
    details = files.read_json(summary.run_dir / "run.json")["priors"][part]
    assert (details["samples"], details["images"]) == (3, ["", "", ""])
    sums = load("fake:ok").prior_from([open_image(str(folder / name)) for name in details["files"]], ["left 1"])[:, 0]
    rows = shards.read_part(summary.run_dir, part).to_pylist()
    found = [r["value"] for r in rows if (r["item_no"], r["text_index"]) == (5, 0)]
    assert found == pytest.approx(sums, abs=1e-5)


def test_the_same_folder_elsewhere_goes_on_with_the_same_part_and_other_contents_are_another(tmp_path, folder):
    benchmark = mixed(tmp_path / "p")
    first = run("fake:ok", benchmark, ["prior"], priors=[f"images:8@{folder}"])
    moved = tmp_path / "elsewhere" / "train 2017"
    shutil.copytree(folder, moved)
    again = run("fake:ok", benchmark, ["prior"], priors=[f"images:8@{moved}"])
    assert (again.run_id, parts(again), again.computed) == (first.run_id, parts(first), 0)
    Image.new("RGB", (8, 8), "red").save(moved / "0.png")
    other = run("fake:ok", benchmark, ["prior"], priors=[f"images:8@{moved}"])
    assert other.run_id == first.run_id
    assert parts(other) != parts(first)
    assert other.computed > 0


def test_the_draw_is_seeded_and_a_smaller_one_begins_a_larger_one(folder):
    few, many = (PriorSource.parse(f"images:{n}@{folder}").drawn(0) for n in (3, 8))
    assert few.pictures == many.pictures[:3]
    assert sorted(image.key for image in many.pictures) == sorted(
        str(path.relative_to(folder)) for path in folder.rglob("*") if path.suffix.lower() == ".png"
    )
    assert PriorSource.parse(f"images:3@{folder}").drawn(1).pictures != few.pictures


@pytest.mark.long
def test_a_benchmarks_own_image_in_the_folder_is_left_out_of_its_items_prior(tmp_path, folder, monkeypatch):
    monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path / "cache"))
    benchmark = mixed(tmp_path / "p")
    own = next(iter(benchmark)).images[0]
    shutil.copy(own.uri, folder / "another name.png")
    summary = run("fake:ok", benchmark, ["gen", "prior"], priors=[f"images:9@{folder}"])
    (part,) = parts(summary)
    details = files.read_json(summary.run_dir / "run.json")["priors"][part]
    at = details["files"].index("another name.png")
    assert [key for key in details["images"] if key] == [own.key]
    assert details["images"][at] == own.key
    found = open_store().run(summary.run_id)
    assert found.prior(f"images:9@{folder}") is not None
    assert drawn.said(found, part.removeprefix("prior@")) == drawn.LEFT_OUT
    items = found.cursor.execute(
        "SELECT item_no, item_id, cluster, list_contains(image_keys, ?) AS own FROM items WHERE benchmark = ?",
        [own.key, found.benchmark],
    ).df()
    mask = drawn.own(found, part, items, 9)
    assert mask[at][items["own"]].all()
    assert not np.delete(mask, at, axis=0).any()


@pytest.mark.parametrize(
    ("n", "where", "match"),
    [
        (3, "nowhere", "nowhere: no such folder"),
        (99, "train 2017", r"train 2017 has only 8 images \(.*\) in it or below\. Ask for fewer"),
        (2, "one", r"one has only 1 image \(.*\) in it or below\. Not followed, because .*: away; .*\. Ask for fewer"),
        (2, "none", r"none has no image \(.*\) in it or below\. Name a folder of images"),
    ],
)
def test_a_folder_that_cannot_be_drawn_from_is_named_and_leaves_no_run(tmp_path, folder, n, where, match):
    for name in ("one", "none"):
        (tmp_path / name).mkdir()
    shutil.copy(folder / "0.png", tmp_path / "one" / "0.png")
    (tmp_path / "one" / "away").symlink_to(folder)
    with pytest.raises(UsageError, match=match):
        run("fake:ok", mixed(tmp_path / "p"), ["prior"], priors=[f"images:{n}@{tmp_path / where}"], root=tmp_path / "c")
    assert not (tmp_path / "c").exists()


def test_links_out_of_the_folder_are_not_drawn_and_said(tmp_path, folder, monkeypatch):
    elsewhere = tmp_path / "another disk"
    elsewhere.mkdir()
    Image.new("RGB", (8, 8), "red").save(elsewhere / "9.png")
    (folder / "disk").symlink_to(elsewhere)
    benchmark, heard = mixed(tmp_path / "p"), []
    first = run("fake:ok", benchmark, ["prior"], priors=[f"images:8@{folder}"], tell=heard.append)
    (part,) = parts(first)
    named = part.removeprefix("prior@")
    assert first.notes == heard == [
        f"{named}: Not followed, because they lead out of the folder: disk; set FLIPSIDE_FOLLOW_LINKS=1 if these links "
        "are yours."
    ]  # fmt: skip
    monkeypatch.setenv("FLIPSIDE_FOLLOW_LINKS", "1")
    assert run("fake:ok", benchmark, ["prior"], priors=[f"images:9@{folder}"]).notes == []


def test_a_broken_picture_is_named(tmp_path, folder):
    (folder / "0.png").write_bytes(b"no picture")
    with pytest.raises(FlipsideError, match=r"0\.png"):
        run("fake:ok", mixed(tmp_path / "p"), ["prior"], priors=[f"images:8@{folder}"], root=tmp_path / "c")


def test_a_comma_in_the_folders_name_is_the_folders():
    found = PriorSource.parse_all(["images:3@/a,b,noise:2", "images:4@c"])
    assert [(source.how, source.n, source.folder) for source in found] == [
        ("images", 3, "/a,b"), ("noise", 2, ""), ("images", 4, "c"),
    ]  # fmt: skip
    with pytest.raises(UsageError, match="images:N@FOLDER"):
        PriorSource.parse("images:3@")
