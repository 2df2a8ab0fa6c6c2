"""Real failures to begin with: items on which models disagree, and the stored reason of one that is wrong.

Which one is shown first is a rule, so that the same results give the same failure: see `real_failures`.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.protocols import Protocol
from backend.store.build.store import Store
from backend.store.reasons.words import CARRIED_BY
from backend.store.scores import verdict_bits

#: The metric by which an item of each protocol is right or wrong here; for quads all four scores decide.
METRICS = {of: "group_score" if of == Protocol.QUAD else CARRIED_BY[of][0] for of in CARRIED_BY}
#: Two pictures and two captions first: what is confused is in sight.
_FIRST = (Protocol.QUAD, Protocol.TRIPLET, Protocol.CHOICE)
#: Reasons that certify nothing.
UNCERTIFIED = ("", "uncertain")
#: So many are offered, one after another.
MOST = 12
#: The share of models that are right -> how evenly the models are divided is told in so many steps.
_STEPS = 4


@dataclass(frozen=True)
class Shown:
    """One failure. item_id, subset, protocol, metric: what was asked; model, run_id, kind: who is wrong; cell, reason:
    its two words in `outcomes`; certified: whether the reason is more than "uncertain"; verdicts: every model that was
    asked, in the order in which they were named, and whether it is right."""

    item_id: str
    subset: str
    protocol: str
    metric: str
    model: str
    run_id: str
    kind: str
    cell: str
    reason: str
    verdicts: tuple[tuple[str, bool], ...]

    @property
    def certified(self) -> bool:
        """Whether the evidence tells the item from luck."""
        return self.reason not in UNCERTIFIED

    @property
    def right(self) -> int:
        """How many models are right."""
        return sum(correct for _, correct in self.verdicts)


def real_failures(store: Store, benchmark: str, asked: Sequence[tuple[str, str, str]]) -> list[Shown]:
    """Failures of a benchmark (hash) whose pictures and captions are here, the most telling first; at most MOST.

    asked: (model, run id, kind) of each model, one each. Of every subset and reason the first item by: a certified
    reason; models that disagree; quads, then triplets, then choices; captions of the same words in another order, so
    that who has what is all that tells them apart; how evenly the models are divided, in quarters of an even split; a
    reason that names what outvotes the truth; the model that is right most often, for its failures say most; the
    certainty q; the order of the file. The same order ranks them among each other.
    """
    items = _can_be_shown(store, benchmark)
    told = _told(store, items, asked)
    n, right = (np.zeros(len(items.item_no), dtype=np.int32) for _ in range(2))
    for each in told:
        n += each.judged
        right += each.right
    share = right / np.maximum(n, 1)
    divided = np.round(2 * _STEPS * np.minimum(share, 1 - share)).astype(np.int64)
    # The keys of the rule that are the item's own, in one number: disagreement, protocol, the same words, how evenly.
    telling = ((share > 0) * len(_FIRST) + len(_FIRST) - 1 - items.place) * 2 + items.exchanged
    rows = _candidates(items, told, telling * (2 * _STEPS + 1) + divided)
    if not len(rows):
        return []
    rows["q"], rows["item_no"] = _certainty(store, items, told, rows), items.item_no[rows["at"]]
    # Of a subset and a reason all are alike in the other keys, so the first of each is known before words are made.
    rows = rows.iloc[np.lexsort((rows["asked"], rows["item_no"], rows["q"], rows["group"]))]
    rows = rows[~rows["group"].duplicated()].reset_index(drop=True)
    names = _words(told)
    subset, reason = np.divmod(rows["group"].to_numpy(dtype=np.intp), len(names))
    rows["subset"] = [items.subsets[code] for code in subset]
    rows["reason"] = pd.Series([names[code] for code in reason], dtype=str)
    rows["certified"] = ~rows["reason"].isin(UNCERTIFIED)
    rows["outvoted"] = rows["reason"].str.startswith("outvoted")
    rows["disagree"], rows["place"] = share[rows["at"]] > 0, items.place[rows["at"]]
    rows["exchanged"], rows["divided"] = items.exchanged[rows["at"]], divided[rows["at"]]
    rows = rows.sort_values(
        ["certified", "disagree", "place", "exchanged", "divided", "outvoted", "able", "q", "item_no", "asked"],
        ascending=[False, False, True, False, False, False, False, True, True, True], kind="stable",
    )  # fmt: skip
    first = rows.drop_duplicates("item_no").head(MOST)
    return _shown(store, benchmark, items, told, first.to_dict("records"))


@dataclass(frozen=True)
class _Items:
    """The n items that can be shown. subset: codes into `subsets`; place: of the protocol in `_FIRST`; exchanged: 1
    where the first two captions have the same words."""

    item_no: NDArray[np.int64]
    subset: NDArray[np.intp]
    subsets: tuple[str, ...]
    place: NDArray[np.int64]
    exchanged: NDArray[np.int64]


@dataclass(frozen=True)
class _Told:
    """What one who was asked says of the n items: judged, right: bool (n,); reason: codes (n,) into `words`. able: the
    share of all shown items that are right."""

    asked: int
    model: str
    run_id: str
    kind: str
    judged: NDArray[np.bool_]
    right: NDArray[np.bool_]
    reason: NDArray[np.uint8]
    words: tuple[str, ...]

    @cached_property
    def able(self) -> float:
        """How often it is right."""
        return float(self.right.sum()) / max(1, int(self.judged.sum()))


def _can_be_shown(store: Store, benchmark: str) -> _Items:
    """The items of a benchmark (hash) whose pictures and captions are here, few enough to be read at a glance."""

    def make() -> _Items:
        found = (
            store.cursor()
            .execute(
                """SELECT item_no, subset, list_position($protocols::VARCHAR[], protocol) - 1 AS place, exchanged
                FROM items
                WHERE benchmark = $benchmark AND exchanged IS NOT NULL
                    AND list_contains($protocols::VARCHAR[], protocol) ORDER BY item_no""",
                {"benchmark": benchmark, "protocols": [str(of) for of in _FIRST]},
            )
            .df()
        )
        subset, names = pd.factorize(found["subset"])
        return _Items(
            found["item_no"].to_numpy(dtype=np.int64), subset, tuple(map(str, names)),
            found["place"].to_numpy(dtype=np.int64), found["exchanged"].to_numpy(dtype=np.int64),
        )  # fmt: skip

    return store.cached(("items to show", benchmark), make)


def _told(store: Store, items: _Items, asked: Sequence[tuple[str, str, str]]) -> list[_Told]:
    """Everyone who was asked and has a verdict on an item, in their order."""
    n = len(items.item_no)
    places = {(run, kind): k for k, (_, run, kind) in enumerate(asked)}
    words: dict[int, list[str]] = {}
    columns: dict[int, tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.uint8]]] = {}
    cursor = store.cursor()
    for place, protocol in enumerate(_FIRST):
        here = np.flatnonzero(items.place == place)
        runs = [run for _, run, _ in asked] if len(here) else []
        numbers = items.item_no[here]
        whole = len(here) > 0 and bool((np.diff(here) == 1).all() and (np.diff(numbers) == 1).all())
        for bits in verdict_bits.read(cursor, runs, METRICS[protocol], {kind for _, _, kind in asked}):
            k = places.get((bits.run_id, bits.kind))
            if k is None:
                continue
            if k not in columns:
                columns[k], words[k] = (np.zeros(n, bool), np.zeros(n, bool), np.zeros(n, np.uint8)), [""]
            rows, at = _both(here, numbers - bits.first, len(bits.there), whole=whole)
            judged, right, reason = columns[k]
            judged[rows], right[rows] = bits.judged[at], bits.right[at]
            words[k] += [word for word in bits.words if word not in words[k]]
            reason[rows] = np.array([words[k].index(word) for word in bits.words], dtype=np.uint8)[bits.reasons()[at]]
    return [_Told(k, *asked[k], *columns[k], tuple(words[k])) for k in sorted(columns) if columns[k][0].any()]


def _both(
    here: NDArray[np.intp], at: NDArray[np.int64], n: int, *, whole: bool
) -> tuple[NDArray[np.intp] | slice, NDArray[np.int64] | slice]:
    """Of items and their places among n bits those that have one: as pieces where there is no gap (whole)."""
    if whole:
        low, high = max(0, -int(at[0])), max(0, min(len(here), n - int(at[0])))
        low = min(low, high)
        return slice(int(here[0]) + low, int(here[0]) + high), slice(int(at[0]) + low, int(at[0]) + high)
    inside = (at >= 0) & (at < n)
    return here[inside], at[inside]


def _candidates(items: _Items, told: Sequence[_Told], telling: NDArray[np.int64]) -> pd.DataFrame:
    """The rows of which one is the first of its subset and reason: those with the most telling items, by the most able
    of those who are wrong on them. group (see `_words`), at (position in `items`), able, asked, told (position)."""
    names = _words(told)
    n_groups, steps = len(items.subsets) * len(names), int(telling.max(initial=0)) + 1
    there = np.zeros(n_groups * steps, dtype=np.bool_)
    # Each item's subset and how telling it is, in one number, to which only the reason has to be added.
    of_item = (items.subset * len(names) * steps + telling).astype(np.int32)
    wrong = []
    for each in told:
        at = np.flatnonzero(each.judged & ~each.right)
        reason = np.array([names.index(word) * steps for word in each.words], dtype=np.int32)[each.reason[at]]
        number = of_item[at] + reason
        there[number] = True
        wrong.append((at, number))
    most = steps - 1 - np.argmax(there.reshape(n_groups, steps)[:, ::-1], axis=1)
    best = np.zeros(n_groups * steps, dtype=np.bool_)  # of a group and how telling: whether that is the most there
    best[np.arange(n_groups) * steps + most] = True
    wrong = [(at[keep], number[keep] // steps) for at, number in wrong for keep in [best[number]]]
    able = np.full(n_groups, -1.0)
    for each, (_, group) in zip(told, wrong, strict=True):
        able[group] = np.maximum(able[group], each.able)
    parts = []
    for k, (each, (at, group)) in enumerate(zip(told, wrong, strict=True)):
        keep = able[group] == each.able
        columns = {"group": group[keep], "at": at[keep], "able": each.able, "asked": each.asked, "told": k}
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame({"group": []}, dtype=int)


def _words(told: Sequence[_Told]) -> list[str]:
    """The reasons that anybody was given; a candidate's `group` is its subset's number times so many, plus its own."""
    return list(dict.fromkeys(["", *(word for each in told for word in each.words)]))


def _certainty(store: Store, items: _Items, told: Sequence[_Told], rows: pd.DataFrame) -> NDArray[np.float64]:
    """q of each candidate, 1 where it has none."""
    found = np.ones(len(rows))
    for k, at in rows.groupby("told").indices.items():
        who, numbers = told[int(str(k))], items.item_no[rows["at"].to_numpy()[at]]
        cursor = store.cursor()
        cursor.register("asked_items", pd.DataFrame({"item_no": numbers}))
        known = cursor.execute(
            """SELECT item_no, q FROM evidence WHERE run_id = ? AND kind = ? AND q IS NOT NULL
                AND item_no IN (SELECT item_no FROM asked_items)""",
            [who.run_id, who.kind],
        ).fetchall()
        cursor.close()
        values = dict(known)
        found[at] = [values.get(number, 1.0) for number in numbers.tolist()]
    return found


def _shown(
    store: Store, benchmark: str, items: _Items, told: Sequence[_Told], rows: Sequence[Mapping[Hashable, Any]]
) -> list[Shown]:
    """The first rows, in full. Their names and cells come by one question: each opens the files of outcomes anew."""
    asked = pd.DataFrame(
        [
            (k, int(items.item_no[row["at"]]), told[row["told"]].run_id, told[row["told"]].kind,
             METRICS[_FIRST[int(items.place[row["at"]])]])
            for k, row in enumerate(rows)
        ],
        columns=["k", "item_no", "run_id", "kind", "metric"],
    )  # fmt: skip
    cursor = store.cursor()
    cursor.register("asked_rows", asked)
    known = {
        k: (str(item_id), str(cell))
        for k, item_id, cell in cursor.execute(
            """SELECT a.k, i.item_id, coalesce(o.cell, '') FROM asked_rows a
            JOIN items i ON i.benchmark = $benchmark AND i.item_no = a.item_no
            JOIN outcomes o ON o.run_id = a.run_id AND o.kind = a.kind AND o.metric = a.metric AND o.item_no = a.item_no
            WHERE o.query = -1 AND list_contains($runs::VARCHAR[], o.run_id)
                AND list_contains($items::INTEGER[], o.item_no)""",
            {"benchmark": benchmark, "runs": sorted(set(asked["run_id"])), "items": asked["item_no"].tolist()},
        ).fetchall()
    }
    cursor.close()
    found = []
    for k, row in enumerate(rows):
        at, who = int(row["at"]), told[int(row["told"])]
        protocol = _FIRST[int(items.place[at])]
        verdicts = tuple((each.model, bool(each.right[at])) for each in told if each.judged[at])
        found.append(
            Shown(
                known[k][0], str(row["subset"]), str(protocol), METRICS[protocol], who.model, who.run_id, who.kind,
                known[k][1], str(row["reason"]), verdicts,
            )
        )  # fmt: skip
    return found
