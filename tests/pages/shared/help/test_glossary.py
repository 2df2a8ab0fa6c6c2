"""The glossary: every word that a page uses of reasons stands in it, and is found by its name."""

import pytest

from backend.metrics.reasons.names import NAMES
from pages.shared.help import glossary


def names() -> str:
    return " | ".join(name for of in glossary.entries().values() for name, *_ in of)


TERMS = (
    "near miss",
    "language prior",
    "mirror",
    "mirrored share",
    "z, γ/rms",
    "effective samples",
    "Pareto front",
    "rank correlation",
)


@pytest.mark.parametrize("word", [*TERMS, *NAMES.values()])
def test_a_word_of_the_pages_is_there(word: str) -> None:
    assert word in names()


@pytest.mark.parametrize("word", ["near miss", "language prior", "mirrored", "luck"])
def test_it_is_found_by_its_words_and_says_where_it_is_from(word: str) -> None:
    found = [entry for of in glossary.entries(word).values() for entry in of]
    assert found
    assert all(part for entry in found for part in entry)
    assert word in str(glossary.html(word)).casefold()
