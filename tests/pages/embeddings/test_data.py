"""What Embeddings opens with where nobody has chosen."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from backend.metrics import projection
from backend.store.items.embeddings import Points
from pages.embeddings import data, view
from pages.shared.data.stored import StoredBenchmark

CLIP, OWN = "bundled:clip", "own:mine"
RATES = pd.DataFrame(
    [
        (CLIP, "itc", "attribute", 0.3), (CLIP, "itc", "count", 0.6), (CLIP, "itc", "size", 0.7),
        (OWN, "itc", "attribute", 0.9), (OWN, "itc", "count", 0.2), (OWN, "itc", "size", 0.8),
    ],
    columns=["model", "kind", "group", "value"],
)  # fmt: skip


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> StoredBenchmark:
    monkeypatch.setattr(data, "_rates", lambda benchmark: RATES)
    monkeypatch.setattr(data.embeddings, "subsets_with_vectors", lambda store, run: ())
    monkeypatch.setattr(data.stored, "store", lambda: SimpleNamespace(cached=lambda _, make: make()))
    monkeypatch.setattr(data, "_map_ships", lambda benchmark, model, part: True)
    subsets = ["attribute", "count", "size"]
    return StoredBenchmark(
        "world", "w", dict.fromkeys(subsets, 450), dict.fromkeys(subsets, "quad"), {CLIP: "1" * 16, OWN: "2" * 16},
        {CLIP: ["itc"], OWN: ["itc"]}, {CLIP: [], OWN: []},
    )  # fmt: skip


def test_a_run_of_some_items_does_not_choose_the_subset(benchmark: StoredBenchmark) -> None:
    """300 items at random, scored by one's own model, sent everybody to a subset without a map."""
    assert data.first_part(benchmark, CLIP) == "count"
    some = replace(benchmark, partial={OWN: "300 at random"})
    assert data.first_part(some, CLIP) == "attribute"
    alone = replace(some, kinds={CLIP: [], OWN: ["itc"]})
    assert data.first_part(alone, OWN) == "count"


def test_what_can_be_drawn_at_once_comes_before_what_is_worse(
    benchmark: StoredBenchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data, "_map_ships", lambda benchmark, model, part: part != "count")
    assert data.first_part(benchmark, CLIP) == "size"
    monkeypatch.setattr(data, "_map_ships", lambda benchmark, model, part: False)
    assert data.first_part(benchmark, CLIP) == "count"


def test_the_first_screen_has_the_vectors_that_its_sentence_needs(
    benchmark: StoredBenchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A map that ships without vectors opened first, and a model began to embed 900 captions by itself."""
    stored_ = ["size"]
    monkeypatch.setattr(data.embeddings, "subsets_with_vectors", lambda store, run: stored_)
    assert data.first_part(benchmark, CLIP) == "size"
    stored_.append("attribute")  # both have vectors: the one on which the best model is worse, 0.7 against 0.9
    assert data.first_part(benchmark, CLIP) == "size"
    stored_.clear()
    assert data.first_part(benchmark, CLIP) == "count"  # none has: the worst that can be drawn


def test_points_are_not_read_of_subsets_that_have_no_vectors(
    benchmark: StoredBenchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What there is to embed was listed of eight subsets, to find that the ninth alone had vectors."""
    monkeypatch.setattr(data, "_map_ships", lambda *_: pytest.fail("points are read for it"))
    monkeypatch.setattr(data.embeddings, "subsets_with_vectors", lambda store, run: ("attribute",))
    assert data.first_part(benchmark, CLIP) == "attribute"


def test_what_was_embedded_for_the_page_does_not_move_what_it_opens_with(
    benchmark: StoredBenchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Failed before: once somebody had looked at another subset, old links opened that one."""
    monkeypatch.setattr(data.embeddings, "subsets_with_vectors", lambda store, run: ("attribute",))
    embedded = SimpleNamespace(known=True)
    monkeypatch.setattr(data, "space", lambda benchmark, model, part: embedded if part == "count" else None)
    monkeypatch.setattr(data.maps, "any_vectors", lambda run: True)
    assert data.first_part(benchmark, CLIP) == "attribute"


def points(modalities: list[str], content: list[int], item_ids: list[str]) -> Points:
    frame = pd.DataFrame({"content": content, "item_id": item_ids})
    contents = pd.DataFrame({"modality": modalities, "label": modalities}, dtype=object)
    return Points(frame, contents, np.zeros((0, 2), np.intp), len(set(item_ids)), len(set(item_ids)))


@pytest.mark.parametrize(("n_images", "n_texts"), [(9, 30), (3, 8), (0, 12), (7, 0), (1, 1)])
def test_neighbours_are_those_that_are_found_one_by_one(n_images: int, n_texts: int) -> None:
    """Also where equal vectors are nearer than oneself, and where there are fewer than are wanted."""
    rng = np.random.default_rng(n_images)
    n = n_images + n_texts
    vectors = rng.normal(size=(n, 5)).astype(np.float32)
    vectors[n // 2 :: 3] = vectors[n // 2]
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    of = data.Space("m", "r", points(["image"] * n_images + ["text"] * n_texts, [], []), vectors, False, 0)
    asked = rng.permutation(n)[: max(1, n - 2)]
    rows, cosines = data.neighbours_of(of, asked)
    images = np.arange(n) < n_images
    for mine in (True, False):
        lines = np.flatnonzero(images[asked] == mine)
        for side, theirs in ((0, mine), (data.NEAR, not mine)):
            pool = np.flatnonzero(images == theirs)
            found, values = projection.neighbours(vectors[asked[lines]], vectors[pool], data.NEAR + (side == 0))
            for line, some, cosine in zip(lines, found, values, strict=True):
                named = [(pool[c], v) for c, v in zip(some, cosine, strict=True) if c >= 0 and pool[c] != asked[line]]
                named = [*named, *[(-1, np.nan)] * data.NEAR][: data.NEAR]
                here = slice(side, side + data.NEAR)
                assert rows[line, here].tolist() == [c for c, _ in named]
                np.testing.assert_array_equal(cosines[line, here], np.array([v for _, v in named], np.float32))


def test_each_content_has_its_first_item_and_how_many_more() -> None:
    of = points(["text"] * 4, [2, 0, 0, 2, 2, 0], ["b", "c", "a", "b", "d", "c"])
    said = view.shared(of, [], [])
    assert (said["items"], said["more"]) == (["c", "", "b", ""], [1, 0, 1, 0])
