"""WordNet's own dict files, read without nltk's reader, which wants more files than Debian's package holds.

Format: WordNet's man page wndb(5). Only nouns and adjectives are read.
"""

import io
import os
import re
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Final

FILES: Final = ("index.noun", "data.noun", "index.adj", "data.adj", "noun.exc")
_NAMES: Final = {"n": "noun", "a": "adj"}
#: Lexicographer files of nouns, by number: lexnames(5).
_TOPS: Final = (
    "Tops act animal artifact attribute body cognition communication event feeling food group location motive object "
    "person phenomenon plant possession process quantity relation shape state substance time"
)
_TOP_OF: Final = dict(enumerate(_TOPS.split(), start=3))
_PLAIN: Final = re.compile("[a-z]+")
_MARKER: Final = re.compile(r"\((?:p|a|ip)\)$")


@dataclass(frozen=True, slots=True)
class Entry:
    """A noun or an adjective in its first (most frequent) sense.

    lemma: lower case. pos: "n" or "a". synset: its number in `version`. top: WordNet's topic ("animal", "artifact",
    "person", …), "" of an adjective. depth: steps of the shortest way up to "entity"; None for adjectives,
    which WordNet puts in no hierarchy. synonyms: single words whose own first sense is the same,
    where the texts that WordNet counted hold both (else its order of senses says nothing). lemmas: all other
    words of this sense, with underscores. above: the synsets of all that it is a kind of.
    """

    lemma: str
    pos: str
    synset: int
    top: str
    depth: int | None
    synonyms: tuple[str, ...]
    lemmas: tuple[str, ...]
    above: frozenset[int]
    version: str

    def same_or_kind_of(self, other: "Entry") -> bool:
        """Whether everything that this word names the other names, too ("dog" of "animal", "auto" of "car")."""
        if (self.pos, self.version) != (other.pos, other.version):
            return False
        return self.synset == other.synset or other.synset in self.above


class DictFiles:
    """WordNet from a folder of its dict files, or from nltk's wordnet.zip. ValueError where files are missing."""

    def __init__(self, place: Path) -> None:
        self.place = place
        self._read = _zipped(place) if place.suffix == ".zip" else _plain(place)
        missing = [name for name in FILES if self._read(name) is None]
        if missing:
            raise ValueError(f"{place}: no WordNet dict folder, it lacks {', '.join(missing)}")

    def _bytes(self, name: str) -> bytes:
        return self._read(name) or b""

    @cached_property
    def version(self) -> str:
        """As the files' own header has it: "3.0"."""
        found = re.search(rb"WordNet (\d\.\d) Copyright", self._bytes("data.noun")[:4000])
        return found[1].decode() if found else "unknown"

    @cached_property
    def _data(self) -> dict[str, bytes]:
        return {pos: self._bytes(f"data.{name}") for pos, name in _NAMES.items()}

    @cached_property
    def _first(self) -> dict[str, dict[str, tuple[int, bool]]]:
        """By lemma: the first sense's synset offset, and whether the texts that WordNet counted hold the lemma."""
        return {pos: dict(_index(self._bytes(f"index.{name}"))) for pos, name in _NAMES.items()}

    @cached_property
    def irregular(self) -> dict[str, str]:
        """Irregular plurals: "women" → "woman"."""
        lines = (line.split() for line in self._bytes("noun.exc").decode().splitlines())
        return {line[0]: line[1] for line in lines if len(line) > 1}

    def lemmas(self, pos: str) -> Iterator[str]:
        """All lemmas of a word class ("n", "a"), with underscores."""
        return iter(self._first[pos])

    @lru_cache(maxsize=65536)  # noqa: B019 - one instance lives as long as the process
    def _synset(self, pos: str, offset: int) -> tuple[int, tuple[str, ...], tuple[int, ...]]:
        """Lexicographer file, lemmas in order, hypernyms (also those of instances)."""
        data = self._data[pos]
        fields = data[offset : data.index(b"\n", offset)].split(b" | ")[0].decode().split()
        count = int(fields[3], 16)
        lemmas = tuple(_MARKER.sub("", fields[4 + 2 * k]) for k in range(count))
        rest = fields[4 + 2 * count :]
        pointers = [rest[1 + 4 * k : 5 + 4 * k] for k in range(int(rest[0]))]
        return int(fields[1]), lemmas, tuple(int(p[1]) for p in pointers if p[0] in ("@", "@i"))

    @lru_cache(maxsize=65536)  # noqa: B019 - as above
    def _above(self, offset: int) -> tuple[int, frozenset[int]]:
        """Steps of the shortest way up to "entity", and every noun synset on any way up."""
        parents = self._synset("n", offset)[2]
        if not parents:
            return 0, frozenset()
        ways = [self._above(parent) for parent in parents]
        return 1 + min(depth for depth, _ in ways), frozenset(parents).union(*(above for _, above in ways))

    def entry(self, lemma: str, pos: str) -> Entry | None:
        """What WordNet says of a lemma in its first sense; None where it has no such noun ("n") or adjective ("a")."""
        known = self._first[pos].get(lemma.lower().replace(" ", "_"))
        if known is None:
            return None
        offset, counted = known
        file, lemmas, _ = self._synset(pos, offset)
        others = tuple(other for other in lemmas if other.lower() != lemma.lower())
        same = tuple(o for o in others if _PLAIN.fullmatch(o) and self._first[pos].get(o) == (offset, True))
        depth, above = self._above(offset) if pos == "n" else (None, frozenset[int]())
        return Entry(
            lemma, pos, offset, _TOP_OF.get(file, ""), depth, same if counted else (), others, above, self.version
        )


def _index(content: bytes) -> Iterator[tuple[str, tuple[int, bool]]]:
    for line in io.BytesIO(content):
        if not line.startswith(b" "):
            fields = line.split()
            senses = int(fields[2])
            yield fields[0].decode(), (int(fields[-senses]), int(fields[-senses - 1]) > 0)


def _plain(folder: Path) -> Callable[[str], bytes | None]:
    def read(name: str) -> bytes | None:
        path = folder / name
        return path.read_bytes() if path.is_file() else None

    return read


def _zipped(path: Path) -> Callable[[str], bytes | None]:
    def read(name: str) -> bytes | None:
        with zipfile.ZipFile(path) as archive:
            inside = f"{path.stem}/{name}"
            return archive.read(inside) if inside in archive.namelist() else None

    return read


def installed() -> Path | None:
    """Where WordNet is on this machine: $WNHOME, the usual folders, nltk's data; None where it is not."""
    home = os.environ.get("WNHOME", "")
    places = [Path(home), Path(home) / "dict"] if home else []
    places += [Path("/usr/share/wordnet"), Path("/usr/local/share/wordnet"), Path("/usr/local/WordNet-3.0/dict")]
    roots = [Path(root) for root in os.environ.get("NLTK_DATA", "").split(os.pathsep) if root]
    roots += [
        Path.home() / "nltk_data",
        *(Path(f"{p}/nltk_data") for p in ("/usr/share", "/usr/local/share", "/usr/lib")),
    ]
    places += [root / "corpora" / name for root in roots for name in ("wordnet", "wordnet.zip")]
    for place in places:
        if place.is_file() or all((place / name).is_file() for name in FILES):
            return place
    return None
