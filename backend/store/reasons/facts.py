"""What a sentence on an item is made of: its numbers, those of its subset beside them, and what α can do."""

from dataclasses import dataclass
from math import nan

#: The name of a scale (`metrics/reasons/scales.py`) -> the unit of a number on it.
UNITS = {
    "cosine": "cosine",
    "log-odds": "log-odds",
    "log-probability": "nats",
    "log-probability a token": "nats a token",
    "as they come": "in the scores' own unit",
}


@dataclass(frozen=True)
class AlphaFacts:
    """Where an item is right once α times the prior is taken away: the open interval lo to hi, lo = inf where empty.

    reach: of a quad why α cannot help (`alpha_ends.REACHES`), "" of others. prior: where log P(t) is from, in words.
    samples: None of one number a text, else the effective samples behind the item's least known text.
    """

    lo: float
    hi: float
    prior: str
    reach: str = ""
    samples: float | None = None


@dataclass(frozen=True)
class QuadFacts:
    """One quad under one model, as in a row of `quads.apart`; medians: those of gamma, |c| and |r| over the subset;
    spread: the root mean square of gamma over it, what gamma varies by were its sign a coin; NaN where not known."""

    model: str
    subset: str
    texts: tuple[str, ...]
    gamma: float
    c: float
    r: float
    nested: bool
    saturated: int
    cell: str
    reason: str
    q: float
    scale: str
    medians: tuple[float, float, float]
    alpha: AlphaFacts | None = None
    spread: float = nan


@dataclass(frozen=True)
class ChoiceFacts:
    """One choice (texts: the truth, then its foils) or triplet (two paraphrases, then the negative) under one model, as
    in a row of `choices.against`; compared: whether images of other subsets were scored, too. medians: those of m, b
    and g over the subset."""

    model: str
    subset: str
    texts: tuple[str, ...]
    triplet: bool
    m: float
    b: float
    g: float
    s: float
    z: float
    n_other: int
    same: int
    preferred: int
    prefer: int
    cell: str
    reason: str
    q: float
    scale: str
    may_fit: bool
    sources_agree: bool
    compared: bool
    medians: tuple[float, float, float]
    alpha: AlphaFacts | None = None


@dataclass(frozen=True)
class Unmeasured:
    """A verdict without a cell: why, as the end of a sentence, and the command that brings one ("" where none does)."""

    model: str
    why: str
    command: str = ""


Facts = QuadFacts | ChoiceFacts | Unmeasured


@dataclass(frozen=True)
class Number:
    """A number behind a sentence: its sign, its name, itself as written, and in one line what it is."""

    sign: str
    name: str
    value: str
    meaning: str


@dataclass(frozen=True)
class Said:
    """claim: the sentence that comes first; rest: what stands beside it (the subset's median, q, α), each a sentence.
    short: the line of a card. numbers: what all of it rests on."""

    claim: str
    rest: tuple[str, ...]
    short: str
    numbers: tuple[Number, ...] = ()
    command: str = ""

    @property
    def text(self) -> str:
        """All of it."""
        return " ".join((self.claim, *self.rest))
