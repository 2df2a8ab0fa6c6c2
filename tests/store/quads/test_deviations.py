"""Deviations of stored quads, computed once for both sides, against each side by itself; and their concepts."""

import numpy as np
import pandas as pd
import pytest

from backend.kinds import SIMILARITIES
from backend.metrics import eqsim, protocols
from backend.protocols import Protocol
from backend.store.quads import deviations as of
from backend.store.scores import matrices
from tests.store.conftest import ONE, TWO


def one_by_one(items, text, s):
    """The measured columns of `deviations`, each measure by itself, subset by subset; all of them of one matrix."""
    found = {f"s{i + 1}{j + 1}": s[:, i, j] for i in range(2) for j in range(2)}
    for name in ("v1", "v2_text", "v2_image"):
        dev = eqsim.deviations(text)
        found[name] = dev._asdict()[name]
        free = np.full(len(s), np.nan)
        for subset in items["subset"].unique():
            rows = (items["subset"] == subset).to_numpy(dtype=bool)
            own = eqsim.scale_free(eqsim.deviations(text[rows]), text[rows])
            free[rows] = own._asdict()[name]
        found[f"{name}_scale_free"] = free
        found[f"{name}_over_margin"] = eqsim.dev_over_margin(dev, text)._asdict()[name]
    return found | {f"{name.removesuffix('_score')}_margin": v.margin for name, v in protocols.quad(s).items()}


@pytest.mark.parametrize(
    ("run", "kind", "same"), [(ONE, "itc", True), (ONE, "itm", True), (ONE, "gen", False), (TWO, "itc", True)]
)
def test_every_column_is_what_it_is_by_itself(patchy, run, kind, same):
    block = matrices.block(patchy.run(run), kind, Protocol.QUAD)
    s = eqsim.normalise(block.scores, kind, "raw", block.n_tokens if kind == "gen" else None)
    text = s if same else s * np.random.default_rng(0).uniform(0.5, 1.5, size=s.shape)
    assert np.isnan(s).any() == (run == ONE and kind != "itm"), "no score is missing, so this test shows less"
    found = of._frame(block.items, text, s)
    expected = one_by_one(block.items, text, s)
    assert set(found) == {"item_no", "item_id", "subset", "concept", *expected}
    for name, values in expected.items():
        np.testing.assert_array_equal(found[name].to_numpy(), values, err_msg=name)
    pd.testing.assert_frame_equal(found[["item_no", "item_id", "subset", "concept"]],
                                  block.items[["item_no", "item_id", "subset", "concept"]])  # fmt: skip


@pytest.mark.parametrize("kind", ["itc", "itm", "gen"])
def test_concepts_are_those_of_the_quads_that_have_a_score(patchy, kind):
    for run in (ONE, TWO):
        assert of.concepts(patchy, run, kind) == list(of.deviations(patchy, run, kind)["concept"].unique())
    assert kind in SIMILARITIES


def test_a_concept_without_any_score_is_not_among_them(tmp_path, monkeypatch):
    from backend.store.build.reader import open_store
    from tests.store import writer

    items = writer.items(3)
    writer.write_run(tmp_path, items, "7" * 16, ["itm"])
    rows = [(n, i, t, -1, -1, float(i == t), -1) for n, item in enumerate(items) if item.subset == "relation"
            for i in range(2) for t in range(2)]  # fmt: skip
    writer.add_part(tmp_path / "runs" / ("7" * 16), "itc", rows)
    monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path))
    store = open_store(follow=False)
    assert of.concepts(store, "7" * 16, "itm") == ["attribute", "relation"]
    assert of.concepts(store, "7" * 16, "itc") == ["relation"]
    assert of.concepts(store, "7" * 16, "gen") == []
