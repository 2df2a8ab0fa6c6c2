"""Words that sentences on quads and on choices share."""

from backend.benchmarks.winoground_stub import is_placeholder
from backend.store.reasons.facts import UNITS
from backend.written import number
from backend.written import score as written

#: A caption of more letters is named by its place.
LONGEST = 56
#: Significant digits of a score, and of scores that fewer do not tell apart.
DIGITS, MOST_DIGITS = 3, 7


def caption(texts: tuple[str, ...], place: int, otherwise: str) -> str:
    """A caption by its words where they are few, else by its place.

    >>> caption(("a red cube",), 0, "caption 1"), caption(("word " * 30,), 0, "caption 1")
    ('“a red cube”', 'caption 1')
    """
    text = " ".join(texts[place].split()) if 0 <= place < len(texts) else ""
    return f"“{text}”" if text and len(text) <= LONGEST and not is_placeholder(text) else otherwise


def score(value: float, signed: bool = False, digits: int = DIGITS) -> str:
    """So many significant digits, without powers of ten down to a millionth: sentences are read aloud.

    >>> score(0.000758), score(-0.0000173, signed=True), score(0.0494), score(-12.31), score(0.049371, digits=4)
    ('0.000758', '−0.0000173', '0.0494', '−12.3', '0.04937')
    """
    size = abs(value)
    if size != size or size in (0.0, float("inf")) or (digits == DIGITS and not 1e-6 <= size < 1e-3):
        return written(value, signed)
    return number(value, max(0, digits - 1 - int(f"{size:.{digits - 1}e}".split("e")[1])), signed)


def digits_apart(*pairs: tuple[float, float]) -> int:
    """How many significant digits tell the sizes of each pair apart: never fewer than a score has; sizes that even the
    most do not tell apart ask for no more.

    >>> digits_apart((0.12344, -0.12336)), digits_apart((0.2, 0.1)), digits_apart((0.1, 0.1), (0.1, 0.1 + 1e-16))
    (5, 3, 3)
    """
    return max((_apart(abs(a), abs(b)) for a, b in pairs), default=DIGITS)


def _apart(a: float, b: float) -> int:
    enough = (n for n in range(DIGITS, MOST_DIGITS + 1) if score(a, digits=n) != score(b, digits=n))
    return next(enough, DIGITS)


def as_large(a: float, b: float) -> bool:
    """Whether two sizes read the same with the most digits that a sentence gives.

    >>> as_large(0.12344, -0.12336), as_large(0.1 + 0.2, 0.3)
    (False, True)
    """
    return score(abs(a), digits=MOST_DIGITS) == score(abs(b), digits=MOST_DIGITS)


def unit(scale: str) -> str:
    """The unit of a scale, in words."""
    return UNITS.get(scale, scale)


def q_said(q: float, of: str) -> str:
    """What a certified reason rests on. of: among which items.

    >>> q_said(0.0274, "the wrong items with as much evidence")
    'Of the wrong items with as much evidence about 2.7 % are luck (q = 0.027).'
    """
    if q != q:
        return ""
    return f"Of {of} about {number(100 * q)} % are luck (q = {q:.2g})."
