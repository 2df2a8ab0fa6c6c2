"""How many items of each cell have a certified reason, and, where none has, what is missing.

A share can be far beyond luck while no single item is: this says why, at the bar that shows the share.
"""

from collections.abc import Iterable
from dataclasses import dataclass

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
_COLUMNS = "run_id, kind, protocol, subset, cell, reason, mirrored, q, n_other, sources_agree"


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
        table = store.cursor().execute(
            f"""SELECT {_COLUMNS} FROM (SELECT e.*, i.subset FROM evidence e JOIN runs r USING (run_id)
            JOIN items i ON i.benchmark = r.benchmark AND i.item_no = e.item_no)
            WHERE run_id IN (SELECT unnest(?::VARCHAR[])) AND cell <> ''""", [ids],
        ).df()  # fmt: skip
        return counted(table)

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
        certified = part.loc[part["reason"] == part["cell"], "cell"]
        counts = {str(cell): int(n) for cell, n in certified.value_counts().items()}
        why = [said for cells in BOUND[Protocol(str(protocol))] if (said := _why(part, cells))]
        found[str(run), str(kind), str(protocol), str(subset)] = Certified(counts, tuple(why))
    return found


def _why(part: pd.DataFrame, cells: tuple[str, ...]) -> str:
    """Why none of the items in some cells, those of one verdict, is certified; "" where one is, or they are few."""
    own = part[part["cell"].isin(cells)]
    if len(own) < MANY * len(part) or not len(own) or (own["reason"] == own["cell"]).any():
        return ""
    other, agree = own.get("n_other", pd.Series(dtype=float)).dropna(), own.get("sources_agree", pd.Series(dtype=bool))
    name = NAMES[cells[0]] if len(cells) == 1 else NAMES["outvoted"]
    return said(
        name, len(own), int(part["mirrored"].isin(cells).sum()), float(own["q"].min()),
        n_other=int(other.min()) if len(other) else None, agree=bool(agree.dropna().all()),
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
