"""The bundled edition: counts, truths read from the texts, tags, and the same items on every machine."""

from collections import Counter
from functools import cache
from hashlib import sha256

import numpy as np
import pytest

from backend.items import Item, Protocol
from backend.world import benchmark
from backend.world.drawing.render import pixels
from backend.world.language.reading import read
from backend.world.language.words import MAX_WORDS, VOCABULARY
from backend.world.scenes import Scene, split_of
from backend.world.truth import holds

ITEMS_SHA256 = "f8eadc93235c650081f4ae4bb9900f56b96f9c0526663d2d29816388901b5929"
PIXELS_SHA256 = "9339a230d3f5573f3edfe7903b80947df83919831439927b1f9c13cd9575fbe1"


@cache
def all_items() -> list[Item]:
    """Made when the first test asks, for that takes seconds."""
    return list(benchmark.bundled())


def of(subset: str) -> list[Item]:
    return [item for item in all_items() if item.subset == subset]


def true(text: str, scene: Scene) -> bool:
    meaning = read(text)
    assert meaning is not None, text
    return holds(meaning, scene)


def scene(item: Item, image: int = 0) -> Scene:
    return Scene.decode(item.images[image].uri)


@pytest.mark.slow
def test_the_same_items_on_every_machine() -> None:
    assert benchmark.bundled().content_hash() == ITEMS_SHA256


def test_the_same_pixels_on_every_machine() -> None:
    digest = sha256()
    for item in all_items()[::120]:
        digest.update(np.ascontiguousarray(pixels(scene(item))).tobytes())
    assert digest.hexdigest() == PIXELS_SHA256


def test_there_are_enough_of_each() -> None:
    assert Counter(item.subset for item in all_items()) == benchmark.BUNDLED
    quads = [n for name, n in benchmark.BUNDLED.items() if name not in ("triplet", "choice", "retrieval")]
    assert min(quads) >= 400
    assert sum(quads) >= 2000
    assert min(benchmark.BUNDLED["triplet"], benchmark.BUNDLED["choice"]) >= 1000
    assert benchmark.BUNDLED["retrieval"] >= 500


def test_every_item_is_well_formed() -> None:
    known = set(VOCABULARY)
    assert len({item.item_id for item in all_items()}) == len(all_items())
    for item in all_items():
        assert {"concept", "perturbation", "split"} <= set(item.tags)
        assert all(isinstance(value, tuple) and value for value in item.tags.values())
        assert len(set(item.texts)) == len(item.texts)
        for text in item.texts:
            assert set(text.split()) <= known
            assert len(text.split()) <= MAX_WORDS


def test_no_item_shows_a_training_scene() -> None:
    assert {split_of(scene(item, i)) for item in all_items() for i in range(len(item.images))} == {"test"}


def test_only_the_tagged_items_show_held_out_pairs() -> None:
    tagged = Counter(item.tags["held_out"] for item in of("attribute"))
    assert min(tagged[("yes",)], tagged[("no",)]) >= 100
    for item in all_items():
        shows = any(scene(item, i).held_out for i in range(len(item.images)))
        assert shows == (item.tags.get("held_out") == ("yes",))


@pytest.mark.parametrize("subset", ["attribute", "relation", "count", "location", "size"])
def test_a_quads_captions_are_true_of_their_own_picture_only(subset: str) -> None:
    for item in of(subset):
        verdicts = [[true(text, scene(item, i)) for text in item.texts] for i in (0, 1)]
        assert verdicts == [[True, False], [False, True]], item.item_id
        words = [Counter(text.split()) for text in item.texts]
        assert sum((words[0] - words[1]).values()) <= 4, item.texts


def test_a_triplets_paraphrases_are_true_and_its_negative_is_not() -> None:
    for item in of("triplet"):
        assert item.protocol is Protocol.TRIPLET
        assert [true(text, scene(item)) for text in item.texts] == [True, True, False], item.texts
        first, second, negative = (Counter(text.split()) for text in item.texts)
        assert min(sum((words - negative).values()) for words in (first, second)) <= 4, item.texts
        assert first != second


def test_a_choices_foils_are_false_or_no_sentences() -> None:
    strata = Counter(item.tags["perturbation"] for item in of("choice"))
    assert strata == {("implausible",): 520, ("against_prior",): 520}
    for item in of("choice"):
        truth, *foils = item.texts
        assert len(foils) == 3
        assert true(truth, scene(item))
        if item.tags["perturbation"] == ("implausible",):
            assert [read(foil) for foil in foils] == [None] * 3, foils
            assert all(sorted(foil.split()) == sorted(truth.split()) for foil in foils)
        else:
            assert not any(true(foil, scene(item)) for foil in foils), item.texts


def test_both_halves_are_large_in_each_stratum() -> None:
    halves = Counter((item.tags["perturbation"], item.tags["split"]) for item in of("choice"))
    assert {split for _, split in halves} == {("dev",), ("test",)}
    assert min(halves.values()) > 200


def test_the_pool_has_three_true_captions_a_picture_and_no_twins() -> None:
    shown = set()
    for item in of("retrieval"):
        assert item.truth == ((0, 0), (0, 1), (0, 2))
        assert all(true(text, scene(item)) for text in item.texts)
        shown.add(tuple(sorted((o.colour, o.shape) for o in scene(item).objects)))
    assert len(shown) == benchmark.BUNDLED["retrieval"]


def test_other_sizes_and_seeds() -> None:
    small, same, other = (list(benchmark.make(60, seed)) for seed in (0, 0, 1))
    assert small == same
    assert len(small) == len(other) == 60
    assert {item.item_id for item in small} == {item.item_id for item in other}
    assert [i.texts for i in small] != [i.texts for i in other]
    bundled = {item.item_id: item for item in all_items()}
    assert all(bundled[item.item_id] == item for item in small)
    assert [sum(benchmark.sizes(n).values()) for n in (1, 7, 500, 20_000)] == [1, 7, 500, 20_000]
