"""Means of means against slow loops that share no code with them."""

import doctest
import math

import numpy as np
import pytest

from backend.metrics import official
from backend.metrics.official import Mean, by_group, macro, mean_of, share


def test_the_examples_in_the_docstrings():
    assert doctest.testmod(official).failed == 0


def slow_macro(correct, groups, minimum, drop):
    seen = {}
    for verdict, group in zip(correct, groups, strict=True):
        if group and group not in drop and not math.isnan(verdict):
            seen.setdefault(group, []).append(verdict)
    kept = [verdicts for verdicts in seen.values() if len(verdicts) >= minimum]
    if not kept:
        return None, 0, 0
    return sum(sum(each) / len(each) for each in kept) / len(kept), sum(map(len, kept)), len(kept)


@pytest.mark.parametrize("seed", range(20))
def test_macro_is_what_a_loop_gives(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(1, 400))
    names = ["", "on", "in", "near", "red_blue", "blue_red", "with"]
    groups = [names[k] for k in rng.integers(0, len(names), n)]
    correct = rng.choice([0.0, 1.0, np.nan], n, p=[0.4, 0.5, 0.1])
    minimum, drop = int(rng.integers(1, 40)), {"near", "absent"}
    found = macro(correct, groups, minimum, drop)
    value, n_items, n_groups = slow_macro(correct, groups, minimum, drop)
    assert (found.n, found.groups) == (n_items, n_groups)
    assert found.value is None if value is None else found.value == pytest.approx(value)


def test_macro_weighs_groups_and_not_items():
    correct, groups = [1.0] * 99 + [0.0], ["on"] * 99 + ["in"]
    assert macro(correct, groups) == Mean(0.5, 100, 2)
    assert share(correct) == Mean(0.99, 100)


def test_a_group_of_undefined_verdicts_only_is_none():
    assert by_group([float("nan"), 1.0], ["a", "b"]) == {"a": Mean(None, 0), "b": Mean(1.0, 1)}
    assert macro([float("nan"), 1.0], ["a", "b"]) == Mean(1.0, 1, 1)


@pytest.mark.parametrize("empty", [macro([], []), share([]), share([float("nan")]), mean_of({}, [])])
def test_nothing_has_no_mean(empty):
    assert empty.value is None
    assert empty.n == 0


def test_exactly_the_minimum_is_enough():
    assert macro([1.0] * 25 + [0.0] * 24, ["a"] * 25 + ["b"] * 24, minimum=25) == Mean(1.0, 25, 1)


def test_a_missing_part_leaves_no_number_and_is_named():
    inner = mean_of({"vg": Mean(1.0, 4)}, ["vg", "vaw"])
    outer = mean_of({"colour": inner, "size": Mean(0.5, 2)}, ["colour", "size", "state"])
    assert outer == Mean(None, 6, 1, ("vaw", "state"))


def test_an_undefined_part_counts_as_missing():
    assert mean_of({"a": Mean(None, 0), "b": Mean(1.0, 3)}, ["a", "b"]).missing == ("a",)


def test_verdicts_and_groups_must_pair():
    with pytest.raises(ValueError, match="2 verdicts and 1 groups"):
        by_group([1.0, 0.0], ["a"])
