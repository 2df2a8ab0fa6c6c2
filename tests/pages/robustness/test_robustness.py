"""Robustness: what its cells say, and that every tab draws what the store holds."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from backend.metrics.paired import flips
from backend.metrics.statistics import Rate
from backend.perturb.granularity import compare, measure
from backend.published import Printed
from backend.store.robustness.matrix import Cell
from pages.robustness import cell as robustness_cell
from pages.robustness import edits, heat, printed, sets, view
from pages.robustness.view import Original
from pages.shared.drawing import colours, signs
from tests.pages import results
from tests.store import edited_runs, writer

#: What a cell says of itself where its interval leaves out 0 and its colour says nothing.
ALONE = "although its interval leaves out 0: the interval is of this one alone"
KINDS = [("character_swap", 0), ("character_swap", 3), ("shuffle_all_words", 0), ("negative_colour", 0)]
RUNS = [
    {"model": results.STRONG, "parts": ["itc", "t2t"], "skill": 2.5, "seed": 1},
    {"model": results.WEAK, "parts": ["itc"], "skill": 0.0, "seed": 2},
]


def made(
    before: list[float], after: list[float], column: str = "character_swap", drops: tuple[float, ...] = ()
) -> Cell:
    return Cell("bundled:clip", "itc", column, ("e",), flips.change(before, after), None, drops)


def lines(**more: object) -> pd.DataFrame:
    line = {
        "model": "bundled:clip", "kind": "itc", "hash": "h", "perturbation": "character_swap",
        "title": "Character swap", "effect": "meaning-preserving", "way": "replace", "family": "typo",
        "paper": "brittleness", "texts": "all",
        "texts_edited": 30, "texts_asked": 40,
    }  # fmt: skip
    return pd.DataFrame([line | more])


def test_edits_are_kept_apart_by_what_a_flip_means() -> None:
    known = pd.concat(
        [
            lines(),
            lines(hash="i"),
            lines(hash="j", perturbation="shuffle_all_words", effect="meaning-changing", family="shuffle"),
            lines(hash="k", perturbation="negation", effect="meaning-changing", way="foils", texts="truth"),
        ]
    )
    found = {column.key: column for column in view.columns(known)}
    assert {key: column.group for key, column in found.items()} == {
        "character_swap": "preserving", "shuffle_all_words": "changing", "negation+truth_only+as_foils": "foils",
    }  # fmt: skip
    assert found["character_swap"].editions == 2
    assert found["character_swap"].edited == 0.75
    assert found["negation+truth_only+as_foils"].title.endswith("true captions only")


def cell_of(cell: Cell, known: pd.DataFrame, measure: str = "drop") -> dict[str, str]:
    found: dict[str, str] = heat.spec([cell], view.columns(known), measure)["rows"][0]["cells"][0]
    return found


def test_a_loss_is_negative_and_vermilion_as_on_compare() -> None:
    worse = made([1] * 40 + [0] * 10, [0] * 30 + [1] * 10 + [0] * 10)
    entry = cell_of(worse, lines())
    assert entry["value"] == "−60.0"
    assert entry["colour"] == signs.balance(0.0)[0]
    assert entry["mark"] == signs.DOWN
    assert entry["id"] == "bundled:clip\titc\ncharacter_swap"
    better = made([0] * 30 + [1] * 20, [1] * 30 + [1] * 20)
    other = cell_of(better, lines())
    assert (other["value"], other["colour"], other["mark"]) == ("+60.0", signs.balance(1.0)[0], signs.UP)
    lost = cell_of(worse, lines(), "lost")
    assert (lost["value"], lost["colour"]) == ("60.0", signs.balance(0.2)[0])
    same = made([1, 0] * 20, [1, 0] * 19 + [0, 1])
    none = cell_of(same, lines())
    assert (none["value"], none["mark"], none["colour"]) == ("0.0", signs.OPEN, signs.balance(0.5)[0])
    corrected = replace(worse, holm=0.3)
    assert (cell_of(corrected, lines())["mark"], cell_of(corrected, lines())["colour"]) == (
        signs.OPEN, signs.balance(0.5)[0],
    ), "what one of many tests finds by itself is within chance"  # fmt: skip
    assert none["mark"] != colours.VERDICTS["near"][1]  # one sign, one meaning: a near miss is another thing
    assert cell_of(same, lines(), "flipped")["value"] == "5.0"


def test_a_colour_says_good_or_bad_the_same_in_every_table() -> None:
    """Where meaning is destroyed a loss is no fault, so nothing is green or vermilion there; a caption that wins over
    its own false edit is green above guessing."""
    worse = made([1] * 40 + [0] * 10, [0] * 30 + [1] * 10 + [0] * 10)
    destroyed = cell_of(worse, lines(effect="meaning-changing"))
    assert (destroyed["colour"], destroyed["mark"]) == (signs.strength(1.0)[0], "")
    kept = cell_of(made([1, 0] * 20, [1, 0] * 20), lines(effect="meaning-changing"))
    assert (kept["colour"], kept["mark"]) == (signs.strength(0.0)[0], signs.OPEN)
    foils = lines(effect="meaning-changing", way="foils")

    def set_against(share: float, ci95: tuple[float, float]) -> dict[str, str]:
        wins = Rate(share, 50, 0, ci95)
        return cell_of(
            Cell("bundled:clip", "itc", "character_swap+as_foils", ("e",), flips.NOTHING, None, (), wins), foils
        )

    entry = set_against(0.8, (0.7, 0.9))
    assert (entry["value"], entry["mark"], entry["colour"]) == ("80.0", "", signs.balance(0.8)[0])
    entry = set_against(0.5, (0.4, 0.6))
    assert (entry["mark"], entry["colour"]) == (signs.OPEN, signs.balance(0.5)[0])


def test_a_grey_cell_says_why_where_its_interval_leaves_out_no_change() -> None:
    """The interval is of the cell alone, the colour by p corrected over all."""
    worse = made([1] * 40 + [0] * 10, [0] * 30 + [1] * 10 + [0] * 10)
    grey = cell_of(replace(worse, p=0.02, holm=0.3), lines())
    assert grey["colour"] == signs.balance(0.5)[0]
    assert ALONE in grey["tip"]
    assert ALONE not in cell_of(replace(worse, p=0.001, holm=0.01), lines())["tip"]
    level = made([1, 0] * 20, [1, 0] * 20)
    assert ALONE not in cell_of(replace(level, p=1.0, holm=1.0), lines())["tip"]


def test_what_two_columns_count_alike_has_one_word() -> None:
    worse = made([1] * 40 + [0] * 10, [0] * 30 + [1] * 10 + [0] * 10)
    for unit in ("item", "image"):
        found = heat.spec([worse], view.columns(lines()), "drop", originals=originals(0.8, 0.25, (0.7, 0.9)), unit=unit)
        assert [each["chance"] for each in found["columns"]] == ["200 items", f"50 {unit}s"]
    foil = view.columns(lines(perturbation="negation", effect="meaning-changing", way="foils"))
    head = heat._head(foil[0], [replace(worse, wins=Rate(0.6, 205, 0, (0.5, 0.7)))], "item")
    assert head["chance"] == "205 questions"  # several of an item, so more than there are items


def originals(right: float, chance: float, ci95: tuple[float, float]) -> dict[tuple[str, str], Original]:
    return {("bundled:clip", "itc"): Original(Rate(right, 200, 3, ci95), chance)}


def test_a_loss_stands_beside_the_rate_it_starts_from_and_its_chance() -> None:
    worse = made([1] * 40 + [0] * 10, [0] * 30 + [1] * 10 + [0] * 10)
    known = pd.concat([lines(), lines(hash="j", perturbation="shuffle_all_words", effect="meaning-changing")])
    cells = [worse, replace(worse, column="shuffle_all_words")]
    found = heat.spec(cells, view.columns(known), "drop", originals=originals(0.8, 0.25, (0.7, 0.9)))
    assert found["groups"] == [
        {"label": "before", "span": 1}, {"label": "keeps the meaning", "span": 1},
        {"label": "destroys order or meaning", "span": 1},
    ]  # fmt: skip
    assert len(found["columns"]) == len(found["rows"][0]["cells"]) == 3
    base = found["rows"][0]["cells"][0]
    # The changes are of 50 questions: who took one from the rate of 200 would have no rate that there is.
    assert (base["value"], base["spread"], base["mark"]) == ("80.0", "chance 25.0 · n 200", "")
    whole = [replace(cell, change=replace(cell.change, n=190)) for cell in cells]
    found = heat.spec(whole, view.columns(known), "drop", originals=originals(0.8, 0.25, (0.7, 0.9)))
    assert found["rows"][0]["cells"][0]["spread"] == "chance 25.0"
    assert "n = 200" in base["tip"]
    assert "3 ties" in base["tip"]
    odd = [replace(cell, model="fake:<b>") for cell in cells]
    linked = str(heat.seen(odd, view.columns(known), {}, "a&b"))
    assert 'href="model?model=fake%3A%3Cb%3E&amp;benchmark=a%26b" target="_self">fake:&lt;b&gt;</a> loses' in linked
    said = re.sub("<[^>]+>", "", str(heat.seen(cells, view.columns(known), originals(0.8, 0.25, (0.7, 0.9)))))
    assert said == (
        "clip loses 60.0 points under character swap, which keeps the meaning (right on 80.0 % before, chance 25.0 %)."
    )


def test_a_model_at_chance_is_said_to_have_nothing_to_lose() -> None:
    same = made([1, 0] * 20, [1, 0] * 20)
    base = originals(0.26, 0.25, (0.2, 0.33))
    entry = heat.spec([same], view.columns(lines()), "drop", originals=base)["rows"][0]["cells"][0]
    assert (entry["mark"], entry["colour"]) == (signs.OPEN, signs.balance(0.5)[0])
    assert heat.seen([same], view.columns(lines()), base) == (
        "No edit that keeps the meaning is seen to make any model right less often. At chance or below, with nothing "
        "to lose: clip."
    )


def test_a_cell_is_copied_with_what_it_rests_on():
    sure = Cell("b", "itc", "x", ("e",), flips.change([1] * 200, [0] * 60 + [1] * 140), None, (), p=0.0001)
    said = view.to_copy(sure, "character swap", "b", ("accuracy", "world"))
    assert said.startswith("character swap makes b right less often by 30.0 points [")
    assert (
        "]: 100.0 % before, 70.0 % after (n = 200 verdicts; p < .001, exact sign-flip test, images as units; " in said
    )
    assert said.endswith("accuracy; world).")
    foil = Cell("m", "itc", "negation+as_foils", ("e",), flips.NOTHING, None, (0.7,), Rate(0.7, 50, 0, (0.6, 0.8)))
    assert view.to_copy(foil, "negation", "m", ()) == (
        "Under m the caption wins over its own edit (negation) in 70.0 % [60.0, 80.0], by guessing in 50 % (n = 50 "
        "questions)."
    )
    assert view.to_copy(Cell("m", "itc", "x", ("e",), flips.NOTHING, None, ()), "x", "m", ()) == ""
    luck = Cell("b", "itc", "x", ("e",), flips.change([1] * 50 + [0] * 50, [1] * 48 + [0] * 52), None, (), p=0.5)
    said = view.to_copy(luck, "character swap", "b", ("accuracy", "world"))
    assert said.startswith(
        "character swap makes b right neither surely more nor surely less often, a difference of −2.0 points ["
    )
    assert "], within chance: 50.0 % before" in said
    one_of_many = view.to_copy(replace(sure, holm=0.2), "character swap", "b", ("accuracy", "world"))
    assert ", within chance by Holm’s p over all cells: 100.0 % before" in one_of_many


def test_a_cell_in_words() -> None:
    said = view.said(made([1] * 9 + [0], [1] * 6 + [0] * 3 + [1], drops=(0.1, 0.3)))
    assert said.startswith("90.0 % → 70.0 % right, change −20.0 points")
    assert "30.0 % right → wrong, 10.0 % wrong → right" in said
    assert "between 2 editions is 14.1 points" in said
    foil = Cell("m", "itc", "negation+as_foils", ("e",), flips.NOTHING, None, (0.7,), Rate(0.7, 50, 0, (0.6, 0.8)))
    assert view.said(foil).startswith("the caption wins over its edit in 70.0 % [60.0, 80.0] of 50 questions")
    assert view.value_of(foil, "drop")[1] == pytest.approx((0.6, 0.8))


def test_first_shown_is_the_surest_drop() -> None:
    wide = Cell("a", "itc", "x", ("e",), flips.change([1, 1, 1, 0], [0, 0, 1, 0]), None, ())
    sure = Cell("b", "itc", "x", ("e",), flips.change([1] * 200, [0] * 60 + [1] * 140), None, ())
    assert view.worst([wide, sure], ["x"]) is sure
    assert view.worst([wide], ["y"]) is None


def test_the_editions_of_a_cell_add_up() -> None:
    frame = pd.DataFrame(
        {"seed": [0, 0, 1, 1], "hash": ["a", "a", "b", "b"], "edition": ["<e>", "<e>", "f", "f"], "was": [1, 1, 1, 0],
         "now": [0, 1, 1, 1], "metric": "accuracy", "cluster": [1, 2, 1, 2], "item_id": ["i", "j", "i", "j"],
         "was_margin": [1.0, 1.0, 1.0, -1.0], "now_margin": [-0.1, 1.0, 1.0, 3.0]}
    )  # fmt: skip
    html = robustness_cell.editions_table(frame, "accuracy")
    assert "&lt;e&gt;" in html
    assert html.count("<tr>") == 3
    assert list(robustness_cell.flipped(frame, robustness_cell.LOST)["item_id"]) == ["i"]
    assert list(robustness_cell.flipped(frame, robustness_cell.WON)["item_id"]) == ["j"]
    foils = frame.assign(was=np.nan)
    assert list(robustness_cell.flipped(foils, robustness_cell.WON)["now_margin"]) == [3.0, 1.0, 1.0]


def test_two_sets_side_by_side() -> None:
    a, b = measure(["A dog.", "A cat."]), measure(["A small brown dog of a man", "A big old black cat in a box"])
    html = sets.table("<a>", a, "b", b)
    assert "&lt;a&gt;" in html
    words = next(row for row in compare(a, b) if row.feature.name == "words")
    assert f"× {words.b.mean / words.a.mean:.2f}" in html
    assert sets.ratio(words).count("<i ") == 1
    assert "difference" not in sets.table("a", a, "", None)


def test_an_edit_that_applies_nowhere_has_no_panel() -> None:
    from backend import perturb

    assert edits.panel(perturb.get("negative_colour"), ["nothing here"], 0, 1) == ""
    html = edits.panel(perturb.get("negative_colour"), ["<b> a red car", "a blue hat"], 0, 2)
    assert html.count("before") == 4  # the class and the word of two examples
    assert "<b>" not in html


def test_nothing_printed_is_said_and_what_is_printed_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    assert printed.numbers("coco") == []
    assert "none of its tables" in printed.why_none()
    one = Printed("brittleness", "2", "CLIP", "COCO", "<typo>", "R@1", 0.12, "percent", "", (), 0.0005, 2)
    assert "&lt;typo&gt;" in printed.table([one])
    assert "12 %" in printed.table([one])


@pytest.fixture
def edited(flipside_cache: Path, nothing_shipped: None) -> Path:
    items = results.world(60)
    writer.write_run(flipside_cache, items, "1" * 16, ["itc", "t2t"], model=results.STRONG, skill=2.5, name="small")
    writer.write_run(flipside_cache, items, "2" * 16, ["itc"], model=results.WEAK, skill=0.0, seed=2, name="small")
    edited_runs.write(flipside_cache, items, KINDS, RUNS)
    return flipside_cache


def texts(page: AppTest) -> str:
    return " ".join(str(getattr(each, "value", "")) for each in (*page.get("html"), *page.caption)) + " ".join(
        str(each.proto.body) for each in page.get("html")
    )


@pytest.mark.slow
@pytest.mark.usefixtures("edited")
def test_every_tab_draws(visit: Callable[..., AppTest]) -> None:
    page = visit("robustness", benchmark="small")
    assert not page.exception
    said = texts(page)
    assert "fs-seen" in said
    assert "what happened to" in said
    cell = f"{results.WEAK}|itc|shuffle_all_words"
    page = visit("robustness", benchmark="small", cell=cell, judged="accuracy", measure="flipped")
    assert not page.exception
    assert "Shuffle all words: what happened to fake:weak" in texts(page)
    for tab, heading in (
        ("brittle", "Does the model react to the meaning, or to the wording?"),
        ("granularity", "How fine-grained are the captions?"),
        ("finer", "No model has been scored on both coco and coco_fg"),
        ("edits", "See what an edit does"),
    ):
        page = visit("robustness", benchmark="small", tab=tab)
        assert not page.exception
        assert heading in texts(page)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_without_editions_it_says_how_to_get_them(visit: Callable[..., AppTest]) -> None:
    page = visit("robustness")
    assert not page.exception
    assert "Try it now" in texts(page)


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_shipped")
def test_with_nothing_at_all(visit: Callable[..., AppTest]) -> None:
    page = visit("robustness")
    assert not page.exception
    assert "Nothing has been computed yet" in texts(page)
