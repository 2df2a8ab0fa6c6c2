import pytest

from backend.errors import FlipsideError
from backend.live.scoring import captions


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
