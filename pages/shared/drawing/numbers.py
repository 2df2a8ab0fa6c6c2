"""Numbers as every page writes them: rates with their uncertainty, scores with three significant digits."""

from math import isfinite

from backend import written
from backend.written import DASH
from backend.written import number as fixed

__all__ = ["DASH", "count", "fixed", "interval", "score"]


def score(value: float | None, signed: bool = False) -> str:
    """Three significant digits; a dash where undefined.

    >>> score(0.31415), score(-12.3456), score(None), score(0.04, signed=True), score(1234.5)
    ('0.314', '−12.3', '–', '+0.0400', '1234')
    """
    if value is None or not isfinite(value):
        return DASH
    size = abs(value)
    if size >= 100:
        text = f"{size:.0f}"
    elif size >= 0.001 or size == 0:
        decimals = 2 if size == 0 else max(0, 2 - _exponent(size))
        text = f"{size:.{decimals}f}"
    else:
        text = f"{size:.2e}".replace("e-0", "e−").replace("e-", "e−")
    minus = value < 0 and float(size) != 0
    return ("−" if minus else "+" if signed and size else "") + text


def interval(value: float | None, n: int, ci95: tuple[float, float] | None) -> str:
    """A fraction in per cent with the ends of its 95 % interval; a count of few, a dash where undefined.

    >>> interval(0.5, 10, (0.4, 0.62)), interval(0.5, 2, (0.1, 0.9)), interval(None, 0, None)
    ('50.0 % [40.0, 62.0] (n = 10)', '1 of 2', '– (n = 0)')
    """
    return written.rate(value, n, ci95)


def count(n: int, one: str, many: str = "") -> str:
    """A count with its noun.

    >>> count(1, "item"), count(2000, "item")
    ('1 item', '2,000 items')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def _exponent(size: float) -> int:
    return int(f"{size:.2e}".split("e")[1])
