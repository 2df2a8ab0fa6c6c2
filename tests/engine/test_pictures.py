"""A picture whose bytes have changed under the same name is scored again, in a run beside the one that scored it."""

import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from backend.engine.inputs import image_bytes, pictures
from backend.engine.inputs.selection import Selection
from backend.engine.runner import run
from backend.engine.storage import shards
from backend.engine.storage.ledger import Pace
from backend.items import Benchmark, ImageRef, Protocol
from backend.store.exchange.check import id_of
from tests.engine.samples import PARTS_OF_ALL, item, mixed, rows

LOOKING = ["itc", "itm", "gen", "vqa", "verdict"]


def scored(tmp_path: Path, kinds=("itc", "t2t"), cache="cache", **more):
    return run("fake:ok", mixed(tmp_path / "p"), kinds, root=tmp_path / cache, **more)


def record(summary) -> dict:
    return json.loads((summary.run_dir / "run.json").read_text())


def change_a_pixel(path: Path) -> bytes:
    """One pixel of a picture becomes another; its bytes before."""
    before = path.read_bytes()
    pixels = np.asarray(Image.open(path)).copy()
    pixels[0, 0, 0] ^= 1
    Image.fromarray(pixels).save(path)
    return before


@pytest.mark.parametrize("kind", LOOKING)
def test_a_changed_pixel_is_scored_again_in_a_run_of_its_own(tmp_path, kind):
    first = scored(tmp_path, [kind, "t2t"])
    kept = rows(first.run_dir)
    change_a_pixel(tmp_path / "p" / "p1.png")
    told: list[str] = []
    found = scored(tmp_path, [kind, "t2t"], tell=told.append)
    assert found.run_id != first.run_id
    assert found.computed > 0
    assert set(found.taken) == {first.run_id}
    assert rows(first.run_dir) == kept
    fresh = scored(tmp_path, [kind, "t2t"], "elsewhere")
    assert rows(found.run_dir) == rows(fresh.run_dir) != kept
    (said,) = told
    assert found.notes == found.document()["notes"] == told
    assert said.startswith(f"1 of 16 picture is not the one that run {first.run_id} scored (p1.png)")
    assert found.run_id in said


def test_the_id_can_be_made_anew_from_the_record_and_all_others_stay(tmp_path):
    first = scored(tmp_path)
    assert "pictures" not in record(first)
    change_a_pixel(tmp_path / "p" / "p1.png")
    found = scored(tmp_path)
    assert record(found)["pictures"]["since"] == first.run_id
    assert id_of(record(found)) == found.run_id
    assert id_of(record(first)) == first.run_id
    assert scored(tmp_path, cache="elsewhere").run_id == first.run_id


def test_the_same_command_finds_it_again_and_another_kind_extends_it(tmp_path):
    scored(tmp_path)
    change_a_pixel(tmp_path / "p" / "p1.png")
    found = scored(tmp_path)
    again = scored(tmp_path, PARTS_OF_ALL, priors=["images:2", "noise:1"])
    assert again.run_id == found.run_id
    assert again.parts["itc"]["new_rows"] == again.parts["t2t"]["new_rows"] == 0
    assert scored(tmp_path, PARTS_OF_ALL, priors=["images:2", "noise:1"]).computed == 0


def test_a_replaced_picture_and_a_second_change_are_runs_of_their_own(tmp_path):
    first = scored(tmp_path)
    Image.new("RGB", (30, 20), "red").save(tmp_path / "p" / "q2a.png")
    second = scored(tmp_path)
    change_a_pixel(tmp_path / "p" / "p0.png")
    third = scored(tmp_path)
    assert len({first.run_id, second.run_id, third.run_id}) == 3
    assert second.run_id in third.taken
    assert third.notes[0].startswith("2 of 16 pictures are not those")
    assert rows(third.run_dir) == rows(scored(tmp_path, cache="elsewhere").run_dir)


def test_a_picture_that_is_changed_back_is_known(tmp_path):
    first = scored(tmp_path)
    before = change_a_pixel(tmp_path / "p" / "p1.png")
    scored(tmp_path)
    (tmp_path / "p" / "p1.png").write_bytes(before)
    found = scored(tmp_path)
    assert (found.run_id, found.computed, found.taken, found.notes) == (first.run_id, 0, {}, [])


def test_a_run_that_was_stopped_is_gone_on_with(tmp_path):
    """Both the run beside, and the first one, where what has changed had not been scored yet."""
    small = Pace(cells=4, first_cells=4, rows=4)

    def stop(report):
        if report.done > 6:
            raise KeyboardInterrupt

    first = scored(tmp_path, ["itm"], pace=small, progress=stop)
    known = image_bytes.read(first.run_dir)
    assert first.interrupted
    unseen = next(path for path in sorted((tmp_path / "p").iterdir()) if path.name not in known)
    change_a_pixel(unseen)
    resumed = scored(tmp_path, ["itm"])
    assert (resumed.run_id, resumed.notes) == (first.run_id, [])
    for path in (tmp_path / "p").iterdir():
        change_a_pixel(path)
    stopped = scored(tmp_path, ["itm"], pace=small, progress=stop)
    assert stopped.interrupted
    assert stopped.run_id != first.run_id
    done = scored(tmp_path, ["itm"])
    assert done.run_id == stopped.run_id
    assert done.parts["itm"]["complete"]
    assert done.parts["itm"]["rows"] == done.parts["itm"]["new_rows"] + stopped.parts["itm"]["rows"]
    assert rows(done.run_dir) == rows(scored(tmp_path, ["itm"], "elsewhere").run_dir)


def test_a_region_of_a_changed_picture_is_another_region(tmp_path, monkeypatch):
    """And the file that several regions are cut from is read once for all of them."""
    path = tmp_path / "whole.png"
    Image.fromarray(np.random.default_rng(0).integers(0, 255, (8, 8, 3), dtype=np.uint8)).save(path)
    regions = [ImageRef(f"whole.png#{k}", f"crop:{k},0,4,8:{path}") for k in range(4)]
    items = [item(f"tri/{k}", Protocol.TRIPLET, [regions[k]], ("a", "b", "c"), {}) for k in range(4)]
    cut = Benchmark("cut", lambda: iter(items))
    first = run("fake:ok", cut, ["itm"], root=tmp_path / "cache")
    change_a_pixel(path)
    read: list[str] = []
    of_file = image_bytes.sha256_of
    monkeypatch.setattr("backend.engine.inputs.image_bytes.sha256_of", lambda name: read.append(name) or of_file(name))
    digests = image_bytes.Digests()
    assert len({digests(region.uri) for region in regions}) == 4
    assert read == [str(path)]
    found = run("fake:ok", cut, ["itm"], root=tmp_path / "cache")
    assert found.run_id != first.run_id
    assert (found.taken, found.computed) == ({}, 12)


def test_kinds_that_look_at_no_picture_are_not_concerned(tmp_path, monkeypatch):
    first = scored(tmp_path, ["itc", "t2t", "prior"], priors=["noise:1"])
    change_a_pixel(tmp_path / "p" / "p1.png")
    monkeypatch.setattr(image_bytes.Digests, "__call__", None)
    found = scored(tmp_path, ["t2t", "prior"], priors=["noise:1"])
    assert (found.run_id, found.computed, found.notes) == (first.run_id, 0, [])


def test_they_join_the_run_of_today_s_pictures_once_there_is_one(tmp_path):
    """Else the run of the former pictures would be the latest one."""
    scored(tmp_path, ["itc"])
    change_a_pixel(tmp_path / "p" / "p1.png")
    found = scored(tmp_path, ["itc"])
    assert scored(tmp_path, ["t2t"]).run_id == found.run_id


def test_a_prior_under_a_changed_picture_is_computed_again(tmp_path):
    few = Selection(subset="tri")
    first = scored(tmp_path, ["prior"], priors=["images:3"], selection=few)
    name = record(first)["priors"]["prior@images:3"]["images"][0]
    change_a_pixel(tmp_path / "p" / name)
    found = scored(tmp_path, ["prior"], priors=["images:3"], selection=few)
    assert found.run_id != first.run_id
    assert (found.taken, found.computed > 0) == ({}, True)
    fresh = scored(tmp_path, ["prior"], "elsewhere", priors=["images:3"], selection=few)
    assert rows(found.run_dir) == rows(fresh.run_dir)


def test_a_run_whose_pictures_changed_while_it_scored_them_is_not_gone_on_with(tmp_path):
    """Neither the first one nor the one beside it: their scores may be of either picture."""
    first = scored(tmp_path, ["itm"])
    change_a_pixel(tmp_path / "p" / "p1.png")
    beside = scored(tmp_path, ["itm"])
    for each in (first, beside):
        with (each.run_dir / image_bytes.IMAGES).open("a") as log:
            log.write(json.dumps(["p1.png", "sha256:another"]) + "\n")
    third = scored(tmp_path, ["itm"])
    assert third.run_id not in (first.run_id, beside.run_id)
    assert scored(tmp_path, ["itm"]).run_id == third.run_id
    assert id_of(record(third)) == third.run_id
    assert rows(third.run_dir) == rows(scored(tmp_path, ["itm"], "elsewhere").run_dir)


def test_several_pictures_under_one_key_tell_nothing(tmp_path):
    """Such a run would conflict with itself, and every command would begin another one."""
    for name, colour in (("a", "red"), ("b", "blue")):
        (tmp_path / name).mkdir()
        Image.new("RGB", (8, 8), colour).save(tmp_path / name / "0.png")
    images = [ImageRef("0.png", str(tmp_path / name / "0.png")) for name in "ab"]
    items = [item(f"tri/{k}", Protocol.TRIPLET, [images[k]], ("a", "b", "c"), {}) for k in range(2)]
    first, again = (run("fake:ok", Benchmark("twice", lambda: iter(items)), ["itm"]) for _ in range(2))
    assert (again.run_id, again.computed, again.notes) == (first.run_id, 0, [])


def test_missing_pictures_are_not_changed_ones(tmp_path):
    first = scored(tmp_path)
    benchmark = mixed(tmp_path / "p")
    gone = [*benchmark.open_items()]
    (tmp_path / "p" / "p1.png").unlink()
    found = run("fake:ok", Benchmark("mixed", lambda: iter(gone)), ["itc", "t2t"], root=tmp_path / "cache")
    assert (found.run_id, found.computed, found.notes) == (first.run_id, 0, [])


def test_a_run_of_an_earlier_version_cannot_tell_and_never_vouches(tmp_path):
    """Its scores may be of other pictures than those that another kind looks at now."""
    first = scored(tmp_path, ["itm"])
    (first.run_dir / image_bytes.IMAGES).unlink()
    change_a_pixel(tmp_path / "p" / "p1.png")
    found = scored(tmp_path, ["itm", "vqa"])
    assert found.run_id == first.run_id
    (said,) = found.notes
    assert "cannot be told" in said
    assert not (first.run_dir / image_bytes.IMAGES).exists()
    assert scored(tmp_path, ["itm"], selection=Selection(subset="tri")).taken == {}
    assert scored(tmp_path, ["t2t"]).notes == []


@pytest.mark.long
def test_scenes_of_the_world_need_no_digest(flipside_cache):
    """Their name is their pixels: nothing is recorded, compared or said."""
    few = Selection(subset="relation", limit=3)
    first = run("fake:ok", "world", ["itm"], selection=few)
    assert not (first.run_dir / image_bytes.IMAGES).exists()
    assert not pictures.is_told(first.run_dir)
    again = run("fake:ok", "world", ["itm"], selection=few)
    assert (again.run_id, again.computed, again.notes) == (first.run_id, 0, [])
    assert shards.verify(first.run_dir) == []
