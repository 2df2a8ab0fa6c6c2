"""Words of a caption with their places and word classes: nltk's tokeniser and textblob's tagger, neither of which loads
data at run time.

The tagger looks words up and guesses unknown ones by their ending; textblob hands it no context rules. In captions it
then calls "wooden" an adjective and "metal" a noun, "closed" in "a closed laptop" a verb and "left" always a verb. What
we set right, and nothing else, stands in `_mended`.
"""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from backend.perturb.words.kinds import ATTRIBUTES, KIND_OF
from backend.perturb.words.tagging import tools

NOUNS: Final = frozenset({"NN", "NNS", "NNP", "NNPS"})
ADJECTIVES: Final = frozenset({"JJ", "JJR", "JJS"})
VERBS: Final = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ"})
_DETERMINERS: Final = frozenset({"DT", "PRP$", "CD", "POS", "PDT"})

_PLAIN: Final = re.compile(r"\w+(?:[-'’]\w+)*|[^\w\s]")
_FULL_STOP: Final = re.compile(r"[a-z0-9)]{2}\.$")
BE: Final = frozenset({"is", "are", "was", "were", "be", "been", "being", "'s", "'re", "look", "looks"})


@dataclass(frozen=True, slots=True)
class Word:
    """One token: text[start:end] and its Penn tag ("NN", "JJ", "VBG", …)."""

    text: str
    start: int
    end: int
    tag: str

    @property
    def lower(self) -> str:
        """In lower case, for lookups."""
        return self.text.lower()

    @property
    def noun(self) -> bool:
        """Whether it is tagged as a noun."""
        return self.tag in NOUNS

    @property
    def adjective(self) -> bool:
        """Whether it is tagged as an adjective."""
        return self.tag in ADJECTIVES


def spans(text: str) -> list[tuple[int, int]]:
    """Offsets of the tokens. nltk's tokeniser sees one sentence; a full stop inside the text is cut off here."""
    try:
        found = [(int(a), int(b)) for a, b in tools().tokeniser.span_tokenize(text)]
    except (ValueError, AssertionError):  # it cannot find its own quotation marks again in some odd texts
        found = [match.span() for match in _PLAIN.finditer(text)]
    cut: list[tuple[int, int]] = []
    for start, end in found:
        split = end - start > 3 and _FULL_STOP.search(text, start, end)
        cut += [(start, end - 1), (end - 1, end)] if split else [(start, end)]
    return cut


def spelt(word: str) -> bool:
    """Whether the tagger's word list (some 94,000 forms) has this word, as written or in lower case."""
    known = tools().lexicon
    return known.get(word) is not None or known.get(word.lower()) is not None


@lru_cache(maxsize=4096)
def tokens(text: str) -> tuple[Word, ...]:
    """The words and marks of a text, in order.

    >>> [(word.text, word.tag) for word in tokens("A small metal table.")]
    [('A', 'DT'), ('small', 'JJ'), ('metal', 'JJ'), ('table', 'NN'), ('.', '.')]
    """
    places = [(a, b) for a, b in spans(text) if text[a:b].strip()]
    if not places:
        return ()
    tagged = tools().tagger.find_tags([text[a:b] for a, b in places])
    words = [Word(text[a:b], a, b, str(pair[1])) for (a, b), pair in zip(places, tagged, strict=True)]
    return tuple(_mended(words))


def _mended(words: list[Word]) -> list[Word]:
    """Tags from right to left, so that "big metal table" is seen with its noun already known."""
    out = list(words)
    for k in range(len(words) - 1, -1, -1):
        before = words[k - 1] if k else None
        after = out[k + 1] if k + 1 < len(out) else None
        tag = _tag(words[k], before, after)
        if tag != words[k].tag:
            out[k] = Word(words[k].text, words[k].start, words[k].end, tag)
    return out


def _tag(word: Word, before: Word | None, after: Word | None) -> str:
    lower = word.lower
    if not any(letter.isalnum() for letter in lower):
        return word.tag if word.tag not in NOUNS | ADJECTIVES else "SYM"
    names = after is not None and (after.noun or after.adjective)
    if lower in ATTRIBUTES:
        # "orange", "glass", "wood", "gold", "light": the thing itself, unless a noun or an adjective follows.
        thing = before is not None and before.tag in _DETERMINERS | ADJECTIVES
        if names or (not KIND_OF[lower].thing and not (word.noun and thing)):
            return "JJ"
        if before is not None and before.lower in BE and KIND_OF[lower].kind == "colour":
            return "JJ"
        return "NN" if KIND_OF[lower].thing else word.tag
    if lower in ("left", "right") and before is not None and before.tag in _DETERMINERS:
        return "JJ" if names else "NN"
    if lower in ("top", "front", "back", "side", "bottom", "middle", "center", "centre") and after is not None:
        return "NN" if not names else word.tag
    # "a closed laptop", "the parked car", "some grazing sheep": a participle between determiner and noun.
    if word.tag in ("VBN", "VBD", "VBG") and before is not None and before.tag in _DETERMINERS and names:
        return "JJ"
    # "a man rides a bike": the list of words has "rides" as a plural only.
    if word.tag == "NNS" and before is not None and before.tag == "NN" and after is not None:
        return "VBZ" if after.tag in ("DT", "PRP$") else word.tag
    if word.tag == "RB" and lower in ("down", "up", "over", "around", "along", "across", "off") and after is not None:
        return "IN" if after.tag in _DETERMINERS or after.noun else word.tag
    return word.tag
