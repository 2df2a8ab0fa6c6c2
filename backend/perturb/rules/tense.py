"""Another tense (ours). The sentence says something else; whether a picture shows it is another question, for a picture
has no tense. Only finite verbs change: "a man riding a bike" has none."""

from random import Random
from typing import Final

from backend.perturb.base import Edit, Effect, Perturbation
from backend.perturb.choices import Choice, choose
from backend.perturb.words.inflect import PASTS, base_of_third, past, third
from backend.perturb.words.tokens import Word, tokens

_BE: Final = {
    "is": ("was", "will be"), "are": ("were", "will be"), "was": ("is", "will be"), "were": ("are", "will be"),
    "has": ("had", "will have"), "have": ("had", "will have"), "does": ("did",),
}  # fmt: skip


def _others(words: tuple[Word, ...], k: int) -> tuple[str, ...]:
    """What word k may become; nothing where it is no finite verb of a known tense."""
    word, before = words[k], words[k - 1] if k else None
    after = words[k + 1] if k + 1 < len(words) else None
    if word.lower in _BE:
        simple = after is None or after.lower not in ("n't", "not")
        modal = before is not None and before.tag in ("MD", "TO")
        return () if modal else _BE[word.lower] if simple else _BE[word.lower][:1]
    subject = before is not None and (before.noun or before.tag in ("PRP", "WP", "WDT", "RB"))
    if not subject or before is None or not word.lower.isalpha():
        return ()
    many = before.tag in ("NNS", "NNPS") or before.lower in ("they", "we", "you", "people")
    if word.tag == "VBZ" and not many:
        base = base_of_third(word.lower)
        return (past(base), f"will {base}")
    if word.lower in PASTS:
        base = PASTS[word.lower]
        return (base if many else third(base), f"will {base}")
    if word.tag in ("VB", "VBP") and many:
        return (past(word.lower), f"will {word.lower}") if past(word.lower) != word.lower else (f"will {word.lower}",)
    return ()


def tense(text: str, rng: Random) -> Edit | None:
    """One finite verb in another tense: present, past or future."""
    words = tokens(text)
    return choose(text, [Choice(word.start, word.end, _others(words, k)) for k, word in enumerate(words)], rng)


TENSE = Perturbation(
    "tense", "Tense", Effect.CHANGING, "tense", (), "ours", "",
    "A finite verb in another tense, which a picture may not be able to tell.", "A man is riding a horse.", tense,
)  # fmt: skip
