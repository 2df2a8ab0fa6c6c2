"""Leave one word out: what each word of a caption is worth to a score, and to its lead over another caption."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

import numpy as np
from PIL import Image

from backend.errors import UsageError
from backend.items import Kind
from backend.live.scoring.pool import Pool
from backend.live.scoring.scoring import Array, ModelScores, score

MAX_WORDS: Final = 24
#: A word: letters and digits with what joins them inside ("T-shirt", "dog's"). All other marks are punctuation.
_WORD: Final = re.compile(r"\w+(?:[-'’]\w+)*")
_BEFORE_MARK: Final = re.compile(r"\s+([,.;:!?%)\]}])")
_AFTER_OPENING: Final = re.compile(r"([(\[{])\s+")


@dataclass(frozen=True)
class Word:
    """One word of a text: text[start:end], and the text without it ("" where nothing of it would be left)."""

    text: str
    start: int
    end: int
    rest: str


def words(text: str) -> list[Word]:
    """The words of a text in order, each with what is left when it alone is taken out.

    Taken out are the word's own characters. Punctuation stays, also where it stood beside the word; articles and
    capitals are not mended. White space is collapsed, and none is left before , . ; : ! ? % or a closing bracket, or
    behind an opening one.

    >>> [(w.text, w.rest) for w in words("a red, round ball")][1]
    ('red', 'a, round ball')
    """
    return [Word(m.group(), m.start(), m.end(), _without(text, m.start(), m.end())) for m in _WORD.finditer(text)]


def partners(ours: Sequence[Word], theirs: Sequence[Word]) -> list[int | None]:
    """For each of our words the position of the same word (any case) in the same place of the other text, or None.

    >>> partners(words("a red cube"), words("a blue cube"))
    [0, None, 2]
    """
    one, other = ([word.text.casefold() for word in side] for side in (ours, theirs))
    found: list[int | None] = [None] * len(one)
    for a, b, size in SequenceMatcher(None, one, other, autojunk=False).get_matching_blocks():
        found[a : a + size] = range(b, b + size)
    return found


@dataclass(frozen=True)
class Effect:
    """What one score loses with each word; all arrays (words,) float64, NaN where undefined, in the judged unit.

    full: score of the caption; without: the same with the word taken out; drop = full − without: above zero the word
    speaks for the caption. margin = full − score of the other caption. margin_here: the margin with the word taken out
    of this caption alone (its change is `drop`); margin_both: with the word taken out of both, where both have it in
    the same place. For `t2t` full and without are cosines with the other caption, and there are no margins.
    """

    kind: str
    full: float
    without: Array
    margin: float
    margin_here: Array
    margin_both: Array

    @property
    def drop(self) -> Array:
        """Score of the caption minus score without the word."""
        return np.asarray(self.full - self.without, dtype=np.float64)


@dataclass(frozen=True)
class WordsOut:
    """The effects of one model, by kind; problem: one sentence where it could not score."""

    spec: str
    words: tuple[Word, ...]
    effects: tuple[Effect, ...] = ()
    problem: str = ""


def leave_one_out(pool: Pool, spec: str, image: Image.Image, text: str, other: str | None, prior: str) -> WordsOut:
    """Every score that the model gives for the caption, with each of its words taken out in turn.

    prior: the source of log P(t), as for `scoring.score`, which gives all numbers: they are those of the shortened text
    scored by itself. Raises UsageError for a caption of no word or more than 24; a model's failure becomes `problem`.
    """
    own = words(text)
    if not 1 <= len(own) <= MAX_WORDS:
        raise UsageError(f"The caption has {len(own)} words; leaving words out takes 1 to {MAX_WORDS}. Shorten it.")
    theirs = words(other) if other is not None else []
    asked = list(dict.fromkeys(t for t in (text, other, *(w.rest for w in (*own, *theirs))) if t))
    scores = score(pool, spec, [image], asked, prior)
    if scores.problem:
        return WordsOut(spec, tuple(own), problem=scores.problem)
    place = {t: k for k, t in enumerate(asked)}
    effects = [
        _effect(kind, values, place, own, text, theirs, other)
        for kind, values in _by_text(scores, place, other).items()
    ]
    return WordsOut(spec, tuple(own), tuple(effects))


def _by_text(scores: ModelScores, place: dict[str, int], other: str | None) -> dict[str, Array]:
    """Each kind's scores of all texts that were asked, (texts,)."""
    found = {kind: scores.judged(kind)[0] for kind in scores.matrices}
    if scores.t2t is not None and other is not None:
        found[Kind.T2T] = scores.t2t[:, place[other]]
    if scores.prior is not None:
        found[Kind.PRIOR] = scores.prior
    return found


def _effect(
    kind: str,
    values: Array,
    place: dict[str, int],
    own: Sequence[Word],
    text: str,
    theirs: Sequence[Word],
    other: str | None,
) -> Effect:
    def of(asked: str | None) -> float:
        return float(values[place[asked]]) if asked else np.nan

    full, without = of(text), np.array([of(word.rest) for word in own])
    rival = of(other) if kind != Kind.T2T else np.nan
    same = partners(own, theirs)
    rests = [of(theirs[k].rest) if k is not None and kind != Kind.T2T else np.nan for k in same]
    return Effect(kind, full, without, full - rival, without - rival, without - np.array(rests))


def _without(text: str, start: int, end: int) -> str:
    left = " ".join(f"{text[:start]}{text[end:]}".split())
    left = _AFTER_OPENING.sub(r"\1", _BEFORE_MARK.sub(r"\1", left))
    return left if _WORD.search(left) else ""
