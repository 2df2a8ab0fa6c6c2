"""How many items of each cell have a certified reason, and, where none has, what is missing.

A share can be far beyond luck while no single item is: this says why, at the bar that shows the share.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from backend import enough
from backend.metrics.reasons.mirror import SEEN_AT
from backend.metrics.reasons.names import NAMES
from backend.protocols import ALONE, Protocol
from backend.store.build.store import Store
from backend.store.reasons import runs
from backend.store.scores.setting import Setting
from backend.written import number

#: Below this share of a bar's items nobody asks why none of them has a reason.
MANY = 0.1
#: The cells of each verdict whose items may be seen, those of wrong ones together.
BOUND = {
    Protocol.QUAD: (("right",), ("outvoted_by_caption", "outvoted_by_image", "outvoted_by_both")),
    Protocol.CHOICE: (("grounded",), ("outvoted",)),
    Protocol.TRIPLET: (("grounded",), ("outvoted",)),
}
#: (run id, kind, protocol, subset): one bar.
Key = tuple[str, str, str, str]
#: What is counted of each cell of a bar, in the table `cells` beside what `bars` says of it.
TALLY = ("certified", "least_q", "n_other", "agree")


@dataclass(frozen=True)
class Certified:
    """A bar's items. counts: cell -> how many of its items have a certified reason, as the cell says. why: a sentence
    for each verdict whose items with evidence have none."""

    counts: dict[str, int]
    why: tuple[str, ...]


def of_runs(store: Store, run_ids: Iterable[str]) -> dict[Key, Certified]:
    """Every bar of some runs, each kind at its default setting."""
    ids = list(run_ids)

    def ask() -> dict[Key, Certified]:
        rows = store.cursor().execute(
            f"""SELECT run_id, kind, protocol, subset, cell, items, mirrored, {", ".join(TALLY)} FROM cells
            WHERE run_id IN (SELECT unnest(?::VARCHAR[])) ORDER BY rowid""", [ids],
        ).fetchall()  # fmt: skip
        bars: dict[Key, list[_Tally]] = {}
        for run, kind, protocol, subset, *tally in rows:
            bars.setdefault((run, kind, protocol, subset), []).append(_Tally(*tally))
        return {key: _certified(tallies, Protocol(key[2])) for key, tallies in bars.items()}

    return store.cached(("certified", tuple(ids)), ask)


def of_run(store: Store, run_id: str, setting: Setting) -> dict[Key, Certified]:
    """The bars of one run under a setting."""
    if setting.is_default:
        return {key: found for key, found in of_runs(store, [run_id]).items() if key[1] == setting.kind}

    def make() -> dict[Key, Certified]:
        parts = [
            part.assign(run_id=run_id, kind=setting.kind, protocol=str(of))
            for of in BOUND
            if of in ALONE and len(part := runs.of_run(store, run_id, setting, of))
        ]
        return counted(pd.concat(parts, ignore_index=True)) if parts else {}

    return store.cached(("certified", run_id, setting), make)


def counted(table: pd.DataFrame) -> dict[Key, Certified]:
    """The bars of a table with a row an item: run_id, kind, protocol, subset and what `runs.of_run` gives."""
    found = {}
    for (run, kind, protocol, subset), part in table.groupby(["run_id", "kind", "protocol", "subset"], sort=False):
        known = part[part["cell"] != ""]
        if len(known):
            of = Protocol(str(protocol))
            bar = [_Tally(*row) for row in tallied(known).astype(object).replace({np.nan: None}).to_numpy().tolist()]
            found[str(run), str(kind), str(protocol), str(subset)] = _certified(bar, of)
    return found


def tallied(part: pd.DataFrame) -> pd.DataFrame:
    """One row a cell of a bar's items: cell, items, mirrored (how many of their decoys are in it) and TALLY: how many
    have a certified reason, their least q, of choices the fewest other images, and whether sources of images agree."""
    codes, names = pd.factorize(part["cell"])
    decoys = part["mirrored"].value_counts()
    others = list(dict.fromkeys(str(name) for name in (*names, *decoys.index) if name))
    n = len(others)
    q, certain = np.full(n, np.nan), part["reason"].to_numpy(object) == part["cell"].to_numpy(object)
    np.fmin.at(q, codes, part["q"].to_numpy(dtype=float))
    least, agree = np.full(n, np.nan), np.ones(n, dtype=np.bool_)
    if "n_other" in part:
        np.fmin.at(least, codes, part["n_other"].to_numpy(dtype=float, na_value=np.nan))
    if "sources_agree" in part:
        unlike = ~part["sources_agree"].astype("boolean").fillna(True).to_numpy(dtype=bool)  # missing: not compared
        agree = np.bincount(codes[unlike], minlength=n) == 0
    tally = {
        "cell": others, "items": np.bincount(codes, minlength=n),
        "mirrored": [int(decoys.get(name, 0)) for name in others],
        "certified": np.bincount(codes[certain], minlength=n), "least_q": q,
        "n_other": pd.array(least).astype("Int64"), "agree": agree,
    }  # fmt: skip
    return pd.DataFrame(tally, columns=["cell", "items", "mirrored", *TALLY])


class _Tally(NamedTuple):
    """What is counted of one cell of a bar; the last four are None of a cell without items."""

    cell: str
    items: int
    mirrored: int
    certified: int | None
    least_q: float | None
    n_other: int | None
    agree: bool | None


def _certified(bar: Sequence[_Tally], protocol: Protocol) -> Certified:
    """What is said of one bar."""
    counts = {cell.cell: cell.certified for cell in bar if cell.certified}
    why = [said for cells in BOUND[protocol] if (said := _why(bar, cells))]
    return Certified(counts, tuple(why))


def _why(bar: Sequence[_Tally], cells: tuple[str, ...]) -> str:
    """Why none of the items in some cells, those of one verdict, is certified; "" where one is, or they are few."""
    own = [cell for cell in bar if cell.cell in cells]
    n = sum(cell.items for cell in own)
    if not n or n < MANY * sum(cell.items for cell in bar) or any(cell.certified for cell in own):
        return ""
    there = [cell for cell in own if cell.items]
    name = NAMES[cells[0]] if len(cells) == 1 else NAMES["outvoted"]
    q = [cell.least_q for cell in there if cell.least_q is not None and not np.isnan(cell.least_q)]
    return said(
        name, n, sum(cell.mirrored for cell in own), min(q, default=float("nan")),
        n_other=min((cell.n_other for cell in there if cell.n_other is not None), default=None),
        agree=all(cell.agree is not False for cell in there),
    )  # fmt: skip


def said(name: str, items: int, mirrored: int, q: float, *, n_other: int | None = None, agree: bool = True) -> str:
    """The sentence. items: how many there are; mirrored: how many turned round come out with this verdict; q: the least
    share of luck among any with at least so much evidence.

    >>> print(said("grounded", 652, 131, 0.0576, n_other=16))
    None of the 652 grounded is certified: luck alone would put 131 there, and even among those with most evidence \
at least 5.8 % would be luck, where 5 % is the most that a reason allows.
    >>> print(said("right", 10, 0, 0.1))
    None of the 10 right is certified: it takes 20 with evidence to tell any from luck.
    """
    none = f"None of the {items:,} {name} is certified" if items > 1 else f"The one {name} is not certified"
    if n_other is not None and n_other < enough.OTHER_IMAGES:
        return f"{none}: {n_other} other images were scored, and a reason needs {enough.OTHER_IMAGES}."
    if not agree:
        return f"{none}: under images of other subsets the share is another one, so no single item has a reason."
    if items < enough.ITEMS:
        return f"{none}: it takes {enough.ITEMS} with evidence to tell any from luck."
    share = f"at least {number(100 * q)} %" if q < 1 else "all"
    return (
        f"{none}: luck alone would put {mirrored:,} there, and even among those with most evidence {share} would be "
        f"luck, where {number(100 * SEEN_AT, 0)} % is the most that a reason allows."
    )
