"""Compare: its view models, and the page without a browser."""

import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from markupsafe import escape
from streamlit.testing.v1 import AppTest

from backend import called, written
from backend.store.build.reader import open_store
from backend.store.compare.compare import Side, against, matrix, rates, shared
from backend.store.compare.compare import groups as compare_groups
from backend.store.failures import selections
from backend.store.queries import Setting, Shared
from pages.compare import answer, data, gallery, scatter, steps, summary, to_copy, view, what_changed
from pages.compare import matrix as compare_matrix
from pages.compare import table as compare_table
from pages.compare.opening import DEBIASED
from pages.compare.picture import draw
from pages.compare.picture import view as picture
from pages.compare.sides import Comparison, Named, name_sides, options
from pages.shared.data import findings, picked_set, stored
from pages.shared.data.stored import StoredBenchmark as Benchmark
from pages.shared.drawing import signs
from pages.shared.frame import alpha
from pages.shared.frame.alpha import Taken
from pages.shared.frame.plain import plain
from tests.pages import results
from tests.pages.opening import opened
from tests.pages.scripts import Script

ODD = '<b>&"x"'


def made(n: int = 120, k: int = 2) -> Shared:
    """Verdicts of k sides on two concepts; the second side is better at one of them."""
    rng = np.random.default_rng(4)
    concept = np.where(np.arange(n) % 3 == 0, ODD, "count")
    margin = rng.normal(size=(n, k)) + np.outer(concept == "count", np.arange(k) * 1.5)
    frame = pd.DataFrame(
        {"item_no": range(n), "query": -1, "metric": "accuracy", "pool": "", "item_id": [f"a/{i}" for i in range(n)],
         "subset": "a", "concept": concept, "perturbation": "", "cluster": [f"i{i}" for i in range(n)]}
    )  # fmt: skip
    return Shared(frame, margin > 0, margin, (n,) * k, ())


def sides(k: int = 2) -> tuple[Named, ...]:
    names = ["one", ODD, "three"]
    return tuple(Named(f"itc {n}", n, Side(n, Setting("itc")), n, "#0072b2") for n in names[:k])


@pytest.mark.parametrize("seed", range(5))
def test_labels_keep_their_distance_their_order_and_the_frame(seed: int) -> None:
    wanted = np.random.default_rng(seed).random(9).round(2).tolist()
    placed = view.apart(wanted, 0.08, 0.0, 1.0)
    ordered = sorted(placed)
    assert min(b - a for a, b in itertools.pairwise(ordered)) >= 0.08 - 1e-6
    assert ordered[0] >= 0
    assert ordered[-1] <= 1 + 1e-9
    assert [wanted[k] for k in np.argsort(placed, kind="stable")] == sorted(wanted)
    assert view.apart([0.1, 0.5], 0.08, 0, 1) == [0.1, 0.5]
    assert view.apart([0.5] * 30, 0.2, 0.0, 1.0)[-1] == pytest.approx(1.0)


def drawn(found: Shared, named: tuple[Named, ...], by: str = "concept") -> dict[str, Any]:
    table = against(found, by)
    return picture.picture(rates(found, by), table, named, by, picture.spoken(table, named, by))


def test_the_picture_draws_the_numbers_of_the_table() -> None:
    found = made()
    table, shares, spec = against(found, "concept"), rates(found, "concept"), drawn(made(), sides())
    rows = {row["key"]: row for row in spec["gains"]}
    for row in table.to_dict("records"):
        one = rows[row["group"]]
        assert (one["gain"], one["low"], one["high"]) == (row["gain"], row["low"], row["high"])
        assert one["sure"] == (row["holm"] <= 0.05)
        assert f"n = {row['n']:,}" in str(spec["lines"])
    assert [group["key"] for group in spec["groups"]] == view.by_gain(table) == ["count", ODD]
    assert rows["count"]["at"] == 0
    assert sorted(p["value"] for line in spec["lines"] for p in line["points"]) == sorted(shares["value"])
    assert {line["sure"] for line in spec["lines"] if line["key"] == "count"} == {True}
    assert spec["reach"] >= max(abs(row["gain"]) for row in spec["gains"])
    assert "1 within chance" in spec["alt"]
    json.dumps(spec)  # what the component gets is plain data


def test_of_several_models_each_gain_has_its_own_mark_and_no_line_a_direction() -> None:
    spec = drawn(made(k=3), sides(3))
    assert {row["other"] for row in spec["gains"]} == {0, 1}
    assert all(row["model"] for row in spec["gains"])
    assert {line["colour"] for line in spec["lines"]} == {signs.QUIET}
    assert all(len(line["points"]) == 3 for line in spec["lines"])


def test_a_p_value_has_one_form() -> None:
    found, named = made(), sides()
    table = against(found, "concept").assign(p=[0.0124, 2e-9], holm=[0.0124, float("nan")], bh=[1.0, 0.5])
    page = compare_table.html(table, named, "concept")
    assert [cell in page for cell in ("<td>.012</td>", "<td>&lt; .001</td>", ">.012</b>", ">–</b>", "<td>1</td>")] == [
        True
    ] * 5
    assert "0.012" not in page + compare_table.latex(table, named, "concept", "tests")
    tips = [row["tip"] for row in picture.picture(rates(found, "concept"), table, named, "concept", "")["gains"]]
    assert sorted("p (Holm) = .012" in tip for tip in tips) == [False, True]
    assert sum("p < .001" in tip for tip in tips) == 1
    pairs = matrix(found).assign(p=0.0124, holm=2e-9)
    assert "p = .012, p (Holm) &lt; .001" in compare_matrix.html(pairs, named)
    assert "(p < .001)" in summary.sentence(pairs.iloc[0], "one", "two"), "it judges by Holm's p"
    assert "(p < .001, Holm over 6 pairs)" in summary.sentence(pairs.iloc[0], "one", "two", sides=4)


def test_names_are_data_in_every_table() -> None:
    found, named = made(k=3), sides(3)
    table, pairs = against(found, "concept"), matrix(found)
    html = (
        compare_table.html(table, named, "concept") + compare_matrix.html(pairs, named)
        + summary.html(against(found), rates(found), named)
    )  # fmt: skip
    assert "<b>&" not in html
    assert "&lt;b&gt;&amp;" in html
    tex = compare_table.latex(table, named, "concept", "A & B")
    assert r"A \& B" in tex
    assert tex.count(r"\\") == len(table) + 1
    assert ODD not in tex


def test_the_file_holds_every_number_and_says_who_is_who() -> None:
    table = against(made(), "concept")
    frame = compare_table.as_frame(table, sides())
    assert frame["a"].tolist() == ["one (itc)"] * 2
    assert frame["b"].tolist() == [f"{ODD} (itc)"] * 2
    assert set(table.columns) - set(frame.columns) == {"side", "low", "high"}
    assert frame["gain_low"].tolist() == table["low"].tolist()


def test_the_answer_in_words_does_not_say_more_than_the_test() -> None:
    better = against(made().only(np.asarray(made().frame["concept"] == "count"))).iloc[0]
    assert " beats " in summary.sentence(better, "A", "B")
    twin = made()
    same = Shared(twin.frame, twin.correct[:, [0, 0]], twin.margin[:, [0, 0]], twin.judged, ())
    assert "equally often" in summary.sentence(against(same).iloc[0], "A", "B")
    worse = better.copy()
    worse["gain"] = -better["gain"]
    assert summary.sentence(worse, "A", "B").startswith("B loses to A by "), "the model that is spoken of is always B"
    assert "no verdict" in summary.sentence(against(twin.only(np.zeros(120, bool))).iloc[0], "A", "B")
    close = better.copy()
    close["holm"] = 0.2
    assert "within chance (p = .200)" in summary.sentence(close, "A", "B")


def test_of_several_sides_the_answer_is_adjusted_as_the_matrix_is() -> None:
    """The headline took the raw p (.034, "beats") beside a matrix that said .201, within chance."""
    found, named = made(k=3), sides(3)
    pairs = matrix(found)
    pairs.loc[0, ["p", "holm", "gain"]] = 0.034, 0.201, 0.035
    html = str(summary.html(pairs[pairs["baseline"] == 0], rates(found), named))
    assert re.sub("<[^>]+>", "", html).startswith(
        f"{escape(ODD)} differs from one by 3.5 points, within chance (p = .201, Holm over 3 pairs)."
    )
    assert "alone p = .034" in html
    said = to_copy.margins(found, named, pairs.iloc[0], (), len(pairs))
    assert "p = .201, exact paired test, images as units, Holm over 3 pairs" in said
    said = findings.difference("a", "b", pairs.iloc[0], (), len(pairs))
    assert "within chance" in said
    assert "p = .201, exact paired test, images as units, Holm over 3 pairs" in said


def test_the_same_scores_under_two_names_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    found, named = made(k=3), sides(3)
    found.margin[:, 2] = found.margin[:, 0]
    monkeypatch.setattr(data, "repeats", lambda _: {})
    told = answer.twins(Comparison(named, None, ()), found)
    assert told == {
        2: "three and one are one model under two names: the same scores on all 120 verdicts. Choose another to "
        "compare."
    }
    html = str(summary.html(against(found), rates(found), named, twins=told))
    assert html.count("under two names") == 1
    monkeypatch.setattr(data, "repeats", lambda _: {1: "nearly equal values"})
    assert "two files of its scores, nearly equal values" in answer.twins(Comparison(named, None, ()), found)[1]


def test_the_metric_is_named_and_of_several_each() -> None:
    found = made()
    chosen = Comparison(sides(), None, ())
    assert answer.judged_by(chosen, found) == "accuracy"
    found.frame.loc[0, "metric"] = "group_score"
    assert answer.judged_by(chosen, found) == "the headline metric of each protocol (group score, accuracy)"


def test_margins_of_a_matching_head_are_log_odds_and_gains_are_points() -> None:
    found = made()
    a, b = (Named(f"itm {n}", n, Side(n, Setting("itm")), n, "#0072b2") for n in ("x", "y"))
    plane = scatter.plane(found, (a, b), False, scatter.ends_of(found))
    assert plane.across.title == "margin of A, x (log-odds)"
    assert "in log-odds" in gallery._chip(a, True, 7.5)
    shares = [corner.share for corner in plane.corners if re.fullmatch(r"\d+\.\d %", corner.share)]
    assert len(shares) == 4, "with one decimal: whole per cents added up to 99 or 101"
    assert "points" in picture.spoken(against(found, "concept"), sides(), "concept")
    assert "points" in draw.legend("concept", 2)


def test_a_group_that_all_items_are_in_divides_nothing() -> None:
    found = made()
    assert [name for name, rows in compare_groups(found.frame, "concept") if not rows.all()] == [ODD, "count"]
    assert all(rows.all() for _, rows in compare_groups(found.frame, "subset"))


def test_the_plane_counts_every_verdict_and_draws_items_whole() -> None:
    """Three verdicts an item, one of each of three metrics in turn: every second one would be a biased half."""
    n = scatter.MOST // 2
    once = made(n)
    frame = once.frame.loc[np.repeat(np.arange(n), 3)].reset_index(drop=True)
    rng = np.random.default_rng(1)
    margin = rng.normal(size=(3 * n, 2)) + np.tile([[2.0, 2.0], [-2.0, 0.0], [0.0, 3.0]], (n, 1))
    found = Shared(frame, margin > 0, margin, (3 * n, 3 * n), ())
    plane = scatter.plane(found, sides(), False, scatter.ends_of(found))
    drawn = pd.Series(plane.points.ids).value_counts()
    assert 0.9 * scatter.MOST < drawn.sum() <= scatter.MOST
    assert set(drawn) == {3}  # all of an item's verdicts or none
    a, b = found.correct.T
    counts = [int(x.sum()) for x in (a & b, ~a & ~b, a & ~b, ~a & b)]
    assert [int(mark.name.split()[-1].replace(",", "")) for mark in plane.marks] == counts
    said = {corner.words: int(corner.more.replace(" · ", "").replace(",", "")) for corner in plane.corners}
    assert [said[name] for name in ("both right", "both wrong", "only A right", "only B right")] == counts
    assert counts[2:] == [gallery.rows_of(found, which).sum() for which in ("lost", "won")]
    a_right, b_right = plane.points.x > 0, plane.points.y > 0
    marked = np.select([a_right & b_right, ~a_right & ~b_right, a_right], [0, 1, 2], 3)
    assert (plane.points.mark == marked).all()
    # The same items in any order.
    backwards = scatter.drawn(frame["item_id"].to_numpy()[::-1])[::-1]
    assert backwards.tolist() == scatter.drawn(frame["item_id"].to_numpy()).tolist()
    # A lasso takes what lies inside it, drawn or not.
    box = {"box": [{"x": [-1e9, 1e9], "y": [-1e9, 1e9]}]}
    assert len(scatter.selected(found, box, scatter.ends_of(found))) == n
    assert scatter.selected(found, {}, (1.0, 1.0)) == []


def test_a_loss_is_painted_as_a_loss() -> None:
    found = made()
    worse = Shared(found.frame, found.correct[:, ::-1], found.margin[:, ::-1], found.judged, ())
    for judged, colour, mark in ((found, signs.GAIN, signs.UP), (worse, signs.LOSS, signs.DOWN)):
        table = against(judged, "concept")
        spec = drawn(judged, sides())
        (row,) = (row for row in spec["gains"] if row["key"] == "count")
        assert (row["colour"], row["mark"]) == (colour, mark)
        (open_,) = (row for row in spec["gains"] if row["key"] == ODD)
        assert (open_["colour"], open_["mark"]) == (signs.QUIET, signs.OPEN), "within chance there is no direction"
        assert {line["colour"] for line in spec["lines"] if line["key"] == "count"} == {colour}
        look, other = ("fs-gain", "fs-loss") if colour == signs.GAIN else ("fs-loss", "fs-gain")
        html = compare_table.html(table, sides(), "concept")
        assert html.count(look) == 1
        assert other not in html
        pairs = str(compare_matrix.html(matrix(judged), sides()))
        assert signs.balance(1.0 if colour == signs.GAIN else 0.0)[0] in pairs
    plane = scatter.plane(found, sides(), False, (1.0, 1.0))
    assert [mark.colour for mark in plane.marks][2:] == [signs.LOSS, signs.GAIN]


def test_wins_come_by_distance_in_each_sides_own_unit() -> None:
    found = made()
    stretched = Shared(found.frame, found.correct, found.margin * [1, 1000], found.judged, ())
    won = gallery.rows_of(found, "won")
    order = gallery.by_distance(found, won)
    assert (found.correct[order] == [False, True]).all()
    assert len(order) == won.sum()
    assert order.tolist() == gallery.by_distance(stretched, won).tolist()


def benchmark() -> Benchmark:
    return Benchmark(
        "small", "f" * 16, {"count": 10}, {"count": "quad"}, {"m": "1" * 16, "n": "2" * 16},
        {"m": ["itc", "gen"], "n": ["itc"]}, {"m": ["noise:2"], "n": []},
    )  # fmt: skip


def test_settings_of_one_model_are_two_sides() -> None:
    known = options(benchmark())
    assert list(known) == ["itc m", "gen m", f"{DEBIASED} m", "itc n"]
    named = name_sides(benchmark(), [("gen m", "m", "gen"), (f"{DEBIASED} m", "m", DEBIASED)], 0.5, "noise:2")
    assert [entry.label for entry in named] == ["m · gen, α = 0", "m · gen, α = 0.5"]
    assert named[1].side.setting == Setting("gen", 0.5, "noise:2")
    assert named[0].colour != named[1].colour


def test_failures_is_asked_by_its_filters_only_where_they_say_the_same() -> None:
    def ask(a: str, b: str, which: str = "won", elsewhere: tuple[str, ...] = (), group: str = "any") -> Any:
        known = options(benchmark())
        chosen = Comparison(name_sides(benchmark(), [(k, *known[k]) for k in (a, b)], 1.0, None), None, ())
        return gallery.as_filter(benchmark(), chosen, elsewhere, which, "concept", group)

    assert ask("itc m", "itc n") == {
        "benchmark": "small", "model": "n", "kind": "itc", "show": "right", "other": "m", "other_is": "wrong",
    }  # fmt: skip
    assert ask("itc n", "itc m", "lost", group="size")["concept"] == ["size"]
    assert ask("gen m", "itc n") is None  # Failures would judge m by itc
    assert ask("itc n", "gen m") is not None  # n has no gen, so Failures takes its itc
    assert ask("gen m", f"{DEBIASED} m") is None
    assert ask("itc m", "itc n", elsewhere=("retrieval",)) is None
    assert ask("itc m", "itc n", "both") is None


def test_failures_is_asked_under_the_alpha_that_it_judges_by(monkeypatch: pytest.MonkeyPatch) -> None:
    known = options(benchmark())
    keys = [(k, *known[k]) for k in ("itc n", f"{DEBIASED} m", "gen m")]
    chosen = Comparison(name_sides(benchmark(), keys, 0.5, "noise:2", "sum"), None, ())
    under, plain = chosen.named[1:]
    told = {"model": "m", "kind": "gen", "alpha": "0.5", "prior": "noise:2", "norm": "sum"}
    assert gallery.judged_at(benchmark(), under) == told
    assert gallery.judged_at(benchmark(), plain) == {"model": "m", "kind": "gen"}
    assert gallery.as_filter(benchmark(), chosen, (), "won", "concept", "any") is None
    monkeypatch.setattr(alpha, "taken", lambda: Taken(0.5, "noise:2", "sum"))
    assert gallery.judged_at(benchmark(), under) == {"model": "m", "kind": "gen"}
    assert gallery.judged_at(benchmark(), plain) == {"model": "m", "kind": "gen", "alpha": "0.0"}
    assert gallery.as_filter(benchmark(), chosen, (), "won", "concept", "any") is not None


def test_panels_over_steps_stand_where_their_numbers_are() -> None:
    points = [steps.Point(s, v, v - 0.1, v + 0.1, "#000", f"{ODD} {v}") for s, v in ((10, 0.2), (30, 0.6))]
    html = steps.grid([steps.Panel(ODD, points, 0.25)], 0, 1, percent=True, unit="right")
    assert html.count("<circle") == 2
    assert "<b>" not in html
    assert 'class="cmp-chance"' in html
    assert steps.grid([], 0, 1, percent=True, unit="x") == ""


def series_of(folder: Path) -> None:
    """The two dual encoders of the made-up results become checkpoints."""
    for run, step in (("2" * 16, 100), ("1" * 16, 400)):
        path = folder / "runs" / run / "run.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | {"series": {"made up": step}}))


def html_of(page: AppTest) -> str:
    return " ".join(str(getattr(block.proto, "body", "")) for block in page.get("html"))


def test_equal_weight_is_said_and_too_few_items_are(monkeypatch: pytest.MonkeyPatch) -> None:
    found, named = made(), sides()
    found.frame.loc[:9, "subset"] = "b"
    assert answer.weighed(Comparison(named, None, ()), found) == ""
    chosen = Comparison(named, None, (), "subsets")
    assert answer.weighed(chosen, found) == "each of 2 subsets weighing the same"
    assert "the smallest subset, has 10 independent items: with fewer than 40" in answer.left_out(chosen, found)
    assert answer.left_out(Comparison(named, None, ()), found) == ""
    monkeypatch.setattr(data, "repeats", lambda _: {})
    assert "each of 2 subsets weighing the same" in answer.setting(chosen, benchmark(), found)
    html = str(summary.html(against(found, weights="subsets"), rates(found, weights="subsets"), named, weights="so"))
    assert ", so; they share" in html


def test_who_never_fails_shares_no_failures() -> None:
    """It said "they share – of their failures, by chance –"."""
    found = made()
    assert "they share" in str(summary.html(against(found), rates(found), sides()))
    found.correct[:] = True
    said = str(summary.html(against(found), rates(found), sides()))
    assert "neither fails on any." in said
    assert "share –" not in said
    assert "by chance –" not in said


def test_the_legend_is_true_of_charts_that_stand_below_each_other_and_names_what_a_group_mixes() -> None:
    assert not re.search("left|right", draw.legend("concept", 3), re.IGNORECASE)
    frame = pd.DataFrame({"metric": ["group_score", "accuracy", "i2t_accuracy"]})
    assert draw.mixed(frame, "concept") == "quads, choices and triplets"
    assert draw.mixed(frame, "subset") == draw.mixed(frame[:1], "concept") == ""


def test_the_flow_is_copied_with_its_largest_way() -> None:
    links = pd.DataFrame(
        {"a": ["no_binding", "right"], "b": ["right", "outvoted_by_image"], "which": ["fixed", "broke"], "n": [40, 7],
         "certified": [12, 0]}
    )  # fmt: skip
    said = what_changed.sentence(links, ("one", "two"), 90, ("quads", "small"), "cells")
    assert said == (
        "From one to two 40 verdicts are gained and 7 lost; the largest part goes from “no binding seen” to “right”: "
        "40, 12 of them with a certified reason under both (n = 90 verdicts; quads; small)."
    )
    by_reasons = what_changed.sentence(links, ("one", "two"), 90, ("quads", "small"), "reasons")
    assert "“no binding beyond luck” to “right”" in by_reasons, "a reason is no cell, though both have one key"
    assert what_changed.sentence(links.assign(which="kept"), ("one", "two"), 90, (), "cells") == ""


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_compare_answers_and_its_address_reopens(visit: Callable[..., AppTest]) -> None:
    page = visit("compare", a=f"itc {results.WEAK}", b=f"itc {results.STRONG}", by="subset", metric="group_score")
    assert not page.exception
    said = html_of(page)
    assert " beats " in said
    assert "Checkpoints as curves" not in [box.label for box in page.expander], "no run names a step"
    assert page.session_state["by"] == "subset"
    assert page.query_params["metric"] in ("group_score", ["group_score"])
    page = visit("compare", a=f"gen {results.SPEAKER}", b=f"gen-alpha {results.SPEAKER}", alpha="0.5")
    assert not page.exception
    assert "α = 0.5" in html_of(page)
    page = visit("compare", a=f"itc {results.STRONG}", b=f"t2t {results.STRONG}")
    assert "no verdict in common" in html_of(page)
    more = f"t2t {results.STRONG}"
    page = visit("compare", a=f"itc {results.WEAK}", b=f"itc {results.STRONG}", more=more)
    assert "no verdict in common" in html_of(page)
    assert re.search(r"Without [^.]*strong · t2t the others share [\d,]+ verdicts?\.", html_of(page))


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_what_was_picked_among_the_margins_reopens_from_its_address(visit: Callable[..., AppTest]) -> None:
    sides_ = {"a": f"itc {results.WEAK}", "b": f"itc {results.STRONG}"}
    benchmark = stored.chosen()["small"]
    runs = [benchmark.runs[name] for name in (results.WEAK, results.STRONG)]
    found = shared(open_store(), [Side(run, Setting("itc")) for run in runs])
    ids = list(dict.fromkeys(found.frame["item_id"]))[3:8]
    kept = selections.keep(benchmark.hash, [*ids, "not/compared"], "a lasso")
    page = visit("compare", **sides_, picked=kept.key)
    assert not page.exception
    assert [each.value for each in page.markdown if "selected" in each.value] == [
        "**5 selected** of 6 picked items; the others are not compared here"
    ]
    assert page.query_params["picked"] in (kept.key, [kept.key])
    page.button(key="compare-let-go").click().run()
    assert not any("selected" in each.value for each in page.markdown)
    assert "picked" not in page.query_params
    page = visit("compare", **sides_, picked="no-such-set")
    assert not page.exception
    assert not any("selected" in each.value for each in page.markdown)
    (told,) = [toast.value for toast in page.toast]
    assert told == plain(picked_set.gone("no-such-set", False, "small"))
    assert "picked" not in page.query_params


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_what_a_link_asks_for_in_vain_is_said(visit: Callable[..., AppTest]) -> None:
    """An α without a side, a side twice: all of it was dropped without a word, or called unknown."""
    weak, strong = f"itc {results.WEAK}", f"itc {results.STRONG}"
    page = visit("compare", a=weak, b=strong, alpha="0.5")
    assert [toast.value for toast in page.toast] == [
        plain(
            "The link asks for alpha = 0.5, which no side here uses: only “gen, prior taken away” is judged under an α."
        )
    ]
    assert "alpha" not in page.query_params, "what no side uses stood in the address for good"
    page = visit("compare", a=weak, b=weak)
    (told,) = [toast.value for toast in page.toast]
    assert "with itself" in told
    assert page.session_state["a"] == weak != page.session_state["b"]
    page = visit("compare", a=weak, b=strong, more=strong)
    (told,) = [toast.value for toast in page.toast]
    assert "as A or B and once more" in told
    page = visit("compare", a=f"gen {results.SPEAKER}", b=f"gen-alpha {results.SPEAKER}", alpha="0.5")
    assert not page.toast, "a side is judged by it"
    page = visit("compare", a=f"gen {results.SPEAKER}", b=f"gen-alpha {results.SPEAKER}", alpha="7")
    assert [toast.value for toast in page.toast] == [
        plain("The link asks for alpha = 7, which goes from 0.001 to 2 here: it stands at 2.")
    ]
    assert page.session_state["alpha"] == 2
    page = visit("compare", a=f"gen {results.SPEAKER}", b=f"gen-alpha {results.SPEAKER}", alpha="nan")
    (told,) = [toast.value for toast in page.toast]
    assert "alpha “nan”" in told
    page = visit("compare", a=weak, b=strong, prior="noise:3")
    (told,) = [toast.value for toast in page.toast]
    assert plain("prior = noise:3, which no side here uses") in told, "it was called unknown, too"


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_sides_begin_under_the_alpha_of_all_pages_and_say_where_they_do_not() -> None:
    speaker, strong = results.SPEAKER, results.STRONG
    page = opened("compare")
    page.session_state["_alpha_taken"] = Taken(0.8694, "images:3", "sum")
    page.query_params["a"], page.query_params["b"] = f"itc {strong}", f"gen {speaker}"
    page.run()
    assert not page.exception
    assert page.session_state["b"] == f"{DEBIASED} {speaker}"
    said = html_of(page)
    assert "speaker · gen, α = 0.869, sums" in said
    assert "Not judged at the α of all pages: fake:strong · itc (itc scores have no α)." in said
    assert page.query_params["alpha"] in ("0.8694", ["0.8694"])
    sides = page.session_state["b"], page.selectbox(key="prior").value, page.selectbox(key="norm").value
    assert sides == (f"{DEBIASED} {speaker}", "images:3", "sum")
    of = [Side("1" * 16, Setting("itc")), Side("3" * 16, Setting("gen", 0.8694, "images:3", "sum"))]
    stored = rates(shared(open_store(), of))  # what the sentence says is what the store has under it
    for value, n in zip(stored["value"].tolist(), stored["n"].tolist(), strict=True):
        assert written.percent(value, n) in said
    page.selectbox(key="b").set_value(f"gen {speaker}").run()
    assert page.session_state["b"] == f"gen {speaker}", "what is chosen by hand stays"
    assert "speaker · gen (α = 0, as chosen here)" in html_of(page)
    assert not {"alpha", "prior", "norm"} & {*page.query_params}, "no side uses them"
    page.selectbox(key="b").set_value(f"{DEBIASED} {speaker}").run()
    sides = page.slider(key="alpha").value, page.selectbox(key="prior").value, page.selectbox(key="norm").value
    assert sides == (0.8694, "images:3", "sum"), "they come back with the side"
    assert page.query_params["alpha"] in ("0.8694", ["0.8694"])
    page.button(key="alpha-back").click().run()
    assert page.session_state["b"] == f"gen {speaker}", "given back on every page"
    assert "Not judged" not in html_of(page)


@pytest.mark.usefixtures("nothing_shipped", "flipside_cache")
@pytest.mark.parametrize("name", ["compare", "teach"])
def test_without_results_the_pages_say_what_to_do(name: str, visit: Callable[..., AppTest]) -> None:
    page = visit(name)
    assert not page.exception
    assert f"{called.on_pages()} run" in html_of(page)


@pytest.mark.parametrize("reach", [0.004, 0.03, 0.12, 0.61, 1.0])
def test_the_axis_of_gains_has_few_round_steps_around_zero(reach: float) -> None:
    found = Script("compare/picture/picture.js")("steps(a)", reach)
    assert 0 in found
    assert found == [-step for step in reversed(found)]
    assert 1 <= len(found) <= 5
    assert max(found) <= 100 * reach


def test_long_names_are_shortened_in_the_picture_and_every_name_leads_to_its_page() -> None:
    long = "one" + "x" * 120 + "end"
    named = (Named("itc a", ODD, Side("a", Setting("itc")), ODD, "#0072b2", ODD),
             Named("itc b", long, Side("b", Setting("itc")), long, "#0072b2", "small"))  # fmt: skip
    found = made()
    tests, rated = against(found, "concept"), rates(found, "concept")
    drawn = picture.picture(rated, tests, named, "concept", "")
    assert drawn["sides"][1]["label"].startswith("B · onexxx")
    assert drawn["sides"][1]["label"].endswith("xxxend")
    assert len(drawn["sides"][1]["label"]) < 32
    assert (drawn["left"], drawn["right"]) == (f"← {ODD} is better", "B is better →")
    said = str(summary.html(against(found), rates(found), named))
    table = str(compare_table.html(tests, (*named, named[0]), "concept"))
    pairs = str(compare_matrix.html(matrix(found), named))
    for html in (said, table, pairs):
        assert f'href="model?model={long}&amp;benchmark=small" target="_self">{long}</a>' in html
        assert ODD not in html
    assert f'">{escape(ODD)}</a>' in said


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("taken", [None, Taken(0.87, "images:3", "token")])
@pytest.mark.parametrize("came", [results.SPEAKER, results.WEAK, ""])
def test_an_address_opens_the_same_comparison_in_a_session_that_comes_from_nowhere(
    came: str, taken: Taken | None
) -> None:
    page = opened("compare")
    if came:
        page.session_state["model"] = came
        page.session_state["kind"] = "gen" if came == results.SPEAKER else "itc"
    if taken is not None:
        page.session_state["_alpha_taken"] = taken
    page.run()
    assert not page.exception
    sides = page.session_state["a"], page.session_state["b"]
    fresh = opened("compare")
    for key, said in page.query_params.items():
        fresh.query_params[key] = said
    fresh.run()
    assert (fresh.session_state["a"], fresh.session_state["b"]) == sides
