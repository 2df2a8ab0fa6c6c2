"""An item says in plain words what it is: no internal key."""

import doctest

from pages.item import evidence as item_evidence


def test_examples() -> None:
    assert doctest.testmod(item_evidence).failed == 0


def test_tags_are_plain_words() -> None:
    """Failed before: chips "perturbation: against_prior" and "split: dev"."""
    shown = item_evidence.tags_html(
        {"concept": ["relation"], "perturbation": ["swap_horizontal"], "split": ["dev"], "original": ["<b>"],
         "change": ["{}"], "none": ["none"]}
    )  # fmt: skip
    assert "concept: relation" in shown
    assert "change: left and right swapped" in shown
    assert "dev split" in shown
    assert "in the source: &lt;b&gt;" in shown
    assert "_" not in shown
    assert "perturbation" not in shown
