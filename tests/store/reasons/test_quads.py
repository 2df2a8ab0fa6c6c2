"""Cells and reasons of stored quads: recounted from the stored scores, and in the rows that should have them."""

import numpy as np
import pytest

from backend import results
from backend.engine.runner import run
from backend.metrics.reasons import quads as apart
from backend.protocols import Protocol
from backend.store.reasons.runs import of_run
from backend.store.reasons.words import CARRIED_BY
from backend.store.scores.setting import Setting
from tests.engine.samples import mixed

MODEL = "fake:ok"


def cell_by_hand(s):
    """The cell of one quad from comparisons alone; s[i, j] is image i with text j."""
    text = s[0, 0] > s[0, 1] and s[1, 1] > s[1, 0]
    image = s[0, 0] > s[1, 0] and s[1, 1] > s[0, 1]
    if text and image:
        return "right"
    if s[0, 0] + s[1, 1] <= s[0, 1] + s[1, 0]:
        return "no_binding"
    return "outvoted_by_caption" if image else "outvoted_by_image" if text else "outvoted_by_both"


def matrices_of(mine, kind):
    """Item id -> (2, 2) stored scores of a quad, of gen the mean log-probability a token."""
    rows = mine.scores(MODEL, "mixed", kind)
    rows = rows[rows["item_id"].str.startswith("quad/") & (rows["part"] == kind)]
    values = rows["value"] / rows["n_tokens"] if kind == "gen" else rows["value"]
    found = {}
    for item_id, i, j, value in zip(rows["item_id"], rows["image_index"], rows["text_index"], values, strict=True):
        found.setdefault(item_id, np.full((2, 2), np.nan))[i, j] = value
    return found


@pytest.mark.parametrize("kind", ["itc", "itm", "gen", "vqa"])
def test_each_cell_is_that_of_the_stored_scores(flipside_cache, tmp_path, kind):
    assert run(MODEL, mixed(tmp_path / "p", 24), [kind], root=flipside_cache).exit_code == 0
    mine = results.open()
    frame = mine.outcomes({"kind": kind}, model=MODEL, benchmark="mixed")
    quads = frame[frame["metric"] == "group_match"].set_index("item_id")
    want = {item_id: cell_by_hand(s) for item_id, s in matrices_of(mine, kind).items()}
    assert len(want) == 24
    assert quads["cell"].to_dict() == want
    assert len(set(want.values())) > 2
    right = frame[frame["metric"] == "group_score"].set_index("item_id")["correct"]
    assert (quads["cell"] == "right").to_dict() == right.to_dict()
    assert ((quads["cell"] != "no_binding") == quads["correct"]).all()
    assert set(quads["reason"]) <= {*apart.QUAD_CELLS, "reversed", "uncertain"}
    for metric, rows in frame.groupby("metric"):
        said = set(rows["cell"]) | set(rows["reason"])
        assert ("" in said) == (metric not in CARRIED_BY[Protocol.QUAD]), metric


def test_forced_choices_have_no_cell(flipside_cache, tmp_path):
    assert run(MODEL, mixed(tmp_path / "p", 6), ["verdict"], root=flipside_cache).exit_code == 0
    mine = results.open()
    frame = mine.outcomes({"kind": "verdict"}, model=MODEL, benchmark="mixed")
    assert "text_score" in set(frame["metric"])
    assert set(frame["cell"]) == set(frame["reason"]) == {""}
    run_id = frame["run_id"].iloc[0]
    assert of_run(mine.store, run_id, Setting("verdict"), Protocol.QUAD).empty
