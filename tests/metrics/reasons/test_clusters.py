import numpy as np
import pytest

from backend.metrics.reasons.clusters import components


def test_any_shared_image_or_group_joins():
    images = [["a", "b"], ["c"], ["b"], ["d"], [], ["c", "e"], ["f"], []]
    groups = [None, None, None, "v", "v", None, "", ""]
    assert components(images, groups).tolist() == [0, 1, 0, 2, 2, 1, 3, 4]
    assert components([]).tolist() == []


def test_a_chain_is_one_cluster_and_a_tag_is_no_image():
    chain = [[str(k), str(k + 1)] for k in range(50)]
    assert set(components(chain[::-1])) == {0}
    assert components([["v"], ["w"]], [None, "v"]).tolist() == [0, 1]
    with pytest.raises(ValueError, match="each of the 2 items, got 1"):
        components([["a"], ["b"]], ["v"])


def test_against_joining_by_hand():
    rng = np.random.default_rng(0)
    images = [[f"{k}" for k in rng.integers(0, 60, 2)] for _ in range(50)]
    label = list(range(50))
    for _ in range(50):
        for a in range(50):
            for b in range(50):
                if set(images[a]) & set(images[b]):
                    label[a] = label[b] = min(label[a], label[b])
    found = components(images)
    assert np.array_equal(found[:, None] == found, np.array(label)[:, None] == np.array(label))
