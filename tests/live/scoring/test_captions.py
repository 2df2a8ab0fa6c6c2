import pytest

from backend.errors import FlipsideError
from backend.live.scoring import captions, judging
from backend.protocols import Protocol


def test_control_and_direction_characters_are_dropped_and_words_stay_apart() -> None:
    assert captions.clean("a\u202e red\x07\ncube\u2069 👩‍🚀 é") == "a red cube 👩‍🚀 é"


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (["a", "  \x00 "], "Caption 2 is empty"),
        (["x" * 50_000], "50,000 characters"),
        (["a"] * 17, "17 captions are too many"),
    ],
)
def test_bad_captions_get_one_sentence(texts: list[str], says: str) -> None:
    with pytest.raises(FlipsideError, match=says) as caught:
        captions.check(texts)
    assert "\n" not in str(caught.value)


def test_the_longest_caption_that_fits() -> None:
    assert len(captions.check(["y" * captions.MAX_CHARACTERS])[0]) == captions.MAX_CHARACTERS


def test_duplicates_are_named() -> None:
    assert "1 and 3" in captions.duplicates(["a", "b", "a"])
    assert captions.duplicates(["a", "b"]) == ""


def test_equal_captions_are_a_tie_only_where_they_are_set_against_each_other() -> None:
    """In a free grid there is no verdict, and so nothing that counts as wrong; nor between two foils."""
    wrong = "counts as wrong"
    assert wrong not in captions.duplicates(["a", "a"], judging.truth(judging.GRID))
    assert wrong in captions.duplicates(["a", "a"], judging.truth(Protocol.CHOICE))
    assert wrong not in captions.duplicates(["a", "b", "b"], judging.truth(Protocol.CHOICE))
    assert wrong not in captions.duplicates(["a", "a", "b"], judging.truth(Protocol.TRIPLET)), "two paraphrases"
    assert wrong in captions.duplicates(["a", "b", "a"], judging.truth(Protocol.TRIPLET))
    assert wrong in captions.duplicates(["a", "a"], judging.truth(Protocol.QUAD))
    both = captions.duplicates(["a", "b", "b", "a"], judging.truth(Protocol.CHOICE))
    assert both.startswith("Captions 1 and 4 are the same"), both
