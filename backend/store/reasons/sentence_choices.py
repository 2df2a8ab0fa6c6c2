"""The sentence on a choice or a triplet: what would the model say of another image?"""

from backend import enough
from backend.metrics.reasons.names import NAMES, with_cell
from backend.store.reasons.facts import ChoiceFacts, Number, Said
from backend.store.reasons.sentence_quads import q_number
from backend.store.reasons.sentence_words import DIGITS, caption, digits_apart, q_said, score, unit
from backend.written import number


def said(facts: ChoiceFacts, alpha: str) -> Said:
    """What is said of a choice or a triplet. alpha: what the prior does, as a sentence."""
    if not facts.cell:
        return Said("Reason not measured: a score of this item is missing.", (), "reason not measured")
    says = {"reversed": _reversed, "uncertain": _uncertain}.get(facts.reason, _certified)
    claim, rest, short = says(facts)
    return Said(claim, tuple(filter(None, (*rest, _others(facts), _median(facts), alpha))), short, numbers(facts))


def numbers(facts: ChoiceFacts) -> tuple[Number, ...]:
    """What stands behind the sentence."""
    by, n, digits = unit(facts.scale), f"{facts.n_other:,}", _digits(facts)
    margin = (
        "the weaker paraphrase − the negative" if facts.triplet
        else "the true caption − the strongest foil, chosen anew on every image"
    )  # fmt: skip
    known = (
        Number("m", "margin", f"{score(facts.m, True, digits)} ({by})", f"{margin}, under this image"),
        Number("b", "margin under other images", f"{score(facts.b, True, digits)} ({by})",
               f"its mean over N = {n} other images: what the captions get anyway"),
        Number("g", "this image's part", f"{score(facts.g, signed=True)} ({by})", "m − b"),
        Number("s", "spread", f"{score(facts.s)} ({by})", "the standard deviation of the margin from image to image"),
        Number("z", "beside what an arbitrary image adds", number(facts.z, 2, signed=True),
               "g over what an arbitrary image gives, s·√(1 + 1/N); items are ordered by it"),
        Number("N", "other images", n, f"of the same subset; under {facts.same:,} of them the verdict is the same; "
               f"{_elsewhere(facts)}"),
    )  # fmt: skip
    return (*known, *q_number(facts.q))


def _digits(facts: ChoiceFacts) -> int:
    """So many that the two margins do not read alike unless they are."""
    return digits_apart((facts.m, facts.b)) if (facts.m > 0) == (facts.b > 0) else DIGITS


def _elsewhere(facts: ChoiceFacts) -> str:
    """Whether it matters which images were taken."""
    if not facts.compared:
        return "images of other subsets were not scored, so whether it matters which images are taken is not known"
    return f"images of other subsets say {'about the same' if facts.sources_agree else 'another'} share of all items"


def _right(facts: ChoiceFacts) -> bool:
    return facts.cell in ("grounded", "by_bias")


def _mostly_same(facts: ChoiceFacts) -> bool:
    """Whether most of the other images give this verdict, too."""
    return 2 * facts.same > facts.n_other


def _lead(facts: ChoiceFacts, margin: float, first: bool = True) -> str:
    """Who leads by a margin, in words; without the one who leads where that was said (`first`)."""
    foil = "the strongest foil leads" if len(facts.texts) > 2 else "the foil leads"
    ahead, behind = "the true caption leads", foil
    if facts.triplet:
        ahead, behind = "the weaker paraphrase leads the negative", "the negative leads the weaker paraphrase"
    if margin == 0:
        return "neither leads"
    by = f"by {score(abs(margin), digits=_digits(facts))}" + (f" ({unit(facts.scale)})" if first else "")
    return f"{ahead if margin > 0 else behind} {by}"


def _both(facts: ChoiceFacts, counted: bool = False) -> str:
    """The margin here and under other images. counted: whether it was said how many these are."""
    under = "under the others" if counted else f"under {facts.n_other:,} other image{'s' * (facts.n_other != 1)}"
    on_average = "" if facts.n_other == 1 else " on average"
    if (facts.m > 0) == (facts.b > 0) and facts.m and facts.b:
        return f"{_lead(facts, facts.m)}, {under} by {score(abs(facts.b), digits=_digits(facts))}{on_average}"
    return f"{_lead(facts, facts.m)}; {under} {_lead(facts, facts.b, first=False)}{on_average}"


def _certified(facts: ChoiceFacts) -> tuple[str, list[str], str]:
    part = score(facts.g, signed=True)
    if facts.reason == "grounded":
        claim = f"Right, and this image speaks for it: {_both(facts)}"
        claim += f", {facts.same:,} of them with the same verdict." if _mostly_same(facts) else "."
        rests = q_said(facts.q, "the right items with at least this evidence")
        return claim, [rests], f"{NAMES['grounded']}: this image adds {part}"
    if facts.reason == "outvoted":
        claim = (
            f"Wrong, though this image speaks for the truth: {_both(facts)}. What the captions get anyway outweighs it."
        )
        rests = q_said(facts.q, "the wrong items with at least this evidence")
        return (
            claim,
            [rests],
            f"{NAMES['outvoted']}: this image adds {part}, the margin stays {score(facts.m, signed=True)}",
        )
    little = (
        f"this image adds no more than an arbitrary one may ({score(facts.g)}, where images differ by {score(facts.s)})"
        if facts.g > 0
        else f"this image takes {score(abs(facts.g))} from the margin, where images differ by {score(facts.s)}"
        if facts.g < 0
        else "this image adds nothing to the margin"
    )
    if facts.reason == "by_bias":
        verdict = "verdict" if facts.triplet else "caption"
        if _mostly_same(facts):
            claim = f"Right, but {facts.same:,} of {facts.n_other:,} other images would give the same {verdict}: "
            claim += f"{little}; {_both(facts, counted=True)}."
        else:
            claim = f"Right, but {little}: {_both(facts)}."
        return (
            claim,
            [],
            f"{with_cell(facts.cell, facts.reason)}: {facts.same:,} of {facts.n_other:,} other images give the same "
            f"{verdict}",
        )
    claim = f"Wrong, and {little}: {_both(facts)}."
    moved = f"takes {score(abs(facts.g))} from the margin" if facts.g < 0 else f"adds {part}"
    return claim, [], f"{with_cell(facts.cell, facts.reason)}: this image {moved}"


def _reversed(facts: ChoiceFacts) -> tuple[str, list[str], str]:
    verdict = "Right, though" if _right(facts) else "Wrong:"
    claim = f"{verdict} this image speaks against the truth by more than luck allows: {_both(facts)}."
    rests = q_said(facts.q, f"the items of {facts.subset} with at least this evidence against the truth")
    return claim, [rests], f"{with_cell(facts.cell, facts.reason)}: {score(facts.g, signed=True)}"


def _uncertain(facts: ChoiceFacts) -> tuple[str, list[str], str]:
    if facts.n_other < enough.OTHER_IMAGES:
        were = "image was" if facts.n_other == 1 else "images were"
        why = f"only {facts.n_other} other {were} scored, and a reason needs {enough.OTHER_IMAGES}"
    elif not facts.sources_agree:
        why = "images of other subsets say another share than those of this one, so no item of it has a reason"
    elif facts.may_fit:
        why = "the evidence does not tell this item from luck, and some of the other images may fit its captions, too"
    else:
        why = "the evidence does not tell this item from luck"
    short = f"{with_cell(facts.cell, facts.reason)}: this image adds {score(facts.g, signed=True)}"
    return f"Uncertain: {why}.", [f"By the numbers alone it is {_plain(facts)}: {_both(facts)}."], short


def _plain(facts: ChoiceFacts) -> str:
    return {
        "grounded": "right, and this image adds to it",
        "by_bias": "right by bias",
        "outvoted": "wrong, and what this image adds is outvoted",
        "no_evidence": "wrong, and this image adds nothing",
    }[facts.cell]


def _others(facts: ChoiceFacts) -> str:
    """What the other images say, where the claim has not said it."""
    n, same = f"{facts.n_other:,}", f"{facts.same:,}"
    if _right(facts) or facts.triplet or facts.preferred < 1:
        if facts.reason in ("by_bias", "grounded") and _mostly_same(facts):
            return ""
        return f"Under {same} of {n} other images the verdict is the same."
    foil = caption(facts.texts, facts.preferred, "the foil" if len(facts.texts) == 2 else f"foil {facts.preferred}")
    if not facts.prefer:
        return f"{facts.model} prefers {foil} here, and under none of {n} other images."
    also = f"; under {same} the verdict is the same" if facts.same != facts.prefer else ""
    return f"{facts.model} prefers {foil} under {facts.prefer:,} of {n} other images, too{also}."


def _median(facts: ChoiceFacts) -> str:
    m, b, g = (score(each, signed=True) for each in facts.medians)
    return f"The median of {facts.subset}: margin {m}, under other images {b}, this image's part {g}."
