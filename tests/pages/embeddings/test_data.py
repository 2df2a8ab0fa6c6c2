"""What Embeddings opens with where nobody has chosen."""

from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest

from pages.embeddings import data
from pages.shared.data.stored import StoredBenchmark

CLIP, OWN = "bundled:clip", "own:mine"
#: Of a space: its vectors are there; a map of it ships.
HAS_VECTORS, HAS_MAP = SimpleNamespace(known=True), SimpleNamespace(known=False)
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
    monkeypatch.setattr(data.stored, "store", lambda: None)
    monkeypatch.setattr(data, "space", lambda benchmark, model, part: HAS_VECTORS)
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
    monkeypatch.setattr(data, "space", lambda benchmark, model, part: None if part == "count" else HAS_VECTORS)
    assert data.first_part(benchmark, CLIP) == "size"
    monkeypatch.setattr(data, "space", lambda benchmark, model, part: None)
    assert data.first_part(benchmark, CLIP) == "count"


def test_the_first_screen_has_the_vectors_that_its_sentence_needs(
    benchmark: StoredBenchmark, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A map that ships without vectors opened first, and a model began to embed 900 captions by itself."""
    found = {"count": HAS_MAP, "size": HAS_VECTORS}
    monkeypatch.setattr(data, "space", lambda benchmark, model, part: found.get(part))
    assert data.first_part(benchmark, CLIP) == "size"
    found["attribute"] = HAS_VECTORS  # both have vectors: the one on which the best model is worse, 0.7 against 0.9
    assert data.first_part(benchmark, CLIP) == "size"
    found.update(size=HAS_MAP, attribute=HAS_MAP)
    assert data.first_part(benchmark, CLIP) == "count"  # none has: the worst that can be drawn
