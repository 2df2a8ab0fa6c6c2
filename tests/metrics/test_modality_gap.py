"""The modality gap by hand, its interval's coverage, and pairs against brute force."""

import numpy as np
import pytest

from backend.metrics.modality_gap import modality_gap, pair_cosines


def cloud(rng, centre, n):
    rows = centre + 0.4 * rng.normal(size=(n, len(centre)))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_gap_is_the_distance_of_the_centroids():
    images, texts = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[-1.0, 0.0], [0.0, -1.0], [-1.0, 0.0]])
    found = modality_gap(images, texts, ["a", "b"], ["a", "b", "b"])
    assert found is not None
    assert found.size == pytest.approx(np.hypot(0.5 + 2 / 3, 0.5 + 1 / 3))
    assert (found.n_images, found.n_texts) == (2, 3)


def test_nothing_and_a_single_item_have_no_interval():
    assert modality_gap(np.zeros((0, 2)), [[1.0, 0.0]], [], ["a"]) is None
    alone = modality_gap([[1.0, 0.0]], [[0.0, 1.0]], ["a"], ["a"])
    assert alone is not None
    assert (alone.ci95, alone.floor) == (None, None)


def test_the_interval_covers_the_gap_of_the_population():
    rng = np.random.default_rng(5)
    a, b = np.array([1.0, 0.2, 0.0, 0.0]), np.array([0.4, 1.0, 0.3, 0.0])
    truth = np.linalg.norm(cloud(rng, a, 400_000).mean(0) - cloud(rng, b, 400_000).mean(0))
    inside = 0
    for trial in range(120):
        found = modality_gap(cloud(rng, a, 40), cloud(rng, b, 40), range(40), range(40), 400, trial)
        assert found is not None
        assert found.ci95 is not None
        inside += found.ci95[0] <= truth <= found.ci95[1]
    assert inside >= 104  # 95 % of 120 is 114; fewer than 104 would come by chance once in ten thousand


def test_without_a_gap_the_size_is_near_its_floor():
    rng = np.random.default_rng(6)
    centre, sizes, floors = np.ones(8), [], []
    for _ in range(60):
        found = modality_gap(cloud(rng, centre, 50), cloud(rng, centre, 50), range(50), range(50), 50)
        assert found is not None
        assert found.floor is not None
        sizes.append(found.size**2)
        floors.append(found.floor**2)
    assert np.mean(sizes) == pytest.approx(np.mean(floors), rel=0.2)


def test_pairs_are_those_of_a_double_loop():
    rng = np.random.default_rng(7)
    images, texts = cloud(rng, np.ones(5), 9), cloud(rng, np.ones(5), 12)
    of_image, of_text = np.repeat(["a", "b", "c"], 3), np.repeat(["c", "b", "a", "d"], 3)
    texts[11] = texts[6]  # the caption of an item occurs again in another item
    together = [(0, 6), (3, 3), (4, 3), (8, 1)]
    found = pair_cosines(images, texts, of_image, of_text, together)
    every = [(i, t) for i in range(9) for t in range(12) if (i, t) not in together and (i, t) != (0, 11)]
    foils = [images[i] @ texts[t] for i, t in every if of_image[i] == of_text[t]]
    others = [images[i] @ texts[t] for i, t in every if of_image[i] != of_text[t]]
    np.testing.assert_allclose(found.matched, [images[i] @ texts[t] for i, t in together])
    np.testing.assert_allclose(np.sort(found.foils), np.sort(foils))
    np.testing.assert_allclose(np.sort(found.others), np.sort(others))
    assert found.items.tolist() == ["a", "b", "b", "c"]
