"""A number with its facts: how many items, its interval, p and ties, shown where it is pointed at or has the focus."""

from typing import TypedDict, Unpack

from markupsafe import Markup

from backend.written import number, p_value
from pages.shared.drawing.numbers import count


class Facts(TypedDict, total=False):
    """What is known of a number; None says as little as a key left out.

    n: how many items it is of; low, high: the ends of its 95 % interval in the unit it is shown in; p: of a test that
    `note` names or the page; ties: how many of the n are ties, which count as wrong; unit: of the interval, "%" where
    it is left out; note: a sentence of the page's.
    """

    n: int | None
    low: float | None
    high: float | None
    p: float | None
    ties: int | None
    unit: str
    note: str


def told(**of: Unpack[Facts]) -> str:
    """The facts of a number in one line of text, for a tooltip; "" where there are none.

    >>> told(n=2250, low=37.0, high=41.0, ties=3)
    '2,250 items · 95 % interval 37.0 to 41.0 % · 3 ties'
    >>> told(p=0.0004, note="McNemar’s exact test."), told(n=1, ties=0), told()
    ('p < .001 · McNemar’s exact test.', '1 item · no ties', '')
    """
    n, p, ties = of.get("n"), of.get("p"), of.get("ties")
    low, high, unit = of.get("low"), of.get("high"), of.get("unit", "%")
    parts = [
        count(n, "item") if n is not None else "",
        f"95 % interval {number(low)} to {number(high)}{unit and f' {unit}'}"
        if low is not None and high is not None and low == low and high == high
        else "",
        p_value(p) if p is not None and p == p else "",
        (count(ties, "tie") if ties else "no ties") if ties is not None else "",
        of.get("note", ""),
    ]
    return " · ".join(filter(None, parts))


def facts(shown: str | Markup, **of: Unpack[Facts]) -> Markup:
    """A number as HTML whose facts show on hover and on keyboard focus; without facts the number alone.

    >>> print(facts("39.0 %", n=2250))
    <span class="fs-told" tabindex="0" data-facts="2,250 items" aria-label="39.0 %: 2,250 items">39.0 %</span>
    >>> print(facts("<b>"))
    &lt;b&gt;
    """
    said = told(**of)
    html = Markup("{}").format(shown)
    if not said:
        return html
    return Markup('<span class="fs-told" tabindex="0" data-facts="{}" aria-label="{}: {}">{}</span>').format(
        said, html.striptags(), said, html
    )
