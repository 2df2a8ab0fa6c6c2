"""The answer in one sentence: who is right more often, by how much, and how alike the two fail; the rest on hover."""

from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd
from markupsafe import Markup, escape

from backend import written
from backend.metrics.paired.differences import Paired
from backend.store.compare.compare import SUBSETS
from backend.store.compare.rules import even_p, uneven
from backend.store.rates.asking_orders import Told
from pages.compare.sides import Named
from pages.compare.view import LEVEL
from pages.shared.data import asked_orders
from pages.shared.data.frames import lines_of
from pages.shared.drawing import signs
from pages.shared.drawing.facts import facts
from pages.shared.drawing.numbers import DASH, count, fixed

#: Of two sides of which one alone has to be right in every order of asking: that it is right more often all the same
#: tells who is better, nothing else does.
_AHEAD: Final = Markup(
    "{strict} is right more often than {other} by {by} ({p}), counted as right only in every order of asking, which "
    "chance makes rarer."
)
_BEHIND: Final = Markup(
    "{strict} is right less often than {other} by {by} ({p}), counted as right only in every order of asking, which "
    "chance makes rarer: that does not tell who is better."
)
_LEVEL: Final = Markup(
    "{strict} and {other} differ by {by}, within chance ({p}), where {strict} counts as right only in every order of "
    "asking, which chance makes rarer: that does not tell who is better."
)


def html(
    overall: pd.DataFrame,
    rates: pd.DataFrame,
    named: Sequence[Named],
    told: Mapping[int, Told] | None = None,
    twins: Mapping[int, str] | None = None,
    *,
    weights: str = "",
    rules: Sequence[str] = (),
    even: Mapping[int, Paired] | None = None,
    note: str = "",
) -> Markup:
    """A line a comparison with the baseline. overall: of `data.overall`; rates: of `compare.rates`, no groups.
    told: of sides (by position) whose choices were asked in several orders, on the shared items; twins: what is said of
    sides that have the baseline's own scores (`answer.twins`); weights: what weighs the same where that is not every
    item, in words; rules: of each side, "" where it was asked once (`rules.rules`); note: what the number of verdicts
    adds on hover."""
    own = {row.side: row for row in lines_of(rates)}
    rates_of = [
        _side(own[k], (told or {}).get(k), rules[k] if rules else "", few=not weights, leads=not even)
        for k in range(len(named))
    ]  # fmt: skip
    sides, ruled = [entry.side for entry in named], rules or [""] * len(named)
    lines = [
        _line(
            row, rates_of, named, twins or {}, weights, note, uneven(sides, ruled, int(row.side)),
            (even or {}).get(int(row.side)),
        )
        for row in lines_of(overall)
    ]  # fmt: skip
    asked = [
        Markup('<p class="cmp-rates">{}: {}.</p>').format(named[side].label, asked_orders.said(of))
        for side, of in sorted((told or {}).items())
        if of.rate.value is not None
    ]
    return Markup().join([*lines, *asked])


def tested(row: "pd.Series[float]", sides: int) -> str:
    """The p by which the page judges: Holm's, and over how many pairs where that is more than one."""
    pairs = sides * (sides - 1) // 2
    return written.p_value(row.holm) + (f", Holm over {pairs} pairs" if pairs > 1 else "")


def sentence(row: "pd.Series[float]", a: str, b: str, sides: int = 2, by: str | Markup = "", strict: str = "") -> str:
    """The finding in words, for one row of `data.overall`, of so many sides; B is the one that is spoken of, as in the
    picture, so that its gain is green and its loss vermilion. by: the difference as it is shown; plain text where that
    is. strict: which of the two alone has to be right in every order of asking, "" for none: what chance makes rarer is
    no loss."""
    if row.n == 0:
        return f"{a} and {b} have no verdict in common."
    p = tested(row, sides)
    if strict:
        gain = row.gain if strict == b else -row.gain
        words = _LEVEL if row.holm > LEVEL else _AHEAD if gain > 0 else _BEHIND
        filled = words.format(strict=strict, other=a if strict == b else b, p=p, by=by or _size(row))
        return filled if isinstance(by, Markup) else filled.unescape()
    words = Markup("{b} differs from {a} by {by}, within chance ({p}).")
    if row.holm <= LEVEL:
        ahead, behind = Markup("{b} beats {a} by {by} ({p})."), Markup("{b} loses to {a} by {by} ({p}).")
        words = ahead if row.gain > 0 else behind
    elif row.gain == 0:
        words = Markup("{b} and {a} are right equally often ({p}).")
    filled = words.format(a=a, b=b, p=p, by=by or _size(row))
    return filled if isinstance(by, Markup) else filled.unescape()


def evenly(paired: Paired, a: str, b: str, sides: int = 2) -> Markup:
    """The finding in words where a and b follow two rules, by one that asks the same of both (`rules.even`)."""
    pairs = sides * (sides - 1) // 2
    p = even_p(paired, pairs)
    said = written.p_value(p) + (f", Bonferroni over {pairs} pairs" if pairs > 1 else "")
    gain, sure = paired.difference or 0.0, p <= LEVEL
    words = Markup("{b} differs from {a} by {by}, within chance, by the mean of the orders of asking ({p}).")
    if sure and gain > 0:
        words = Markup("{b} beats {a} by {by}, by the mean of the orders of asking ({p}).")
    elif sure:
        words = Markup("{b} loses to {a} by {by}, by the mean of the orders of asking ({p}).")
    elif not gain:
        words = Markup("{b} and {a} are right equally often by the mean of the orders of asking ({p}).")
    by = Markup('<b class="{}">{}</b>').format(
        signs.css_class(gain, sure),
        facts(
            f"{written.number(100 * abs(gain))} points", n=paired.n, unit="points",
            note=f"B − A {fixed(100 * gain, 1, signed=True)}: by each item’s share of its orders in which the truth "
            "was chosen, of which scores have one; exact sign-flip test, images as units",
        ),
    )  # fmt: skip
    return words.format(a=a, b=b, by=by, p=said)


def _size(row: "pd.Series[float]") -> str:
    return f"{written.number(100 * abs(row.gain))} points"


def _line(
    row: "pd.Series[float]",
    rates_of: Sequence[Markup],
    named: Sequence[Named],
    twins: Mapping[int, str],
    weights: str,
    note: str,
    strict: int | None = None,
    even: Paired | None = None,
) -> Markup:
    """strict: the position of the side that alone has to be right in every order; even: how they compare by one rule,
    which then leads."""
    side = int(row.side)
    a, b = named[0], named[side]
    if row.n == 0:
        return Markup('<p class="cmp-said fs-seen">{}</p>').format(sentence(row, a.label, b.label))
    sure = bool(row.holm <= LEVEL)
    discordant = int(row.only_a + row.only_b)
    why = signs.alone((row.low, row.high), row.p, row.holm, sure=sure)
    why = f". {why}" if why else ""
    alone = f"alone {written.p_value(row.p)}; " if len(named) > 2 else ""
    by = Markup('<b class="{}">{}</b>').format(
        signs.css_class(row.gain, sure and strict is None),
        facts(
            _size(row), low=100 * row.low, high=100 * row.high, unit="points",
            note=f"B − A {fixed(100 * row.gain, 1, signed=True)}; {alone}"
            f"{count(discordant, 'discordant verdict')}: {int(row.only_b):,} for B, {int(row.only_a):,} for A{why}",
        ),
    )  # fmt: skip
    lead = sentence(row, a.link, b.link, len(named), by, "" if strict is None else named[strict].link)
    first = Markup("")
    if even is not None:
        first = Markup('<p class="cmp-said fs-seen">{}</p>').format(evenly(even, a.link, b.link, len(named)))
    rates = Markup("{}{} {}, {}{} {}").format(a.dot, a.link, rates_of[0], b.dot, b.link, rates_of[side])
    of = facts(count(int(row.n), "verdict"), note=note)
    alike = Markup("neither fails on any")
    if never := never_fails(row):
        alike = Markup("{} fails on none, so there are no failures to share").format((a, b)[never - 1].link)
    elif row.overlap == row.overlap:
        chance = _share(row.overlap_chance)
        shared = facts(
            f"{_share(row.overlap)} of their failures",
            note=f"of the failures of either; independent models with these rates share {chance}; "
            f"κ {fixed(row.kappa, 2)} ({written.percent(row.agreement)} of verdicts alike; κ 0 is chance)",
        )  # fmt: skip
        alike = Markup("they share {}, by chance {}").format(shared, chance)
    twin = Markup('<p class="cmp-twin">{}</p>').format(twins[side]) if side in twins else ""
    # By two rules it is said in small print: what leads is what the two differ in by one.
    style = "cmp-said fs-seen" if even is None else "cmp-rates"
    return first + Markup('<p class="{}">{}</p><p class="cmp-rates">{} right of {}{}; {}.</p>{}').format(
        style, lead, rates, of, f", {weights}" if weights else "", alike, twin
    )


def never_fails(row: "pd.Series[float]") -> int:
    """Which of two sides has no failures that the other could share: 1 for A, 2 for B; 0 where both fail, or neither
    does. row: of `compare.against` or `compare.matrix`."""
    failed = (row.only_b + row.neither, row.only_a + row.neither)
    return 0 if all(failed) or not any(failed) else 1 if not failed[0] else 2


def _side(row: "pd.Series[float]", told: Told | None, rule: str, *, few: bool, leads: bool) -> Markup:
    """A side's own number; where it was asked in several orders, their mean, with the strict one that the test uses.
    Of a server's answers, and of quads and triplets, the mean is not known: then the rule stands alone. few: whether a
    share of few verdicts is a count of them, which a mean over subsets is not; leads: whether what comes first on the
    page is of the strict number."""
    if row.value != row.value:
        return escape(DASH)
    n = int(row.n)
    shown, ends = written.percent(row.value, n if few else None), (100 * row.low, 100 * row.high)
    if told is None or told.rate.value is None:
        own = Markup("<b>{}</b>").format(facts(shown, n=n, low=ends[0], high=ends[1]))
        return own + Markup(" <small>{}</small>").format(rule) if rule else own
    low, high = told.rate.ci95 or (float("nan"),) * 2
    strict = f"{shown} {written.ends((row.low, row.high))}".strip()
    return Markup("<b>{}</b> <small>{}</small>").format(
        facts(
            written.percent(told.rate.value, told.rate.n if few else None),
            n=told.rate.n,
            low=100 * low,
            high=100 * high,
        ),
        f"mean of the orders of asking; in every order {strict}{', which is what is compared' if leads else ''}",
    )


def weighed(weights: str, subsets: int) -> str:
    """What weighs the same where that is not every item, in words.

    >>> weighed("subsets", 6), weighed("items", 6)
    ('each of 6 subsets weighing the same', '')
    """
    return f"each of {subsets} subsets weighing the same" if weights == SUBSETS and subsets > 1 else ""


def _share(value: float) -> str:
    return written.share(value) if value == value else DASH
