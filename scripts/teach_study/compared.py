"""What the cells say of each other: rates, the parts of quads, and differences with their intervals."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from backend.metrics.auroc import area
from backend.metrics.core.arrays import FloatArray
from backend.metrics.reasons.quads import decompose
from scripts.teach_study.kept import Judged

#: Verdicts of a quad.
RATES = ("text_score", "image_score", "group_score", "group_match")
#: Of a matching head: EqSim's pc, pf and their mean, which its tables call acc.
CALLED = ("pc", "pf", "acc")
#: Of a quad, in the unit of the score.
PARTS = ("gamma", "abs_c", "abs_r", "deviation_v1", "deviation_v2")
#: Behind the name of a part over the standard deviation of the scores, by which models can be compared.
OVER = " / deviation"
_TRUE = np.eye(2, dtype=np.bool_)


def rates(odds: bool) -> tuple[str, ...]:
    """Which verdicts there are: log-odds have a threshold, cosines have none."""
    return (*RATES, *CALLED) if odds else RATES


def verdicts(scores: NDArray[np.float32], odds: bool = False) -> dict[str, NDArray[Any]]:
    """RATES of quads (n, 2, 2), each bool (n,); ties count as failures. With log-odds also CALLED, float (n,): the
    share of a quad's two true pairs that are called a match (P > .5), and of its two false ones that are not."""
    found = decompose(scores)
    told = dict(zip(RATES, (found.text, found.image, found.group, found.gamma > 0), strict=True))
    if not odds:
        return told
    called = scores > 0
    true, false = called[:, [0, 1], [0, 1]], called[:, [0, 1], [1, 0]]
    pc, pf = true.mean(1), 1 - false.mean(1)
    return told | dict(zip(CALLED, (pc, pf, (pc + pf) / 2), strict=True))


def part_values(scores: NDArray[np.float32]) -> dict[str, FloatArray]:
    """PARTS of each quad (n,): γ, |c|, |r|, and EqSim's deviations. deviation_v1: |s12 - s21|; deviation_v2: the mean
    of |(s11 - s12) - (s22 - s21)| and |(s11 - s21) - (s22 - s12)| (EqSim, Eq. 6). Then each over the standard deviation
    of all cells, as `NAME / deviation`."""
    found = decompose(scores)
    c, r = np.asarray(found.c, float), np.asarray(found.r, float)
    raw = {
        "gamma": np.asarray(found.gamma, float),
        "abs_c": np.abs(c),
        "abs_r": np.abs(r),
        "deviation_v1": np.abs(2 * (r - c)),
        "deviation_v2": 2 * (np.abs(c) + np.abs(r)),
    }
    spread = float(np.std(scores))
    return raw | {f"{name}{OVER}": value / spread for name, value in raw.items()}


def parts(scores: NDArray[np.float32]) -> dict[str, float]:
    """Means of `part_values`, spread: the standard deviation of all cells, and auroc: of the true pairs against the
    false ones, which stands for min(pc, pf) where scores have no threshold."""
    truth = np.broadcast_to(_TRUE, scores.shape)
    means = {name: float(value.mean()) for name, value in part_values(scores).items()}
    return means | {"spread": float(np.std(scores)), "auroc": _auroc(scores.ravel(), truth.ravel())}


def _auroc(values: NDArray[np.float32], truth: NDArray[np.bool_]) -> float:
    _, level = np.unique(values, return_inverse=True)
    return area(level, truth, np.ones(len(values)))


def difference(ours: Sequence[NDArray[Any]], theirs: Sequence[NDArray[Any]]) -> dict[str, Any]:
    """Ours minus theirs over seeds, an array of verdicts or numbers (n,) a seed, of the same items.

    by_seed: the differences. ends: 95 % interval of their mean that takes seeds and items as drawn: the variance of the
    seeds' means and that of the items' means are added, each over its number, with Student's t at seeds - 1. What is
    left of a cell when its seed's and its item's share are taken stands in both, so the interval is rather too wide.
    None with one seed. item_ends: the same with items alone as drawn, for these trainings. won, lost: how often the
    difference is above and below 0, over all seeds.
    """
    d: FloatArray = np.stack([np.asarray(a, float) - np.asarray(b, float) for a, b in zip(ours, theirs, strict=True)])
    s, n = d.shape
    mean = float(d.mean())
    told: dict[str, Any] = {"mean": mean, "by_seed": d.mean(1).tolist(), "won": int((d > 0).sum())}
    told["lost"] = int((d < 0).sum())
    of_items = 1.959964 * float(np.sqrt(d.mean(0).var(ddof=1) / n))
    told["item_ends"] = [mean - of_items, mean + of_items]
    if s < 2:
        return told | {"ends": None}
    half = float(stdtrit(s - 1, 0.975)) * float(np.sqrt(d.mean(1).var(ddof=1) / s + d.mean(0).var(ddof=1) / n))
    return told | {"ends": [mean - half, mean + half]}


def told(found: Judged, odds: bool = False) -> dict[str, Any]:
    """A cell's numbers, as JSON: set -> rates, parts and, of log-odds, min_pc_pf; and the tests of what may be
    forgotten."""
    sets = {}
    for name, scores in found.scores.items():
        sets[name] = {key: float(value.mean()) for key, value in verdicts(scores, odds).items()} | parts(scores)
        if odds:
            sets[name]["min_pc_pf"] = min(sets[name]["pc"], sets[name]["pf"])
    return {"sets": sets, "hits": {name: float(hits.mean()) for name, hits in found.hits.items()}}


def against(cells: Mapping[int, Judged], others: Mapping[int, Judged], odds: bool = False) -> dict[str, Any]:
    """One recipe's cells minus another's, seed by seed. sets: set -> rate -> `difference`; all: the same with the quads
    of all sets as one; parts: part -> `difference` over all sets, each divided by its own set's deviation; hits."""
    seeds = sorted(set(cells) & set(others))
    one, two = [cells[seed] for seed in seeds], [others[seed] for seed in seeds]
    names = list(one[0].scores)
    judged = [[{name: verdicts(cell.scores[name], odds) for name in names} for cell in side] for side in (one, two)]
    measured = [[{name: part_values(cell.scores[name]) for name in names} for cell in side] for side in (one, two)]
    sets = {
        name: {rate: difference(*([v[name][rate] for v in side] for side in judged)) for rate in rates(odds)}
        for name in names
    }
    whole = {rate: difference(*_joined(judged, rate)) for rate in rates(odds)}
    found = {part: difference(*_joined(measured, part)) for part in (*PARTS, *(f"{part}{OVER}" for part in PARTS))}
    hits = {name: difference([c.hits[name] for c in one], [c.hits[name] for c in two]) for name in one[0].hits}
    return {"sets": sets, "all": whole, "parts": found, "hits": hits}


def _joined(sides: Sequence[Sequence[Mapping[str, Mapping[str, Any]]]], of: str) -> list[list[NDArray[Any]]]:
    """Of each side and seed the arrays of all sets as one."""
    return [[np.concatenate([by_set[of] for by_set in cell.values()]) for cell in side] for side in sides]
