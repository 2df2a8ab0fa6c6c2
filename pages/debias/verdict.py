"""What Debias says first: what α* is worth, beyond these items too, and what α can reach at all."""

from dataclasses import dataclass

from markupsafe import Markup

from backend import written
from backend.metrics.alpha.gains import Gain, Reach
from backend.metrics.reasons.priors import ENOUGH_SAMPLES
from backend.prior_names import prior_name
from backend.store.alpha.uncertainty import Samples, Verdict
from pages.shared.drawing.facts import facts
from pages.shared.drawing.numbers import count
from pages.shared.frame.style import show

#: Below this p, or above one less half of it among draws, a gain is beyond chance.
ALPHA = 0.05
#: Why α cannot make a quad right (`alpha_ends.REACHES`), in words.
OUT_OF_REACH = {
    "no_binding": "without binding (γ ≤ 0)",
    "outvoted_by_image": "outvoted by the image (|r| ≥ γ), which α does not move",
    "priors_equal": "whose captions P(t) finds equally likely",
}


@dataclass(frozen=True)
class Said:
    """lead: the verdict; more: sentences below it; sure: whether something beyond chance is claimed."""

    lead: str
    more: tuple[str, ...]
    sure: bool


@dataclass(frozen=True)
class Floor:
    """What a rate has to be read beside. chance: what independent random scores reach, None where it is not defined;
    unbound: "3.1 % [−6.1, 12.3]" where no binding is seen in these quads, else ""."""

    chance: float | None = None
    unbound: str = ""


def said(found: Verdict, domain: tuple[float, float] = (0.0, 1.0), floor: Floor = Floor()) -> Said:
    """The verdict in words."""
    beyond, judged = beyond_chance(found)
    low = _low(found, floor)
    if low and beyond:
        judged += ", yet nothing that random scores would not reach"
    own = f"α* = {found.star.number()}: {_gain(found.best)}"
    held = _held_out(found.held_out)
    if not found.samples.enough:
        lead = (
            f"Nothing debiased can be claimed: P(t) from {prior_name(found.prior)} rests on "
            f"{found.samples.median:.1f} effective samples of {found.samples.n} (median; {ENOUGH_SAMPLES:g} are asked)."
        )
        more = [f"On these items {own}{held}."]
    else:
        lead, more = f"{own}: {judged}{held}.", []
    more += [low, _trust(found), _reached(found.reach, found.quads, domain), _prior(found)]
    return Said(lead, tuple(line for line in more if line), beyond and found.samples.enough and not low)


def line(found: Verdict, name: str, floor: Floor = Floor()) -> Markup:
    """The same in one plain sentence for the head of the page, its numbers with their facts. name: the model's."""
    star, best = f"the best α (α* = {found.star.number()})", found.best
    if not found.samples.enough:
        return Markup("Nothing debiased can be claimed of {}: P(t) rests on {} effective samples of {}.").format(
            name, f"{found.samples.median:.1f}", found.samples.n
        )
    if not best.won and not best.lost:
        return Markup("At {}, {} wins no item and loses none against α = 0.").format(star, name)
    beyond, judged = beyond_chance(found)
    if _low(found, floor) and beyond:
        judged += ", yet no more than random scores reach"
    held = found.held_out
    held_said = facts(
        judged, n=held.n, p=held.p, low=None if held.ci95 is None else 100 * held.ci95[0],
        high=None if held.ci95 is None else 100 * held.ci95[1], unit="points",
        note="the gain over α = 0 on held-out items, α* chosen on the others",
    ) if held is not None else facts(judged, note="from draws of items, judged on those left out")  # fmt: skip
    changed = facts(
        rates(best), n=best.n, p=best.p,
        note="on the items that chose α*, which flatters it",
    )  # fmt: skip
    return Markup("At {}, {} wins {} and loses {}: {} right, {}.").format(
        star,
        name,
        Markup("<b>{:,}</b> {}").format(best.won, "item" if best.won == 1 else "items"),
        Markup("<b>{:,}</b>").format(best.lost),
        changed,
        held_said,
    )


def beyond_chance(found: Verdict) -> tuple[bool, str]:
    """(whether the gain is more than luck, the same in words), judged where α* was not chosen: on the test half, or on
    what the draws of the bootstrap left out."""
    drawn = found.spread
    if (judged := by_held_out(found.held_out)) is not None:
        return judged
    if drawn is not None and drawn.likely >= 1 - ALPHA / 2:
        return True, "beyond chance"
    return False, "not beyond chance" if drawn is not None else "too few items for a judgement"


def by_held_out(held: Gain | None) -> tuple[bool, str] | None:
    """The same by the test half alone; None where there is none."""
    if held is None or held.p is None or held.value is None:
        return None
    if held.p < ALPHA:
        return held.value > 0, "beyond chance" if held.value > 0 else "a loss beyond chance"
    return False, "not beyond chance"


def _gain(found: Gain) -> str:
    if not found.won and not found.lost:
        return "no item won or lost against α = 0"
    p = written.p_value(found.p)
    return f"{_points(found.value)} ({found.won:,} won, {found.lost:,} lost, {p})"


def _held_out(held: Gain | None) -> str:
    if held is None or held.before is None or held.after is None:
        return ""
    return f"; on {count(held.n, 'held-out item')} {change(held)}"


def rates(found: Gain) -> str:
    """From which rate to which; the unit, or of how many, is said once.

    >>> rates(Gain(400, 0.0, 0.5, 0.5, 0.75, 0.25, None, 100, 0, 0.0))
    '50.0 → 75.0 %'
    """
    before, after = (written.percent(share, found.n) for share in (found.before, found.after))
    return f"{before.removesuffix(' %').removesuffix(f' of {found.n}')} → {after}"


def change(held: Gain) -> str:
    """The same with the difference and its p; of few items as counts.

    >>> change(Gain(4, 0.0, 0.5, 0.5, 0.75, 0.25, None, 1, 0, 1.0))
    '2 → 3 of 4, p = 1'
    """
    ends = written.ends(held.ci95, signed=True)
    return f"{rates(held)}{f', {_points(held.value)} {ends}' if ends else ''}, {written.p_value(held.p)}"


def floor_reached(found: Gain, floor: Floor) -> tuple[str, str] | None:
    """(what is right after, what random scores reach), in words, where the first is no more; else None."""
    if floor.chance is None or found.after is None or found.after > floor.chance:
        return None
    return written.percent(found.after, found.n), written.percent(floor.chance)


def _low(found: Verdict, floor: Floor) -> str:
    """What a gain does not say: the model may still be right no more often than random scores are."""
    held = found.held_out
    reached = floor_reached(held if held is not None and held.after is not None else found.best, floor)
    if reached is None:
        return ""
    value, level = reached
    why = (
        f" No binding is seen in these quads ({floor.unbound}): taking the prior away moves their caption bias alone."
        if floor.unbound
        else ""
    )
    return f"At α*, too, no more is right ({value}) than random scores reach ({level}).{why}"


def _points(value: float | None) -> str:
    return f"{written.number(None if value is None else 100 * value, signed=True)} points"


def _trust(found: Verdict) -> str:
    drawn = found.spread
    if drawn is None:
        return "Too few independent items to say how far α* can be trusted."
    # So many that neither end reads as beyond α*.
    digits = 2 if drawn.star[0] <= round(found.star.alpha, 2) <= drawn.star[1] and found.star.alpha <= 0.995 else 3
    many = f"{written.share(drawn.likely)}" if drawn.likely else "none"
    images = f" and of the {drawn.n_samples} images behind P(t)" if drawn.n_samples else ""
    return (
        f"In {drawn.draws} draws of {drawn.n_clusters:,} independent items{images} α* lies between "
        f"{drawn.star[0]:.{digits}f} and {drawn.star[1]:.{digits}f} (95 %), and {many} of them gain over α = 0 on the "
        "items that they left out."
    )


def _reached(reach: Reach, quads: dict[str, int] | None, domain: tuple[float, float]) -> str:
    """What α can reach at all."""
    inside = f"[{domain[0]:g}, {domain[1]:g}]"
    head = (
        f"What α can reach: {written.part((reach.always + reach.somewhere) / reach.n, reach.n, 'item')} are right at "
        f"some α in {inside}, {reach.always:,} of them at every one"
    )
    outside = f"{reach.beyond:,} only at an α outside" if reach.beyond else ""
    if quads is not None:
        why = [f"{quads[name]:,} {words}" for name, words in OUT_OF_REACH.items() if quads[name]]
        told = f"out of reach: {', '.join(why)}" if why else ""
    else:
        searched = "" if reach.searched[1] == float("inf") else f" up to {reach.searched[1]:g}"
        told = f"{reach.never:,} at none{searched}" if reach.never else ""
    return "; ".join(filter(None, (head, outside, told))) + "."


def _prior(found: Verdict) -> str:
    """What P(t) is from, where the lead has not said it."""
    return f"P(t) is from {prior_name(found.prior)}: {samples_said(found.samples)}." if found.samples.enough else ""


def samples_said(samples: Samples) -> str:
    """What P(t) rests on.

    >>> samples_said(Samples(20, 1.152, 1.0)), samples_said(Samples(1, None, None))
    ('effective samples: median 1.2 of 20 (the smaller of an item’s texts)', 'no images are sampled')
    """
    if samples.median is None:
        return "no images are sampled"
    return f"effective samples: median {samples.median:.1f} of {samples.n} (the smaller of an item’s texts)"


def legend(found: Verdict | None, prior: str, *, printed: bool) -> str:
    """What the signs on the curve are. prior: its source; printed: whether there are points of papers."""
    drawn = found.spread if found else None
    of = "items and of the images behind P(t)" if drawn and drawn.n_samples else "items"
    return (
        "The steps are exact, not taken on a grid: each item is right on open intervals of α. ★ α*, the middle of the "
        f"plateau, the widest interval with the best value on these items (shaded for {prior_name(prior)}). ● where a "
        "curve stands at the slider’s α."
        + (f" The pale band, and ⊔ on the axis for α*: 95 % of {drawn.draws} draws of {of}." if drawn else "")
        + (" ◇ printed." if printed else "")
    )


def draw(found: Verdict | None, domain: tuple[float, float], floor: Floor = Floor()) -> None:
    """The verdict in full; nothing where there is no α*."""
    if found is None:
        return
    told = said(found, domain, floor)
    look = " fs-worth-sure" if told.sure else ""
    rest = Markup().join(Markup("<p>{}</p>").format(line) for line in told.more)
    show(Markup('<div class="fs-worth{}"><p class="fs-worth-lead">{}</p>{}</div>').format(look, told.lead, rest))
