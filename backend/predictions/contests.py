"""From a verdict to contests of two captions, the one form in which choices are stored (metrics/contests.py).

A contest is (image, text, other text, share): 1 where the text was chosen over the other, 0 where not, 0.5 where
neither was chosen. So a reply that chose neither fails and counts as a tie; it is never right.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

from backend.benchmarks.reading.malformed import Malformed
from backend.items import Protocol
from backend.predictions.claim import Verdict
from backend.predictions.finding import Known

WON, LOST, NEITHER = 1.0, 0.0, 0.5


class Contest(NamedTuple):
    """Whether a text was chosen over another one for an image."""

    image: int
    text: int
    other: int
    share: float


def contests(item: Known, verdict: Verdict) -> list[Contest]:
    """What a verdict says about an item. Malformed where it cannot be stored as choices between two captions."""
    _check_captions(item, verdict)
    if item.protocol == Protocol.CHOICE:
        return _of_choice(item, verdict)
    if item.protocol == Protocol.TRIPLET:
        return _of_triplet(item, verdict)
    if item.protocol == Protocol.QUAD:
        return _of_quad(item, verdict)
    if item.protocol == Protocol.ANSWERS:
        raise Malformed(
            "a yes or no is no choice between captions: an item of the protocol answers is judged by one number for "
            "each image and text, above 0 for yes; give item_id, image_index, text_index and value with --kind vqa "
            "(for answers alone 1 for yes and -1 for no: AUROC then says no more than they do)"
        )
    raise Malformed(f"a {item.protocol} item has no verdicts; give scores")


def answer(item: Known, held: Sequence[Contest]) -> str:
    """What contests come to, in a word: right, wrong, or neither; of several foils with the one that was chosen.

    held: all that one verdict says about the item.
    """
    own = [1.0 - one.share if item.protocol == Protocol.QUAD and one.image == 1 else one.share for one in held]
    if LOST not in own:
        return "right" if set(own) == {WON} else "neither"
    foils = [one.other for one, share in zip(held, own, strict=True) if share == LOST]
    return f"wrong (text {foils[0]})" if item.protocol == Protocol.CHOICE and len(foils) < len(held) else "wrong"


def _of_choice(item: Known, verdict: Verdict) -> list[Contest]:
    """The truth against each foil. Where a foil was chosen, it won; against the others nothing was decided, unless it
    is not known which one it was: then the truth has lost to each."""
    foils = range(1, len(item.texts))
    right, place = _chosen(item, verdict, 0)
    if right:
        return [Contest(0, 0, foil, WON) for foil in foils]
    if right is None:
        return [Contest(0, 0, foil, NEITHER) for foil in foils]
    return [Contest(0, 0, foil, LOST if place in (None, foil) else NEITHER) for foil in foils]


def _of_triplet(item: Known, verdict: Verdict) -> list[Contest]:
    """Each paraphrase against the negative."""
    if verdict.right is None and verdict.chosen is not None:
        _, place = _chosen(item, verdict, 0)
        if place in (0, 1):
            raise Malformed(
                "one paraphrase was chosen, which says nothing about the other; give 'correct', or for each paraphrase "
                "a row with text_index, text_index_b 2 and value"
            )
        share = NEITHER if place is None else LOST
    else:
        share = WON if verdict.right else LOST
    return [Contest(0, paraphrase, 2, share) for paraphrase in (0, 1)]


def _of_quad(item: Known, verdict: Verdict) -> list[Contest]:
    """Text 0 against text 1, for the image that is meant; for both where the verdict is the text score."""
    if verdict.image_index not in (-1, 0, 1):
        raise Malformed(f"a quad has no image {verdict.image_index}")
    if verdict.image_index < 0:
        if verdict.side != "text_score":
            raise Malformed(
                "a verdict on a quad is one on its text score (a column text_score), or on one image (image_index with "
                "correct or chosen); a choice between images, and with it the image and the group score, has no place"
            )
        return [Contest(image, 0, 1, abs(image - (WON if verdict.right else LOST))) for image in (0, 1)]
    image = verdict.image_index
    right, _ = _chosen(item, verdict, image)
    share = NEITHER if right is None else WON if right else LOST
    return [Contest(image, 0, 1, share if image == 0 else 1.0 - share)]


def _chosen(item: Known, verdict: Verdict, true: int) -> tuple[bool | None, int | None]:
    """(whether the true text was chosen, the chosen one's position); None: neither was, or it is not known."""
    if verdict.chosen is None:
        if verdict.right is None:
            raise Malformed("says neither what was chosen nor whether it was right")
        return verdict.right, true if verdict.right else None
    place = _position(item, verdict.chosen)
    right = None if place is None else place == true
    if verdict.right is not None and verdict.right != bool(right):
        said = "right" if verdict.right else "wrong"
        raise Malformed(f"is said to be {said}, but what was chosen is {'right' if right else 'not'}")
    return right, place


def _position(item: Known, chosen: str | int) -> int | None:
    """Which text is meant: by its words, else by its number; None for "", neither."""
    if isinstance(chosen, str):
        for texts, said in ((item.texts, chosen), ([text.strip() for text in item.texts], chosen.strip())):
            if said in texts:
                return list(texts).index(said)
        if not chosen.strip():
            return None
        if not (number := re.fullmatch(r"([0-9]+)(?:\.0+)?", chosen.strip())):
            raise Malformed(f"what was chosen is none of the item's captions: '{chosen[:60]}'")
        chosen = int(number[1])
    if not 0 <= chosen < len(item.texts):
        raise Malformed(f"text {chosen} was chosen, but the item has {len(item.texts)}, counted from 0")
    return chosen


def _check_captions(item: Known, verdict: Verdict) -> None:
    """Where a file repeats the captions, they must be the item's: an id alone may be another edition's."""
    about = verdict.about
    for said in (about.caption, *about.negatives):
        if said and said not in item.texts and said.strip() not in [text.strip() for text in item.texts]:
            raise Malformed(f"the item {item.item_id} has other captions than '{said[:60]}'")
