"""The statistics against what they were before, on the same inputs in one run: `python -m bench.statistics_pairs`.

Printed are CPU seconds (the least of a few rounds that alternate) and their ratio. Promised: exact alpha over 1 million
comparisons within 0.3 s and any alpha after that within 1 ms, 10,000 clustered resamples of a rate over 100,000 items
within 1 s, recalls on 5,000 x 25,000 in bounded memory.
"""

import argparse
import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np

from backend.metrics import alpha, retrieval
from backend.metrics.core.compare import real_texts
from backend.metrics.core.tables import Owners, Products
from backend.metrics.paired import resampling
from bench.promises import Promise, say

ROUNDS = 5


def cpu(work: Callable[[], Any]) -> float:
    """CPU seconds of one call."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def pair(name: str, before: Callable[[], Any], now: Callable[[], Any], rounds: int = ROUNDS) -> float:
    """One line: both ways in turn, so that both see the same machine. CPU seconds of now."""
    took = [(cpu(before), cpu(now)) for _ in range(rounds)]
    old, new = (min(column) for column in zip(*took, strict=True))
    print(f"{name:62} {old:8.3f} s {new:8.3f} s  {old / new:5.1f} x", flush=True)  # noqa: T201
    return new


def intervals_before(gen: Any, prior: Any) -> alpha.Intervals:
    """Half-lines of choices with every case asked of every cell."""
    real = real_texts(gen, None)[:, 1:]
    g, p = (np.where(each[:, :1] == each[:, 1:], 0.0, each[:, :1] - each[:, 1:]) for each in (gen, prior))
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        end = g / p
    always, never = (p == 0) & (g > 0) | (g == np.inf), (p == 0) & (g <= 0) | (g == -np.inf)
    lo = np.where(always, -np.inf, np.where(never, np.inf, np.where(p > 0, -np.inf, end)))
    hi = np.where(always, np.inf, np.where(never, -np.inf, np.where(p > 0, end, np.inf)))
    unknown = np.isnan(g) | ~np.isfinite(p)
    lo, hi = np.where(unknown, np.nan, lo), np.where(unknown, np.nan, hi)
    low = np.where(real, lo, -np.inf).max(axis=1, initial=-np.inf)
    high = np.where(real, hi, np.inf).min(axis=1, initial=np.inf)
    low = np.where(real.any(axis=1), low, np.nan)
    unknown, empty = np.isnan(low) | np.isnan(high), low >= high
    low = np.where(unknown, np.nan, np.where(empty, np.inf, low))
    return alpha.Intervals(low, np.where(unknown, np.nan, np.where(empty, -np.inf, high)))


def curve_before(intervals: alpha.Intervals) -> tuple[Any, Any]:
    """Break-points and values between them, by sorting positions and three searches."""
    weight = np.ones(len(intervals))
    owner, lo, hi = intervals.pieces()
    starts, ends = np.argsort(lo, kind="stable"), np.argsort(hi, kind="stable")
    started = np.concatenate([[0.0], np.cumsum(weight[owner][starts])])
    ended = np.concatenate([[0.0], np.cumsum(weight[owner][ends])])
    lo_sorted, hi_sorted = lo[starts], hi[ends]
    points = np.unique(np.concatenate([lo[np.isfinite(lo)], hi[np.isfinite(hi)]]))
    over = ended[np.searchsorted(hi_sorted, points, "right")]
    after = started[np.searchsorted(lo_sorted, points, "right")] - over
    on = started[np.searchsorted(lo_sorted, points, "left")] - over
    before = started[np.searchsorted(lo_sorted, -np.inf, "right")]
    return points, (np.concatenate([[before], after]) / len(intervals), on / len(intervals))


def alphas(rng: Any) -> None:
    """1 million comparisons, as 1 million items with one foil and as 250,000 with four."""
    for items, foils in ((1_000_000, 1), (250_000, 4)):
        gen, prior = (rng.normal(size=(items, foils + 1)) for _ in range(2))
        what = f"exact alpha: {items:,} items, {foils} foil{'s' * (foils > 1)} each"
        took = pair(
            what,
            lambda gen=gen, prior=prior: curve_before(intervals_before(gen, prior)),
            lambda gen=gen, prior=prior: alpha.curve(alpha.intervals(gen, prior)),
        )
        curve = alpha.curve(alpha.intervals(gen, prior))
        points, (between, _) = curve_before(intervals_before(gen, prior))
        same = np.array_equal(points, curve.breakpoints) and np.array_equal(between, curve.value_between)
        some = rng.uniform(0, 1, 1000)
        begun = time.process_time()
        for at in some:
            curve.at(at)
        each = 1e6 * (time.process_time() - begun) / len(some)
        print(f"  the same curve: {same}; any alpha after that {each:.0f} microseconds")  # noqa: T201
        ends = alpha.intervals(gen, prior)
        bound = min(cpu(lambda ends=ends: [np.sort(side) for side in (ends.lo, ends.hi)]) for _ in range(ROUNDS))
        say(
            Promise(f"E{what[1:]}, CPU", took, 0.3, "s", False, bound, "sorting both ends of every item alone"),
            Promise(f"… any alpha after that, CPU ({what})", each / 1000, 1, "ms"),
        )


def resample_before(rows: Any, samples: int, seed: int) -> Any:
    """As `resample_sums`, whose types were found by sorting rows."""
    unique, times = np.unique(rows, axis=0, return_counts=True)
    if len(unique) <= max(8, len(rows) // 8):
        return np.random.default_rng(seed).multinomial(len(rows), times / len(rows), size=samples) @ unique
    return resampling.resample_sums(rows, samples, seed)


def rate_before(correct: Any, clusters: Any) -> Any:
    """The interval of a rate."""
    _, index = np.unique(clusters, return_inverse=True)
    sums = np.stack([np.bincount(index, correct), np.bincount(index)], axis=1)
    found = resample_before(sums, 10_000, 0)
    return resampling.percentiles(found[:, 0] / found[:, 1])


def resamples(rng: Any) -> None:
    """10,000 resamples of a rate over 100,000 items, in clusters of several kinds."""
    n = 100_000
    correct = (rng.random(n) < 0.6).astype(float)
    kinds = {
        "25,000 clusters of 4": np.arange(n) // 4,
        "30,000 clusters of any size": rng.integers(0, 30_000, n),
        "each item by itself": np.arange(n),
        "2,600 clusters of any size (the most draws)": rng.integers(0, 2600, n),
        "100 clusters of 1,000": np.arange(n) // 1000,
    }
    for name, clusters in kinds.items():
        took = pair(
            f"10,000 resamples: {name}",
            lambda clusters=clusters: rate_before(correct, clusters),
            lambda clusters=clusters: resampling.bootstrap(correct, clusters, samples=10_000),
            rounds=3,
        )
        same = rate_before(correct, clusters) == resampling.bootstrap(correct, clusters, samples=10_000)
        print(f"  the same interval: {same}")  # noqa: T201
        say(Promise(f"10,000 resamples of a rate, 100,000 items, {name}, CPU", took, 1, "s"))


def recalls(rng: Any, images: int, texts: int, d: int) -> None:
    """Recalls of a pool from its vectors: the table as a whole, and a block at a time."""
    owner = np.repeat(np.arange(images), texts // images)
    first = rng.normal(size=(images, d)).astype(np.float32)
    second = (first[owner] + 4 * rng.normal(size=(len(owner), d))).astype(np.float32)
    first, second = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (first, second))

    def whole() -> Any:
        return retrieval.recall_outcomes(first @ second.T, np.arange(images)[:, None] == owner[None, :])

    def tiled() -> Any:
        return retrieval.recall_outcomes(Products(first, second), Owners(np.arange(images), owner))

    pair(f"R@k, {images:,} x {len(owner):,}, whole against tiled", whole, tiled, rounds=1)
    most = []
    for work in (whole, tiled):
        tracemalloc.start()
        found = work()
        most.append(tracemalloc.get_traced_memory()[1] / 1e6)
        tracemalloc.stop()
        most.append(found)
    same = all(most[1][0][name].correct.tolist() == most[3][0][name].correct.tolist() for name in most[1][0])
    print(f"  memory {most[0]:,.0f} MB whole, {most[2]:,.0f} MB tiled; the same verdicts: {same}")  # noqa: T201
    owned = f"R@k on {images:,} × {len(owner):,}, most memory"
    say(Promise(owned, most[2], None, "MB", False, (first.nbytes + second.nbytes) / 1e6, "the vectors themselves"))


def main() -> None:
    """All of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--small", action="store_true", help="a pool of 500 x 2,500 in place of 5,000 x 25,000")
    given = parser.parse_args()
    rng = np.random.default_rng(0)
    print(f"{'':62} {'before':>10} {'now':>10}")  # noqa: T201
    alphas(rng)
    resamples(rng)
    recalls(rng, *((500, 2_500) if given.small else (5_000, 25_000)), 512)


if __name__ == "__main__":
    main()
