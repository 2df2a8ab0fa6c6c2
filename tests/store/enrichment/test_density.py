"""HDBSCAN that is equal on every processor: the library's own answer under a stable sort of edges."""

import numpy as np
import pytest
from sklearn.cluster import HDBSCAN
from sklearn.cluster._hdbscan import hdbscan as library
from sklearn.metrics import adjusted_rand_score

from backend.store.enrichment.density import hdbscan


def theirs(places, smallest, neighbours):
    found_by = HDBSCAN(
        min_cluster_size=smallest,
        min_samples=neighbours,
        cluster_selection_method="leaf",
        algorithm="kd_tree",
        copy=True,
    )
    return found_by.fit_predict(places)


@pytest.fixture
def sorted_as(monkeypatch):
    """Has the library sort edges stably, or equal ones at random."""

    class Sorts:
        def __init__(self, order):
            self.argsort = order

        def __getattr__(self, name):
            return getattr(np, name)

    def sort(order):
        monkeypatch.setattr(library, "np", Sorts(order))

    return sort


def clouds(seed, n=90, step=0.0):
    """Three clouds of n dots each and n loose ones; step: on a grid of this width, where many distances are equal."""
    rng = np.random.default_rng(seed)
    at = np.concatenate([rng.normal(middle, 0.3, (n, 2)) for middle in ((0, 0), (4, 0), (0, 4))])
    at = np.concatenate([at, rng.uniform(-2, 6, (n, 2))])
    return np.round(at / step) * step if step else at


@pytest.mark.parametrize("step", [0.0, 0.05, 0.25])
@pytest.mark.parametrize("seed", range(6))
def test_it_is_the_librarys_own_under_a_stable_sort(sorted_as, seed, step):
    places = clouds(seed, step=step)
    sorted_as(lambda values: np.argsort(values, kind="stable"))
    for smallest, neighbours in ((12, 5), (40, 10)):
        assert np.array_equal(hdbscan(places, smallest, neighbours), theirs(places, smallest, neighbours))


def test_the_order_of_equal_edges_changes_the_librarys_and_not_ours(sorted_as):
    """What makes the own sort necessary: without it this module should go."""
    places, rng = clouds(1, step=0.25), np.random.default_rng(0)
    sorted_as(lambda values: np.lexsort((rng.random(len(values)), values)))
    assert len({tuple(theirs(places, 12, 5)) for _ in range(20)}) > 1
    assert len({tuple(hdbscan(places, 12, 5)) for _ in range(3)}) == 1


def test_three_clouds_are_three_groups():
    places = clouds(2)
    found, planted = hdbscan(places, 60, 5)[:270], np.repeat([0, 1, 2], 90)
    assert set(found[found >= 0]) == {0, 1, 2}
    assert adjusted_rand_score(planted[found >= 0], found[found >= 0]) == 1.0
