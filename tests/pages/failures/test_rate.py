"""What Failures says of how many: the base of a share, and the sentence to copy."""

from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

from backend.metrics.statistics import Rate
from backend.store.queries import FailureFilter, FailurePage, Setting
from pages.failures import data, facets, rate, words

WANTED = FailureFilter("r", Setting("itc"), correct=False)


def page(right: int, wrong: int, reasons: dict[str, int] | None = None) -> FailurePage:
    facets = {"correct": {"right": right, "wrong": wrong}, "reason": reasons or {}}
    return FailurePage(pd.DataFrame(), wrong, right + wrong, facets)


def test_what_comes_of_the_verdict_itself_is_no_base_of_a_share(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[FailureFilter] = []

    def failures(wanted: FailureFilter) -> FailurePage:
        asked.append(wanted)
        return page(60, 40)

    monkeypatch.setattr(data, "failures", failures)
    assert rate.judged(WANTED, page(60, 40)) == 100
    assert not asked
    for narrow in ({"margin": (-0.2, -0.1)}, {"cells": ("no_binding",)}, {"reasons": ("no_binding",)}):
        assert rate.judged(replace(WANTED, subsets=("relation",), **narrow), page(0, 10)) == 100  # type: ignore[arg-type]
    assert all(each == replace(WANTED, subsets=("relation",)) for each in asked)


def test_right_and_wrong_listed_together_are_counted_among_the_items_of_the_same_filters(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # 4,830 verdicts in the run, of which the subset has 1,040
    def failures(wanted: FailureFilter) -> FailurePage:
        assert (wanted.subsets, wanted.reasons) == (("choice",), ())
        return replace(page(805, 235), total=1040, n_items=4830)

    monkeypatch.setattr(data, "failures", failures)
    together = replace(WANTED, subsets=("choice",), reasons=("uncertain",), correct=None)
    assert rate.judged(together, replace(page(80, 8), total=88, n_items=4830)) == 1040
    assert rate.judged(replace(together, correct=False), replace(page(80, 8), n_items=4830)) == 1040
    assert rate.population(together, "world", "bundled:clip") == " (subset: choice)"


def test_the_sentence_is_of_what_is_listed_and_says_every_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "share", lambda _: Rate(0.1, 400, 0, (0.08, 0.13)))
    listed = replace(WANTED, margin=(-0.2, -0.1), subsets=("relation",))
    said = rate.sentence(listed, page(0, 40, {"no_binding": 30, "uncertain": 10}), 400, "bundled:clip", "world")
    assert said.startswith("clip is wrong on 10.0 % [8.0, 13.0] ")
    assert (
        "with margins from −0.200 to −0.100: 40 verdicts, most often certified as “no binding beyond luck” (30)" in said
    )
    assert "n = 400 verdicts" in said
    assert "subset: Relation" in said or "subset: relation" in said
    assert rate.sentence(replace(WANTED, correct=None), page(1, 1), 2, "bundled:clip", "world") == ""
    assert rate.sentence(WANTED, replace(page(4, 0), total=0), 4, "bundled:clip", "world") == ""


@pytest.mark.parametrize(
    "picked",
    [
        {"only": ("a/1",)}, {"other_run": "s", "other_correct": True}, {"human": ("model_wrong",)},
        {"human": ("none",)}, {"tags": ("odd",)}, {"noted": True}, {"noted": False},
    ],
)  # fmt: skip
def test_items_that_may_have_been_picked_for_their_outcome_have_no_rate(picked: dict[str, Any]) -> None:
    """“100.0 % [98.9, 100.0] right” headed 525 items that were picked for being right, and 84.4 % of 241 what was left
    of 245 where four failures had a verdict of one's own."""
    wanted = replace(WANTED, **picked)
    assert data.told(wanted) is None
    said = rate.sentence(wanted, page(0, 9), 90, "bundled:clip", "world", "bundled:lm")
    assert said.startswith("clip is wrong on 10.0 %: 9 verdicts")


def test_a_cell_and_a_reason_of_one_name_are_told_apart() -> None:
    both = replace(WANTED, cells=("outvoted",), reasons=("outvoted",))
    assert rate.narrowed(both) == " as “outvoted” by the scores alone, certified as “outvoted”"
    assert rate.narrowed(replace(WANTED, reasons=("uncertain",))) == " left “uncertain”"
    said = rate.sentence(both, page(0, 9), 90, "bundled:clip", "world")
    assert said.count("outvoted") == 2  # each once: neither stands among the setting again
    offered = [facets.counted(name, {}, word) for name in ("cell", "reason") for word in ("no_binding", "outvoted")]
    assert offered == [
        "scores alone: no binding seen · 0", "scores alone: outvoted · 0",
        "certified: no binding beyond luck · 0", "certified: outvoted · 0",
    ]  # fmt: skip


def test_a_search_is_called_what_it_is() -> None:
    """“words: “cat”” headed 388 items, of which 92 have no such word but cattle, or a location."""
    for told in (words.said, rate.filters_said):
        found = told(replace(WANTED, text="cat"), "world", "m")
        (said,) = [what for what, value in found if value == "“cat”"]
        assert said.startswith("part of a caption")
