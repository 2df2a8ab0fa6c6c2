import json

import numpy as np

from backend.engine import planned
from backend.engine.plan import make_plan
from backend.engine.runner import run
from backend.engine.storage.ledger import Pace
from backend.intake.survey import survey
from backend.items import Benchmark, ImageRef, Kind, Protocol
from backend.models import load
from tests.engine.samples import item, mixed, picture, rows, stopping_after


def chained(folder, n):
    """Quads in which image 2 of one is image 1 of the next, as frames of a video are; and n choices apart from them."""
    folder.mkdir(parents=True, exist_ok=True)

    def items():
        for k in range(n):
            shown = [picture(folder, f"frame{k}"), picture(folder, f"frame{k + 1}")]
            yield item(f"quad/{k}", Protocol.QUAD, shown, (f"before {k}", f"after {k}"), {})
        for k in range(n):
            yield item(f"choice/{k}", Protocol.CHOICE, [picture(folder, f"c{k}")], (f"is {k}", f"is not {k}"), {})

    return Benchmark("chained", items)


def windows(benchmark, tmp_path, kinds=(Kind.ITC,), **how):
    found = survey(benchmark, selection(), tmp_path / "root")
    plan = make_plan(found, list(kinds), [])
    return plan, [window.tolist() for window in planned.windows(plan, **how)]


def selection():
    from backend.engine.inputs.selection import Selection

    return Selection()


def keys(plan, window):
    return {image.key for number in window for image in plan.survey.items[number].images}


def test_each_item_stands_in_one_window_and_no_two_windows_share_an_image(tmp_path):
    plan, found = windows(mixed(tmp_path / "p", 6), tmp_path, (Kind.ITC, Kind.T2T), cells=12)
    assert len(found) > 3
    assert sorted(n for window in found for n in window) == sorted(plan.survey.selected.tolist())
    seen = [keys(plan, window) for window in found]
    assert sum(map(len, seen)) == len(set().union(*seen))


def test_items_that_share_an_image_by_way_of_others_stand_together(tmp_path):
    plan, found = windows(chained(tmp_path / "p", 5), tmp_path, cells=20)
    assert found[0] == [0, 1, 2, 3, 4]  # 5 quads of 4 cells: every frame is decoded once
    seen = [keys(plan, window) for window in found]
    assert sum(map(len, seen)) == len(set().union(*seen))


def test_a_group_larger_than_a_window_is_cut_between_two_items(tmp_path):
    _, found = windows(chained(tmp_path / "p", 5), tmp_path, cells=8)
    assert found[:3] == [[0, 1], [2, 3], [4]]


def test_windows_hold_about_as_many_cells_as_asked_for(tmp_path):
    plan, found = windows(mixed(tmp_path / "p", 8), tmp_path, cells=16)
    sizes = [int(planned.costs(plan)[window].sum()) for window in found]
    assert all(size <= 16 or len(window) == 1 for size, window in zip(sizes, found, strict=True))
    assert min(sizes[:-1]) > 4


def test_costs_are_those_of_the_cells_that_a_model_reads(tmp_path):
    found = survey(mixed(tmp_path / "p", 2), selection(), tmp_path / "root")
    plan = make_plan(found, [Kind.ITM], [])
    stage = plan.stages[0]
    each = [int(plan.n_cells(stage, np.array([n], np.int32))) for n in range(len(found))]
    pooled = found.protocol == planned.RETRIEVAL
    assert planned.costs(plan)[~pooled].tolist() == np.array(each)[~pooled].tolist()
    assert (planned.costs(plan)[pooled] - np.array(each)[pooled]).tolist() == found.n_texts[pooled].tolist()


class Sensitive:
    """fake:ok whose vectors of texts depend on how many are encoded at once, as those of real ones do in the last
    bits."""

    def __init__(self):
        self.model = load("fake:ok")
        original = self.model.encode_texts
        self.model.encode_texts = lambda texts: original(texts) * np.float32(1 + 1e-4 * len(texts))


def test_planned_scores_are_the_same_to_the_bit_however_often_a_run_was_stopped(tmp_path, monkeypatch):
    monkeypatch.setattr(planned, "CELLS", 12)
    benchmark, kinds = mixed(tmp_path / "p", 6), ["itc", "itm", "t2t"]
    small = {"planned": True, "pace": Pace(rows=1)}
    whole = run(Sensitive().model, benchmark, kinds, root=tmp_path / "whole", **small)
    first = run(Sensitive().model, benchmark, kinds, root=tmp_path / "parts", progress=stopping_after(1), **small)
    assert first.interrupted
    second = run(Sensitive().model, benchmark, kinds, root=tmp_path / "parts", **small)
    assert second.computed == whole.computed - first.computed
    assert rows(second.run_dir) == rows(whole.run_dir)


def test_where_every_picture_is_missing_a_planned_run_says_what_any_run_says(tmp_path):
    benchmark = Benchmark("gone", lambda: iter([
        item("choice/0", Protocol.CHOICE, [ImageRef("a.png", "")], ("is", "is not"), {}),
    ]))  # fmt: skip
    found = [
        run(Sensitive().model, benchmark, ["itc"], root=tmp_path / str(is_planned), planned=is_planned)
        for is_planned in (False, True)
    ]
    assert [(each.exit_code, each.computed, each.parts["itc"]["rows"]) for each in found] == [(1, 0, 0)] * 2
    assert found[0].left_out == found[1].left_out


def test_windows_by_the_clock_are_not(tmp_path):
    benchmark = mixed(tmp_path / "p", 6)
    found = [
        rows(run(Sensitive().model, benchmark, ["itc"], root=tmp_path / str(n), pace=Pace(n, n)).run_dir)
        for n in (4, 400)
    ]
    assert found[0] != found[1]


def test_batches_of_the_plan_look_for_no_size_and_the_record_has_those_that_others_found(tmp_path, monkeypatch):
    """A size that a clock decides would give scores that are not equal to the bit."""
    from backend.models.base import Model

    monkeypatch.setattr(Model, "found_batches", lambda self: {"encode_texts": 256} if self.finds_batches else {})
    model = load("fake:ok")
    for planned_too, found in ((True, None), (False, {"encode_texts": 256})):
        root = tmp_path / str(planned_too)
        made = run(model, chained(tmp_path / "p", 3), ["itc"], root=root, planned=planned_too)
        assert model.finds_batches is not planned_too
        (session,) = json.loads((made.run_dir / "run.json").read_text())["sessions"]
        assert session.get("batches") == found
