"""What a model answered, order by order, is what its file says."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from backend.store import queries
from backend.store.build.reader import open_store
from backend.store.queries import ItemDetail
from pages.item import answers
from pages.item.view import scores_of
from tests.pages.compare import asked

COLUMNS = ["model", "run_id", "part", "image_index", "text_index", "text_index_b", "sample", "value", "n_tokens",
           "tokens", "logprobs"]  # fmt: skip
NOTHING = pd.DataFrame(columns=COLUMNS)


def detail(protocol: str, texts: list[str], rows: list[tuple[str, str, int, int, int, float]]) -> ItemDetail:
    """rows: model, part, image, text, other text, share."""
    scores = pd.DataFrame(
        [(model, "r", part, image, a, b, -1, value, -1, None, None) for model, part, image, a, b, value in rows],
        columns=COLUMNS,
    )
    return ItemDetail("b", 0, "s/1", "s", protocol, texts, ["1.png"], [""], [(0, 0)], {}, "", scores, NOTHING, NOTHING,
                      NOTHING)  # fmt: skip


def test_each_order_has_its_answer_and_neither_is_one() -> None:
    rows = [
        ("predictions:two", "verdict", 0, 0, 1, 0.5), ("predictions:two", "verdict@ab", 0, 0, 1, 1.0),
        ("predictions:two", "verdict@ba", 0, 0, 1, 0.0), ("predictions:one", "verdict", 0, 0, 1, 0.5),
        ("endpoint:x", "verdict", 0, 0, 1, 0.5), ("bundled:clip", "itc", 0, 0, 1, 0.2),
    ]  # fmt: skip
    found = answers.answers(detail("choice", ["a", "b"], rows))
    assert found == {"predictions:one": {answers.ONE: "neither"}, "predictions:two": {"ab": "true", "ba": "foil"}}


def test_an_order_that_is_the_only_one_keeps_its_name() -> None:
    """Of answers that all say “ab” stood: “ab: not asked; one answer: true”."""
    rows = [
        ("predictions:two", "verdict@ab", 0, 0, 1, 1.0), ("predictions:two", "verdict@ba", 0, 0, 1, 0.0),
        ("predictions:one", "verdict", 0, 0, 1, 1.0),
    ]  # fmt: skip
    of = detail("choice", ["a", "b"], rows)
    assert answers.answers(of)["predictions:one"] == {answers.ONE: "true"}
    named = replace(of, order={"r": "ab"})
    assert answers.answers(named) == {
        "predictions:one": {"ab": "true"},
        "predictions:two": {"ab": "true", "ba": "foil"},
    }
    assert answers.ONE not in str(answers.html(named))


@pytest.mark.slow
def test_the_name_of_the_only_order_is_read_with_the_item(
    flipside: Callable[..., Any], tmp_path: Path, nothing_shipped: None
) -> None:
    asked.add(flipside, tmp_path, asked.TWICE, asked.ONCE)
    named = tmp_path / "named.csv"
    named.write_text("item_id,correct,order\n" + "".join(f"{item},1,ab\n" for item in asked.items()))
    own = ("--benchmark", "custom", "--data", tmp_path / "set.csv")
    flipside("add-predictions", named, "--as", "named", *own)
    store = open_store(follow=False)
    benchmark = str(queries.runs(store)["benchmark"].iloc[0])
    found = answers.answers(queries.item(store, benchmark, "a/0"))
    assert {model: list(of) for model, of in found.items()} == {
        "predictions:named": ["ab"], asked.ONCE: [answers.ONE], asked.TWICE: ["ab", "ba"],
    }  # fmt: skip


def test_an_answer_that_chose_neither_is_no_share_of_any_caption() -> None:
    """As the merged verdict has it, ½, the foil would have been chosen in half of the orders."""
    rows = [
        ("predictions:two", "verdict", 0, 0, 1, 0.5), ("predictions:two", "verdict@ab", 0, 0, 1, 0.5),
        ("predictions:two", "verdict@ba", 0, 0, 1, 1.0), ("predictions:one", "verdict", 0, 0, 1, 0.5),
        ("endpoint:x", "verdict", 0, 0, 1, 0.5),
    ]  # fmt: skip
    found = {of.model: of.values.tolist() for of in scores_of(detail("choice", ["a", "b"], rows))}
    assert found == {"predictions:two": [[0.5, 0.0]], "predictions:one": [[0.0, 0.0]], "endpoint:x": [[0.5, 0.5]]}


def test_a_foil_that_was_chosen_of_several_is_the_answer() -> None:
    rows = [("predictions:m", "verdict@ab", 0, 0, 1, 0.0), ("predictions:m", "verdict@ab", 0, 0, 2, 0.5)]
    rows += [("predictions:m", "verdict@ba", 0, 0, foil, 0.5) for foil in (1, 2)]
    found = answers.answers(detail("choice", ["a", "b", "c"], rows))["predictions:m"]
    assert found == {"ab": "foil 1", "ba": "neither of true and foil 1, neither of true and foil 2"}


def test_of_several_questions_each_says_what_it_was_about() -> None:
    three = [("predictions:m", "verdict@ab", 0, 0, 2, 1.0), ("predictions:m", "verdict@ab", 0, 1, 2, 0.5)]
    found = answers.answers(detail("triplet", ["p", "q", "n"], three))
    assert found["predictions:m"]["ab"] == "P1 over N, neither of P2 and N"
    quad = [("predictions:m", "verdict@ab", 0, 0, 1, 1.0), ("predictions:m", "verdict@ab", 1, 0, 1, 0.5)]
    assert answers.answers(detail("quad", ["p", "q"], quad))["predictions:m"]["ab"] == "image 1: 1, image 2: neither"


def test_the_table_escapes_names_of_orders_and_leaves_out_who_is_not_wanted() -> None:
    rows = [("predictions:m", "verdict@<b>", 0, 0, 1, 1.0), ("predictions:n", "verdict@ba", 0, 0, 1, 1.0)]
    both = detail("choice", ["a", "b"], rows)
    said = str(answers.html(both))
    assert "&lt;b&gt;" in said
    assert said.count("not asked") == 2
    assert '<th scope="col">ba' not in str(answers.html(both, {"predictions:m"}))
    assert answers.html(detail("choice", ["a", "b"], [("bundled:clip", "itc", 0, 0, 1, 0.2)])) == ""
