"""The sentence on an item, composed from its numbers (docs/reasons.md, "Sentences"): pure, no store.

A certified reason names what it rests on; an uncertain item is called so, its arithmetic follows. Begin with `said`.
"""

from backend.store.reasons import sentence_choices, sentence_quads
from backend.store.reasons.facts import AlphaFacts, ChoiceFacts, Facts, QuadFacts, Said
from backend.written import number

#: With fewer effective samples nothing is said of a prior (`metrics/reasons/priors.py`).
ENOUGH_SAMPLES = 5.0


def said(facts: Facts) -> Said:
    """What is said of one item under one model.

    >>> from backend.store.reasons.facts import Unmeasured
    >>> said(Unmeasured("lm", "no image is looked at")).text
    'Reason not measured: no image is looked at.'
    """
    if isinstance(facts, QuadFacts):
        return sentence_quads.said(facts, alpha(facts.alpha))
    if isinstance(facts, ChoiceFacts):
        return sentence_choices.said(facts, alpha(facts.alpha))
    return Said(f"Reason not measured: {facts.why}.", (), "reason not measured", command=facts.command)


def alpha(facts: AlphaFacts | None) -> str:
    """What taking the prior away does to the item; "" where nothing is known.

    >>> alpha(AlphaFacts(0.88, 0.97, "the blind model lm"))
    'Its prior (from the blind model lm) taken away, it is right from α = 0.88 to 0.97.'
    >>> alpha(AlphaFacts(float("-inf"), 0.3, "the blind model lm"))
    'Its prior (from the blind model lm) taken away, it stays right up to α = 0.30.'
    """
    if facts is None or not facts.prior or facts.lo != facts.lo:
        return ""
    if facts.samples is not None and facts.samples < ENOUGH_SAMPLES:
        return (
            f"Nothing is said of its prior: {facts.prior} count as {number(facts.samples)} "
            f"({number(ENOUGH_SAMPLES, 0)} are needed)."
        )
    away = f"Its prior (from {facts.prior}) taken away"
    never = {
        "no_binding": "The prior is no way out: taking it away moves the caption bias alone, and there is no binding.",
        "outvoted_by_image": "The prior is no way out: taking it away moves the caption bias alone, and the image bias "
        "is at least as large as the binding.",
        "priors_equal": "The prior is no way out: both captions have the same.",
    }
    if facts.reach in never:
        return never[facts.reach]
    if facts.lo >= facts.hi:
        return f"{away}, it is right at no α."
    digits = 2 if number(facts.lo, 2) != number(facts.hi, 2) else 4
    low, high = (number(end, digits) for end in (facts.lo, facts.hi))
    if facts.lo >= 1:
        return f"{away}, it would be right only beyond α = 1 ({_from(low, high, facts.hi)})."
    if facts.hi <= 0:
        return f"{away}, it would be right only below α = 0."
    if facts.lo < 0:
        return f"{away}, it stays right {'for every α up to 1' if facts.hi > 1 else f'up to α = {high}'}."
    return f"{away}, it is right from α = {low}{' on' if facts.hi > 1 else f' to {high}'}."


def _from(low: str, high: str, end: float) -> str:
    return f"from {low} on" if end == float("inf") else f"from {low} to {high}"
