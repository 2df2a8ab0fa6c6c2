"""What a lexicon says of one word."""

from dataclasses import dataclass


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
