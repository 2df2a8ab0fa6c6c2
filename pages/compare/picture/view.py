"""What the picture of Compare draws, as plain data: each group's rates from side to side, its gains with intervals."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from backend import written
from backend.taxonomy import title
from backend.written import p_cell
from pages.compare.sides import Named
from pages.compare.view import LEVEL, TWO_RULES, apart, by_gain
from pages.shared.data.frames import lines_of
from pages.shared.drawing import colours, signs
from pages.shared.drawing.numbers import count, fixed, shortened

#: Pixels between two labels of the slope; of a row of gains, and of each further model in it.
GAP, ROW, MORE = 16, 30, 17
#: The slope's height in pixels, at least and at most.
LEAST, MOST = 300, 620
#: So many letters of a group's name fit beside the lines; the tip has the whole.
NAME = 22


def picture(
    rates: pd.DataFrame, tests: pd.DataFrame, named: Sequence[Named], of: str, alt: str, uneven: Collection[int] = ()
) -> dict[str, Any]:
    """What `picture.js` draws. rates, tests: of `compare.rates` and `compare.against`; of: what a group is, in words;
    alt: the picture in words; uneven: positions of sides that follow another rule than the baseline (`rules.uneven`).

    A line of two sides has the colour of a gain or a loss where the difference is beyond chance (`signs`): Holm's
    p ≤ .05 over all rows of `tests`. Between two rules nothing is anybody's gain, so nothing has a colour.
    """
    order = by_gain(tests)
    others = list(dict.fromkeys(tests["side"]))
    rows = len(order) * (ROW + MORE * (len(others) - 1))
    height = max(LEAST, min(MOST, max(rows, GAP * 2 * len(order) + 60)))
    letters = ("A · ", "B · ", *("",) * len(named))
    sides = [
        {
            "label": f"{letters[k]}{shortened(entry.label, 26)}",
            "colour": entry.colour,
            "shape": colours.shape(entry.model),
        }
        for k, entry in enumerate(named)
    ]
    known = rates[rates["value"].notna()]
    ahead = "is higher" if uneven else "is better"
    return {
        "alt": alt, "of": of, "height": height, "row": max(rows, 120), "sides": sides,
        "groups": [{"key": key, "name": _short(title(key))} for key in order],
        "lines": _lines(known, tests, named, uneven), "labels": _labels(known, len(named) - 1, height),
        "gains": _gains(tests, named, order, others, uneven), "reach": _reach(tests),
        "left": f"← {_called(named[0], 'A')} {ahead}",
        "right": f"{_called(named[1], 'B') if len(named) == 2 else 'the other'} {ahead} →",
    }  # fmt: skip


def _short(name: str) -> str:
    """A group's name as far as it fits.

    >>> _short("attribute"), len(_short("x" * 200))
    ('attribute', 22)
    """
    return name if len(name) <= NAME else f"{name[: NAME - 1].rstrip()}…"


def _lines(
    known: pd.DataFrame, tests: pd.DataFrame, named: Sequence[Named], uneven: Collection[int]
) -> list[dict[str, Any]]:
    """A line a group, with a point a side that has a rate."""
    last = len(named) - 1
    row_of = {row.group: row for row in lines_of(tests[tests["side"] == last])}
    made = []
    of_group: dict[str, list[Any]] = {}
    for line in lines_of(known):
        of_group.setdefault(line.group, []).append(line)
    for group, own in of_group.items():
        row = row_of.get(group)
        sure = last == 1 and row is not None and bool(row.holm <= LEVEL)
        points = [
            {"side": int(line.side), "value": line.value,
             "tip": f"{title(str(group))}, {named[line.side].label}: {written.percent(line.value)} right "
             f"{written.ends((line.low, line.high))}, n = {line.n:,}".replace("  ", " ")}
            for line in own
        ]  # fmt: skip
        gain = float(row.gain) if row is not None and last == 1 else 0.0
        colour = signs.colour(gain, sure and not uneven)
        made.append({"key": group, "colour": colour, "sure": sure or last > 1, "points": points})
    return made


def _called(entry: Named, letter: str) -> str:
    """A side at the narrow ends of the axis of gains: by its letter where its name has no room."""
    return entry.label if len(entry.label) <= 18 else letter


def _labels(known: pd.DataFrame, last: int, height: int) -> list[dict[str, Any]]:
    """Names and rates at both ends, moved apart. at: from the bottom, 0 … 1."""
    made = []
    for side in (0, last):
        own = known[known["side"] == side]
        places = apart(own["value"].tolist(), GAP / height, 0.0, 1.0)
        for line, at in zip(lines_of(own), places, strict=True):
            name, number = _short(title(str(line.group))), written.number(100 * line.value)
            text = f"{name}  {number}" if side == 0 else f"{number}  {name}"
            made.append({"key": line.group, "side": side, "value": line.value, "at": at, "text": text})
    return made


def _gains(
    tests: pd.DataFrame, named: Sequence[Named], order: Sequence[str], others: Sequence[int], uneven: Collection[int]
) -> list[dict[str, Any]]:
    """A mark a group and other side, with its interval."""
    made = []
    for row in lines_of(tests[tests["gain"].notna()]):
        sure, entry = bool(row.holm <= LEVEL), named[row.side]
        by_two = row.side in uneven
        mark = TWO_RULES if by_two and sure else signs.mark(row.gain, sure)
        number, known = fixed(100 * row.gain, 1, signed=True), bool(np.isfinite(row.low))
        ends = written.ends((row.low, row.high), signed=True) if known else ""
        alone = signs.alone((row.low, row.high), row.p, row.holm, sure=sure) or "within chance"
        tip = " · ".join(
            filter(
                None,
                [
                    f"{title(str(row.group))}: {entry.label} − {named[0].label} {number} points {ends}".rstrip(),
                    f"{count(row.n, 'verdict')}, {row.only_a + row.only_b:,} discordant",
                    written.p_value(row.holm, "p (Holm)") if row.holm == row.holm else f"p {p_cell(row.p)}",
                    "" if sure else alone,
                    "by two rules, so nobody’s gain" if by_two else "",
                ],
            )
        )
        made.append(
            {"key": row.group, "at": order.index(str(row.group)), "other": others.index(row.side), "gain": row.gain,
             "low": row.low if known else row.gain, "high": row.high if known else row.gain, "sure": sure,
             "mark": mark, "colour": signs.colour(row.gain, sure and not by_two), "tip": tip,
             "text": number, "model": entry.colour if len(others) > 1 else ""}
        )  # fmt: skip
    return made


def _reach(tests: pd.DataFrame) -> float:
    """How far the axis of gains reaches on either side of zero, as a fraction."""
    known = tests[["gain", "low", "high"]].to_numpy(dtype=float)
    known = np.abs(known[np.isfinite(known)])
    return float(known.max()) if len(known) and known.max() > 0 else 0.1


def spoken(tests: pd.DataFrame, named: Sequence[Named], by: str, uneven: Collection[int] = ()) -> str:
    """The picture in words, for those who cannot see it: where each other side is ahead and behind beyond chance.
    uneven: as of `picture`."""
    said: list[str] = []
    for side in dict.fromkeys(tests["side"]):
        own = tests[(tests["side"] == side) & tests["gain"].notna()]
        ahead, behind = ("gained", "lost") if side not in uneven else ("right more often on", "right less often on")
        told: Mapping[str, pd.DataFrame] = {
            ahead: own[(own["holm"] <= LEVEL) & (own["gain"] > 0)],
            behind: own[(own["holm"] <= LEVEL) & (own["gain"] < 0)],
        }
        listed = [
            f"{word} " + ", ".join(f"{title(str(r.group))} {fixed(100 * r.gain, 1, signed=True)}" for r in lines_of(of))
            for word, of in told.items()
            if len(of)
        ]
        rest = len(own) - sum(map(len, told.values()))
        said.append(f"{named[side].label} against {named[0].label}: " + "; ".join([*listed, f"{rest} within chance"]))
    return f"Rates and gains by {by}, in points. " + ". ".join(said) + "."
