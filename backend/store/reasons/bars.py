"""How many items of each subset are in each cell, how many luck alone would put there, and how many bind at least: what
a stacked bar shows. Kept with the outcomes, in the table `cells`, for each kind's default setting."""

from collections.abc import Iterable
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend import written
from backend.metrics.paired.resampling import where_shared
from backend.metrics.reasons import mirror
from backend.metrics.reasons.mirror import Share
from backend.metrics.reasons.names import CELLS
from backend.protocols import ALONE, Protocol
from backend.store.build.store import Store
from backend.store.reasons import runs
from backend.store.scores.setting import Setting

#: The columns of `counted` and, with run_id and kind before them, of the table `cells`.
COLUMNS = ("protocol", "subset", "cell", "items", "mirrored", "n", "plus", "minus", "low", "high", "scale")
#: Many bars are shown at once: binding, and reversal, is claimed where even an interval 1.7 times as wide leaves out 0.
#: A bar of luck alone is then said to bind with a probability of at most `BY_LUCK`, so that none of `AT_ONCE` such bars
#: is in 95 of 100 pictures. Counted for 50 images or more: .0005 exactly where no items share an image, .0007 of 54,000
#: made-up bars of 200 pairs and .0008 of 49,000 of 50 triples that do; below 50 images it is up to .0016. Where the
#: interval of one in twenty alone leaves out 0, it is called uncertain.
_STRICT = 1.7
BY_LUCK = 0.0008
AT_ONCE = 58
State = Literal["bound", "not seen", "uncertain", "reversed"]


def counted(table: pd.DataFrame, protocol: Protocol, clusters: NDArray[np.intp] | None = None) -> pd.DataFrame:
    """One row a subset and cell, in the order of `CELLS`, of a table of `runs.of_run`: COLUMNS.

    items: how many are in the cell; mirrored: how many of their decoys are, so what luck alone would put there. n,
    plus, minus, low, high: of the subset, see `bound`; low and high are NaN where undefined. scale: of the scores.
    clusters: (n,) the column `cluster` by number, in the order of its names.
    """
    rows: list[tuple[object, ...]] = []
    if "cluster" in table:
        table = table.assign(cluster=pd.factorize(table["cluster"], sort=True)[0] if clusters is None else clusters)
    known = table[table["cell"] != ""] if len(table) else pd.DataFrame({"subset": []})
    for subset, part in known.groupby("subset", sort=False):
        found = bound(part, protocol)
        low, high = found.ci95 or (np.nan, np.nan)
        own, decoys = part["cell"].value_counts(), part["mirrored"].value_counts()
        for cell in CELLS[protocol]:
            share = (found.n, found.plus, found.minus, low, high)
            rows.append((str(protocol), subset, cell, int(own.get(cell, 0)), int(decoys.get(cell, 0)), *share,
                         part["scale"].iloc[0]))  # fmt: skip
    return pd.DataFrame(rows, columns=list(COLUMNS))


def bound(part: pd.DataFrame, protocol: Protocol) -> Share:
    """At least so many items of a subset bind (quads), or have evidence from their image (choices, triplets).

    The interval of quads takes items that share an image together; that of the others resamples images, too, see
    `sources.share`, whose ends they carry.
    """
    if protocol == Protocol.QUAD:
        return mirror.at_least(part["gamma"], where_shared(part["cluster"]))
    found = mirror.at_least(part["z"])
    low, high = float(part["least_low"].iloc[0]), float(part["least_high"].iloc[0])
    if found.value is None or np.isnan(low):
        return Share(found.n, found.plus, found.minus, found.value, None)
    # The ends were found with fewer other images than the value: they are widened to hold it.
    ends = (min(low, found.value), max(high, found.value))
    return Share(found.n, found.plus, found.minus, found.value, ends)


def state(share: float, ends: tuple[float, float]) -> State:
    """What a share with its interval of 95 % certifies, see `_STRICT`.

    >>> [state(*each) for each in ((0.48, (0.38, 0.56)), (0.02, (-0.07, 0.11)), (0.133, (0.041, 0.223)))]
    ['bound', 'not seen', 'uncertain']
    >>> state(-0.5, (-0.56, -0.43))
    'reversed'
    """
    low, high = _wide(share, ends)
    if low > 0:
        return "bound"
    if high < 0:
        return "reversed"
    return "not seen" if ends[0] <= 0 <= ends[1] else "uncertain"


def _wide(share: float, ends: tuple[float, float]) -> tuple[float, float]:
    """The interval by which binding and reversal are claimed, see `_STRICT`."""
    return share - _STRICT * (share - ends[0]), share + _STRICT * (ends[1] - share)


def as_one_of_many(share: float, ends: tuple[float, float]) -> str:
    """Why a share is uncertain though its interval of 95 % leaves out 0: the interval that decides, in words that
    stand beside it.

    >>> as_one_of_many(0.133, (0.041, 0.223))
    'as one of many such shares [−2.3, 28.6], which holds 0'
    """
    low, high = (min(1.0, max(-1.0, end)) for end in _wide(share, ends))
    return f"as one of many such shares {written.ends((low, high))}, which holds 0"


def said(protocol: Protocol, share: float | None, ends: tuple[float, float] | None) -> tuple[str, str]:
    """How many bind at least, or that none is seen to, and the share beyond luck with its interval, in words; "" where
    undefined. At least so many as the interval's lower end says: the share itself is an estimate (see `least`).

    >>> said(Protocol.QUAD, 0.48, (0.38, 0.56)), said(Protocol.QUAD, 0.02, (-0.07, 0.11))
    (('at least 38.0 % bind', '48.0 % [38.0, 56.0]'), ('binding not seen', '2.0 % [−7.0, 11.0]'))
    >>> said(Protocol.QUAD, 0.133, (0.041, 0.223))
    ('binding uncertain', '13.3 % [4.1, 22.3]; as one of many such shares [−2.3, 28.6], which holds 0')
    >>> said(Protocol.QUAD, -0.5, (-0.56, -0.43))
    ('reversed more often than bound', '−50.0 % [−56.0, −43.0]')
    """
    verb, noun = ("bind", "binding") if protocol == Protocol.QUAD else ("use the image", "evidence")
    if share is None:
        return "", ""
    value = f"{written.number(100 * share)} %"
    if ends is None:
        return f"{noun} without an interval", value
    of = state(share, ends)
    if of == "uncertain":
        head = "more reversed than bound, uncertain" if share < 0 else f"{noun} uncertain"
        return head, f"{value} {_apart(ends)}; {as_one_of_many(share, ends)}"
    if of == "bound":
        return f"at least {least(ends)} {verb}", f"{value} {_apart(ends)}"
    return "reversed more often than bound" if of == "reversed" else f"{noun} {of}", f"{value} {_apart(ends)}"


def _apart(ends: tuple[float, float]) -> str:
    """An interval; where it leaves out 0, with the digits that show it.

    >>> _apart((-0.419, -0.0004)), _apart((0.00001, 0.2)), _apart((-0.1, 0.0004))
    ('[−41.90, −0.04]', '[0.001, 20.000]', '[−10.0, 0.0]')
    """
    nearest = min(map(abs, ends)) * 100
    if ends[0] <= 0 <= ends[1] or round(nearest, 1):
        return written.ends(ends)
    return written.ends(ends, digits=next((n for n in range(2, 7) if round(nearest, n)), 1))


def least(ends: tuple[float, float]) -> str:
    """The share of which "at least" may be said: the lower end of its interval. The share beyond luck is only an
    estimate of what binds at least; a sample of which 27.5 % bind beyond luck may come of a model that binds on 18 %.

    >>> least((0.179, 0.366))
    '17.9 %'
    """
    return f"{written.number(100 * ends[0])} %"


def of_run(store: Store, run_id: str, setting: Setting) -> pd.DataFrame:
    """The bars of a run under a setting, COLUMNS; empty where nothing has cells."""
    if setting.is_default:
        kept = of_runs(store, [run_id])
        return kept[kept["kind"] == setting.kind][list(COLUMNS)].reset_index(drop=True)

    def make() -> pd.DataFrame:
        return joined(counted(runs.of_run(store, run_id, setting, of), of) for of in ALONE if of in CELLS)

    return store.cached(("bars", run_id, setting), make)


def of_runs(store: Store, run_ids: Iterable[str]) -> pd.DataFrame:
    """The bars of some runs under the default setting of every kind: run_id, kind, COLUMNS."""
    ids = list(run_ids)

    def ask() -> pd.DataFrame:
        return (
            store.cursor()
            .execute(
                f"""SELECT run_id, kind, {", ".join(COLUMNS)} FROM cells WHERE run_id IN (SELECT unnest(?::VARCHAR[]))
                ORDER BY rowid""",
                [ids],
            )
            .df()
        )

    return store.cached(("bars", tuple(ids)), ask)


def joined(parts: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Several of `counted` as one."""
    found = [part for part in parts if len(part)]
    return pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=list(COLUMNS))
