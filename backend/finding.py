"""A finding: one sentence with its number, what it rests on, its interval, p and setting, to be copied elsewhere.

Every "Copy as finding" of the pages and of a published site is written here, from numbers alone. Begin with `Finding`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite

from backend import written
from backend.cells import neutral
from backend.written import DASH, Ends

#: What begins or ends markup in Markdown or HTML; an interval's brackets and `p < .001` do not.
_MARKUP = re.compile(r"[`*|]|<(?=[A-Za-z/!?])|&(?=#|\w+;)|(?<=\])\((?=\S)|(?<=\])\[")

#: The value of a claim where it goes on with what it is a share of, and the word that stands before how many there are.
_OF = re.compile(r"\{\} of (?P<which>all |the |their )?(?!\d)")


def unmarked(said: str) -> str:
    """A sentence for wherever it is pasted: on one line, markup that a model's name or a caption brings escaped as
    Markdown has it, and never a spreadsheet's formula.

    >>> print(unmarked("<b>x</b> beats [a](http://b) by 8.0 % [6.0, 11.0] (n = 3; p < .001)."))
    \\<b>x\\</b> beats [a]\\(http://b) by 8.0 % [6.0, 11.0] (n = 3; p < .001).
    >>> print(unmarked("=1+1 is right"))
    '=1+1 is right
    """
    return neutral(_MARKUP.sub(lambda found: f"\\{found[0]}", " ".join(said.split())))


def as_size(difference: float, ends: Ends | None) -> tuple[float, Ends | None]:
    """A difference and its interval, both turned round where it is below zero: the words around it say which way.

    >>> as_size(-0.05, (-0.09, -0.01)), as_size(0.05, None)
    ((0.05, (0.01, 0.09)), (0.05, None))
    """
    return (-difference, ends and (-ends[1], -ends[0])) if difference < 0 else (difference, ends)


@dataclass(frozen=True)
class Finding:
    """What is found, and what it rests on.

    claim: a sentence without its full stop; `{}` in it is where the value stands. value: a share (shown in per cent), a
    difference of shares where `points` is set, or a number in `unit`; None where the claim has its own words. signed: a
    difference has its sign, for the words around it do not say which way. n: of what `counted` says; ci95: the ends of
    its 95 % interval, in the unit of the value; interval: how it was made, where that is not the clustered one. p,
    test: of which test. setting: what the number holds under, in words, in the order in which they are said.
    """

    claim: str
    n: int
    setting: Sequence[str]
    value: float | None = None
    ci95: Ends | None = None
    p: float | None = None
    test: str = ""
    points: bool = False
    signed: bool = False
    unit: str = ""
    counted: str = "items"
    interval: str = ""

    @property
    def said(self) -> str:
        """The sentence.

        >>> Finding("clip is right on {} of relation", 450, ("group score", "world"), 0.08, (0.06, 0.11)).said
        'clip is right on 8.0 % [6.0, 11.0] of relation (n = 450 items; group score; world).'
        >>> Finding("a beats b by {}", 60, (), 0.05, (0.01, 0.09), 0.002, "exact sign-flip test", points=True).said
        'a beats b by 5.0 points [1.0, 9.0] (n = 60 items; p = .002, exact sign-flip test).'
        >>> Finding("a is right on {}", 4, ("world",), 0.5, (0.1, 0.9)).said
        'a is right on 2 of 4 (n = 4 items; world).'

        Of how many is said once:

        >>> Finding("a is right on {} of all quads", 4, (), 0.5, counted="quads").said
        'a is right on 2 of all 4 quads (n = 4 quads).'
        >>> Finding("a is right on {} of relation", 4, (), 0.5).said
        'a is right on 2 of 4 items of relation (n = 4 items).'
        """
        rest = [f"n = {self.n:,} {self._noun()}"]
        if self.ci95 is not None and self.interval and self._ends():
            rest.append(self.interval)
        if self.p is not None and self.p == self.p:
            rest.append(written.p_value(self.p) + (f", {self.test}" if self.test else ""))
        rest += [word for word in self.setting if word]
        claim = self._of_few() or self.claim.replace("{}", self._number(), 1)
        return unmarked(f"{claim} ({'; '.join(rest)}).")

    def _noun(self) -> str:
        return self.counted if self.n != 1 else self.counted.removesuffix("s")

    def _of_few(self) -> str:
        """The claim with a count of few in it, where it goes on with what they are of; else ""."""
        few = "" if self.points or self.unit else written.counted(self.value, self.n)
        found = _OF.search(self.claim)
        if not few or found is None:
            return ""
        k = few.partition(" ")[0]
        which = found["which"]
        of = f"{k} of {which}{self.n} " if which else f"{few} {self._noun()} of "
        return f"{self.claim[: found.start()]}{of}{self.claim[found.end() :]}"

    def _number(self) -> str:
        if self.value is None or not isfinite(self.value):
            return DASH
        if self.unit:
            return " ".join(filter(None, (f"{written.score(self.value)} {self.unit}", self._ends())))
        if self.points:
            size = written.number(100 * self.value, signed=self.signed)
            return " ".join(filter(None, (f"{size} points", self._ends())))
        return written.counted(self.value, self.n) or " ".join(
            filter(None, (f"{written.number(100 * self.value)} %", self._ends()))
        )

    def _ends(self) -> str:
        if self.ci95 is None:
            return ""
        if self.unit:
            low, high = (written.score(end) for end in self.ci95)
            return f"[{low}, {high}]" if all(isfinite(end) for end in self.ci95) else ""
        few = not self.points and self.value is not None and written.counted(self.value, self.n)
        return "" if few else written.ends(self.ci95, signed=self.signed)
