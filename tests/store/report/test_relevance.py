"""Similarity-based relevance (ours) of stored pools: which encoder grades, and that its numbers are the formula's."""

import numpy as np
import pytest

from backend.engine.storage import shards
from backend.errors import UsageError
from backend.items import Protocol
from backend.store.build.reader import open_store
from backend.store.report import relevance
from backend.store.scores.setting import Setting
from tests.store import writer
from tests.store.conftest import MODEL, ONE

ENCODER, ITC = "fake:encoder", Setting("itc")


@pytest.fixture
def graded(flipside_cache, items):
    """A model with a pool, and an encoder of texts alone on the same benchmark."""
    writer.write_run(flipside_cache, items, ONE, ["itc"])
    folder = writer.write_run(flipside_cache, items, "4" * 16, ["t2t"], model=ENCODER, seed=9)
    manifest = shards.read_manifest(folder)
    writer._embeddings(folder, manifest, items, np.random.default_rng(3))
    del manifest["parts"]["embeddings:image"]
    shards.write_manifest(folder, manifest)
    return open_store(follow=False)


def unit(store, run, modality):
    rows = store.cursor().execute(
        'SELECT vector FROM embeddings WHERE run_id = ? AND part = ? ORDER BY item_no, "index"',
        [run, f"embeddings:{modality}"]).fetchall()  # fmt: skip
    found = np.array([row[0] for row in rows], dtype=np.float64)
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def slow(store, items, encoder_run, side, k=10):
    n = sum(item.protocol == Protocol.RETRIEVAL for item in items)
    s = unit(store, ONE, "image") @ unit(store, ONE, "text").T
    e = unit(store, encoder_run, "text")
    values = []
    for q in range(n if side == "i2t" else 2 * n):
        if side == "i2t":
            grades = [max(max(0.0, e[d] @ e[t]) for t in (2 * q, 2 * q + 1)) for d in range(2 * n)]
            row = s[q]
        else:
            grades = [max(max(0.0, e[q] @ e[t]) for t in (2 * i, 2 * i + 1)) for i in range(n)]
            row = s[:, q]
        top = sorted(range(len(row)), key=lambda d: (-row[d], grades[d]))[:k]
        values.append(np.mean([grades[d] for d in top]) / np.mean(sorted(grades)[-k:]))
    return np.array(values)


@pytest.mark.long
@pytest.mark.parametrize("side", ["i2t", "t2i"])
def test_against_the_formula(graded, items, side):
    found = relevance.similarity(graded, ONE, ITC)[f"{side}_similarity_relevance"]
    values = slow(graded, items, "4" * 16, side)
    assert found["value"] == pytest.approx(values.mean(), abs=1e-6)
    assert found["n"] == len(values)
    assert found["ci95"][0] <= found["value"] <= found["ci95"][1]
    assert (found["encoder"], found["source"], found["k"]) == (ENCODER, "ours", 10)
    own = relevance.similarity(graded, ONE, ITC, encoder=MODEL)[f"{side}_similarity_relevance"]
    assert own["encoder"] == MODEL
    assert own["value"] == pytest.approx(slow(graded, items, ONE, side).mean(), abs=1e-6)


@pytest.mark.long
def test_who_may_grade(graded):
    assert [(e.model, e.alone) for e in relevance.encoders(graded, ONE)] == [(ENCODER, True), (MODEL, False)]
    assert relevance.choose_encoder(graded, ONE).model == ENCODER
    with pytest.raises(UsageError, match=r"there are those of fake:encoder, fake:ok.*--kinds t2t"):
        relevance.choose_encoder(graded, ONE, "st:nobody")
    assert relevance.similarity(graded, ONE, Setting("t2t")) == {}


def test_without_an_encoder_it_says_what_to_run(asked):
    found = relevance.similarity(asked, ONE, ITC)["i2t_similarity_relevance"]
    assert found["value"] is None
    assert found["n"] == 0
    assert "flipside run --model bundled:sentence --benchmark toy --kinds t2t" in found["reason"]


@pytest.mark.slow
@pytest.mark.usefixtures("graded")
def test_the_report(flipside):
    args = ("report", "--model", MODEL, "--benchmark", "toy", "--kind", "itc")
    entry = flipside(*args, "--json").json["metrics"]["t2i_similarity_relevance"]
    assert (entry["encoder"], entry["source"]) == (ENCODER, "ours")
    assert entry["published"] is None
    assert f"(ours: top 10, {ENCODER})" in flipside(*args).out
    named = flipside(*args, "--relevance-encoder", MODEL, "--json").json["metrics"]["t2i_similarity_relevance"]
    assert named["encoder"] == MODEL
    wrong = flipside(*args, "--relevance-encoder", "st:nobody")
    assert wrong.code == 2
    assert len(wrong.err.strip().splitlines()) == 1
