"""Synonyms and concept depth: a table that ships, and WordNet beyond it where that is installed.

The table is cut out of WordNet 3.0 by scripts/lexicon.py (wordnet/LICENSE.wordnet). What neither holds is undefined and
never guessed; `Coverage` says how much that is. `FLIPSIDE_LEXICON=table` leaves an installed WordNet aside, so that all
machines edit alike; `description()` belongs into the record of whatever was made with it.
"""

import gzip
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from backend import environment
from backend.perturb.words.dictfiles import DictFiles, Entry, installed
from backend.perturb.words.lines import Lines
from backend.perturb.words.tokens import Word

TABLE: Final = Path(__file__).parent / "wordnet" / "words.tsv.gz"
COLUMNS: Final = ("lemma", "pos", "synset", "top", "depth", "synonyms", "lemmas", "above")
VERSION: Final = "3.0"
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"

#: WordNet's rules of detachment for nouns: morphy(7).
_ENDINGS: Final = (
    ("s", ""), ("ses", "s"), ("xes", "x"), ("zes", "z"), ("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y"),
)  # fmt: skip


class Table(Mapping[tuple[str, str], Entry]):
    """The shipped entries by (lemma, pos). Kept as the lines they came in, a tenth of what all entries take; each is
    read when it is asked for."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines

    def __getitem__(self, key: tuple[str, str]) -> Entry:
        found = self._lines.rest("\t".join((*key, "")).encode("utf-8", "surrogatepass"))
        if found is None:
            raise KeyError(key)
        return _entry(*key, found)

    def __len__(self) -> int:
        return len(self._lines)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for line in self._lines:
            lemma, pos, _ = line.decode().split("\t", 2)
            yield lemma, pos


@cache
def table() -> tuple[Table, dict[str, str]]:
    """The shipped entries by (lemma, pos), and irregular plurals."""
    lines, irregular = [], {}
    for line in gzip.decompress(TABLE.read_bytes()).splitlines():
        lemma, pos, rest = line.split(b"\t", 2)
        if pos == b"x":
            irregular[lemma.decode()] = rest.split(b"\t", 1)[0].decode()
        else:
            lines.append(line)
    return Table(Lines(lines)), irregular


@lru_cache(maxsize=20_000)
def _entry(lemma: str, pos: str, rest: bytes) -> Entry:
    """An entry from the rest of its line, the columns after lemma and pos."""
    synset, top, depth, synonyms, lemmas, above = rest.decode().split("\t")
    return Entry(
        lemma, pos, int(synset, 36), top, int(depth) if depth else None, tuple(synonyms.split()),
        tuple(lemmas.split()), _numbers(above), VERSION,
    )  # fmt: skip


@lru_cache(maxsize=20_000)
def _numbers(above: str) -> frozenset[int]:
    """Numbers of synsets; words with the same ones share them."""
    return frozenset(int(n, 36) for n in above.split())


def base36(number: int) -> str:
    """A synset's number as the table writes it.

    >>> base36(2084071), int(base36(2084071), 36)
    ('18o2v', 2084071)
    """
    digits = ""
    while number:
        number, last = divmod(number, 36)
        digits = _DIGITS[last] + digits
    return digits or "0"


@cache
def wordnet() -> DictFiles | None:
    """The installed WordNet, or None: not there, incomplete, or left aside by FLIPSIDE_LEXICON=table."""
    place = None if environment.one_of("FLIPSIDE_LEXICON", ("table",)) == "table" else installed()
    try:
        return None if place is None else DictFiles(place)
    except (OSError, ValueError):
        return None


def description() -> str:
    """Where synonyms and depths come from, for records and pages."""
    shipped = f"table of {len(table()[0]):,} words from WordNet {VERSION}"
    real = wordnet()
    return shipped if real is None else f"{shipped}, then WordNet {real.version} as installed"


def _exact(lemma: str, pos: str) -> Entry | None:
    found = table()[0].get((lemma, pos))
    real = wordnet() if found is None else None
    return found if real is None else real.entry(lemma, pos)


@lru_cache(maxsize=65536)
def find(word: str, pos: str) -> Entry | None:
    """The entry of a word in any number and case; None where the lexicon lacks it.

    >>> find("Women", "n").lemma, find("boxes", "n").top, find("zzz", "n")
    ('woman', 'artifact', None)
    """
    lower = word.lower()
    if pos != "n":
        return _exact(lower, pos)
    real = wordnet()
    special = table()[1].get(lower) or (real.irregular.get(lower) if real else None)
    if special and (found := _exact(special, "n")):
        return found
    if found := _exact(lower, "n"):
        return found
    for ending, instead in _ENDINGS:
        if lower.endswith(ending) and len(lower) > len(ending) + 1:
            found = _exact(lower[: len(lower) - len(ending)] + instead, "n")
            if found is not None:
                return found
    return None


def of(word: Word) -> Entry | None:
    """The entry of a tagged word; None for other classes than noun and adjective."""
    return find(word.text, "n") if word.noun else find(word.text, "a") if word.adjective else None


@dataclass(frozen=True, slots=True)
class Coverage:
    """How many nouns and adjectives of some texts the lexicon knows (running words, not distinct ones)."""

    nouns: int
    nouns_known: int
    adjectives: int
    adjectives_known: int

    @property
    def share(self) -> float | None:
        """Of both together; None where there is neither."""
        n = self.nouns + self.adjectives
        return (self.nouns_known + self.adjectives_known) / n if n else None
