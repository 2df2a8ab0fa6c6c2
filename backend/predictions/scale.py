"""Probabilities of itm and vqa become log-odds, which is what is stored; and how they are told from log-odds.

A file does not say whether .73 is a probability or log-odds, and the threshold at p = .5 depends on it. So the scale is
asked for (`--scale`), else read off the file (a column `prob` or `logit`, the columns of an own export), else guessed
from the range of all numbers of the kind, and said.
"""

from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit

from backend.errors import UsageError
from backend.predictions.claim import GivenScale, Place, Said, Score

#: How far single precision carries the ends of a softmax past 0 and 1; such a number counts as the end.
ROUNDING: Final = 1e-6
#: A probability of 0 or 1 has no log-odds; these have, and stand beyond every other double.
_LEAST: Final = float(np.nextafter(0.0, 1.0))
_MOST: Final = float(np.nextafter(1.0, 0.0))
_KEPT: Final = "their log-odds are kept, in the file's own order"


def log_odds(probabilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """ln(p / (1 − p)), shaped like p; 0 and 1 (and what lies beyond by rounding) at the last double before them.

    >>> log_odds(np.array([0.0, 0.25, 0.5, 1.0])).round(3).tolist()
    [-744.44, -1.099, 0.0, 36.737]
    """
    found: NDArray[np.float64] = logit(np.clip(probabilities, _LEAST, _MOST))
    return found


def in_order(own: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float32]:
    """values (..., n) in single precision; along the last axis equal where `own` is equal, and larger where it is
    larger: pushed up by a last digit where two that differ would be one. values: a rising function of own.

    >>> in_order(np.array([1.0, 1.0 + 2.0**-52, 1.0]), np.array([1.0, 1.0 + 2.0**-52, 1.0])).tolist()
    [1.0, 1.0000001192092896, 1.0]
    """
    order = np.argsort(own, axis=-1, kind="stable")
    sorted_own = np.take_along_axis(own, order, axis=-1)
    bits = np.take_along_axis(values, order, axis=-1).astype(np.float32).view(np.int32).astype(np.int64)
    # The bits of a float of one sign count up with its size; below zero they are turned round, so that neighbours of
    # single precision are neighbouring whole numbers.
    steps = np.where(bits < 0, -(bits & 0x7FFFFFFF), bits)
    rank = np.concatenate(
        [np.zeros_like(steps[..., :1]), np.cumsum(np.diff(sorted_own, axis=-1) > 0, axis=-1)], axis=-1
    )
    steps = np.maximum.accumulate(steps - rank, axis=-1) + rank
    pushed = np.where(steps < 0, -steps | 0x80000000, steps).astype(np.uint32).view(np.float32)
    back = np.empty(own.shape, dtype=np.float32)
    np.put_along_axis(back, order, pushed, axis=-1)
    return back


@dataclass(frozen=True, slots=True)
class Reading:
    """How numbers of a kind were read. by: what decided it. guess: what the user should know, "" where they said it
    themselves or nothing is open."""

    kind: str
    scale: GivenScale
    by: str
    guess: str

    def document(self) -> dict[str, str]:
        """As the run's record has it (`model.transformations`)."""
        return {"kind": self.kind, "read_as": self.scale, "stored_as": GivenScale.LOG_ODDS, "by": self.by}


@dataclass
class _Group:
    """The numbers of a kind of which a file says the same. n: how many; outside: of these beyond 0 and 1; first: one of
    those and where it stands; below: how many lie below 0."""

    n: int = 0
    outside: int = 0
    first: tuple[Place, float] | None = None
    below: int = 0

    def add(self, place: Place, value: float) -> None:
        self.n += 1
        self.below += value < 0
        if not -ROUNDING <= value <= 1 + ROUNDING:
            self.outside += 1
            self.first = self.first or (place, value)


@dataclass
class Numbers:
    """Numbers of one kind as their files have them, until all are seen. own, of: of each row, its number in double
    precision and its group."""

    kind: str
    own: array = field(default_factory=lambda: array("d"))  # type: ignore[type-arg]
    of: array = field(default_factory=lambda: array("l"))  # type: ignore[type-arg]
    groups: dict[Said | None, _Group] = field(default_factory=dict)

    def see(self, claim: Score) -> None:
        """A statement, whether or not it belongs to an item: each tells something of the scale."""
        self.groups.setdefault(claim.said, _Group()).add(claim.place, claim.value)

    def keep(self, claim: Score, rows: int) -> None:
        """The rows that a statement has become."""
        number = list(self.groups).index(claim.said)
        for _ in range(rows):
            self.own.append(claim.value)
            self.of.append(number)

    def stored(self, given: GivenScale | None) -> tuple[NDArray[np.float32], list[Reading]]:
        """The numbers of all rows as log-odds, and how they were read. given: what the user says, before all else.

        UsageError where a number is no probability that is said to be one: a file with percentages would else keep
        those below 1.
        """
        own = np.array(self.own, dtype=np.float64)
        readings = [self._reading(said, group, given) for said, group in self.groups.items()]
        turned = np.array([each.scale is GivenScale.PROBABILITY for each in readings])[np.array(self.of, dtype=np.intp)]
        values = own.astype(np.float32)
        if turned.any():
            values[turned] = in_order(own[turned], log_odds(own[turned]))
        return values, readings

    def _reading(self, said: Said | None, group: _Group, given: GivenScale | None) -> Reading:
        inside = group.outside == 0
        if given is not None:
            scale, by, guess = given, f"--scale {given}", ""
        elif said is not None:
            scale, by = said.scale, said.by
            guess = f"{self._counted(group)} were read as {_plural(scale)} by {by}"
            if scale is GivenScale.LOG_ODDS:
                guess = f"{guess}, though all lie from 0 to 1; --scale probability says otherwise." if inside else ""
            else:
                guess += f"; {_KEPT}. --scale log-odds takes them as they are."
        elif inside:
            scale, by = GivenScale.PROBABILITY, "a guess: all lie from 0 to 1"
            guess = (
                f"{self._counted(group)} all lie from 0 to 1 and were read as probabilities; {_KEPT}. --scale log-odds "
                "takes them as they are."
            )
        else:
            assert group.first is not None  # noqa: S101 - there is one wherever one lies outside
            scale, by = GivenScale.LOG_ODDS, "a guess: some lie outside 0 to 1"
            guess = (
                f"{self._counted(group)} were read as log-odds, yes above 0, for {group.outside:,} of them lie "
                f"outside 0 to 1 (the first: {group.first[0]}, {group.first[1]:g}); probabilities are given as "
                "fractions from 0 to 1."
            )
            if not group.below:
                guess += " None is below 0, so every answer is yes: are they percentages? Then divide them by 100."
        if scale is GivenScale.PROBABILITY and group.first is not None:
            place, value = group.first
            raise UsageError(
                f"{place}: {value:g} is no probability, which lies from 0 to 1; {by} says that these are "
                f"({group.outside:,} of the {group.n:,} numbers of {self.kind} lie outside). Give percentages as "
                "fractions; --scale log-odds takes the numbers as they are."
            )
        return Reading(self.kind, scale, by, guess)

    def _counted(self, group: _Group) -> str:
        return f"The {group.n:,} numbers of {self.kind}"


def check(scale: str | None) -> GivenScale | None:
    """The scale of `--scale`; UsageError for one that does not exist."""
    if scale is None:
        return None
    if scale not in set(GivenScale):
        raise UsageError(f"--scale {scale}: expected {' or '.join(GivenScale)}.")
    return GivenScale(scale)


def transformations(readings: Iterable[Reading], earlier: Iterable[dict[str, str]] = ()) -> list[dict[str, str]]:
    """What a record says of numbers that were turned into log-odds, each once. earlier: what that of the extended run
    says of rows that stay."""
    found = [*earlier, *(each.document() for each in readings if each.scale is GivenScale.PROBABILITY)]
    return [each for at, each in enumerate(found) if each not in found[:at]]


def _plural(scale: GivenScale) -> str:
    return "probabilities" if scale is GivenScale.PROBABILITY else "log-odds"
