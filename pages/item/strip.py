"""A line of an axis with a bar or dots on it, as HTML: the pictures of an item's reason are made of these."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from backend.store.reasons.sentence_words import score

#: Cells of a density along a line.
BINS = 48


@dataclass(frozen=True)
class Axis:
    """A linear axis from low to high.

    >>> Axis(-1.0, 1.0).place(0.0), Axis(-1.0, 1.0).place(9.0)
    (50.0, 100.0)
    """

    low: float
    high: float

    @classmethod
    def around(cls, own: Sequence[float], others: Sequence[NDArray[np.float64]]) -> "Axis":
        """Symmetric about zero: all of an item's numbers, and all but the farthest 2 % of the others'."""
        every = np.abs(np.concatenate([np.zeros(1), *others]))
        every = every[np.isfinite(every)]
        half = 1.08 * max(float(np.quantile(every, 0.98)), *(abs(value) for value in own if np.isfinite(value)), 0.0)
        return cls(-half, half) if half > 0 else cls(-1.0, 1.0)

    def place(self, value: float) -> float:
        """Where a value lies, per cent of the line; beyond the ends at the end."""
        return 100 * min(max((value - self.low) / (self.high - self.low), 0.0), 1.0)

    def html(self) -> Markup:
        """Its ends and its zero, under the lines."""
        zero = self.place(0.0)
        return Markup(
            '<div class="fs-strip-row" aria-hidden="true"><span></span><div class="fs-strip-ticks">'
            '<span style="left:0">{}</span>{}<span style="left:100%">{}</span></div><span></span></div>'
        ).format(
            score(self.low),
            Markup('<span style="left:{:.1f}%">0</span>').format(zero) if 12 < zero < 88 else "",
            score(self.high, signed=True),
        )


def density(values: NDArray[np.float64], axis: Axis) -> list[float]:
    """How many of the values lie in each cell of the axis, the fullest 1; those beyond its ends are in its last cells.

    >>> sum(density(np.array([0.0, 0.0]), Axis(-1.0, 1.0)))
    1.0
    """
    known = values[np.isfinite(values)]
    counts, _ = np.histogram(np.clip(known, axis.low, axis.high), bins=BINS, range=(axis.low, axis.high))
    return [float(each) for each in counts / max(1, counts.max())]


def strip(
    name: str, said: str, axis: Axis, *, bar: float | None = None, dots: Sequence[float] = (),
    behind: Sequence[float] = (), marks: Sequence[tuple[str, float, str]] = (),
) -> Markup:  # fmt: skip
    """One line: its name, what lies on it, and its number. behind: a density of `BINS` cells, drawn faint; marks:
    (class, place, tip)."""
    parts = []
    if behind:
        wide = 100 / len(behind)
        # A grey with some alpha shows on paper and by night; short, for an item has many of these.
        stops = [f"#888{9 * each**0.5:.0f} {k * wide:.4g}% {(k + 1) * wide:.4g}%" for k, each in enumerate(behind)]
        parts.append(
            Markup('<i class="fs-strip-behind" style="background:linear-gradient(90deg,{})"></i>').format(
                ",".join(stops)
            )
        )
    parts.append(Markup('<i class="fs-strip-zero" style="left:{:.2f}%"></i>').format(axis.place(0.0)))
    parts += [Markup('<i class="fs-strip-dot" style="left:{:.2f}%"></i>').format(axis.place(dot)) for dot in dots]
    if bar is not None:
        start, end = sorted((axis.place(0.0), axis.place(bar)))
        parts.append(
            Markup('<i class="fs-strip-bar" style="left:{:.2f}%;width:{:.2f}%"></i>').format(
                start, max(end - start, 0.4)
            )
        )
    parts += [
        Markup('<i class="{}" style="left:{:.2f}%" title="{}"></i>').format(kind, axis.place(at), tip)
        for kind, at, tip in marks
    ]
    return Markup('<div class="fs-strip-row"><span>{}</span><div class="fs-strip-line">{}</div><b>{}</b></div>').format(
        name, Markup().join(parts), said
    )
