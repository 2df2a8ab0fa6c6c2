"""Perturbations that a model proposes. SVLC paper: a word under a mask by one that a masked language model suggests
(3.1.2), and whole sentences of the same meaning that a language model writes (3.1.3, "analogies").

The model comes in as a function (`Perturbation.with_proposer`). The paper masks a word of a random part of speech and
takes "one of the options suggested". Ours takes one of the first five that are single words of the same word class
in the new caption and, as far as the lexicon knows, are neither synonyms nor broader words, which would stay true.
"""

from collections.abc import Sequence
from random import Random
from typing import Final

from backend.perturb.base import MASK, Ask, Edit, Effect, Perturbation, Question
from backend.perturb.choices import put
from backend.perturb.dice import pick
from backend.perturb.edits import whole
from backend.perturb.words import lexicon
from backend.perturb.words.kinds import KIND_OF
from backend.perturb.words.tokens import ADJECTIVES, NOUNS, VERBS, Word, tokens

TOP: Final = 5
_PARTS: Final[dict[str, frozenset[str]]] = {
    "noun": NOUNS - {"NNP", "NNPS"}, "adjective": ADJECTIVES, "verb": VERBS, "preposition": frozenset({"IN", "TO"}),
}  # fmt: skip
_CONCEPTS: Final = {"noun": "object", "adjective": "attribute", "verb": "action", "preposition": "relation"}
_HELPING: Final = frozenset(
    ["is", "are", "was", "were", "be", "been", "being", "has", "have", "had", "do", "does", "'s"]
)


def _part(word: Word) -> str:
    """Which of the four parts of speech a word can be asked as, or ""."""
    if not word.text.isalpha() or word.lower in _HELPING or word.lower == "that":
        return ""
    return next((part for part, tags in _PARTS.items() if word.tag in tags), "")


def _asking(only: str) -> Ask:
    def ask(text: str, rng: Random) -> Question | None:
        by_part: dict[str, list[Word]] = {}
        for word in tokens(text):
            part = _part(word)
            if part and (not only or part == only):
                by_part.setdefault(part, []).append(word)
        if not by_part or MASK in text:
            return None
        part = pick(rng, sorted(by_part))
        word = pick(rng, by_part[part])
        known = KIND_OF.get(word.lower)
        concept = known.kind if part == "adjective" and known else _CONCEPTS[part]
        return Question(f"{text[: word.start]}{MASK}{text[word.end :]}", (word.start, word.end), concept)

    return ask


def _still_true(old: Word, new: str) -> bool:
    """Whether the new word certainly names the old one's things, too; False where the lexicon lacks one of them."""
    pos = "n" if old.noun else "a"
    one, other = lexicon.find(old.text, pos), lexicon.find(new, pos)
    return one is not None and other is not None and one.same_or_kind_of(other)


def settle_mask(text: str, question: Question, ranked: Sequence[tuple[str, float]], rng: Random) -> Edit | None:
    """One of the first TOP proposals that fit; None where none does."""
    start, end = question.span
    old = next(word for word in tokens(text) if word.start == start)
    fitting: list[str] = []
    for proposal, _ in ranked:
        new = proposal.strip().lower()
        if len(fitting) == TOP:
            break
        if not new.isascii() or not new.isalpha() or new in fitting or _stem(new) == _stem(old.lower):
            continue
        edited = put(text, start, end, new)
        placed = next((w for w in tokens(edited.text) if w.lower == new), None) if edited else None
        if placed is not None and _part(placed) == _part(old) and not _still_true(old, new):
            fitting.append(new)
    return put(text, start, end, pick(rng, fitting), question.concept) if fitting else None


def _stem(word: str) -> str:
    """Singular and plural, "grey" and "gray" are one."""
    entry = lexicon.find(word, "n")
    return entry.lemma if entry else word.replace("grey", "gray")


def ask_analogy(text: str, _: Random) -> Question | None:
    """The caption itself; None for a text without a word."""
    return Question(text, (0, len(text))) if any(letter.isalnum() for letter in text) else None


def settle_analogy(text: str, _: Question, ranked: Sequence[tuple[str, float]], rng: Random) -> Edit | None:
    """One of the sentences that differs in more than capitals, blanks and final marks."""
    own = _bare(text)
    others = [" ".join(each.split()) for each, _score in ranked]
    others = [each for each in dict.fromkeys(others) if _bare(each) not in ("", own)]
    return whole(text, pick(rng, others), "rewritten by a model") if others else None


def _bare(text: str) -> str:
    return " ".join(text.casefold().split()).rstrip(" .!")


def _fill(name: str, title: str, only: str, concepts: tuple[str, ...], what: str) -> Perturbation:
    return Perturbation(
        name, title, Effect.CHANGING, "fill_mask", concepts, "SVLC" if not only else "ours",
        "3.1.2" if not only else "", what, "A man is holding a red umbrella near a bench.",
        needs="fill-mask", ask=_asking(only), settle=settle_mask,
    )  # fmt: skip


_ATTRIBUTES: Final = ("attribute", "colour", "material", "size")
FILL_MASK = _fill(
    "fill_mask", "Fill-mask", "", ("object", *_ATTRIBUTES, "action", "relation"),
    "A word of a random part of speech by what a masked language model proposes.",
)  # fmt: skip
FILL_MASK_NOUN = _fill("fill_mask_noun", "Fill-mask: noun", "noun", ("object",), "A noun by a model's proposal.")
FILL_MASK_ADJECTIVE = _fill(
    "fill_mask_adjective", "Fill-mask: adjective", "adjective", _ATTRIBUTES, "An adjective by a model's proposal."
)
FILL_MASK_VERB = _fill("fill_mask_verb", "Fill-mask: verb", "verb", ("action",), "A verb by a model's proposal.")
FILL_MASK_PREPOSITION = _fill(
    "fill_mask_preposition",
    "Fill-mask: preposition",
    "preposition",
    ("relation",),
    "A preposition by a model's proposal.",
)
ANALOGY = Perturbation(
    "analogy", "Analogy", Effect.PRESERVING, "analogy", (), "SVLC", "3.1.3",
    "A sentence of the same meaning that a language model wrote.", "A woman standing left to a sitting cat",
    needs="analogy", ask=ask_analogy, settle=settle_analogy,
)  # fmt: skip
