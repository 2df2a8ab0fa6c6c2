"""Which items of a benchmark belong together: shared images in any place, regions, groups; intervals by simulation."""

import numpy as np
import pytest

from backend import item_clusters
from backend.metrics.statistics import rate


def test_any_shared_image_joins_and_what_is_joined_by_way_of_others_too():
    keys = [["a", "b"], ["c", "b"], ["d", "c"], ["e", "f"], ["g"]]
    assert item_clusters.clusters(keys, [[]] * 5).tolist() == [0, 0, 0, 1, 2]


def test_a_group_joins_and_is_no_image_of_the_same_name():
    assert item_clusters.clusters([["a"], ["b"], ["v"]], [["v"], ["v"], []]).tolist() == [0, 0, 1]


def test_an_item_of_two_videos_joins_them():
    assert item_clusters.clusters([["a"], ["b"], ["c"]], [["v"], ["w"], ["v", "w"]]).tolist() == [0, 0, 0]


def test_regions_of_one_picture_are_one_picture():
    keys = [["7.jpg#1,2,3,4"], ["7.jpg#5,6,7,8"], ["8.jpg#1,2,3,4"]]
    assert item_clusters.names(keys, [[]] * 3, ["1", "2", "3"]) == ["7.jpg", "7.jpg", "8.jpg"]


def test_items_without_images_are_called_by_their_ids():
    assert item_clusters.names([[], []], [[], []], ["x/1", "x/2"]) == ["x/1", "x/2"]


@pytest.mark.long
def test_intervals_by_the_first_image_of_adjacent_frames_are_too_narrow_and_by_video_they_hold():
    """40 videos of 12 pairs of neighbouring frames; whether a pair is right is the video's own chance, .2 or .9."""
    rng = np.random.default_rng(0)
    video = np.repeat(np.arange(40), 12)
    keys = [[f"{v}/{k}", f"{v}/{k + 1}"] for v in range(40) for k in range(12)]
    groups = [[f"v{v}"] for v in video]
    first = np.unique([shown[0] for shown in keys], return_inverse=True)[1]
    by_video = item_clusters.clusters(keys, groups)
    assert (len(np.unique(first)), len(np.unique(by_video))) == (480, 40)
    held = {"first image": 0, "video": 0}
    worlds = 150
    for _ in range(worlds):
        right = rng.random(480) < rng.choice([0.2, 0.9], 40)[video]
        for name, of in (("first image", first), ("video", by_video)):
            low, high = rate(right, np.ones(480, bool), clusters=of).ci95
            held[name] += low <= 0.55 <= high
    assert held["first image"] / worlds < 0.75
    assert held["video"] / worlds > 0.88
