"""The slim bars: subsets of a protocol put together, hatched by what luck would put there, marked by the filter."""

import doctest
import re
from dataclasses import replace

import pandas as pd
import pytest

from backend.metrics.reasons.names import CELLS, NAMES
from backend.protocols import Protocol
from backend.store.queries import FailureFilter, FailurePage, Setting
from pages.failures import after, facets, keys, listing, tagged, words
from pages.failures.filters import Filters
from pages.failures.pictures import reasons
from pages.shared.data.cell_bars import Bar


def bar(protocol: Protocol, group: str, **counts: tuple[int, int]) -> Bar:
    return Bar(protocol, "bundled:clip", "itc", group, counts, 10, 0.5, 0.4, 0.6, "cosine")


BARS = [
    bar(Protocol.QUAD, "relation", right=(6, 2), no_binding=(4, 0)),
    bar(Protocol.QUAD, "count", right=(2, 4), outvoted_by_image=(8, 1)),
    bar(Protocol.CHOICE, "choice", grounded=(10, 0)),
]

LISTED = FailurePage(pd.DataFrame(), 0, 0, {})


def chosen(*cells: str) -> Filters:
    wanted = FailureFilter("r", Setting("itc"), cells=cells)
    return Filters(wanted, "bundled:clip", "", FailurePage(pd.DataFrame(), 0, 0, {}))


@pytest.mark.parametrize("module", [after, facets, keys, listing, reasons, tagged, words])
def test_examples(module) -> None:
    assert doctest.testmod(module).failed == 0


def test_subsets_of_a_protocol_are_one_bar_and_protocols_never_are() -> None:
    rows = reasons.view(BARS, chosen(), LISTED)["rows"]
    assert [row["label"] for row in rows] == ["quads", "choices"]
    parts = {part["id"].partition("\t")[2]: part for part in rows[0]["parts"]}
    assert {cell: (part["share"], part["luck"] * part["share"]) for cell, part in parts.items()} == {
        "right": (0.4, pytest.approx(0.3)), "outvoted_by_image": (0.4, 0.05), "no_binding": (0.2, 0.0),
    }  # fmt: skip
    assert "right by the scores alone: 8 of 20 quads (40.0 %)" in parts["right"]["tip"]
    assert "Luck alone would put 6 there." in parts["right"]["tip"]
    assert "Luck" not in parts["no_binding"]["tip"]
    assert "certifies" not in parts["right"]["tip"]
    known = [replace(bar, certified={"right": 3}) for bar in BARS[:2]]
    told = reasons.view(known, chosen(), LISTED)["rows"][0]["parts"][0]["tip"]
    assert "Of 6 of them the evidence certifies “right”." in told
    assert sum(part["share"] for part in rows[0]["parts"]) == pytest.approx(1.0)


def test_the_part_that_is_listed_is_marked() -> None:
    assert reasons.view(BARS, chosen("no_binding"), LISTED)["marked"] == [f"{Protocol.QUAD}\tno_binding"]
    assert reasons.view(BARS, chosen("no_binding", "right"), LISTED)["marked"] == []
    marked = reasons.view(BARS, replace(chosen("grounded"), other="x"), LISTED)["marked"]
    assert marked == [f"{Protocol.CHOICE}\tgrounded"]


def test_what_is_certified_of_the_list_stands_under_what_the_scores_alone_say() -> None:
    """“437 certified” stood beside bars of other shares, “which certify nothing”."""
    why = {("right", "uncertain"): 2, ("outvoted", "outvoted"): 3, ("no_binding", "no_binding"): 4}
    why |= {("outvoted_by_both", "no_binding"): 3, ("", ""): 5}
    drawn = reasons.view(BARS, chosen(), replace(LISTED, total=17, why=why))
    assert drawn["certified"] == (
        "Certified 10 of 17 listed: no binding beyond luck 7 · outvoted 3. Uncertain 2. Without a reason 5."
    )
    assert drawn["more"].endswith(
        "“no binding beyond luck”: 7, of which 4 are “no binding seen” by the scores alone; the others show no more "
        "than luck gives."
    )
    assert reasons.view(BARS, chosen(), LISTED)["certified"] == ""


def test_what_is_certified_takes_no_more_than_two_lines() -> None:
    """It was five lines. Two hold about 180 characters beside the histogram at 1440 pixels (tests/browser/failures)."""
    long = ("by_bias", "no_evidence", "no_binding", "reversed", "outvoted_by_caption", "outvoted_by_image")
    why = {(word, word): 23_456 - k for k, word in enumerate(long)}
    why |= {("right", "uncertain"): 23_456, ("", ""): 23_456}
    said = reasons.view(BARS, chosen(), replace(LISTED, total=sum(why.values()), why=why))["certified"]
    assert len(said) <= 180
    numbers = [int(each.replace(",", "")) for each in re.findall(r"\d[\d,]{2,}", said)]
    certified, listed, *parts, uncertain, without = numbers
    assert (sum(parts), certified + uncertain + without) == (certified, listed), "nothing is lost"


def test_bars_say_where_they_hold_more_than_the_list() -> None:
    of = chosen()
    for narrower in ({"text": "left"}, {"concepts": ("colour",)}, {"margin": (-1.0, 0.0)}, {"only": ("a",)}):
        under = replace(of, wanted=replace(of.wanted, **narrower))  # type: ignore[arg-type]
        assert reasons.view(BARS, under, LISTED)["whole"] == "of all 30 items, whatever else you filter by"
    for same in ({"subsets": ("relation",)}, {"correct": False}, {"cells": ("right",)}, {"sort": "near"}):
        under = replace(of, wanted=replace(of.wanted, **same))  # type: ignore[arg-type]
        assert reasons.view(BARS, under, LISTED)["whole"] == ""


def test_a_shortened_name_keeps_what_tells_it_from_its_neighbours() -> None:
    """Failed before: "23 % outvoted by …" lost the one word that matters."""
    for protocol, listed in CELLS.items():
        said = [reasons.SHORT.get(cell, NAMES[cell]) for cell in listed]
        assert len(set(said)) == len(said), protocol
        assert max(map(len, said)) <= 11, said
