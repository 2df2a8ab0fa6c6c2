"""Who leads on a benchmark, and whether by more than chance: what Overview says first and Compare opens on."""

from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest

from backend.protocols import Protocol
from backend.store import queries
from backend.store.build.reader import open_store
from backend.store.catalog import public
from pages.shared.data import best, findings
from pages.shared.data.cell_bars import Bar
from tests.store import asked


def rates(*rows: tuple[str, str, str, float, int]) -> pd.DataFrame:
    """(model, kind, metric, value, n), over all items."""
    return pd.DataFrame(rows, columns=["model", "kind", "metric", "value", "n"]).assign(group="all")


def test_people_texts_alone_parts_and_other_metrics_do_not_compete() -> None:
    frame = rates(
        ("people", "score", "group_score", 0.9, 400),
        ("clip", "itc", "group_score", 0.1, 400),
        ("blip", "itc", "group_score", 0.2, 400),
        ("blip", "itm", "group_score", 0.3, 400),
        ("first 50 only", "itc", "group_score", 0.8, 50),
        ("chat", "verdict", "text_score", 0.7, 400),
        ("sentences", "t2t", "t2t_accuracy", 1.0, 400),
    )
    found = best.ranking(frame, {"people"})
    assert [(entry.model, entry.kind, entry.value) for entry in found] == [("blip", "itm", 0.3), ("clip", "itc", 0.1)]
    texts = best.ranking(frame[frame["kind"] == "t2t"])
    assert [entry.model for entry in texts] == ["sentences"], "texts alone, where nothing else was judged"
    assert best.ranking(frame.iloc[:0]) == []


def test_who_is_judged_by_something_else_is_named() -> None:
    """A system asked in two orders stood between the best and the next, and was not mentioned."""
    frame = rates(
        ("a", "verdict", "accuracy", 0.9, 400),
        ("b", "verdict", "accuracy", 0.8, 400),
        ("both orders", "verdict", "accuracy_mean_of_orders", 0.85, 400),
        ("a part", "verdict", "accuracy_mean_of_orders", 0.85, 40),
        ("people", "score", "accuracy_mean_of_orders", 0.95, 400),
    )
    found = best.ranking(frame, {"people"})
    assert [entry.model for entry in found] == ["a", "b"]
    assert best.otherwise(frame, {"people"}, found) == {"both orders": "accuracy (mean of the orders)"}


def test_a_model_leads_under_the_kind_that_it_is_shown_by_where_that_judged_all() -> None:
    frame = rates(("blip", "itc", "group_score", 0.2, 400), ("blip", "itm", "group_score", 0.3, 400))
    assert [entry.kind for entry in best.ranking(frame, (), {"blip": "itc"})] == ["itc"]
    part = frame.assign(n=[300, 400])
    assert [entry.kind for entry in best.ranking(part, (), {"blip": "itc"})] == ["itm"]


def test_of_several_protocols_each_is_named_with_its_own_metric() -> None:
    """Overview said "by accuracy and group score and image to text and r@1, image to text"."""
    assert best.judged_by({"accuracy", "group_score", "i2t_recall_at_1"}) == (
        "accuracy on choices, group score on quads and R@1 (image to text) on retrieval"
    )


def test_the_finding_asks_whether_the_best_is_better_than_the_next() -> None:
    row = SimpleNamespace(n=400, gain=0.0075, low=-0.025, high=0.04, p=0.761, rate_a=0.205, rate_b=0.2125)
    said = findings.best(("x", "y"), row, 54, ["people", "repeats"], ("group score", "w"))
    assert said == (
        "Of 54 models the best and the next: x is right neither surely more nor surely less often than y, a "
        "difference of +0.8 points [−2.5, +4.0], within chance: "
        "21.3 % against 20.5 % (n = 400 items; p = .761, exact paired test, images as units, not adjusted for choosing "
        "these two of 54; people and repeats left out; group score; w)."
    )
    sure = SimpleNamespace(**{**vars(row), "p": 0.01})
    assert "within chance" not in findings.best(("x", "y"), sure, 2, [], ())
    assert "adjusted" not in findings.best(("x", "y"), sure, 2, [], ())


def test_a_file_that_holds_a_head_again_is_told() -> None:
    def record(spec: str, **said: str) -> dict[str, object]:
        return {"model": {"spec": spec, "public": {"system": "CLIP", **said}}}

    clip, again = record("predictions:clip"), record("p:b32", repeats="predictions:clip", how_it_repeats="nearly equal")
    assert public.repeat(clip, again) == public.repeat(again, clip) == "nearly equal"
    assert public.repeat(clip, record("predictions:other")) == ""
    assert public.repeat(clip, {"model": {"spec": "predictions:clip"}}) == "", "nothing says so"


def test_the_bars_speak_of_a_model_before_they_speak_of_people() -> None:
    def bar(model: str, share: float) -> Bar:
        return Bar(Protocol.QUAD, model, "itc", "test", {"right": (9, 0)}, 400, share, share - 0.1, share + 0.02, "raw")

    shown = [bar("people", 0.96), bar("clip", 0.3)]
    assert "under clip" in findings.hero(shown, "w", {"people": "people"})
    assert "under people" in findings.hero(shown[:1], "w", {"people": "people"})


def test_the_lead_names_the_items_that_were_asked_alike(flipside_cache: Path) -> None:
    asked.write(flipside_cache)
    store = open_store(follow=False, wait=True)
    frame = rates(
        (asked.TWICE, "verdict", "accuracy", 0.25, asked.N), (asked.HALF, "verdict", "accuracy", 0.75, asked.N)
    )
    lead = best.leading(store, "toy", {asked.TWICE: "1" * 16, asked.HALF: "2" * 16}, frame, {})
    assert lead is not None
    assert "all items that both have judged" not in lead.said
    assert "in as many orders of asking, which leaves 16 out" in lead.said
    assert "Not compared: 16 verdicts, asked in different numbers of orders" in lead.fact[1]


@pytest.mark.slow
def test_the_lead_says_in_which_orders_two_were_asked_where_they_differ(flipside, tmp_path: Path) -> None:
    """A system was “ahead” of itself, asked with its captions the other way round, and no order was named."""
    own = tmp_path / "set.csv"
    own.write_text("id,image,caption,foil_1\n1,a.png,a cat,a dog\n2,b.png,two,three\n")
    for name, right in (("one", 1), ("other", 0)):
        table = tmp_path / f"{name}.csv"
        table.write_text(f"item_id,correct,order\n1,1,{name}-first\n2,{right},{name}-first\n")
        made = flipside("add-predictions", table, "--as", name, "--benchmark", "custom", "--data", own, "--json")
        assert made.code == 0, made.err
    store = open_store(follow=False, wait=True)
    names = ("predictions:one", "predictions:other")
    known = queries.runs(store)
    runs = {model: str(known.loc[known["model"] == model, "run_id"].iloc[0]) for model in names}
    frame = rates(*((model, "verdict", "accuracy", value, 2) for model, value in zip(names, (1.0, 0.5), strict=True)))
    lead = best.leading(store, "custom:set", runs, frame, {})
    assert lead is not None
    said = "the captions stood in the order one-first for one and in the order other-first for other"
    assert said in lead.said
    assert f"{said[0].upper()}{said[1:]}: an answer may change with the order" in lead.fact[1]
