"""Resampling clusters by their types: the same types as rows have, and means with the variance that is known."""

import numpy as np
import pytest

from backend.metrics.paired import resampling


@pytest.mark.parametrize(
    "rows",
    [
        np.random.default_rng(0).integers(-2, 9, (500, 2)).astype(float),
        np.random.default_rng(1).integers(0, 2, (300, 5)).astype(float),
        np.random.default_rng(2).normal(size=(60, 2)),
        np.array([[0.0, 1e18], [3.0, -1e18], [0.0, 1e18]]),
        np.array([[np.nan, 1.0], [2.0, np.inf]]),
        np.zeros((0, 2)),
    ],
)
def test_types_are_the_different_rows(rows):
    found, times = resampling.types_of(rows)
    wanted, counts = np.unique(rows, axis=0, return_counts=True)
    np.testing.assert_array_equal(found, wanted)
    assert times.tolist() == counts.tolist()


@pytest.mark.parametrize("ids", [[5, 3, 5, 0], [7], [1_000_000, 2, 2], [-1, 4, -1], [True, False, True]])
def test_numbers_are_counted_as_they_would_be_sorted(ids):
    index, n = resampling.cluster_index(ids, len(ids))
    wanted, inverse = np.unique(np.asarray(ids), return_inverse=True)
    assert index.tolist() == inverse.tolist()
    assert n == len(wanted)


@pytest.mark.parametrize("ids", [
    ["b", "a", "b", "ä", "B", "", "10", "9", "a"], np.array(["z", "y", "z"]), np.array(["x", 3, "x"], dtype=object)[:1],
    [f"image/{k % 37}" for k in range(500)],
])  # fmt: skip
def test_words_get_the_places_that_sorting_gives_them(ids):
    for each in (ids, np.asarray(ids, dtype=object)):
        index, n = resampling.cluster_index(each, len(each))
        wanted, inverse = np.unique(np.asarray(each), return_inverse=True)
        assert index.tolist() == inverse.tolist()
        assert index.dtype == np.intp
        assert n == len(wanted)


@pytest.mark.parametrize(("clusters", "size"), [(2000, 3), (60, 40)])
def test_a_resampled_rate_has_the_variance_of_its_clusters(clusters, size):
    """Of c equal clusters with means m_k the mean of c draws has variance mean((m_k - m)^2) / c, whichever way they are
    drawn: by types (many small clusters) or one by one (few large ones)."""
    rng = np.random.default_rng(4)
    chance = rng.beta(2, 2, clusters)
    correct = rng.random((clusters, size)) < chance[:, None]
    rows = np.stack([correct.sum(axis=1), np.full(clusters, size)], axis=1).astype(float)
    by_types = len(np.unique(rows, axis=0)) <= max(8, clusters // 8)
    assert by_types == (clusters == 2000)
    sums = resampling.resample_sums(rows, samples=20_000, seed=1)
    rates, means = sums[:, 0] / sums[:, 1], correct.mean(axis=1)
    known = means.var() / clusters
    assert rates.mean() == pytest.approx(correct.mean(), abs=5 * np.sqrt(known / 20_000))
    assert rates.var() == pytest.approx(known, rel=0.05)  # five times the error of a variance of 20,000 draws
    ends = resampling.percentiles(rates)
    assert ends == pytest.approx(correct.mean() + np.array([-1.96, 1.96]) * np.sqrt(known), abs=0.25 * np.sqrt(known))


def _plainly(rows, samples, seed):
    """All draws at once, as they were counted before."""
    rng, c = np.random.default_rng(seed), len(rows)
    draws = rng.integers(0, c, size=(samples, c)) + c * np.arange(samples)[:, None]
    return np.bincount(draws.reshape(-1), minlength=samples * c).reshape(samples, c) @ rows


@pytest.mark.parametrize("form", ["counts", "losses", "halves", "reals", "large"])
@pytest.mark.parametrize("clusters", [90, 700, 2500])
def test_draws_that_are_counted_bit_by_bit_are_those_of_one_block(clusters, form):
    rng = np.random.default_rng(6)
    counts = rng.integers(0, 40, (clusters, 4)).astype(float)
    counts[:, 3] = np.arange(clusters)  # every row is another: they are drawn one by one
    rows = {
        "counts": counts, "losses": -counts, "halves": counts / 2, "reals": rng.normal(size=(clusters, 3)),
        "large": counts + 2.0**50,
    }[form]  # fmt: skip
    samples = min(300, 4_000_000 // clusters)
    for seed in (0, 0, 1):  # twice: what is kept of the first is the same
        assert np.array_equal(resampling.resample_sums(rows, samples, seed), _plainly(rows, samples, seed))
    assert not np.array_equal(resampling.resample_sums(rows, samples, 2), _plainly(rows, samples, 1))


def test_what_is_kept_of_draws_takes_a_byte_where_it_fits(monkeypatch):
    resampling._again.cache_clear()
    assert all(counts.dtype == np.uint8 for _, counts in resampling._again(700, 300, 3))
    many = np.array([[300, 0], [1, 299]])
    monkeypatch.setattr(resampling, "_counts", lambda *_: iter([(0, many)]))
    assert resampling._again(2, 2, 3)[0][1].tolist() == many.tolist()
    resampling._again.cache_clear()


def test_types_and_single_draws_are_one_distribution():
    """The same clusters, told apart by a number too small to change a sum: then they are drawn one by one."""
    rng = np.random.default_rng(5)
    rows = np.stack([rng.integers(0, 4, 800), np.full(800, 3)], axis=1).astype(float)
    apart = rows.copy()
    apart[:, 0] += np.arange(800) * 1e-12
    together, alone = (resampling.resample_sums(each, 20_000, 2)[:, 0] for each in (rows, apart))
    assert together.mean() == pytest.approx(alone.mean(), rel=0.002)
    assert together.var() == pytest.approx(alone.var(), rel=0.07)
