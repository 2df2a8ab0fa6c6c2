"""Shares of right items in groups: a frame of outcomes is turned into numbers once, and then counted many times."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend import taxonomy
from backend.metrics import statistics
from backend.metrics.core import registry
from backend.metrics.paired.resampling import where_shared
from backend.metrics.statistics import Rate
from backend.store.scores.matrices import JOIN
from backend.store.scores.noise import Noise

#: Groups by the taxonomy's broadest terms -> the column that holds the finer ones.
FAMILIES = {"concept/*": "concept", "perturbation/*": "perturbation"}


@dataclass(frozen=True)
class Numbers:
    """The n verdicts of a frame of `outcomes.compute` as arrays (n,).

    metric: positions in `metrics`. cluster: numbered in the order of the clusters' names, so that what is resampled is
    the same as with the names themselves, which take seconds to sort.
    """

    metrics: tuple[str, ...]
    metric: NDArray[np.intp]
    cluster: NDArray[np.intp]
    correct: NDArray[np.bool_]
    defined: NDArray[np.bool_]
    ties: NDArray[np.bool_]
    margin: NDArray[np.float64]
    candidates: NDArray[np.intp]
    relevant: NDArray[np.intp]


def numbers(frame: pd.DataFrame) -> Numbers:
    """The frame as arrays."""
    metric, names = pd.factorize(frame["metric"])
    return Numbers(
        tuple(map(str, names)),
        metric,
        pd.factorize(frame["cluster"], sort=True)[0],
        frame["correct"].fillna(value=False).to_numpy(dtype=bool),
        frame["correct"].notna().to_numpy(dtype=bool),
        frame["ties"].to_numpy(dtype=bool),
        frame["margin"].to_numpy(dtype=float),
        frame["candidates"].to_numpy(dtype=np.intp),
        frame["relevant"].to_numpy(dtype=np.intp),
    )


@dataclass(frozen=True)
class Within:
    """What batching could turn over in a rate: n verdicts, and the rate were all of these wrong, or all right."""

    n: int
    lowest: float
    highest: float


def within(margin: NDArray[np.float64], bound: float | None) -> Within | None:
    """Verdicts whose margin lies within a bound; None without a bound or without verdicts. margin: defined ones, (n,).

    >>> within(np.array([0.5, 1e-7, 0.0, -1e-8, -0.5]), 1e-6)
    Within(n=3, lowest=0.2, highest=0.8)
    """
    if bound is None or not len(margin):
        return None
    close = np.abs(margin) <= bound
    sure = int((margin > bound).sum())
    return Within(int(close.sum()), sure / len(margin), (sure + int(close.sum())) / len(margin))


def shares(
    of: Numbers,
    members: Iterator[tuple[str, NDArray[np.intp]]],
    noise: Noise,
    only: frozenset[str] | None = None,
) -> Iterator[tuple[str, str, Rate, float | None, Within | None]]:
    """(metric, group, rate, chance level, what batching could change) of each group and of each metric in it, in the
    order in which they appear. members: see `groups`. only: these metrics."""
    wanted = np.array([only is None or name in only for name in of.metrics], dtype=bool)
    for group, rows in members:
        codes = of.metric[rows]
        for metric in pd.unique(codes):
            if not wanted[metric]:
                continue
            at = rows[codes == metric]
            clusters, defined = of.cluster[at], of.defined[at]
            rate = statistics.rate(of.correct[at], defined, of.ties[at], where_shared(clusters))
            name, judged = of.metrics[metric], at[defined]
            declared = registry.known(name)
            chance = declared.level(of.candidates[judged], of.relevant[judged]) if declared else None
            yield name, group, rate, chance, within(of.margin[judged], noise.of(name))


def groups(
    frame: pd.DataFrame, by: str | None, keep: NDArray[np.bool_] | None = None
) -> Iterator[tuple[str, NDArray[np.intp]]]:
    """Each group's name and the rows that are in it, a row once for each time that it names the group, in the order in
    which they first appear. by: as in `rates.rates`. keep: bool (n,), only these rows."""
    rows = np.arange(len(frame)) if keep is None else np.flatnonzero(keep)
    if by is None or not len(rows):
        yield "", rows
        return
    codes, texts, named = _named(frame, by)
    own = codes[rows]
    appear = [int(code) for code in pd.unique(own) if code >= 0]
    times: dict[str, dict[int, int]] = {}
    for code in appear:
        for name in named(texts[code]):
            if name:
                of = times.setdefault(str(name), {})
                of[code] = of.get(code, 0) + 1
    for name, counted in times.items():
        how_often = np.zeros(len(texts) + 1, dtype=np.intp)  # the last one stands for a missing text, code −1
        how_often[list(counted)] = list(counted.values())
        yield name, np.repeat(rows, how_often[own])


def _named(frame: pd.DataFrame, by: str) -> tuple[NDArray[np.intp], list[str], Callable[[str], list[str]]]:
    """(the text of each row as a number, the texts, which groups a text names)."""
    if by in ("subset", "all"):
        pools, sizes = pd.factorize(frame["pool"])
        subsets, names = pd.factorize(frame["subset"]) if by == "subset" else (np.zeros(len(frame), np.intp), ["all"])
        codes, pairs = pd.factorize(subsets * max(1, len(sizes)) + pools)
        said = [divmod(int(pair), max(1, len(sizes))) for pair in pairs]
        texts = [f"{names[name]}" + (f" ({sizes[size]})" if sizes[size] else "") for name, size in said]
        return codes, texts, lambda text: [text]
    if by in ("cell", "reason"):
        codes, found = pd.factorize(frame[by])
        return codes, [str(text) for text in found], lambda text: [text]
    if by in ("concept", "perturbation", *FAMILIES):
        codes, found = pd.factorize(frame[FAMILIES.get(by, by)])
        return codes, [str(text) for text in found], families if by in FAMILIES else lambda text: text.split(JOIN)
    codes, found = pd.factorize(frame["tags"])
    return codes, [str(text) for text in found], lambda text: list(json.loads(text).get(by, []))


def families(joined: str) -> list[str]:
    """The broadest terms above the terms of one item, each once.

    >>> families("colour" + JOIN + "size" + JOIN + "order")
    ['attribute', 'order']
    """
    return list(dict.fromkeys(taxonomy.family(name) for name in joined.split(JOIN) if name))
