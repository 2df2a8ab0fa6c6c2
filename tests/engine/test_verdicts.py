"""Forced choices in a run: which contests are asked, what is left out and why, what a failure keeps."""

import pytest

from backend.engine import plan as plan_
from backend.engine.inputs.selection import Selection
from backend.engine.runner import run
from backend.engine.storage import shards
from backend.engine.storage.ledger import Pace
from backend.errors import FlipsideError, UsageError
from backend.images import open_image
from backend.items import Benchmark, Protocol
from backend.models import load
from tests.engine.samples import item, mixed, picture, rows


def test_the_stored_share_is_the_models_own(tmp_path):
    benchmark, model = mixed(tmp_path / "p"), load("fake:ok")
    summary = run(model, benchmark, ["verdict"])
    items = list(benchmark)
    found = shards.read_part(summary.run_dir, "verdict").to_pylist()
    assert {row["value"] for row in found} == {0.0, 0.5, 1.0}
    for row in found:
        it = items[row["item_no"]]
        image = open_image(it.images[row["image_index"]].uri)
        texts = it.texts[row["text_index"]], it.texts[row["text_index_b"]]
        assert row["value"] == model.prefer([image], texts[:1], texts[1:])[0]


def test_what_is_not_asked_is_left_out_with_the_reason(tmp_path, monkeypatch):
    monkeypatch.setattr(plan_, "MOST_TEXTS", 3)
    summary = run("fake:ok", mixed(tmp_path / "p"), ["verdict", "itm"])
    assert [(e.reason, e.n, e.parts) for e in summary.left_out] == [
        (plan_.TOO_MANY, 4, ["verdict"]),
        (plan_.NO_CONTEST, 4, ["verdict"]),
    ]
    assert summary.left_out[0].items == [f"choice/{k}" for k in range(4)]
    assert summary.left_out[1].items == [f"pool/{k}" for k in range(4)]
    assert summary.exit_code == 0
    part = shards.read_manifest(summary.run_dir)["parts"]["verdict"]
    assert part["complete"]
    assert part["left_out"] == {plan_.TOO_MANY: 4, plan_.NO_CONTEST: 4}
    assert set(shards.read_part(summary.run_dir, "verdict")["item_no"].to_pylist()) == set(range(8))


@pytest.mark.parametrize(("subset", "says"), [("pool", "triplets, choices and quads only"), ("choice", "more than 29")])
def test_where_nothing_can_be_asked_the_reason_is_given(tmp_path, monkeypatch, subset, says):
    monkeypatch.setattr(plan_, "MOST_TEXTS", 3)
    only = Selection(subset=subset)
    summary = run("fake:ok", mixed(tmp_path / "p"), ["verdict", "itm"], selection=only)
    assert says in summary.skipped["verdict"]
    with pytest.raises(UsageError, match=says):
        run("fake:ok", mixed(tmp_path / "p"), ["verdict"], selection=only)


def test_a_list_of_classes_is_not_asked(tmp_path):
    image = picture(tmp_path, "a")
    items = [item(f"classes/{k}", Protocol.CLASSIFY, [image], ("cat", "dog"), {}) for k in range(2)]
    with pytest.raises(UsageError, match="verdict is asked of triplets, choices and quads only"):
        run("fake:ok", Benchmark("classes", lambda: iter(items)), ["verdict"])


def test_a_run_that_fails_half_way_goes_on(tmp_path):
    benchmark, small = mixed(tmp_path / "p", 6), Pace(cells=4, first_cells=4, rows=6)
    whole = run("fake:ok", benchmark, ["verdict"], root=tmp_path / "whole")
    model = load("fake:ok")
    good, calls = model.prefer, []

    def breaks(*arguments):
        calls.append(arguments)
        if len(calls) > 3:
            raise FlipsideError("the server is gone.")
        return good(*arguments)

    model.prefer = breaks
    broken = run(model, benchmark, ["verdict"], root=tmp_path / "broken", pace=small)
    assert broken.exit_code == 1
    assert broken.failed["verdict"].startswith("verdict stopped at item ")
    assert 0 < len(rows(broken.run_dir)["verdict"]) < len(rows(whole.run_dir)["verdict"])
    assert shards.verify(broken.run_dir) == []
    model.prefer = good
    again = run(model, benchmark, ["verdict"], root=tmp_path / "broken", pace=small)
    assert again.exit_code == 0
    assert rows(again.run_dir) == rows(whole.run_dir)


def test_no_number_is_not_stored(tmp_path):
    summary = run("fake:nan", mixed(tmp_path / "p"), ["verdict"])
    assert summary.exit_code == 1
    assert "no finite number" in summary.failed["verdict"]
    assert shards.read_manifest(summary.run_dir)["parts"]["verdict"]["shards"] == []
