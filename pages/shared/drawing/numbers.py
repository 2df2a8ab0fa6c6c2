"""Numbers as every page writes them: rates with their uncertainty, scores with three significant digits."""

import re
from collections.abc import Sequence

from markupsafe import Markup

from backend import written
from backend.written import DASH, score
from backend.written import number as fixed

__all__ = ["DASH", "count", "fixed", "interval", "listing", "pieces", "score"]


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


def listing(names: Sequence[str], most: int = 5) -> str:
    """Names in a sentence; of more than `most` the first few, and how many more there are.

    >>> listing(["a"]), listing(["a", "b", "c"], 3), listing(["a", "b", "c", "d"], 3)
    ('a', 'a, b and c', 'a, b and 2 more')
    """
    if len(names) > most:
        shown = names[: max(1, most - 1)]
        return f"{', '.join(shown)} and {len(names) - len(shown):,} more"
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def shortened(said: str, most: int = 40) -> str:
    """A long name without its middle: its beginning and its end tell it from others.

    >>> shortened("clip"), shortened("a-name-that-goes-on-and-on", 11)
    ('clip', 'a-nam…nd-on')
    """
    return said if len(said) <= most else f"{said[: most // 2]}…{said[-((most - 1) // 2) :]}"


def pieces(said: str) -> Markup:
    """A number with what belongs to it, as HTML for a cell of a table: where there is little room the interval, the
    count and p go below each other, and none of them breaks.

    >>> print(pieces("5.1 [3.2, 7.2]"))
    <span class="fs-piece">5.1</span> <span class="fs-piece">[3.2, 7.2]</span>
    >>> pieces("+5.1 [+3.2, +7.2], p < .001").count("fs-piece")
    3
    """
    parts = re.split(r" (?=\[|\(|in [\[(]|p )", said)
    if len(parts) < 2:
        return Markup("{}").format(said)
    return Markup(" ").join(Markup('<span class="fs-piece">{}</span>').format(part) for part in parts)
