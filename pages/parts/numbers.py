"""Numbers as every page writes them: rates with their uncertainty, scores with three significant digits."""

from math import isfinite

DASH = "–"


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


def fixed(value: float | None, digits: int, signed: bool = False) -> str:
    """So many digits after the point, with a typographic minus; what rounds to zero has no sign.

    >>> fixed(-0.001, 2), fixed(-0.25, 1), fixed(1.04, 1, signed=True), fixed(float("nan"), 1), fixed(float("-inf"), 1)
    ('0.00', '−0.2', '+1.0', '–', '−∞')
    """
    if value is None or value != value:
        return DASH
    size = f"{abs(value):.{digits}f}" if isfinite(value) else "∞"
    zero = not size.strip("0.")
    return ("" if zero else "−" if value < 0 else "+" if signed else "") + size


def rate(value: float | None, n: int, half_width: float | None = None) -> str:
    """A fraction in per cent with half the width of its 95 % interval; a dash with n = 0 where undefined.

    >>> rate(0.615, 600, 0.021)
    '61.5 ± 2.1 % (n = 600)'
    >>> rate(None, 0)
    '– (n = 0)'
    """
    count = f"(n = {n:,})"
    if value is None or not isfinite(value) or n == 0:
        return f"{DASH} {count}"
    spread = f" ± {100 * half_width:.1f}" if half_width is not None and isfinite(half_width) else ""
    return f"{100 * value:.1f}{spread} % {count}"


def interval(value: float | None, n: int, ci95: tuple[float, float] | None) -> str:
    """Like `rate`, from the two ends of an interval (its half width is the wider side).

    >>> interval(0.5, 10, (0.4, 0.62))
    '50.0 ± 12.0 % (n = 10)'
    """
    if value is None or ci95 is None:
        return rate(value, n)
    return rate(value, n, max(value - ci95[0], ci95[1] - value))


def count(n: int, one: str, many: str = "") -> str:
    """A count with its noun.

    >>> count(1, "item"), count(2000, "item")
    ('1 item', '2,000 items')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def _exponent(size: float) -> int:
    return int(f"{size:.2e}".split("e")[1])
