"""What "Copy as finding" says of the α-curve: what an α does to a rate, with the caution that the page has. Pure."""

from dataclasses import dataclass, field

from backend import written
from backend.finding import Finding, as_size
from backend.metrics.alpha import Best, Curve
from backend.metrics.alpha.gains import Gain
from backend.metrics.core.registry import by_name
from backend.metrics.reasons.priors import ENOUGH_SAMPLES
from backend.store.alpha.uncertainty import Samples, Verdict
from pages.debias.verdict import ALPHA, Floor, beyond_chance, by_held_out, change, floor_reached
from pages.shared.data.findings import PAIRED
from pages.shared.frame import alpha as alpha_taken


@dataclass(frozen=True)
class Of:
    """What is spoken of: model, subset, source of P(t) and benchmark in words; metric: its name."""

    name: str
    metric: str
    subset: str
    prior: str
    benchmark: str


@dataclass(frozen=True)
class Caution:
    """What a gain has to be read beside. samples: P(t) rests on, None where it samples nothing; held_out: α* of one
    half of the items on the other; judged: what the page says of α* (`verdict.beyond_chance`), None where that was not
    worked out; floor: what random scores reach."""

    samples: Samples | None = None
    held_out: Gain | None = None
    judged: tuple[bool, str] | None = None
    floor: Floor = field(default_factory=Floor)

    @classmethod
    def of(cls, found: Verdict | None, floor: Floor) -> "Caution":
        """That of a page, from its verdict; None where it has none."""
        if found is None:
            return cls(floor=floor)
        return cls(found.samples, found.held_out, beyond_chance(found), floor)

    @property
    def thin(self) -> str:
        """Why nothing may be claimed, up to where the model is named; "" where P(t) rests on enough."""
        if self.samples is None or self.samples.enough:
            return ""
        return (
            f"P(t) rests on {self.samples.median:.1f} effective samples of {self.samples.n} (median; "
            f"{ENOUGH_SAMPLES:g} are asked)"
        )


#: Where nothing is known but the gain.
NONE = Caution()


def cancels(of: Of, curve: Curve) -> str:
    """Of a metric that compares images of one text, on which no α has an effect; "" without items."""
    if not curve.n:
        return ""
    metric = by_name(of.metric).title
    claim = (
        f"No α changes what {of.name} is right on in {of.subset}, {{}}: its {metric.lower()} compares "
        "two images for one text, whose log P(t) stands on both sides"
    )
    share = float(curve.at(0.0))
    return Finding(claim, curve.n, (metric, of.benchmark), share).said


def said(of: Of, curve: Curve, gain: Gain, caution: Caution = NONE) -> str:
    """What taking so much of the prior away does, and whether that is beyond chance: a direction is claimed only where
    it is; "" without items. gain: from α = 0 to the α that is spoken of."""
    best = curve.best()
    if best is None or gain.value is None or gain.before is None or gain.after is None:
        return ""
    is_star = gain.alpha_to == best.alpha
    beyond, judged = _judged(gain, caution, is_star=is_star)
    value, ends, signed = gain.value, gain.ci95, bool(gain.value)
    does = f"changes how often {of.name} is right on {of.subset} by {{}}"
    if not value:
        does = f"leaves {of.name} right as often on {of.subset}, a difference of {{}}"
    elif beyond and not caution.thin:
        (value, ends), signed = as_size(value, ends), False
        does = f"makes {of.name} right {'more' if gain.value > 0 else 'less'} often on {of.subset} by {{}}"
    claim = f"taking {_share(gain.alpha_to, best)} of its language prior away {does}"
    flips = bool(gain.won or gain.lost)
    if flips and not caution.thin:
        claim += judged
    after, before = (written.percent(share, gain.n) for share in (gain.after, gain.before))
    claim += f": {after} against {before}"
    if caution.thin:
        claim = f"nothing debiased can be claimed of {of.name}: {caution.thin}; {claim}"
    claim += _low(gain, caution, is_star=is_star)
    if not is_star and (best.lo, best.hi) != tuple(curve.domain):  # where nothing flips no α is better than another
        claim += f"; its best α on these very items is {best.text()}, {written.percent(best.value, gain.n)}"
    chosen = "the best α was chosen on these very items, which flatters" if is_star and flips else ""
    setting = (chosen, by_name(of.metric).title, f"P(t) from {of.prior}", "exact over α", of.benchmark)
    claim = claim[0].upper() + claim[1:]
    return Finding(claim, gain.n, setting, value, ends, gain.p, PAIRED, points=True, signed=signed).said


def _share(value: float, best: Best) -> str:
    if value == best.alpha:
        return f"α = {best.number()} (its best)"  # in words: the star of α* would be escaped as markup
    return "all" if value == 1 else f"α = {alpha_taken.number(value)}"


def _judged(gain: Gain, caution: Caution, *, is_star: bool) -> tuple[bool, str]:
    """(whether the gain is beyond chance, in words that follow it). α* is judged where it was not chosen; the p of any
    other α, and of α* where nothing else is known, is of these very items."""
    own = gain.p is not None and gain.p < ALPHA
    if not is_star:
        return own, "" if own else ", not beyond chance"
    held = caution.held_out
    found = caution.judged or by_held_out(held)
    if found is None:
        return own, "" if own else ", not beyond chance"
    beyond, words = found
    if held is None or held.p is None:
        return beyond, f", {words}" + (" on items that draws left out" if beyond else "")
    return beyond, f", {words} on {held.n:,} held-out items ({change(held)})"


def _low(gain: Gain, caution: Caution, *, is_star: bool) -> str:
    """That the model is right no more often than random scores are; "" where it is."""
    held = caution.held_out if is_star else None
    is_held = held is not None and held.after is not None
    low = floor_reached(held if held is not None and is_held else gain, caution.floor)
    if low is None:
        return ""
    right = f"{low[0]} of held-out items" if is_held else low[0]
    unbound = f", and no binding is seen in these quads ({caution.floor.unbound})" if caution.floor.unbound else ""
    return f"; at this α no more is right ({right}) than random scores reach ({low[1]}){unbound}"
