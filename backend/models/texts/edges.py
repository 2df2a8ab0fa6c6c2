"""What a tokenizer puts before and after a text: [CLS] … [SEP], BOS …, … </s>, language codes."""

from collections.abc import Sequence

from backend.errors import FlipsideError

#: A text whose edges are looked at; any tokenizer makes at least one token of it.
PROBE = "a"


def edges(whole: Sequence[int], bare: Sequence[int]) -> tuple[list[int], list[int]]:
    """The ids before and behind `bare` in `whole`. FlipsideError where it does not stand in there.

    >>> edges([101, 7, 8, 102], [7, 8])
    ([101], [102])
    """
    n = len(bare)
    for start in range(len(whole) - n + 1):
        if n and list(whole[start : start + n]) == list(bare):
            return list(whole[:start]), list(whole[start + n :])
    raise FlipsideError(
        "The tokenizer makes other tokens of a text when it adds its special ones, so it cannot be told which to score."
    )
