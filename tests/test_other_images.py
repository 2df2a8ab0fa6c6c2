import numpy as np
import pytest

from backend.other_images import OtherImages, Seen
from backend.world.benchmark import bundled
from backend.world.language.reading import read
from backend.world.scenes import Scene
from backend.world.truth import holds

TEXTS = ("a true caption", "a foil")


def seen(n, tags=None, keys=None, subset="s", protocol="choice"):
    """n choices of one subset, each with an image of its own unless `keys` say which; tags: of each, by its number."""
    return [Seen(k, subset, protocol, [keys[k] if keys else f"{k}.png"], (tags or (lambda _: {}))(k)) for k in range(n)]


def test_no_item_gets_its_own_image_or_one_of_its_cluster():
    keys = [f"{k // 2}.png" for k in range(40)]  # two items an image
    drawn = OtherImages.of(seen(40, lambda k: {"group": (f"video {k // 8}",)}, keys), 0)
    for k in range(40):
        chosen = drawn.choose(k, TEXTS, 100)
        assert len(chosen) == len(set(chosen)) == 20 - 4
        assert all(number // 8 != k // 8 and number % 2 == 0 for number in chosen)
        assert sorted(chosen) == sorted(drawn.pools["s"].numbers[drawn.may(k, TEXTS)].tolist())
    assert drawn.pools["s"].largest_cluster == 4


def test_items_of_other_protocols_join_clusters_too():
    quad = Seen(2, "quads", "quad", ["0.png", "1.png"], {})
    drawn = OtherImages.of([*seen(2), quad], 0)
    assert drawn.choose(0, TEXTS, 5) == []
    assert OtherImages.of(seen(2), 0).choose(0, TEXTS, 5) == [1]


def test_a_larger_number_begins_with_the_smaller_one_and_items_share_images():
    drawn = OtherImages.of(seen(200), 3)
    chosen = [drawn.choose(k, TEXTS, 32) for k in range(200)]
    assert all(drawn.choose(k, TEXTS, 16) == chosen[k][:16] for k in range(200))
    assert len({number for images in chosen for number in images}) == 32 + drawn.pools["s"].largest_cluster


def test_the_draw_depends_on_the_seed_and_not_on_the_order_of_the_items():
    items = seen(50)
    assert OtherImages.of(items, 1).choose(0, TEXTS, 9) != OtherImages.of(items, 2).choose(0, TEXTS, 9)
    assert OtherImages.of(items[::-1], 1).choose(0, TEXTS, 9) == OtherImages.of(items, 1).choose(0, TEXTS, 9)


@pytest.mark.parametrize(("tag", "said"), [("objects", "objects"), ("object", "objects"), ("concept", "concept")])
def test_images_that_share_something_come_first(tag, said):
    drawn = OtherImages.of(seen(40, lambda k: {tag: (f"thing {k % 4}",)}), 0)
    assert drawn.pools["s"].preferred == said
    for k in range(40):
        chosen = drawn.choose(k, TEXTS, 15)
        assert all(number % 4 == k % 4 for number in chosen[:9])
        assert all(number % 4 != k % 4 for number in chosen[9:])
        assert drawn.may(k, TEXTS, 9).sum() == 9
        assert drawn.may(k, TEXTS, 10).sum() == 39


def test_objects_stand_before_concepts():
    drawn = OtherImages.of(seen(8, lambda k: {"objects": (str(k % 2),), "concept": (str(k // 4),)}), 0)
    assert {number % 2 for number in drawn.choose(1, TEXTS, 3)} == {1}


def test_only_images_of_the_same_subset_and_of_items_that_are_used():
    items = [*seen(6), *(each._replace(item_no=10 + n, subset="t") for n, each in enumerate(seen(6)))]
    items[3] = items[3]._replace(used=False)
    drawn = OtherImages.of(items, 0)
    assert sorted(drawn.choose(0, TEXTS, 9)) == [1, 2, 4, 5]
    assert sorted(drawn.choose(10, TEXTS, 9)) == [1, 2, 3, 4, 5]  # the least number that shows it, in whatever subset
    assert not drawn.knows(3)


def test_in_the_world_images_that_fit_a_caption_are_left_out():
    items = list(bundled())
    numbers = [n for n, item in enumerate(items) if item.subset == "choice"][:300]
    rows = [Seen(n, items[n].subset, items[n].protocol, [items[n].images[0].key], items[n].tags) for n in numbers]
    drawn = OtherImages.of(rows, 0)
    fitting = 0
    for n in numbers:
        scenes = {m: Scene.decode(items[m].images[0].key) for m in numbers}
        meanings = [m for m in map(read, items[n].texts) if m is not None]
        may = {number for number in numbers if number != n and not any(holds(m, scenes[number]) for m in meanings)}
        fitting += len(numbers) - 1 - len(may)
        assert set(drawn.pools["choice"].numbers[drawn.may(n, items[n].texts)].tolist()) == may
        chosen = drawn.choose(n, items[n].texts, 16)
        assert len(chosen) == 16
        assert set(chosen) <= may
        shapes = {o.shape for o in scenes[n].objects}
        sharing = [bool(shapes & {o.shape for o in scenes[number].objects}) for number in chosen]
        assert sharing == sorted(sharing, reverse=True)
        if n == numbers[100]:
            break
    assert fitting > 100


def test_may_is_of_the_pools_length():
    drawn = OtherImages.of(seen(5), 0)
    assert drawn.may(2, TEXTS).shape == (5,)
    assert np.flatnonzero(~drawn.may(2, TEXTS)).tolist() == [drawn.pools["s"].numbers.tolist().index(2)]
