"""What a model answered, order by order, is what its file says."""

import pandas as pd

from backend.store.queries import ItemDetail
from pages.item import answers
from pages.item.view import scores_of

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
