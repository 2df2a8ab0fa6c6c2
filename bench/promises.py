"""What the project promises in numbers: benchmarks say each figure beside its limit, and `make bench` gathers them."""

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass

#: Begins the lines in which benchmarks say their figures.
SIGN = "promise: "


@dataclass(frozen=True)
class Promise:
    """A figure beside what was promised of it, and what bounds it.

    what: named so that it tells by itself; value, limit, bound: in `unit`; least: whether the limit is the least that
    is promised instead of the most; limit: None where nothing was. bound: what no program of this kind could go
    beyond, measured in the same run where it can be, None where nothing is known; by: what that is, in words.

    usual: of waits, which a machine that is slower today has longer for everything: what `bound` takes on the machine
    for which the limit is read to be said. Where it takes longer than that, as many times the bound as the limit is
    then keeps the promise, too; both verdicts are said. None where the limit alone counts.
    """

    what: str
    value: float
    limit: float | None
    unit: str
    least: bool = False
    bound: float | None = None
    by: str = ""
    usual: float | None = None

    @property
    def kept(self) -> bool:
        """Whether the promise is kept; True where none was made.

        >>> [Promise("a", 3, 2, "s").kept, Promise("b", 3, 2, "×", least=True).kept, Promise("c", 3, None, "s").kept]
        [False, True, True]
        >>> [Promise("d", value, 500, "ms", bound=bound, usual=80).kept for value, bound in ((600, 100), (600, 80))]
        [True, False]
        """
        if self.limit is None:
            return True
        by_limit = self.value >= self.limit if self.least else self.value <= self.limit
        return by_limit or self.by_multiple is True

    @property
    def multiple(self) -> float | None:
        """As many times the bound keep the promise on a machine that is slower than usual; None on any other."""
        if self.limit is None or self.bound is None or self.usual is None or self.bound <= self.usual:
            return None
        return self.limit / self.usual

    @property
    def by_multiple(self) -> bool | None:
        """Whether it is kept as a multiple of the bound; None where that does not count."""
        if self.multiple is None or self.bound is None:
            return None
        return self.value / self.bound <= self.multiple

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """Its row of the table: what, figure, limit with the verdict, bound with how many times as much the figure is.

        >>> Promise("start", 2.2, 2.0, "s", bound=1.6, by="an empty page").cells
        ('start', '2.20 s', 'at most 2 s: **missed by 10 %**', '1.60 s, an empty page: 1.4 ×')
        >>> Promise("import", 1_640_000, 1e6, "scores/s", least=True).cells
        ('import', '1,640,000 scores/s', 'at least 1,000,000 scores/s: kept', '')
        >>> Promise("switch", 550, 500, "ms", bound=110, by="an empty page", usual=80).cells[2]
        'at most 500 ms: missed by 10 %; at most 6.2 × where the bound takes more than 80 ms: kept'
        """
        limit = ""
        if self.limit is not None:
            off = abs(self.value - self.limit) / self.limit if self.limit else 0.0
            is_within = self.value >= self.limit if self.least else self.value <= self.limit
            said = "kept" if is_within else f"missed by {100 * off:.0f} %"
            said = said if self.kept else f"**{said}**"
            limit = f"at {'least' if self.least else 'most'} {number(self.limit)} {self.unit}: {said}"
            if not is_within and self.multiple is not None and self.usual is not None:
                verdict = "kept" if self.by_multiple else "**missed, too**"
                usual = f"{number(self.usual)} {self.unit}"
                limit += f"; at most {self.multiple:.2g} × where the bound takes more than {usual}: {verdict}"
        bound = ""
        if self.bound is not None:
            share = self.value / self.bound if self.bound else 0.0
            far = f"{share:.1%} of it" if self.least else f"{share:.2g} ×"
            bound = f"{written(self.bound)} {self.unit}, {self.by}: {far}"
        return self.what, f"{written(self.value)} {self.unit}", limit, bound


def written(value: float) -> str:
    """A measured figure, three digits where they count.

    >>> written(0.0312), written(2.2), written(42.1), written(1640000.4)
    ('0.031', '2.20', '42.1', '1,640,000')
    """
    size = abs(value)
    return f"{value:,.{3 if size < 1 else 2 if size < 10 else 1 if size < 100 else 0}f}"


def number(value: float) -> str:
    """A limit as it was promised: `2`, `0.3`, `1,000,000`."""
    return f"{value:,.0f}" if value == int(value) else f"{value:g}"


def say(*promises: Promise) -> None:
    """Say figures on standard output, for whoever reads along and for `gathered`."""
    for each in promises:
        sys.stdout.write(f"{SIGN}{json.dumps(asdict(each), ensure_ascii=False)}\n")
    sys.stdout.flush()


def gathered(said: str) -> tuple[list[Promise], str]:
    """The figures in a benchmark's output, and the output without them. A line that only looks like one stays."""
    found, rest = [], []
    for line in said.splitlines():
        figure = _read(line)
        if figure is None:
            rest.append(line)
        else:
            found.append(figure)
    return found, "\n".join(rest).strip()


def _read(line: str) -> Promise | None:
    if not line.startswith(SIGN):
        return None
    try:
        return Promise(**json.loads(line.removeprefix(SIGN)))
    except (ValueError, TypeError):
        return None


def table(promises: list[Promise]) -> Iterator[str]:
    """The figures as a table in Markdown, those that miss their promise first."""
    yield "| what | measured | promised | what bounds it |\n|---|---:|---|---|"
    for each in sorted(promises, key=lambda promise: promise.kept):
        yield f"| {' | '.join(each.cells)} |"
