"""What the windows after one will ask for: each image and text once, none that is known, never a whole benchmark."""

from backend.engine import upcoming
from backend.engine.inputs.selection import Selection
from backend.engine.plan import make_plan
from backend.engine.runner import run
from backend.engine.storage.ledger import Pace
from backend.intake.survey import survey
from backend.items import Kind
from tests.engine.samples import Counting, mixed


def pending(tmp_path, kinds, n=5):
    plan = make_plan(survey(mixed(tmp_path / "p", n), Selection(), tmp_path / "root"), kinds, [])
    items = [plan.survey.items[k] for k in range(len(plan.survey))]
    return plan, [(item, [stage for stage in plan.stages if item.item_no in stage.items]) for item in items]


def test_images_come_once_in_order_but_for_those_that_are_known(tmp_path):
    plan, after = pending(tmp_path, [Kind.ITC, Kind.GEN])
    every = list(dict.fromkeys(image.key for item, _ in after for image in item.images))
    found = [ref.key for ref in upcoming.images(plan, after, {every[0]}, lambda ref, stage: ref.key == every[1])]
    assert found == every[2:]


def test_no_more_items_are_looked_at_than_can_be_decoded_ahead(tmp_path):
    plan, after = pending(tmp_path, [Kind.ITC])
    seen = []

    def endless():
        while True:
            seen.append(1)
            yield after[0]

    assert len(list(upcoming.images(plan, endless(), (), lambda ref, stage: True))) == 0
    assert len(seen) == upcoming.ITEMS


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
