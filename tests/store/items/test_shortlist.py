from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from backend.store.items.detail import ItemDetail
from backend.store.items.shortlist import shortlist


def scores(rows):
    """(model, part, text, value, n_tokens) -> as `item` returns them, absent values missing."""
    frame = pd.DataFrame(rows, columns=["model", "part", "text_index", "value", "n_tokens"])
    return frame.assign(image_index=0, text_index_b=np.nan, sample=np.nan, run_id="r")


def detail(n, truth, rows, protocol="classify"):
    nothing = pd.DataFrame({"text_index": pd.Series(dtype=float), "model": pd.Series(dtype=object)})
    texts = [f"class {k}" for k in range(n)]
    return ItemDetail("b", 0, "s/1", "s", protocol, texts, ["1.png"], [""], truth, {}, "", scores(rows), nothing,
                      nothing, nothing)  # fmt: skip


@pytest.fixture
def thousand():
    """A's order is 999, 998, …; B, by the mean a token, puts 3, 5, 7 first; the truth is 42."""
    a = [("a", "itc", k, k / 1000, np.nan) for k in range(1000)]
    b = [("b", "gen", k, -10.0 * (1 if k in (3, 5, 7) else 2) + k / 1000, 4 if k != 3 else 5) for k in range(1000)]
    return detail(1000, [(0, 42)], a + b)


def test_the_true_class_then_what_each_model_ranks_highest(thousand):
    short = shortlist(thousand, 6)
    assert short.texts[:5] == ["class 42", "class 999", "class 3", "class 998", "class 7"]
    assert short.hidden == 994
    assert short.truth == [(0, 0)]
    assert short.numbers[:3] == (42, 999, 3)
    assert (short.place(999), short.place(500)) == (1, None)


def test_scores_follow_their_text(thousand):
    short = shortlist(thousand, 6)
    for row in short.scores.itertuples():
        number = short.numbers[int(row.text_index)]
        told = thousand.scores[(thousand.scores["model"] == row.model) & (thousand.scores["text_index"] == number)]
        assert float(told["value"].iloc[0]) == row.value
    assert len(short.scores) == 12


def test_a_few_texts_stay_as_they_are_but_for_the_order_of_classes():
    choice = detail(3, [(0, 0)], [("a", "itc", k, 0.1 * k, np.nan) for k in range(3)], "choice")
    assert shortlist(choice) is choice
    two = shortlist(detail(2, [(0, 1)], [("a", "itc", k, 0.1, np.nan) for k in range(2)]))
    assert (two.texts, two.truth, two.hidden) == (["class 1", "class 0"], [(0, 0)], 0)


def test_an_item_without_scores_shows_its_first_texts():
    short = shortlist(detail(30, [(0, 29)], []), 4)
    assert short.texts == ["class 29", "class 0", "class 1", "class 2"]


def test_pools_keep_their_own_captions(thousand):
    pool = replace(thousand, protocol="retrieval")
    assert shortlist(pool) is pool
