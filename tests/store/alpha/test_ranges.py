"""Ranges of α item by item, against asking every item at many α."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from backend.metrics import alpha as metrics
from backend.metrics.alpha import Intervals, Unions
from backend.store.alpha import ranges
from backend.store.alpha.curves import AlphaCurve
from backend.store.build.store import Store

GRID = np.linspace(0.0, 1.0, 4001)


def curve_of(sets: Intervals | Unions) -> AlphaCurve:
    n = len(sets)
    items = pd.DataFrame({"item_id": [f"=i/{k}" for k in range(n)], "subset": "s", "concept": "c", "perturbation": "p"})
    found = metrics.curve(sets)
    return AlphaCurve("accuracy", "noise:1", "token", items, sets, found, found.best(), None, "", None)


def intervals() -> Intervals:
    ends = np.sort(np.random.default_rng(1).normal(0.4, 0.6, (60, 2)), axis=1)
    ends[0], ends[1], ends[2] = [-np.inf, np.inf], [np.inf, -np.inf], np.nan
    ends[3:10, 0], ends[10:20, 1] = -np.inf, np.inf
    return Intervals(ends[:, 0], ends[:, 1])


def unions() -> Unions:
    rng = np.random.default_rng(5)
    gen, prior = rng.normal(-3, 1, (150, 9)), rng.normal(-3, 2, 9)
    return metrics.recall_unions(gen, prior, rng.random((150, 9)) < 0.4)


@pytest.mark.parametrize("sets", [intervals(), unions()], ids=["intervals", "unions"])
def test_shares_and_kinds_are_what_asking_at_many_alphas_gives(sets: Intervals | Unions) -> None:
    curve = curve_of(sets)
    asked = np.stack([sets.contains(float(a)) for a in GRID])
    every = ranges.ranges(curve, (0.0, 1.0), "all", "item").set_index("position")
    assert list(every.index) == np.flatnonzero(sets.defined).tolist()
    assert np.allclose(every["share"], asked.mean(axis=0)[every.index], atol=5 / len(GRID))
    for which, wanted in (("always", asked.all(axis=0)), ("never", ~asked.any(axis=0))):
        found = set(ranges.ranges(curve, (0.0, 1.0), which, "item")["position"])  # type: ignore[arg-type]
        assert found <= set(np.flatnonzero(wanted & sets.defined))
    changes = set(ranges.ranges(curve, (0.0, 1.0), "changes", "item")["position"])
    assert set(np.flatnonzero(asked.any(axis=0) & ~asked.all(axis=0))) <= changes
    kinds = [ranges.ranges(curve, (0.0, 1.0), w)["position"] for w in ("changes", "always", "never")]
    assert sorted(pd.concat(kinds)) == list(every.index), "each item is of one kind"


def test_orders_and_the_nearest_flip() -> None:
    curve = curve_of(Intervals(np.array([-np.inf, 0.2, 0.9]), np.array([0.5, 0.6, np.inf])))
    near = ranges.ranges(curve, (0.0, 1.0), alpha=0.58)
    assert near["position"].tolist() == [1, 0, 2]
    assert near["nearest"].tolist() == [0.6, 0.5, 0.9]
    assert near["right"].tolist() == [True, False, False]
    assert ranges.ranges(curve, (0.0, 1.0), order="narrow")["position"].tolist() == [2, 1, 0]
    assert ranges.ranges(curve, (0.0, 1.0), order="wide")["position"].tolist() == [0, 1, 2]


def test_pieces_are_sorted_and_complete() -> None:
    sets = unions()
    found = ranges.pieces(curve_of(sets), np.arange(len(sets)))
    assert max(map(len, found)) > 1
    for alpha in (0.0, 0.31, 0.77, 1.4):
        assert [any(a < alpha < b for a, b in own) for own in found] == sets.contains(alpha).tolist()
    assert all(own == sorted(own) for own in found)


def test_the_table_has_a_row_for_every_piece(tmp_path: Path) -> None:
    curve = curve_of(intervals())
    table = ranges.table(curve, ranges.ranges(curve, (0.0, 1.0), "all", "item"))
    assert len(table) == int(curve.sets.defined.sum())
    path = tmp_path / "ranges.csv"
    table.to_csv(path, index=False)
    back = pd.read_csv(path)
    assert back["lo"].iloc[0] == -np.inf
    assert back.loc[back["item_id"] == "=i/1", ["lo", "hi"]].isna().all(axis=None)


def test_captions_are_the_first_ones_by_id(asked: Store) -> None:
    (digest,) = asked.cursor().execute("SELECT DISTINCT benchmark FROM items WHERE item_id = 'triplet/3'").fetchone()
    found = ranges.captions(asked, digest, ["triplet/3", "choice/1", "no/such"])
    assert found == {"triplet/3": "a ring left of star 3", "choice/1": "two stars 1"}
    assert ranges.captions(asked, "elsewhere", ["triplet/3"]) == {}
