"""By which score kind a model is shown where none is chosen."""

import doctest

import pandas as pd

from pages.shared.data import best_kind


def test_examples_in_the_docstrings() -> None:
    found = doctest.testmod(best_kind)
    assert (found.failed, found.attempted > 0) == (0, True)


def test_the_best_kind_is_chosen_on_what_all_kinds_judged() -> None:
    frame = pd.DataFrame(
        [("itc", "relation", "group_score", 0.2), ("itm", "relation", "group_score", 0.3),
         ("itc", "retrieval", "i2t_recall_at_1", 0.9)],
        columns=["kind", "group", "metric", "value"],
    )  # fmt: skip
    assert best_kind.kind_of(frame, "best") == "itm"
