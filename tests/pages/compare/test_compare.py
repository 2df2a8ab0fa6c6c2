"""Compare and Teach: their view models, and the pages without a browser."""

import itertools
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from backend import called
from backend.store.compare.compare import Side, against, matrix, rates
from backend.store.compare.compare import groups as compare_groups
from backend.store.queries import Setting, Shared
from pages.compare import data, gallery, parts, scatter, steps, summary, to_copy, view
from pages.compare import matrix as compare_matrix
from pages.compare import table as compare_table
from pages.compare.sides import DEBIASED, Comparison, Named, name_sides, options
from pages.shared.data import findings
from pages.shared.data.stored import StoredBenchmark as Benchmark
from pages.shared.drawing import signs
from pages.teach import change
from tests.pages import results

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


def test_the_charts_draw_the_numbers_of_the_table() -> None:
    found = made()
    table, shares = against(found, "concept"), rates(found, "concept")
    spec = view.gains(table, sides(), dark=False)
    rows = {row["group"]: row for row in spec["layer"][1]["data"]["values"]}
    for row in table.to_dict("records"):
        drawn = rows[row["group"]]
        assert (drawn["gain"], drawn["low"], drawn["high"]) == (row["gain"], row["low"], row["high"])
        assert (drawn["fill"] == "none") == (row["holm"] > 0.05)
    assert rows["count"]["at"] < rows[ODD]["at"]
    assert view.by_gain(table) == ["count", ODD]
    slope = view.slope(shares, table, sides(), dark=True)
    lines = slope["layer"][2]["data"]["values"]
    assert sorted(line["value"] for line in lines) == sorted(shares["value"])
    assert {line["real"] for line in lines if line["group"] == "count"} == {True}
    json.dumps([spec, slope])  # what Vega gets is plain data


def test_a_p_value_has_one_form() -> None:
    found, named = made(), sides()
    table = against(found, "concept").assign(p=[0.0124, 2e-9], holm=[0.0124, float("nan")], bh=[1.0, 0.5])
    page = compare_table.html(table, named, "concept")
    assert [cell in page for cell in ("<td>.012</td>", "<td>&lt; .001</td>", ">.012</b>", ">–</b>", "<td>1</td>")] == [
        True
    ] * 5
    assert "0.012" not in page + compare_table.latex(table, named, "concept", "tests")
    drawn = [(row["p"], row["holm"]) for row in view.gains(table, named, dark=False)["layer"][1]["data"]["values"]]
    assert sorted(drawn) == [(".012", ".012"), ("< .001", "–")]
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
    assert "differs from one by 3.5 points, within chance (p = .201, Holm over 3 pairs)." in html
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
    told = parts.twins(Comparison(named, None, ()), found)
    assert told == {
        2: "three and one are one model under two names: the same scores on all 120 verdicts. Choose another to "
        "compare."
    }
    html = str(summary.html(against(found), rates(found), named, twins=told))
    assert html.count("under two names") == 1
    monkeypatch.setattr(data, "repeats", lambda _: {1: "nearly equal values"})
    assert "two files of its scores, nearly equal values" in parts.twins(Comparison(named, None, ()), found)[1]


def test_the_metric_is_named_and_of_several_each() -> None:
    found = made()
    chosen = Comparison(sides(), None, ())
    assert parts.judged_by(chosen, found) == "accuracy (pairwise)"
    found.frame.loc[0, "metric"] = "group_score"
    assert parts.judged_by(chosen, found) == "the headline metric of each protocol (group score, accuracy (pairwise))"


def test_margins_of_a_matching_head_are_log_odds_and_gains_are_points() -> None:
    found = made()
    a, b = (Named(f"itm {n}", n, Side(n, Setting("itm")), n, "#0072b2") for n in ("x", "y"))
    spec = scatter.spec(found, (a, b), False, scatter.ends_of(found))
    assert spec["layout"]["xaxis"]["title"]["text"] == "margin of A, x (log-odds)"
    assert "in log-odds" in gallery._chip(a, True, 7.5)
    notes = " ".join(note["text"] for note in spec["layout"]["annotations"])
    shares = [float(each) for each in re.findall(r"<b>(\d+\.\d) %</b>", notes)]
    assert len(shares) == 4, "with one decimal: whole per cents added up to 99 or 101"
    axis = view.gains(against(found, "concept"), sides(), dark=False)["layer"][0]["encoding"]["x"]["axis"]
    assert "points" in axis["title"]
    assert "format" not in axis, "per cent beside a caption that says points"


def test_a_group_that_all_items_are_in_divides_nothing() -> None:
    found = made()
    assert [name for name, rows in compare_groups(found.frame, "concept") if not rows.all()] == [ODD, "count"]
    assert all(rows.all() for _, rows in compare_groups(found.frame, "subset"))


def test_the_plane_counts_every_verdict_and_draws_items_whole() -> None:
    """Three verdicts an item, one of each of three metrics in turn: every second one would be a biased half."""
    once = made(3000)
    frame = once.frame.loc[np.repeat(np.arange(3000), 3)].reset_index(drop=True)
    rng = np.random.default_rng(1)
    margin = rng.normal(size=(9000, 2)) + np.tile([[2.0, 2.0], [-2.0, 0.0], [0.0, 3.0]], (3000, 1))
    found = Shared(frame, margin > 0, margin, (9000, 9000), ())
    spec = scatter.spec(found, sides(), False, scatter.ends_of(found))
    drawn = pd.Series([i for trace in spec["data"] for i, _ in trace["customdata"]]).value_counts()
    assert 0.9 * scatter.MOST < drawn.sum() <= scatter.MOST
    assert set(drawn) == {3}  # all of an item's verdicts or none
    a, b = found.correct.T
    counts = [int(x.sum()) for x in (a & b, ~a & ~b, a & ~b, ~a & b)]
    assert [int(trace["name"].split()[-1].replace(",", "")) for trace in spec["data"]] == counts
    notes = [note["text"] for note in spec["layout"]["annotations"]]
    said = {note.partition("<br>")[0]: int(note.split("· ")[1].replace(",", "")) for note in notes}
    assert [said[name] for name in ("both right", "both wrong", "only A right", "only B right")] == counts
    assert counts[2:] == [gallery.rows_of(found, which).sum() for which in ("lost", "won")]
    assert "<b>&" not in json.dumps([trace["name"] for trace in spec["data"]])
    # The same items in any order.
    backwards = scatter.drawn(frame["item_id"].to_numpy()[::-1])[::-1]
    assert backwards.tolist() == scatter.drawn(frame["item_id"].to_numpy()).tolist()
    # A lasso takes what lies inside it, drawn or not.
    box = {"box": [{"x": [-1e9, 1e9], "y": [-1e9, 1e9]}]}
    assert len(scatter.selected(found, box, scatter.ends_of(found))) == 3000
    clicked = {"points": [{"customdata": ["a/1", "x"]}, {"customdata": ["a/1", "x"]}, {}]}
    assert scatter.selected(found, clicked, (1.0, 1.0)) == ["a/1"]


def test_a_loss_is_painted_as_a_loss() -> None:
    found = made()
    worse = Shared(found.frame, found.correct[:, ::-1], found.margin[:, ::-1], found.judged, ())
    for judged, colour, shape in ((found, signs.GAIN, "triangle-up"), (worse, signs.LOSS, "triangle-down")):
        table = against(judged, "concept")
        rows = view.gains(table, sides(), dark=False)["layer"][2]["data"]["values"]
        (row,) = (row for row in rows if row["group"] == "count")
        assert (row["colour"], row["fill"], row["shape"]) == (colour, colour, shape)
        lines = view.slope(rates(judged, "concept"), table, sides(), dark=True)["layer"][2]["data"]["values"]
        assert {line["colour"] for line in lines if line["group"] == "count"} == {colour}
        assert ("fs-gain" if colour == signs.GAIN else "fs-loss") in compare_table.html(table, sides(), "concept")
    plane = scatter.spec(found, sides(), False, (1.0, 1.0))
    assert [trace["marker"]["color"] for trace in plane["data"]][2:] == [signs.LOSS, signs.GAIN]


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


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_compare_answers_and_its_address_reopens(visit: Callable[..., AppTest]) -> None:
    page = visit("compare", a=f"itc {results.WEAK}", b=f"itc {results.STRONG}", by="subset", metric="group_score")
    assert not page.exception
    said = html_of(page)
    assert " beats " in said
    assert "No run here says which checkpoint" in said
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
def test_teach_counts_what_was_fixed_and_broken(small: Path, visit: Callable[..., AppTest]) -> None:
    page = visit("teach")
    assert not page.exception
    assert "No two checkpoints" in html_of(page)
    assert "EqSim" in html_of(page)
    series_of(small)
    from pages.compare import data
    from pages.shared.data import stored

    stored.store().refresh()
    page = visit("teach", kind="itc")
    assert not page.exception
    said = html_of(page)
    chosen = stored.chosen()["small"]
    two = tuple(Side(chosen.runs[m], Setting("itc")) for m in (results.WEAK, results.STRONG))
    row = against(data.verdicts(two, None, ())).iloc[0]
    assert f"300 steps from weak to strong <b>fixed {row['only_b']:,}</b>" in said.replace("fake:", "")
    assert f"<b>broke {row['only_a']:,}</b>" in said
    assert any("not in this version" in block.value for block in page.info)


@pytest.mark.usefixtures("nothing_shipped", "flipside_cache")
@pytest.mark.parametrize("name", ["compare", "teach"])
def test_without_results_the_pages_say_what_to_do(name: str, visit: Callable[..., AppTest]) -> None:
    page = visit(name)
    assert not page.exception
    assert f"{called.on_pages()} run" in html_of(page)


def test_better_and_worse_are_those_beyond_chance() -> None:
    table = pd.DataFrame({"group": ["a", "b_c", "d"], "gain": [0.3, -0.2, 0.1], "holm": [0.001, 0.04, np.nan]})
    assert change.ups_and_downs(table).endswith("better at a; worse at b c.")
