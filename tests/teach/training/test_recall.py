"""Retrieval over held-out items by hand: who finds whom, what is known to be true of several, ties."""

import pytest

torch = pytest.importorskip("torch")

from backend.items import ImageRef, Item, Protocol  # noqa: E402
from backend.teach.training.recall import Seen, recall, true_pairs  # noqa: E402


def quad(name: str, texts: tuple[str, str]) -> Item:
    images = tuple(ImageRef(f"{name}{k}", f"{name}{k}.png") for k in (1, 2))
    return Item(name, "s", Protocol.QUAD, images, texts, ((0, 0), (1, 1)))


def choice(name: str, texts: tuple[str, ...]) -> Item:
    return Item(name, "s", Protocol.CHOICE, (ImageRef(name, f"{name}.png"),), texts, ((0, 0),))


def seen(images: dict[str, list[float]], texts: dict[str, list[float]]) -> Seen:
    return Seen({k: torch.tensor(v) for k, v in images.items()}, {k: torch.tensor(v) for k, v in texts.items()})


def test_each_finds_its_own_and_foils_are_no_captions() -> None:
    items = [quad("q", ("one", "two")), choice("c", ("three", "a foil"))]
    assert true_pairs(items) == {("q1", "one"), ("q2", "two"), ("c", "three")}
    unit = {"one": [1.0, 0, 0], "two": [0, 1.0, 0], "three": [0, 0, 1.0], "a foil": [0, 0, 9.0]}
    found = recall(seen({"q1": [1.0, 0, 0], "q2": [0.9, 0.1, 0], "c": [0, 0, 1.0]}, unit), items)
    # q2's best caption is that of q1; every caption still finds its image, as c's does not find the foil's.
    assert found == {"n_images": 3, "n_captions": 3, "text_r1": pytest.approx(2 / 3), "image_r1": 1.0}


def test_a_caption_that_is_true_of_two_images_is_wrong_for_neither_and_a_tie_is() -> None:
    items = [quad("a", ("same", "two")), quad("b", ("same", "four"))]
    texts = {"same": [1.0, 0, 0], "two": [0, 1.0, 0], "four": [0, 0, 1.0]}
    images = {"a1": [1.0, 0, 0], "a2": [0, 1.0, 0], "b1": [1.0, 0, 0], "b2": [0, 0.5, 0.5]}
    found = recall(seen(images, texts), items)
    assert found["text_r1"] == pytest.approx(3 / 4)  # b2 ties between its own caption and another one
    assert found["image_r1"] == 1.0  # of "same" both images are right


def test_one_image_or_one_caption_is_no_retrieval() -> None:
    assert recall(seen({"c": [1.0]}, {"t": [1.0], "f": [0.0]}), [choice("c", ("t", "f"))]) == {}
