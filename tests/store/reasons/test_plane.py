"""Quads in standard deviations of the model's own scores of their subset, from stored rows."""

import numpy as np
import pytest

from backend.errors import UsageError
from backend.metrics.reasons import mirror, scales
from backend.protocols import Protocol
from backend.store import queries as q
from backend.store.reasons import plane, runs
from backend.store.scores.judged import judged_scores
from backend.store.scores.setting import Setting
from tests.store.catalog.test_queries import quads
from tests.store.conftest import BLIND, ONE, TWO


@pytest.mark.parametrize("kind", ["itc", "itm"])
def test_each_subset_has_its_own_unit(asked, kind):
    s = quads(asked, kind)  # stored itm is log-odds, the scale of reasons
    table = plane.quads(asked, ONE, kind)
    assert len(table) == len(s) == 24
    for rows in (slice(0, 12), slice(12, 24)):
        part = s[rows]
        own = table[rows]
        assert own["subset"].nunique() == 1
        gamma = (part[:, 0, 0] - part[:, 0, 1] - part[:, 1, 0] + part[:, 1, 1]) / 4 / part.std()
        c = (part[:, 0, 0] - part[:, 0, 1] + part[:, 1, 0] - part[:, 1, 1]) / 4 / part.std()
        assert own["gamma"].to_numpy() == pytest.approx(gamma)
        assert own["c"].to_numpy() == pytest.approx(c)
    found = plane.lost(table)
    assert found.n == 24
    assert found.cells["no_binding"][0] == (table["gamma"] <= 0).sum()
    assert np.array([count for count, _ in found.cells.values()]).sum() == 24


@pytest.mark.parametrize("kind", ["itc", "itm", "gen"])
def test_the_kept_numbers_make_the_plane_that_the_whole_table_made(patchy, kind):
    """Against the same from the table of reasons, item by item; of ONE some scores are missing."""
    for run in (ONE, TWO) if kind == "itc" else (ONE,):
        setting = Setting(kind)
        table = runs.of_run(patchy, run, setting, Protocol.QUAD)
        block, scores = judged_scores(patchy.run(run), setting, Protocol.QUAD)
        scaled = scales.judged_on_scale(scores, kind, setting.norm).values
        known = table[table["gamma"].notna()].reset_index(drop=True)
        assert (len(known) < len(block)) == (run == ONE and kind != "itm")
        at = block.items.set_index("item_no").index.get_indexer(known["item_no"])
        found = plane.quads(patchy, run, kind)
        for name in ("item_id", "subset", "concept", "cluster"):
            assert found[name].tolist() == block.items[name].iloc[at].tolist()
        for name in ("item_no", "cell", "mirrored", "reason", "nested", "scale"):
            assert found[name].tolist() == known[name].tolist()
        for subset, rows in known.groupby("subset").indices.items():
            unit = float(np.std(scaled[at[rows]]))
            for name in ("gamma", "c", "r"):
                mine = found.loc[found["subset"] == subset, name].to_numpy()
                np.testing.assert_array_equal(mine, known[name].to_numpy()[rows] / unit)


def test_what_is_lost_is_counted_by_the_clusters_as_they_are_called(patchy):
    table = plane.quads(patchy, TWO, "itc")
    found = plane.lost(table)
    assert table["cluster"].nunique() < len(table), "no quads share a picture, so this test shows less"
    assert found.share == mirror.at_least(table["gamma"], table["cluster"].to_numpy(dtype=object))


def test_a_run_without_such_scores_has_no_plane(asked):
    assert plane.quads(asked, BLIND, "itc").empty
    assert plane.quads(asked, ONE, "t2t").empty


def test_deviations_of_gen_lose_the_prior_where_captions_are_compared(asked):
    """v1 and the text side by hand from log P(t|i) − α log P(t); scores and margins as without it, and the image side,
    but for what it is divided by."""
    plain, whole = (q.deviations(asked, ONE, "gen", alpha=at, prior="images:2") for at in (0.0, None))
    half = q.deviations(asked, ONE, "gen", alpha=0.5, prior="images:2")
    assert (set(plain["alpha"]), set(whole["alpha"]), set(half["alpha"])) == ({0.0}, {1.0}, {0.5})
    gap = whole["v1"] - plain["v1"]  # −α (p2 − p1)
    assert np.abs(gap).max() > 0
    assert (whole["v2_text"] - plain["v2_text"]).to_numpy() == pytest.approx(2 * -gap.to_numpy())
    assert (half["v1"] - plain["v1"]).to_numpy() == pytest.approx(gap.to_numpy() / 2)
    np.testing.assert_allclose(whole["v2_image"], plain["v2_image"], atol=1e-12)
    ratio = whole["v2_image_scale_free"] / whole["v2_image"]
    np.testing.assert_allclose(whole["v1_scale_free"] / whole["v1"], ratio)
    assert not np.allclose(ratio, plain["v2_image_scale_free"] / plain["v2_image"])
    same = ["s11", "s12", "s21", "s22", "text_margin", "group_margin"]
    assert plain[same].equals(whole[same])
    by_hand = _prior_gap(asked)
    assert gap.to_numpy() == pytest.approx(by_hand)
    with pytest.raises(UsageError, match="scores of kind itc do not have"):
        q.deviations(asked, ONE, "itc", alpha=0.5)
    assert set(q.deviations(asked, ONE, "itc")["alpha"]) == {0.0}


def _prior_gap(asked):
    """p1 − p2 of each quad, a token, from the rows of its two images' samples."""
    rows = asked.cursor().execute(
        """SELECT item_no, text_index, value, n_tokens FROM scores JOIN items USING (item_no)
        WHERE run_id = ? AND part = 'prior@images:2' AND protocol = 'quad' AND text_index >= 0 ORDER BY 1, 2""",
        [ONE],
    ).fetchall()  # fmt: skip
    found = {}
    for item, text, value, count in rows:
        found.setdefault(item, {}).setdefault(text, []).append((value, count))
    terms = {
        i: [np.log(np.mean(np.exp([v for v, _ in of[t]]))) / of[t][0][1] for t in (0, 1)] for i, of in found.items()
    }
    return np.array([terms[item][0] - terms[item][1] for item in sorted(terms)])
