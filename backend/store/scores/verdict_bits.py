"""Whether each item is right, one bit an item: verdicts at default settings of very many runs, read in milliseconds.

The table `verdicts` has a row a run, kind and metric; its bits begin at the item `first_item`. Verdicts on the texts of
a pool have no item of their own and are not among them.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray

from backend.metrics.core import registry
from backend.store.scores.outcomes import Judged

#: The metrics whose bits have each item's reason beside them.
WORDED = registry.headlines(judged=True)
_ROWS = pa.schema(
    {
        "metric": pa.string(), "first_item": pa.int32(), "n": pa.int32(), "there": pa.binary(), "judged": pa.binary(),
        "correct": pa.binary(), "reason": pa.binary(), "words": pa.list_(pa.string()),
    }
)  # fmt: skip
Bytes = NDArray[np.uint8]
#: For how many bytes of bits a query asks at a time.
_AT_ONCE = 64 * 2**20


@dataclass(frozen=True)
class Bits:
    """One run, kind and metric. there: the item has a verdict or could have one; judged: it has one; right: it is
    right. Each bool (n,), of the items from number `first` on. reason: uint8 (n,), each item's word as its place in
    `words`, whose first is ""; of one item where no verdict has any.

    >>> Bits("r", "itc", "accuracy", 3, *(np.ones(1, dtype=bool),) * 3).first
    3
    """

    run_id: str
    kind: str
    metric: str
    first: int
    there: NDArray[np.bool_]
    judged: NDArray[np.bool_]
    right: NDArray[np.bool_]
    reason: NDArray[np.uint8] = field(default_factory=lambda: np.zeros(1, dtype=np.uint8))
    words: tuple[str, ...] = ("",)

    def reasons(self) -> NDArray[np.uint8]:
        """The column `reason` for every item, (n,)."""
        return self.reason if len(self.reason) == len(self.there) else np.zeros(len(self.there), dtype=np.uint8)


def made(judged: Mapping[str, Sequence[Judged]]) -> pa.Table:
    """The rows of the table `verdict_bits` but run_id and kind, from a run's verdicts of a kind by metric."""
    rows = []
    for metric, of in judged.items():
        if any((np.asarray(each.query) >= 0).any() for each in of):
            continue
        item_no = np.concatenate([each.items["item_no"].to_numpy()[each.rows] for each in of])
        first = int(item_no.min())
        there, known, right = (np.zeros(int(item_no.max()) - first + 1, dtype=np.bool_) for _ in range(3))
        at = item_no - first
        there[at] = True
        known[at] = np.concatenate([each.verdicts.defined for each in of])
        right[at] = np.concatenate([each.verdicts.correct for each in of])
        packed = (np.packbits(bits).tobytes() for bits in (there, known, right))
        # The metrics of an item carry the same reason: one of them keeps it.
        worded = _reasons(of, at, len(there)) if metric in WORDED else (b"", [""])
        rows.append((metric, first, len(there), *packed, *worded))
    return pa.Table.from_pylist([dict(zip(_ROWS.names, row, strict=True)) for row in rows], schema=_ROWS)


def _reasons(judged: Sequence[Judged], at: NDArray[np.intp], n: int) -> tuple[bytes, list[str]]:
    """Each item's reason as a byte, and the words; no bytes where no verdict carries one."""
    if all(each.words is None for each in judged):
        return b"", [""]
    said = np.concatenate(
        [np.full(len(each.rows), "", dtype=object) if each.words is None else each.words.reason[each.rows]
         for each in judged]
    )  # fmt: skip
    codes, names = pd.factorize(said)
    words = ["", *(str(name) for name in names if name != "")]
    found = np.zeros(n, dtype=np.uint8)
    found[at] = np.array([words.index(str(name)) for name in names], dtype=np.uint8)[codes]
    return found.tobytes(), words


def read(
    cursor: duckdb.DuckDBPyConnection, runs: Iterable[str], metric: str, kinds: Iterable[str] | None = None
) -> Iterator[Bits]:
    """The verdicts of some runs by one metric, a bounded number of bytes at a time. kinds: only these, None: all."""
    rows = cursor.execute(
        """SELECT run_id, kind, first_item, n, reason, words, there, judged, correct FROM verdict_bits
        WHERE metric = $metric AND run_id IN (SELECT unnest($runs::VARCHAR[]))
            AND ($kinds::VARCHAR[] IS NULL OR list_contains($kinds::VARCHAR[], kind)) ORDER BY run_id, kind""",
        {"metric": metric, "runs": list(runs), "kinds": None if kinds is None else list(kinds)},
    )
    step = 1
    while some := rows.fetchmany(step):
        for run_id, kind, first, n, reason, words, *packed in some:
            there, known, right = (
                np.unpackbits(np.frombuffer(bits, dtype=np.uint8), count=n).view(np.bool_) for bits in packed
            )
            codes = np.frombuffer(reason, dtype=np.uint8)
            yield Bits(run_id, kind, metric, int(first), there, known, right, codes, tuple(words))
        step = max(1, _AT_ONCE // max(1, int(some[-1][3]) * 11 // 8))


def packed(
    cursor: duckdb.DuckDBPyConnection, runs: Iterable[str], metric: str, n: int
) -> Iterator[tuple[str, str, Bytes, Bytes, Bytes]]:
    """(run, kind, there, judged, right) of some runs by one metric, as `read` has them, but eight items a byte, uint8
    (ceil(n / 8),) of the items 0 to n: bits of whole runs are compared and counted so, eight times as fast."""
    rows = cursor.execute(
        """SELECT run_id, kind, first_item, n, there, judged, correct FROM verdict_bits
        WHERE metric = ? AND run_id IN (SELECT unnest(?::VARCHAR[])) ORDER BY run_id, kind""",
        [metric, list(runs)],
    )
    step = 1
    while some := rows.fetchmany(step):
        for run_id, kind, first, own, *bits in some:
            there, known, right = (
                _placed(np.frombuffer(each, dtype=np.uint8), int(first), int(own), n) for each in bits
            )
            yield run_id, kind, there, known, right
        step = max(1, _AT_ONCE // max(1, int(some[-1][3]) * 3 // 8))


def _placed(bits: Bytes, first: int, own: int, n: int) -> Bytes:
    """Packed bits of `own` items from number `first` on, as those of n items.

    >>> _placed(np.packbits([1, 0, 1]), 8, 3, 12).tolist(), np.unpackbits(_placed(np.packbits([1]), 3, 1, 8)).tolist()
    ([0, 160], [0, 0, 0, 1, 0, 0, 0, 0])
    """
    found = np.zeros(-(-n // 8), dtype=np.uint8)
    if first % 8 == 0:
        found[first // 8 : first // 8 + len(bits)] = bits
        return found
    wide = np.zeros(8 * len(found), dtype=np.uint8)
    wide[first : first + own] = np.unpackbits(bits, count=own)
    return np.packbits(wide)


class Counter:
    """How often each item's bit was set, over many arrays of packed bits.

    >>> count = Counter()
    >>> for _ in range(3):
    ...     count.add(np.packbits([1, 0]))
    >>> count.of(2).tolist()
    [3, 0]
    """

    def __init__(self) -> None:
        self._planes: list[Bytes] = []  # the k-th digits of all counts, in the binary system

    def add(self, bits: Bytes) -> None:
        """Count one more array, uint8, all of one length."""
        carry = bits
        for plane in self._planes:
            more = plane & carry
            plane ^= carry
            carry = more
            if not carry.any():
                return
        self._planes.append(carry.copy())

    def of(self, n: int) -> NDArray[np.int32]:
        """The counts of the first n items, int32 (n,)."""
        found = np.zeros(n, dtype=np.int32)
        for k, plane in enumerate(self._planes):
            found += np.unpackbits(plane, count=n).astype(np.int32) << k
        return found


def metrics(cursor: duckdb.DuckDBPyConnection, runs: Iterable[str]) -> list[str]:
    """The metrics that some runs have bits of, by name."""
    rows = cursor.execute(
        "SELECT DISTINCT metric FROM verdict_bits WHERE run_id IN (SELECT unnest(?::VARCHAR[])) ORDER BY metric",
        [list(runs)],
    ).fetchall()
    return [str(name) for (name,) in rows]
