"""A click on the picture of cells: its own filter goes on and off, and every other one stays."""

import doctest

import pytest

from pages.failures.filters import AUTO
from pages.failures.pictures import causes

BEFORE = {
    "show": "wrong",
    "metric": AUTO,
    "cell": [],
    "subset": ["count", "relation"],
    "reason": ["uncertain"],
    "text": "x",
}


def click(state, group="relation", cell="no_binding", protocol="quad"):
    return state | causes.toggled(state, [group], cell, protocol)


def others(state):
    return {key: value for key, value in state.items() if key in BEFORE}


def test_examples():
    assert doctest.testmod(causes).failed == 0


def test_a_second_click_gives_back_what_the_first_one_found():
    once = click(BEFORE)
    assert (once["cell"], once["subset"]) == (["no_binding"], ["relation"])
    assert {key: once[key] for key in ("show", "metric", "reason", "text")} == {
        key: BEFORE[key] for key in ("show", "metric", "reason", "text")
    }
    assert others(click(once)) == BEFORE


def test_a_click_elsewhere_moves_the_filter_and_the_first_find_is_not_forgotten():
    moved = click(click(BEFORE), "count", "right")
    assert (moved["cell"], moved["subset"], moved["show"]) == (["right"], ["count"], "all")
    assert others(click(moved, "count", "right")) == BEFORE
    back = click(moved, "relation", "no_binding")
    assert (back["cell"], back["show"]) == (["no_binding"], "wrong"), "what only the right ones needed is taken back"


def test_what_was_changed_since_is_kept():
    once = click(BEFORE, cell="right") | {"show": "right", "text": "y"}
    assert others(click(once, cell="right")) == BEFORE | {"show": "right", "text": "y"}


def test_a_link_s_own_filter_goes_off_too():
    link = BEFORE | {"cell": ["right"], "subset": ["count"], "show": "all"}
    assert others(click(link, "count", "right")) == link | {"cell": [], "subset": []}


@pytest.mark.parametrize(
    ("metric", "protocol", "left"),
    [("text_score", "quad", "text_score"), ("t2t_accuracy", "triplet", AUTO), ("accuracy", "quad", AUTO)],
)
def test_a_metric_gives_way_only_where_its_verdicts_have_no_cell(metric, protocol, left):
    once = click(BEFORE | {"metric": metric}, protocol=protocol)
    assert (once["metric"], once["show"]) == (left, "all")
    assert click(once, protocol=protocol)["metric"] == metric
