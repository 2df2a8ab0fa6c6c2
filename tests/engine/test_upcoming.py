"""What the windows after one will ask for: each image and text once, none that is known, never a whole benchmark."""

from collections import Counter
from dataclasses import replace

from PIL import Image

from backend.engine import upcoming
from backend.engine.inputs.selection import Selection
from backend.engine.plan import make_plan
from backend.engine.runner import run
from backend.engine.storage.ledger import Pace
from backend.intake.survey import survey
from backend.items import Benchmark, ImageRef, Kind, Protocol
from tests.engine.samples import Counting, item, mixed


def pending(tmp_path, kinds, n=5):
    plan = make_plan(survey(mixed(tmp_path / "p", n), Selection(), tmp_path / "root"), kinds, [])
    items = [plan.survey.items[k] for k in range(len(plan.survey))]
    return plan, [(item, [stage for stage in plan.stages if item.item_no in stage.items]) for item in items]


def test_images_come_once_in_order_but_for_those_that_are_known(tmp_path):
    plan, after = pending(tmp_path, [Kind.ITC, Kind.GEN])
    every = list(dict.fromkeys(image.key for item, _ in after for image in item.images))
    found = [ref.key for ref in upcoming.images(plan, after, 99, {every[0]}, lambda ref, stage: ref.key == every[1])]
    assert found == every[2:]


def test_no_more_items_are_looked_at_than_can_be_decoded_ahead(tmp_path):
    plan, after = pending(tmp_path, [Kind.ITC])
    seen = []

    def endless():
        while True:
            seen.append(1)
            yield after[0]

    assert len(list(upcoming.images(plan, endless(), 50, (), lambda ref, stage: True))) == 0
    assert len(seen) == 50


def test_what_is_costly_to_know_is_left_for_later(tmp_path):
    plan, after = pending(tmp_path, [Kind.ITC])
    asked = []

    def known(ref, stage):
        asked.append(ref.key)
        return None if len(asked) > 2 else False

    assert [ref.key for ref in upcoming.images(plan, after, 99, (), known)] == asked[:2]
    assert len(asked) == 3


def test_texts_are_those_that_are_encoded_as_they_stand(tmp_path):
    plan, after = pending(tmp_path, [Kind.ITC])
    texts = list(dict.fromkeys(text for item, _ in after[:3] for text in item.texts))
    assert upcoming.texts(plan, after, 3, {texts[0]}) == texts[1:]
    paired, after = pending(tmp_path, [Kind.GEN])
    assert upcoming.texts(paired, after, 3, ()) == []


def test_a_run_reads_each_item_once_whatever_is_looked_at_ahead(tmp_path, monkeypatch):
    from backend.intake.survey import Scratch

    read, get = [], Scratch.__getitem__
    monkeypatch.setattr(Scratch, "__getitem__", lambda self, n: [read.append(n), get(self, n)][1])
    benchmark = mixed(tmp_path / "p", n=5)
    counting = Counting()
    summary = run(counting.model, benchmark, ["itc"], pace=Pace(cells=4, first_cells=4, rows=8))
    assert summary.asked["images_decoded"] == len({image.key for item in benchmark for image in item.images})
    in_windows = [n for n in read if isinstance(n, int)]
    assert max(in_windows.count(n) for n in set(in_windows)) <= 2  # once for its window, once where a pool is made


def copies(folder, n, again):
    """n choices, each with its own picture, of which those numbered in `again` are byte-equal to the first ones."""
    folder.mkdir()

    def items():
        for k in range(n):
            of = k - again.start if k in again else k
            path = folder / f"{folder.name}{k}.png"
            Image.new("RGB", (8, 8), (of % 256, of // 256, 0)).save(path)
            yield item(f"choice/{k}", Protocol.CHOICE, [ImageRef(path.name, str(path))], (f"one {k}", f"two {k}"), {})

    return Benchmark(folder.name, items)


def test_pictures_known_by_their_bytes_neither_stop_looking_ahead_nor_are_read_long_before(tmp_path, monkeypatch):
    """With what other benchmarks of a study have encoded: no more files are read ahead than a window has pictures, and
    pictures that turn out to be known do not fill the room of those that are asked for."""
    from backend.engine.cache import Memory
    from backend.engine.inputs import decoder as decoder_
    from backend.engine.inputs import image_bytes

    memory = Memory()
    run(Counting().model, copies(tmp_path / "a", 40, range(0)), ["itc"], root=tmp_path / "one", memory=memory)
    read, digest = [], image_bytes.sha256_of
    monkeypatch.setattr(image_bytes, "sha256_of", lambda *file: [read.append(file), digest(*file)][1])
    left, fill = [], decoder_.Decoder._fill

    def filled(self, waiting, upcoming_):
        fill(self, waiting, upcoming_)
        left.append(len(self._ahead))

    monkeypatch.setattr(decoder_.Decoder, "_fill", filled)
    told = []
    second = copies(tmp_path / "b", 400, range(80, 200))
    run(
        Counting().model, second, ["itc"], root=tmp_path / "two", memory=memory, workers=1,
        pace=Pace(cells=16, first_cells=16), progress=lambda report: told.append((report.done, len(read))),
    )  # fmt: skip
    assert told[0][1] <= 3 * 8  # of this window, of as many ahead, and where the pictures of the run are noted
    assert left[-1] == 0


def test_what_was_begun_is_not_let_go_behind_a_window_of_fewer_pictures(tmp_path, monkeypatch):
    """Eight pictures, then eight items under one picture, then others: behind a window with one picture to look at,
    no more than one file would be looked at, and what the window before had begun would be decoded twice."""
    from backend.engine.cache import Memory
    from backend.engine.inputs import decoder as decoder_

    memory = Memory()
    run(Counting().model, copies(tmp_path / "a", 4, range(0)), ["itc"], root=tmp_path / "one", memory=memory)
    every = list(copies(tmp_path / "b", 40, range(0)))
    same = [replace(it, images=every[8].images) for it in every[8:16]]
    begun, begin = Counter(), decoder_.Decoder._begin
    monkeypatch.setattr(
        decoder_.Decoder, "_begin", lambda self, new: (begun.update(one.ref.key for one in new), begin(self, new))[1]
    )
    run(
        Counting().model, Benchmark("b", lambda: iter([*every[:8], *same, *every[16:]])), ["itc"],
        root=tmp_path / "two", memory=memory, workers=8, pace=Pace(cells=16, first_cells=16),
    )  # fmt: skip
    assert len(begun) == 29  # of 33, four are known by their bytes
    assert set(begun.values()) == {1}
