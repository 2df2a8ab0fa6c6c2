"""Compare's answer in words, its tables and its file."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from markupsafe import escape

from backend.metrics.paired.differences import Paired
from backend.store.compare.compare import against, matrix, rates
from backend.store.compare.compare import groups as compare_groups
from backend.store.queries import Shared
from pages.compare import answer, data, summary, to_copy, what_changed
from pages.compare import matrix as compare_matrix
from pages.compare import table as compare_table
from pages.compare.picture import view as picture
from pages.compare.sides import Comparison
from pages.shared.data import findings
from tests.pages.compare.samples import ODD, benchmark, made, sides


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


def test_no_side_beats_another_that_has_to_be_right_more_often() -> None:
    """“B loses to A by 16.6 points (p < .001)” stood over a side that was right more often in each order."""
    found, named = made(), sides()
    rules = ("", "right only in every order of asking")
    table = against(found)
    assert table.iloc[0]["holm"] <= 0.05
    for gain, says in ((-0.166, "right less often than one by 16.6"), (0.166, "right more often than one by 16.6")):
        html = str(summary.html(table.assign(gain=gain), rates(found), named, rules=rules))
        assert not re.search("beats|loses", html)
        assert says in re.sub("<[^>]+>", "", html)
        assert ("that does not tell who is better" in html) == (gain < 0), "more often by the stricter rule is better"
        assert 'class="fs-gain"' not in html
        turned = str(summary.html(table.assign(gain=gain), rates(found), named, rules=rules[::-1]))
        assert ("that does not tell who is better" in turned) == (gain > 0)
    close = str(summary.html(table.assign(holm=0.6), rates(found), named, rules=rules))
    assert "within chance" in close
    assert "that does not tell who is better" in close
    even = {1: Paired(0.081, None, 0.0031, 120)}
    html = str(summary.html(against(found), rates(found), named, rules=rules, even=even))
    words = re.sub("<[^>]+>", "", html)
    assert re.match(rf"{re.escape(str(escape(ODD)))} beats one by 8\.1 points.*, by the mean of the orders", words)
    assert "(p = .003)" in words
    assert html.count("cmp-said") == 1
    close = re.sub("<[^>]+>", "", str(summary.evenly(Paired(-0.02, None, 0.04, 120), "a", "b", 3)))
    assert "within chance" in close
    assert "(p = .120, Bonferroni over 3 pairs)" in close


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
    left = answer.twins(Comparison(named, None, ()), replace(found, unlike=4541))
    assert left == {}, "of what is left out nobody has compared the answers"
    monkeypatch.setattr(data, "repeats", lambda _: {1: "nearly equal values"})
    assert "two files of its scores, nearly equal values" in answer.twins(Comparison(named, None, ()), found)[1]


def test_a_group_that_all_items_are_in_divides_nothing() -> None:
    found = made()
    assert [name for name, rows in compare_groups(found.frame, "concept") if not rows.all()] == [ODD, "count"]
    assert all(rows.all() for _, rows in compare_groups(found.frame, "subset"))


def test_equal_weight_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    found, named = made(), sides()
    found.frame.loc[:9, "subset"] = "b"
    assert answer.weighed(Comparison(named, None, ()), found) == ""
    chosen = Comparison(named, None, (), "subsets")
    assert answer.weighed(chosen, found) == "each of 2 subsets weighing the same"
    assert answer.left_out(chosen, found) == ""  # its interval holds with few items in a subset, too
    monkeypatch.setattr(data, "repeats", lambda _: {})
    assert "each of 2 subsets weighing the same" in answer.setting(chosen, benchmark(), found)
    html = str(summary.html(against(found, weights="subsets"), rates(found, weights="subsets"), named, weights="so"))
    assert ", so; they share" in html


def test_a_finding_names_the_items_that_were_asked_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    """It spoke of all items that both have judged, whatever was left out of them."""
    monkeypatch.setattr(data, "repeats", lambda _: {})
    found, chosen = made(), Comparison(sides(), None, ())
    assert "all items that both have judged" in answer.setting(chosen, benchmark(), found)
    some = "items that both have judged in as many orders of asking, which leaves 9 out"
    assert some in answer.setting(chosen, benchmark(), replace(found, unlike=9))


def test_who_never_fails_shares_no_failures() -> None:
    """It said "they share – of their failures, by chance –"."""
    found = made()
    assert "they share" in str(summary.html(against(found), rates(found), sides()))
    found.correct[:] = True
    said = str(summary.html(against(found), rates(found), sides()))
    assert "neither fails on any." in said
    assert "share –" not in said
    assert "by chance –" not in said


def test_where_one_side_never_fails_nothing_is_said_to_be_shared() -> None:
    """It said "they share 0 % of their failures, by chance 0 %"."""
    found = made()
    found.correct[:, 1] = True
    row = against(found)
    said = str(summary.html(row, rates(found), sides()))
    assert "fails on none, so there are no failures to share." in said
    assert "by chance" not in said
    assert summary.never_fails(row.iloc[0]) == 2
    found.correct[:] = [False, True]
    assert summary.never_fails(against(found).iloc[0]) == 2
    found.correct[:, 1] = False
    assert summary.never_fails(against(found).iloc[0]) == 0  # both fail on all


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
