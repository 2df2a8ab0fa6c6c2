"""One side's verdicts under a setting whose verdicts are not stored: judged now, and kept as columns."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.store.build.store import Store
from backend.store.failures import columns
from backend.store.failures.columns import Items, Verdicts, Words
from backend.store.reasons import runs
from backend.store.reasons.words import CARRIED_BY
from backend.store.scores import outcomes
from backend.store.scores.outcomes import Judged
from backend.store.scores.setting import Setting


def verdicts(store: Store, run_id: str, setting: Setting) -> tuple[Items, Verdicts, Words]:
    """The items of the run's benchmark, its verdicts on them by every metric, as `outcomes.judge` gives them, and the
    pool of each verdict, none but on a labelled part of one."""
    items = columns.items(store, store.run(run_id).benchmark)
    found, pool = store.cached(("compared side", run_id, setting), lambda: _judged(store, run_id, setting, items))
    return items, found, pool


def _judged(store: Store, run_id: str, setting: Setting, items: Items) -> tuple[Verdicts, Words]:
    parts = list(outcomes.judge(store.run(run_id), setting))
    tables = {
        next(of for of, names in CARRIED_BY.items() if part.metric in names): part.words.table
        for part in parts
        if part.words is not None
    }
    for protocol, table in tables.items() if not setting.is_default else ():  # those of default settings are stored
        runs.remember(store, run_id, setting, protocol, None, table)

    def joined(each: Callable[[Judged], NDArray[Any]], dtype: type) -> NDArray[Any]:
        return np.concatenate([np.zeros(0, dtype=dtype), *(np.asarray(each(part), dtype=dtype) for part in parts)])

    verdicts_ = Verdicts(
        run_id,
        joined(lambda part: items.place(part.items["item_no"].to_numpy()[part.rows]), np.int32),
        _words([(part.metric,) for part in parts], [np.zeros(len(part.rows), dtype=np.intp) for part in parts]),
        joined(lambda part: part.query, np.int32),
        joined(lambda part: np.where(part.verdicts.defined, part.verdicts.correct, columns.UNDEFINED), np.int8),
        joined(lambda part: part.verdicts.margin, np.float64),
        joined(lambda part: part.verdicts.ties, np.bool_),
        *(_said(parts, name) for name in ("cell", "reason")),
    )
    pools = _words([(part.pool,) for part in parts], [np.zeros(len(part.rows), dtype=np.intp) for part in parts])
    return verdicts_, pools


def _said(parts: Sequence[Judged], name: str) -> Words:
    """The cells or the reasons of all verdicts; the metrics of an item share them, so each block is coded once."""
    known: dict[int, tuple[NDArray[np.intp], tuple[str, ...]]] = {}
    names, codes = list[tuple[str, ...]](), list[NDArray[np.intp]]()
    for part in parts:
        if part.words is not None and id(part.words) not in known:
            own, called = pd.factorize(getattr(part.words, name))
            known[id(part.words)] = own, tuple(str(word) for word in called)
        own, words = known[id(part.words)] if part.words else (np.full(len(part.items), -1, dtype=np.intp), ())
        names.append(words)
        codes.append(own[part.rows])
    return _words(names, codes)


def _words(names: Sequence[tuple[str, ...]], codes: Sequence[NDArray[np.intp]]) -> Words:
    """Words of several parts under one numbering. names, codes: of each part; -1 stays -1.

    >>> _words([("a",), ("b", "a")], [np.array([0, -1]), np.array([1, 0])]).codes.tolist()
    [0, -1, 0, 1]
    """
    place = {name: k for k, name in enumerate(dict.fromkeys(name for called in names for name in called))}
    own = [np.array([*(place[name] for name in called), -1], dtype=np.int32) for called in names]
    whole = [of[code] for of, code in zip(own, codes, strict=True)]
    return Words(np.concatenate([np.zeros(0, dtype=np.int32), *whole]), tuple(place))
