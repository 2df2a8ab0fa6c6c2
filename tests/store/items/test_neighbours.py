"""Neighbours against brute force in numpy and against TF-IDF computed by hand."""

import math
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from backend.errors import UsageError
from backend.store import queries
from backend.store.build.reader import open_store
from backend.store.build.store import Store
from backend.store.items import neighbours
from tests.pages import results


@pytest.fixture
def store(flipside_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: flipside_cache / "none")
    results.write(flipside_cache)
    opened = open_store()
    yield opened
    opened.close()


def words(caption: str) -> Counter[str]:
    single = re.findall(r"\w+", caption.lower())
    return Counter(single) + Counter(f"{a} {b}" for a, b in pairwise(single))


@pytest.mark.slow
def test_words_and_embeddings_agree_with_brute_force(store: Store) -> None:
    benchmark = str(queries.benchmarks(store)["hash"].iloc[0])
    rows = store.cursor().execute(
        "SELECT item_id, texts, truth, item_no FROM items WHERE benchmark = ? ORDER BY item_no", [benchmark]
    ).fetchall()  # fmt: skip
    ids, captions = [row[0] for row in rows], [row[1][0] for row in rows]

    counts = [words(caption) for caption in captions]
    seen = Counter(term for each in counts for term in each)
    idf = {term: math.log((1 + len(rows)) / (1 + n)) + 1 for term, n in seen.items()}
    vectors = [{term: n * idf[term] for term, n in each.items()} for each in counts]
    norms = [math.sqrt(sum(v * v for v in each.values())) for each in vectors]
    here = ids.index("relation/1")
    similar = [
        sum(v * each.get(term, 0) for term, v in vectors[here].items()) / (norms[here] * norm)
        for each, norm in zip(vectors, norms, strict=True)
    ]
    found = neighbours.neighbours(store, benchmark, "relation/1", neighbours.WORDS, 6)
    others = sorted((-s, k) for k, s in enumerate(similar) if k != here)[:6]
    assert found["similarity"].to_numpy() == pytest.approx([-s for s, _ in others], abs=1e-5)
    for item_id, value in found.itertuples(index=False):
        assert similar[ids.index(item_id)] == pytest.approx(value, abs=1e-5)
    assert "relation/1" not in set(found["item_id"])

    pool = next(row[0] for row in rows if row[0].startswith("retrieval/"))
    ways = {source.name: source for source in neighbours.sources(store, benchmark, pool)}
    assert [source.modality for source in ways.values()][-1] == "words"
    assert [s.name for s in neighbours.sources(store, benchmark, "relation/1")] == [neighbours.WORDS]
    numbers = {row[3]: row[0] for row in rows}
    for name, source in ways.items():
        if source.modality == "words":
            continue
        stored = store.cursor().execute(
            'SELECT item_no, "index", vector FROM embeddings WHERE run_id = ? AND part = ? ORDER BY 1, 2',
            [name.partition("@")[2], f"embeddings:{source.modality}"],
        ).fetchall()  # fmt: skip
        unit = np.array([vector for _, _, vector in stored], dtype=float)
        unit /= np.linalg.norm(unit, axis=1, keepdims=True)
        own = next(k for k, row in enumerate(stored) if numbers[row[0]] == pool)
        best: dict[str, float] = {}
        for row, value in zip(stored, unit @ unit[own], strict=True):
            best[numbers[row[0]]] = max(best.get(numbers[row[0]], -2.0), float(value))
        best.pop(pool)
        found = neighbours.neighbours(store, benchmark, pool, name, 4)
        assert found["similarity"].to_numpy() == pytest.approx(sorted(best.values(), reverse=True)[:4], abs=1e-4)
        assert [best[item_id] for item_id in found["item_id"]] == pytest.approx(found["similarity"].to_list(), abs=1e-4)
    assert len(ways) > 1


@pytest.mark.slow
def test_what_is_unknown_is_said(store: Store) -> None:
    benchmark = str(queries.benchmarks(store)["hash"].iloc[0])
    with pytest.raises(UsageError, match="no item 'x/1'"):
        neighbours.sources(store, benchmark, "x/1")
    with pytest.raises(UsageError, match="no way to find"):
        neighbours.neighbours(store, benchmark, "relation/1", "taste")
    with pytest.raises(UsageError, match="has no embeddings:image"):
        neighbours.neighbours(store, benchmark, "relation/1", "image@" + "1" * 16)
