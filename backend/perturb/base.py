"""What a perturbation is: a pure, seeded function from a caption to an edited one, which says what it did and where.

Nothing here loads a model. What a model proposes (a word under a mask, a paraphrase) comes in as a function.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from random import Random
from typing import Protocol

from backend import taxonomy
from backend.errors import UsageError

Span = tuple[int, int]

#: Stands for the masked word in what a fill-mask proposer is asked; the proposer puts its own model's mask token there.
MASK = "[MASK]"


class Effect(StrEnum):
    """Whether the edited caption still says what the caption said."""

    PRESERVING = "meaning-preserving"
    CHANGING = "meaning-changing"


@dataclass(frozen=True, slots=True)
class Edit:
    """An edited caption.

    spans: what changed, as character offsets [start, end) in `text`; before: the same places in the old caption. Both
    are sorted, as many as each other, and do not overlap; what lies outside them is the same in both texts. An empty
    span in `before` is an insertion, an empty one in `spans` a deletion. what: one phrase ("red → blue"). concept: a
    name of taxonomy.CONCEPTS where the edit determines it, else "".
    """

    text: str
    spans: tuple[Span, ...]
    before: tuple[Span, ...]
    what: str
    concept: str = ""


class FillMask(Protocol):
    """A fill-mask model: for texts that each hold one MASK, its (word, score) proposals, best first."""

    def __call__(self, texts: Sequence[str], /) -> Sequence[Sequence[tuple[str, float]]]:
        """As many lists as texts, in their order. A score is any number of which more is better."""
        ...


class Paraphrase(Protocol):
    """A model that rewrites: for captions, sentences of the same meaning, best first."""

    def __call__(self, captions: Sequence[str], /) -> Sequence[Sequence[str]]:
        """As many lists as captions, in their order; an empty list where the model had nothing to say."""
        ...


Proposer = FillMask | Paraphrase


@dataclass(frozen=True, slots=True)
class Question:
    """What a proposer is asked about one caption. text: the caption, with MASK where a word is asked for. span: that
    word in the caption. concept: what changing it tests, or ""."""

    text: str
    span: Span
    concept: str = ""


Rule = Callable[[str, Random], Edit | None]
Ask = Callable[[str, Random], Question | None]
Settle = Callable[[str, Question, Sequence[tuple[str, float]], Random], Edit | None]


@dataclass(frozen=True)
class Perturbation:
    """One way to edit a caption.

    name: on the command line. family: a name of taxonomy.PERTURBATIONS. concepts: those it may touch. paper:
    "brittleness", "ARO", "SVLC" or "ours"; where: the section. needs: "" or what must be proposed, "fill-mask" or
    "analogy". what: one line for people; example: a caption that it applies to.

    Either `rule` edits by itself, or `ask` makes the question for a proposer and `settle` the edit out of its answer.
    """

    name: str
    title: str
    effect: Effect
    family: str
    concepts: tuple[str, ...]
    paper: str
    where: str
    what: str
    example: str
    rule: Rule | None = field(default=None, repr=False)
    needs: str = ""
    ask: Ask | None = field(default=None, repr=False)
    settle: Settle | None = field(default=None, repr=False)
    proposer: Proposer | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """ValueError for a word that the taxonomy lacks, or for a perturbation that cannot do anything."""
        taxonomy.check(self.concepts, [self.family])
        if self.needs not in ("", "fill-mask", "analogy"):
            raise ValueError(f"{self.name}: needs is '', 'fill-mask' or 'analogy', not '{self.needs}'")
        if (self.rule is None) != bool(self.needs) or (self.ask is None or self.settle is None) != (not self.needs):
            raise ValueError(f"{self.name}: a rule, or needs with ask and settle")

    def with_proposer(self, proposer: Proposer) -> "Perturbation":
        """The same perturbation with its proposer; UsageError where none is needed."""
        if not self.needs:
            raise UsageError(f"the perturbation '{self.name}' works by rules: it takes no proposer.")
        return replace(self, proposer=proposer)

    def apply(self, text: str, rng: Random) -> Edit | None:
        """The edit, or None where there is nothing to edit (no adjective, no other order of one word, …).

        Never an edit equal to the text. UsageError where a proposer is needed and none was given. Many captions with a
        proposer: backend.perturb.apply_many, which asks it in batches.
        """
        if self.rule is not None:
            return self.rule(text, rng)
        question = self.question(text, rng)
        return None if question is None else self.settled([(text, question, rng)])[0]

    def question(self, text: str, rng: Random) -> Question | None:
        """What its proposer would be asked; None where the perturbation does not apply."""
        if self.ask is None:
            raise UsageError(f"the perturbation '{self.name}' works by rules: it asks no proposer.")
        return self.ask(text, rng)

    def settled(self, asked: Sequence[tuple[str, Question, Random]]) -> list[Edit | None]:
        """The edits of several captions by one call of the proposer."""
        if self.settle is None or self.proposer is None:
            hint = {"fill-mask": "a fill-mask model", "analogy": "a model that writes"}.get(self.needs, "a proposer")
            raise UsageError(f"the perturbation '{self.name}' needs {hint}: give it by with_proposer.")
        answers = self.proposer([question.text for _, question, _ in asked])
        if len(answers) != len(asked):
            raise ValueError(f"{self.name}: the proposer gave {len(answers)} answers to {len(asked)} questions")
        ranked = [[each if isinstance(each, tuple) else (each, 0.0) for each in answer] for answer in answers]
        return [self.settle(text, q, answer, rng) for (text, q, rng), answer in zip(asked, ranked, strict=True)]
