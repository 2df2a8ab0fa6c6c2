"""Close pairs and deviations of stored runs, against numpy on the same embeddings; their normalisation is named."""

import csv
import json

import numpy as np
import pytest
from scipy.special import softmax

import backend.results
from backend.errors import UsageError
from backend.store.quads import equivariance
from backend.store.quads.close_pairs import close_pairs
from tests.store.conftest import MODEL, ONE


def square(asked):
    """Cosines of each image with each image's first caption, from the stored vectors."""
    found = {}
    for modality in ("image", "text"):
        rows = asked.cursor().execute(
            'SELECT vector FROM embeddings WHERE run_id = ? AND part = ? AND "index" = 0 ORDER BY item_no',
            [ONE, f"embeddings:{modality}"]).fetchall()  # fmt: skip
        vectors = np.array([row[0] for row in rows], dtype=np.float64)
        found[modality] = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return found["image"] @ found["text"].T


def test_mined_from_the_pool(asked):
    s = square(asked)
    frame = close_pairs(asked, ONE, "itc", k=3)
    expected = set()
    for i in range(len(s)):
        others = [j for j in range(len(s)) if j != i]
        for j in [*sorted(others, key=lambda j: -s[i, j])[:3], *sorted(others, key=lambda j: -s[j, i])[:3]]:
            expected.add((f"retrieval/{min(i, j) + 1}", f"retrieval/{max(i, j) + 1}"))
    assert set(zip(frame["item_a"], frame["item_b"], strict=True)) == expected
    for line in frame.itertuples():
        i, j = int(line.item_a.split("/")[1]) - 1, int(line.item_b.split("/")[1]) - 1
        assert (line.s11, line.s12, line.s21, line.s22) == pytest.approx((s[i, i], s[i, j], s[j, i], s[j, j]), abs=1e-6)
        assert line.v1 == pytest.approx(s[i, j] - s[j, i], abs=1e-6)
        assert line.v2_text == pytest.approx((s[i, i] - s[i, j]) - (s[j, j] - s[j, i]), abs=1e-6)
        assert line.text_a == f"scene {i + 1}"
        assert line.normalisation == "raw"
    cells = frame[["s11", "s12", "s21", "s22"]].to_numpy()
    assert frame["v1_scale_free"].to_numpy() == pytest.approx(frame["v1"].to_numpy() / cells.std())


def test_softmax_over_the_pool_selects_the_same_pairs(asked, monkeypatch):
    monkeypatch.setattr("backend.store.quads.close_pairs.logit_scale", lambda *_: 7.0)
    raw, frame = close_pairs(asked, ONE, "itc", k=3), close_pairs(asked, ONE, "itc", k=2, normalise="softmax-pool")
    shares = softmax(7.0 * square(asked))
    for line in frame.itertuples():
        i, j = int(line.item_a.split("/")[1]) - 1, int(line.item_b.split("/")[1]) - 1
        assert line.v1 == pytest.approx(shares[i, j] - shares[j, i], abs=1e-7)
        assert line.s11 == pytest.approx(shares[i, i], abs=1e-7)
    assert set(frame["item_a"] + frame["item_b"]) <= set(raw["item_a"] + raw["item_b"])


def test_wrong_use(asked):
    for options in ({"kind": "t2t"}, {"kind": "itc", "k": 0}, {"kind": "itc", "normalise": "softmax-rows"}):
        with pytest.raises(UsageError):
            close_pairs(asked, ONE, **options)
    assert close_pairs(asked, ONE, "itm").empty  # no pool was scored by this kind
    assert equivariance.of_close_pairs(asked, ONE, "itm") is None


@pytest.mark.slow
@pytest.mark.usefixtures("ready")
def test_report_and_export(flipside, tmp_path):
    args = ("--model", MODEL, "--benchmark", "toy")
    found = flipside("report", *args, "--kind", "itc", "--json").json
    pairs, quads = found["close_pairs"], found["deviations"]
    assert (pairs["k"], pairs["normalisation"], pairs["unit"]) == (8, "raw", "cosine")
    assert quads["n"] == 24
    assert (quads["normalisation"], quads["unit"]) == ("raw", "cosine")
    assert set(quads["v1"]) == {
        "n", "mean", "mean_absolute", "median_absolute", "mean_absolute_scale_free", "median_over_margin",
    }  # fmt: skip
    found = flipside("report", *args, "--kind", "itm", "--normalise", "softmax-cells", "--json").json
    assert found["deviations"]["normalisation"] == "softmax-cells"
    assert "four cells" in found["deviations"]["unit"]
    json.dumps(found, allow_nan=False)
    assert "normalisation raw (probability)" in flipside("report", *args, "--kind", "itm").out
    wrong = flipside("report", *args, "--normalise", "softmax-rows")
    assert wrong.code == 2
    assert "softmax-cells" in wrong.err
    out = tmp_path / "pairs.csv"
    answer = flipside(
        "export", *args, "--what", "close-pairs", "--k", "2", "--normalise", "softmax-pool", "--out", str(out)
    )
    assert answer.code == 0
    assert "k 2, normalisation softmax-pool" in answer.err
    rows = list(csv.DictReader(out.open()))
    assert {row["normalisation"] for row in rows} == {"softmax-pool"}
    assert 0 < len(rows) <= 4 * 12
    nothing = flipside("export", *args, "--what", "close-pairs", "--kind", "itm", "--out", str(out))
    assert nothing.code == 2
    assert "no retrieval pool" in nothing.err


@pytest.mark.usefixtures("ready")
def test_the_researchers_door(asked):
    results = backend.results.Results(asked)
    frame = results.close_pairs(MODEL, "toy", k=1)
    assert {"item_a", "item_b", "v1", "normalisation"} <= set(frame)
    assert set(results.deviations(MODEL, "toy", "itm", normalise="softmax-cells")["normalisation"]) == {"softmax-cells"}
