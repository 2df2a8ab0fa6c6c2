"""How a rate and its interval are written: one way for pages, verbs, exports and tables for papers.

An interval is its two ends; half its width would be wrong where it is not symmetric, which near 0 and 1 it never is.
Of fewer than FEW items a count says more than a percentage. Every number is rounded by `rounded`, in the browser by its
twin in pages/shared/drawing/dom.js.
"""

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Context, Decimal
from math import isfinite

DASH = "–"
#: From this many items on a rate is given in per cent; below it as a count.
FEW = 10

Ends = tuple[float, float]

#: A float's last digits are noise: 100 × 0.2875 is 28.749999999999996. Shares of whole items differ long before.
_SIGNIFICANT = 12
#: Room for any float with any number of digits behind the point.
_ROOM = Context(prec=400, rounding=ROUND_HALF_UP)


def rounded(value: float, digits: int = 1) -> str:
    """A finite number with so many digits after the point; halves go away from zero, as papers print them, and a half
    is what is one in decimal digits: 115 of 400 is 28.75 per cent, whatever the float of it.

    Python's own formatting rounds the binary float, an exact half to the even digit: 28.7 but 30.8.

    >>> rounded(100 * 115 / 400), rounded(30.75), rounded(-0.25), rounded(2.675, 2), rounded(12.5, 0)
    ('28.8', '30.8', '-0.3', '2.68', '13')
    """
    exact = Decimal(f"{value:.{_SIGNIFICANT}g}")
    return f"{exact.quantize(Decimal(1).scaleb(-digits), context=_ROOM):f}"


def number(value: float | None, digits: int = 1, signed: bool = False) -> str:
    """So many digits after the point, with a typographic minus; what rounds to zero has no sign.

    >>> number(-0.001, 2), number(-0.25, 1), number(1.04, 1, signed=True), number(None), number(float("-inf"))
    ('0.00', '−0.3', '+1.0', '–', '−∞')
    """
    if value is None or value != value:
        return DASH
    size = rounded(abs(value), digits) if isfinite(value) else "∞"
    zero = not size.strip("0.")
    return ("" if zero else "−" if value < 0 else "+" if signed else "") + size


def ends(ci95: Ends | None, scale: float = 100, digits: int = 1, signed: bool = False) -> str:
    """The two ends of an interval, per cent as a rule; "" where there is none.

    >>> ends((0.594, 0.636)), ends(None), ends((-0.0153, 0.02), signed=True), ends((float("nan"), 1.0))
    ('[59.4, 63.6]', '', '[−1.5, +2.0]', '')
    """
    if ci95 is None or not all(isfinite(end) for end in ci95):
        return ""
    low, high = (number(scale * end, digits, signed) for end in ci95)
    return f"[{low}, {high}]"


def counted(value: float | None, n: int) -> str:
    """A share of few items as a count; "" where they are not few, or where the value is no share of whole items.

    >>> counted(0.0, 2), counted(2 / 3, 9), counted(0.5, 10), counted(0.25, 2)
    ('0 of 2', '6 of 9', '', '')
    """
    if value is None or not isfinite(value) or not 0 < n < FEW or abs(value * n - round(value * n)) > 1e-9:
        return ""
    return f"{round(value * n)} of {n}"


def percent(value: float | None, n: int | None = None, digits: int = 1) -> str:
    """A fraction in per cent, or as a count of few.

    >>> percent(0.615), percent(0.615, 600), percent(0.5, 4), percent(None), percent(0.3075, digits=2)
    ('61.5 %', '61.5 %', '2 of 4', '–', '30.75 %')
    """
    if value is None or not isfinite(value):
        return DASH
    return (counted(value, n) if n is not None else "") or f"{number(100 * value, digits)} %"


def part(value: float | None, n: int, noun: str, digits: int = 1) -> str:
    """A fraction of so many things, which are counted once; noun: one of them.

    >>> part(0.615, 600, "item"), part(0.6, 5, "quad"), part(0.0, 1, "item"), part(None, 0, "item")
    ('61.5 % of 600 items', '3 of 5 quads', '0 of 1 item', '– of 0 items')
    """
    of = f"{n:,} {noun}{'' if n == 1 else 's'}"
    few = value is not None and counted(value, n)
    return f"{few}{of.removeprefix(f'{n:,}')}" if few else f"{percent(value, digits=digits)} of {of}"


def share(value: float | None, n: int | None = None) -> str:
    """A fraction in whole per cent, or as a count of few; none and all are said of none and of all alone: a share that
    would round to 0 or 100 has as many digits as tell it from those.

    >>> share(448 / 450, 450), share(0.004), share(1.0), share(0.0), share(0.5, 4), share(0.99996), share(None)
    ('99.6 %', '0.4 %', '100 %', '0 %', '2 of 4', '99.996 %', '–')
    """
    if value is None or not 0 < value < 1:
        return percent(value, n, digits=0)
    told = (d for d in range(6) if 0 < float(rounded(100 * value, d)) < 100)
    return percent(value, n, digits=next(told, 6))


def rate(value: float | None, n: int, ci95: Ends | None = None) -> str:
    """A fraction with its 95 % interval and what it rests on.

    >>> rate(0.615, 600, (0.594, 0.636)), rate(0.0, 2, (0.0, 0.658)), rate(None, 0)
    ('61.5 % [59.4, 63.6] (n = 600)', '0 of 2', '– (n = 0)')
    """
    count = f"(n = {n:,})"
    if value is None or not isfinite(value) or n == 0:
        return f"{DASH} {count}"
    return counted(value, n) or " ".join(filter(None, (f"{number(100 * value)} %", ends(ci95), count)))


def measured(value: float | None, unit: str, n: int, ci95: Ends | None = None) -> str:
    """What is no share, in its own unit, with its 95 % interval and what it rests on.

    >>> measured(5.0, "points", 600, (4.0, 6.0)), measured(None, "points", 0)
    ('5.00 points [4.00, 6.00] (n = 600)', '– (n = 0)')
    """
    if value is None or not isfinite(value):
        return f"{DASH} (n = {n:,})"
    return " ".join(filter(None, (number(value, 2), unit, ends(ci95, 1, 2), f"(n = {n:,})")))


def cell(value: float, n: int, ci95: Ends | None) -> tuple[str, str]:
    """A rate for a small cell: the number, and the ends that stand under it.

    >>> cell(0.615, 600, (0.594, 0.636)), cell(0.5, 2, (0.1, 0.9))
    (('61.5', '[59.4, 63.6]'), ('1 of 2', ''))
    """
    few = counted(value, n)
    return (few, "") if few else (number(100 * value), ends(ci95))


def p_value(p: float | None, of: str = "p") -> str:
    """A p-value with its name: in sentences, tips and facts. of: which one, where there are several.

    >>> p_value(0.0031), p_value(2e-9), p_value(1.0), p_value(None), p_value(0.012, "Holm's p")
    ('p = .003', 'p < .001', 'p = 1', 'p undefined', "Holm's p = .012")
    """
    said = p_cell(p)
    return f"{of} undefined" if said == DASH else f"{of} {said}" if said[0] == "<" else f"{of} = {said}"


def p_cell(p: float | None) -> str:
    """The same for a cell under a header that names it.

    >>> p_cell(0.0421), p_cell(2e-9), p_cell(float("nan")), p_cell(1.0)
    ('.042', '< .001', '–', '1')
    """
    if p is None or p != p:
        return DASH
    return "< .001" if p < 0.001 else "1" if p > 0.9995 else f"{p:.3f}".removeprefix("0")


def score(value: float | None, signed: bool = False) -> str:
    """Three significant digits; a dash where undefined.

    >>> score(0.31415), score(-12.3456), score(None), score(0.04, signed=True), score(1234.5)
    ('0.314', '−12.3', '–', '+0.0400', '1235')
    """
    if value is None or not isfinite(value):
        return DASH
    size = abs(value)
    if size >= 100:
        text = rounded(size, 0)
    elif size >= 0.001 or size == 0:
        decimals = 2 if size == 0 else max(0, 2 - _exponent(size))
        text = rounded(size, decimals)
    else:
        text = f"{size:.2e}".replace("e-0", "e−").replace("e-", "e−")
    minus = value < 0 and float(size) != 0
    return ("−" if minus else "+" if signed and size else "") + text


def _exponent(size: float) -> int:
    return int(f"{size:.2e}".split("e")[1])


#: Names that one line gives of many.
NAMED = 3


def some(names: Iterable[str]) -> str:
    """The first of some names, and how many more there are.

    >>> some(["a", "b", "c", "d", "e"]), some(["a"])
    ('a, b, c and 2 more', 'a')
    """
    listed = list(names)
    more = f" and {len(listed) - NAMED:,} more" if len(listed) > NAMED else ""
    return ", ".join(listed[:NAMED]) + more
