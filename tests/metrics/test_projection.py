"""The two main axes, neighbours and alignment against scikit-learn, SciPy and brute force."""

import numpy as np
import pytest
from scipy.spatial import procrustes
from sklearn.decomposition import PCA

from backend.metrics import projection


def unit(rng, n, d=6):
    rows = rng.normal(size=(n, d))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_pca_is_scikit_learns():
    data = unit(np.random.default_rng(1), 80)
    mine = projection.pca(data)
    reference = PCA(2).fit(data)
    np.testing.assert_allclose(np.abs(mine.places), np.abs(reference.transform(data)), atol=1e-10)
    np.testing.assert_allclose(mine.shares, reference.explained_variance_ratio_, atol=1e-12)


@pytest.mark.parametrize("data", [np.ones((1, 3)), np.ones((4, 3)), np.arange(4.0)[:, None]])
def test_pca_of_next_to_nothing_is_finite(data):
    found = projection.pca(data)
    assert found.places.shape == (len(data), 2)
    assert np.isfinite(found.places).all()
    assert np.isfinite(found.shares).all()


@pytest.mark.parametrize("block", [7, 8_000_000])
def test_neighbours_are_those_of_a_full_sort(monkeypatch, block):
    monkeypatch.setattr(projection, "_BLOCK", block)
    rng = np.random.default_rng(2)
    pool = unit(rng, 40).astype(np.float32)
    rows, cosines = projection.neighbours(pool, pool, 5, itself=True)
    full = pool @ pool.T
    np.fill_diagonal(full, -9)
    np.testing.assert_array_equal(rows, np.argsort(-full, axis=1, kind="stable")[:, :5])
    np.testing.assert_allclose(cosines, np.take_along_axis(full, rows, axis=1), atol=1e-6)


def test_a_small_pool_leaves_places_empty():
    rows, cosines = projection.neighbours(np.eye(2), np.eye(2), 3, itself=True)
    assert rows.tolist() == [[1, -1, -1], [0, -1, -1]]
    assert np.isnan(cosines[:, 1:]).all()


def test_alignment_is_scipys_and_undoes_a_turn():
    rng = np.random.default_rng(3)
    target, other = rng.normal(size=(30, 2)), rng.normal(size=(30, 2))
    assert projection.laid_over(other, target).disparity == pytest.approx(procrustes(target, other)[2])
    turned = 3.0 * target @ np.array([[0.0, 1.0], [1.0, 0.0]]) + [5, -2]  # mirrored, scaled, moved
    back = projection.laid_over(turned, target)
    np.testing.assert_allclose(back.places, target, atol=1e-9)
    assert back.disparity == pytest.approx(0, abs=1e-9)
    assert projection.laid_over(np.zeros((4, 2)), target[:4]).disparity == 1
