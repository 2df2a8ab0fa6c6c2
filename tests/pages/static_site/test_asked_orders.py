"""A published site of choices that were asked in other numbers of orders: what compares, and what it is called."""

from base64 import b64decode
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pages.shared.data import stored
from pages.static_site.build import Options, build
from pages.static_site.selection import Wanted
from tests.pages.static_site.conftest import unpacked
from tests.store import asked
from tests.store.asked import ALIKE, HALF, ONCE, TWICE, N

pytestmark = pytest.mark.long


@pytest.fixture
def data(flipside_cache: Path, nothing_shipped: None, tmp_path: Path) -> Any:
    asked.write(flipside_cache)
    build(stored.store(), Wanted(("toy",)), Options(tmp_path / "site"))
    return unpacked(tmp_path / "site/data/b0.js")


def test_a_pair_is_of_items_asked_alike_and_says_what_it_leaves_out(data: Any) -> None:
    """Its finding spoke of all items that both have judged, beside a gain of those that were asked alike."""
    pairs = {frozenset((pair["a"].split("\t")[0], pair["b"].split("\t")[0])): pair for pair in data["pairs"]}
    pair = pairs[frozenset((TWICE, HALF))]
    assert pair["n"] == ALIKE
    assert pair["leftOut"].startswith(f"Not compared: {N - ALIKE} verdicts, asked in different numbers of orders")
    assert f"items that both have judged in as many orders of asking, which leaves {N - ALIKE} out" in pair["finding"]
    once = pairs[frozenset((HALF, ONCE))]
    assert (once["n"], once["leftOut"].split(",")[0]) == (N - ALIKE, f"Not compared: {ALIKE} verdicts")


def test_who_shares_no_way_of_asking_is_told_why_they_do_not_compare(data: Any) -> None:
    """The page said that they had judged no item by the same metric."""
    (apart,) = data["apart"]
    assert {apart["a"].split("\t")[0], apart["b"].split("\t")[0]} == {TWICE, ONCE}
    assert apart["why"].startswith(f"Not compared: {N} verdicts, asked in different numbers of orders")


def test_the_site_knows_how_often_each_item_was_asked(data: Any) -> None:
    choices = [k for k, name in enumerate(data["items"]["ids"]) if name.startswith("choice/")]
    times = {
        side["model"]: np.frombuffer(b64decode(own["times"]), "<i2")[choices].tolist()
        for side, own in zip(data["sides"], data["verdicts"], strict=True)
    }
    assert times == {TWICE: [2] * N, HALF: [2] * ALIKE + [1] * (N - ALIKE), ONCE: [1] * N}


def test_a_foil_in_one_order_and_no_caption_in_the_other_is_no_foil_in_every_order(data: Any) -> None:
    """Only margins of 0 were counted: 764 of 782."""
    found = {
        side["model"]: Counter(np.frombuffer(b64decode(own["metrics"]["accuracy"]["verdict"]), "<i1").tolist())
        for side, own in zip(data["sides"], data["verdicts"], strict=True)
    }
    assert found[TWICE] == {1: N // 4, 3: N // 2, 0: N // 4}
    assert found[ONCE] == {1: N - N // 4, 0: N // 4}


def test_the_site_has_the_mean_of_the_orders_and_each_order_s_answer(data: Any) -> None:
    assert set(data["means"]) == {f"{TWICE}\tverdict", f"{HALF}\tverdict"}
    value, low, high, n, said = data["means"][f"{TWICE}\tverdict"][""]
    assert (value, n) == (0.375, N)
    assert low < value < high
    assert said.startswith(f"the orders of asking disagree on {N // 2} items, ")
    assert data["means"][f"{TWICE}\tverdict"]["choice"][:1] == [0.375]
    packed = {side["model"]: own["orders"] for side, own in zip(data["sides"], data["verdicts"], strict=True)}
    assert packed[ONCE] == ""
    right = np.frombuffer(b64decode(packed[HALF]), "<i1").reshape(data["items"]["n"], 2)
    assert Counter(right[:, 1].tolist())[-1] == data["items"]["n"] - ALIKE


def test_only_scores_beside_choices_in_several_orders_are_by_two_rules(data: Any) -> None:
    """Choices compare where they were asked in as many orders of both, which is one rule."""
    assert all((pair["twoRules"], pair["chance"]) == ("", "") for pair in data["pairs"])
    pair = next(pair for pair in data["pairs"] if {TWICE, HALF} == {pair[of].split("\t")[0] for of in "ab"})
    means = pair["meansA"] if pair["a"].startswith(TWICE) else pair["meansB"]
    assert set(means) == {"", "choice"}
    assert means[""].startswith("37.5 % [")
    assert means[""].endswith(f"(n = {ALIKE})")
