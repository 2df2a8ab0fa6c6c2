"""The sentence on a quad: who belongs to whom, and what outvotes it."""

from math import nan

from backend.metrics.reasons.names import NAMES, with_cell
from backend.store.reasons.facts import Number, QuadFacts, Said
from backend.store.reasons.sentence_words import as_large, caption, digits_apart, q_said, score, unit
from backend.written import number

NESTED = (
    "The order of the four scores alone does not decide this: on another scale the binding could have the other sign."
)


def said(facts: QuadFacts, alpha: str) -> Said:
    """What is said of a quad. alpha: what the prior does, as a sentence."""
    if not facts.cell:
        return Said("Reason not measured: one of the four scores is missing.", (), "reason not measured")
    says = {"reversed": _reversed, "uncertain": _uncertain, "no_binding": _not_seen}.get(facts.reason, _seen)
    claim, rest, short = says(facts)
    more = (
        *rest,
        _median(facts),
        NESTED if facts.nested else "",
        f"{facts.saturated} of the four scores lie at the end of the scale." if facts.saturated else "",
        alpha,
    )
    return Said(claim, tuple(filter(None, more)), short, numbers(facts))


def numbers(facts: QuadFacts) -> tuple[Number, ...]:
    """What stands behind the sentence."""
    by, digits, z = unit(facts.scale), _digits(facts), _z(facts)
    known = (
        Number("γ", "binding", f"{score(facts.gamma, True, digits)} ({by})",
               "(s11 − s12 − s21 + s22)/4: above zero where the true pairs score higher than the exchanged ones"),
        Number("c", "caption bias", f"{score(facts.c, True, digits)} ({by})",
               "(s11 − s12 + s21 − s22)/4: what caption 1 gets under both images more than caption 2"),
        Number("r", "image bias", f"{score(facts.r, True, digits)} ({by})",
               "(s11 + s12 − s21 − s22)/4: what image 1 gets with both captions more than image 2"),
    )  # fmt: skip
    own = Number(
        "γ/rms", "binding beside the subset's", number(z, 2, signed=True),
        f"γ over {score(facts.spread)}, its root mean square over {facts.subset}; no measure of luck: where much "
        "binds, this is large, too",
    )  # fmt: skip
    return (*known, *((own,) if z == z else ()), *q_number(facts.q))


def _z(facts: QuadFacts) -> float:
    """Binding beside its root mean square over the subset; NaN where this is not known."""
    return facts.gamma / facts.spread if facts.spread > 0 else nan


def _digits(facts: QuadFacts) -> int:
    """So many that no bias reads like the binding unless it is as large."""
    return digits_apart((facts.gamma, facts.c), (facts.gamma, facts.r))


def q_number(q: float) -> tuple[Number, ...]:
    """q, where there is one."""
    if q != q:
        return ()
    meaning = (
        "the share of luck among items with the same verdict and at least this evidence, counted from the items "
        "whose evidence points the other way; certified up to 0.05"
    )
    return (Number("q", "share of luck", f"{q:.2g}" if q <= 1 else "1 or more", meaning),)


def _biases(facts: QuadFacts) -> tuple[str, str]:
    """Which caption and which image the biases favour."""
    texts = facts.texts
    favoured = caption(texts, 0, "caption 1") if facts.c > 0 else caption(texts, 1, "caption 2")
    return favoured, "image 1" if facts.r > 0 else "image 2"


def _outvoting(facts: QuadFacts) -> str:
    """What the binding is outvoted by, for the three cells that are so."""
    favoured, image = _biases(facts)
    c, r = (score(abs(bias), digits=_digits(facts)) for bias in (facts.c, facts.r))
    if facts.cell == "outvoted_by_caption":
        return f"under both images it favours {favoured} {_more(facts.c, facts.gamma)} ({c})"
    if facts.cell == "outvoted_by_image":
        return f"{image} fits both captions better {_more(facts.r, facts.gamma)} ({r})"
    return f"under both images it favours {favoured} ({c}), and {image} fits both captions better ({r})"


def _sizes(facts: QuadFacts) -> str:
    c, r = (score(abs(bias), digits=_digits(facts)) for bias in (facts.c, facts.r))
    return f"caption bias ({c}) and image bias ({r})"


def _larger(facts: QuadFacts) -> str:
    """How a right quad's binding stands to its biases."""
    near = [bias for bias in (facts.c, facts.r) if as_large(facts.gamma, bias)]
    return "larger, by less than the digits show, than" if near else "larger than"


def _more(bias: float, gamma: float) -> str:
    if abs(bias) == gamma:
        return "by as much"
    return "by about as much" if as_large(bias, gamma) else "by more"


def _seen(facts: QuadFacts) -> tuple[str, list[str], str]:
    binding = score(facts.gamma, digits=_digits(facts))
    if facts.cell == "right":
        claim = (
            f"Right: {facts.model} tells who belongs to whom here; its binding ({binding} {unit(facts.scale)}) is "
            f"{_larger(facts)} {_sizes(facts)}."
        )
        return claim, [q_said(facts.q, "the right quads that bind at least as much")], f"right: binding {binding}"
    both = "both biases are at least as large: " if facts.cell == "outvoted_by_both" else ""
    claim = (
        f"{facts.model} binds here ({binding} {unit(facts.scale)}), but {both}{_outvoting(facts)}: {NAMES[facts.cell]}."
    )
    outvoted_by = {"outvoted_by_caption": facts.c, "outvoted_by_image": facts.r}.get(
        facts.cell, min(facts.c, facts.r, key=abs)
    )
    over = "as large as" if as_large(outvoted_by, facts.gamma) else "over"
    if facts.cell == "outvoted_by_both":  # one of them alone would hide by how much the item is wrong
        c, r = (score(abs(bias), digits=_digits(facts)) for bias in (facts.c, facts.r))
        size = f"caption bias {c} and image bias {r}"
    else:
        size = f"bias {score(abs(outvoted_by), digits=_digits(facts))}"
    short = f"{NAMES[facts.cell]}: {size} {over} binding {binding}"
    return claim, [q_said(facts.q, "the wrong quads that bind at least as much")], short


def _not_seen(facts: QuadFacts) -> tuple[str, list[str], str]:
    binding = score(facts.gamma, signed=True)
    if facts.gamma > 0:
        follows = "follows who belongs to whom no more than luck would"
        yet = (
            f"the true pairs lead so little (binding {binding}) that quads of {facts.subset} like it are nearly as "
            "often turned the other way"
        )
    else:
        follows = "does not follow who belongs to whom"
        yet = f"the true pairs do not score higher than the exchanged ones (binding {binding})"
    captions, images = _moves(facts.gamma, facts.c), _moves(facts.gamma, facts.r)
    claim = (
        f"{'Right by the four scores, but here' if facts.cell == 'right' else 'Here'} {facts.model}'s score {follows}: "
        f"exchanging the captions moves it by {captions}, exchanging the images by {images} ({unit(facts.scale)}), yet "
        f"{yet}."
    )
    return claim, [], f"{with_cell(facts.cell, facts.reason)}: binding {binding}"


def _moves(gamma: float, bias: float) -> str:
    """The mean of |s11 − s12| and |s21 − s22| (with r: of |s11 − s21| and |s12 − s22|) = 2 max(|gamma|, |bias|)."""
    return score(2 * max(abs(gamma), abs(bias)))


def _reversed(facts: QuadFacts) -> tuple[str, list[str], str]:
    claim = (
        f"{facts.model} reads this quad the other way round: the exchanged pairs score higher than the true ones, by "
        f"{score(2 * abs(facts.gamma))} on average ({unit(facts.scale)}), and more than luck allows."
    )
    rests = q_said(facts.q, f"the quads of {facts.subset} turned at least as far")
    return claim, [rests], f"{with_cell(facts.cell, facts.reason)}: binding {score(facts.gamma, signed=True)}"


def _uncertain(facts: QuadFacts) -> tuple[str, list[str], str]:
    binding = score(facts.gamma, True, _digits(facts))
    claim = f"Uncertain: the evidence does not tell this quad from luck (binding {binding} {unit(facts.scale)})."
    if facts.cell == "right":
        by = f"it is right: binding is {_larger(facts)} {_sizes(facts)}"
    elif facts.cell == "no_binding":
        by = "no binding is seen"
    else:
        by = f"it is {NAMES[facts.cell]}: {_outvoting(facts)}"
    short = f"{with_cell(facts.cell, facts.reason)}: binding {score(facts.gamma, signed=True)}"
    return claim, [f"By the numbers alone {by}."], short


def _median(facts: QuadFacts) -> str:
    gamma, c, r = facts.medians
    return (
        f"The median of {facts.subset}: binding {score(gamma, signed=True)}, caption bias {score(c)}, image bias "
        f"{score(r)}."
    )
