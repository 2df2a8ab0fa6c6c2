"""How many models are right on an item: against a recount in Python, people and repeats not counted as models."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from backend.store.build.reader import open_store
from backend.store.build.store import Store
from backend.store.failures import models_right
from backend.store.failures.failures import failure_ids, failures
from backend.store.queries import FailureFilter, Setting
from tests.store import writer

#: Name -> skill, system, what it repeats. The copy has other scores here than what it repeats, so it would show.
MODELS = {"a": (1.0, "A", ""), "b": (0.0, "B", ""), "c": (-1.0, "C", ""), "people": (9.0, "people", ""),
          "z-copy": (3.0, "A", "predictions:a")}  # fmt: skip


@pytest.fixture
def store(flipside_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Store]:
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: flipside_cache / "none")
    items = writer.items(60)
    for k, (name, (skill, system, repeats)) in enumerate(MODELS.items()):
        kinds = ["itc", "itm"] if name == "b" else ["itm"] if name == "c" else ["itc"]
        folder = writer.write_run(
            flipside_cache, items, str(k + 1) * 16, kinds, model=f"predictions:{name}", skill=skill, seed=k
        )
        record = json.loads((folder / "run.json").read_text())
        said = {"name": name, "system": system, "repeats": repeats, "source": "S", "head": "h", "sharing": "everything"}
        (folder / "run.json").write_text(json.dumps(record | {"model": record["model"] | {"public": said}}))
    opened = open_store()
    yield opened
    opened.close()


def listed(kind: str = "itc") -> FailureFilter:
    return FailureFilter("1" * 16, Setting(kind), correct=None, limit=10_000)


def recounted(store: Store, metric: str) -> dict[str, tuple[int, int, bool]]:
    """Item id -> right, judging, people right: each model by itc, where it has that."""
    frame = store.cursor().execute(
        """SELECT model, item_id, kind, correct FROM outcomes JOIN runs USING (run_id)
        JOIN items ON items.item_no = outcomes.item_no AND items.benchmark = runs.benchmark WHERE metric = ?""",
        [metric],
    ).df()  # fmt: skip
    found = {}
    for item_id, own in frame.groupby("item_id"):
        of = {
            model: rows.sort_values("kind")["correct"].iloc[0]  # itc stands before itm
            for model, rows in own.groupby("model")
        }
        counted = [bool(of[f"predictions:{name}"]) for name in "abc" if f"predictions:{name}" in of]
        found[str(item_id)] = (sum(counted), len(counted), bool(of["predictions:people"]))
    return found


def test_each_row_says_how_many_models_are_right(store: Store) -> None:
    rows = failures(store, replace(listed(), metrics=("text_score",))).rows
    wanted = recounted(store, "text_score")
    assert len(rows) > 5
    for row in rows.to_dict("records"):
        assert (row["models_right"], row["models_judging"], row["people_right"]) == wanted[row["item_id"]]
    assert rows["models_right"].nunique() > 1
    assert models_right.apart(store, str(rows["benchmark"].iloc[0])) == {
        "predictions:people": "people", "predictions:z-copy": "repeat"
    }  # fmt: skip


def test_items_are_listed_by_how_many_models_are_right(store: Store) -> None:
    few = failures(store, replace(listed(), sort="fewest")).rows
    many = failures(store, replace(listed(), sort="most")).rows
    assert few["models_right"].is_monotonic_increasing
    assert many["models_right"].is_monotonic_decreasing
    same = few[few["models_right"] == few["models_right"].iloc[0]]
    same = same[same["models_judging"] == same["models_judging"].iloc[0]]
    assert same["margin"].is_monotonic_increasing
    assert failure_ids(store, replace(listed(), sort="fewest")) == list(dict.fromkeys(few["item_id"]))


def test_what_no_model_solves_is_counted_before_any_filter(store: Store) -> None:
    every = recounted(store, "text_score")
    none = [people for right, _, people in every.values() if right == 0]
    of_all = sum(right == judging for right, judging, _ in every.values())
    wanted = replace(listed(), metrics=("text_score",), correct=False, text="no such words")
    found = models_right.solved(store, wanted)
    assert found == models_right.Solved(
        len(every), len(none), of_all, sum(none), 3, True, min(judging for _, judging, _ in every.values())
    )
    assert 0 < found.by_none < found.n


def test_the_best_come_first_people_among_them_and_repeats_never(store: Store) -> None:
    benchmark = str(failures(store, listed()).rows["benchmark"].iloc[0])
    best = models_right.models_right(store, benchmark, "itc").best_first["text_score"]
    assert best[0] == "predictions:people"
    assert sorted(best) == ["predictions:a", "predictions:b", "predictions:c", "predictions:people"]


def test_where_nobody_is_people_nothing_is_said_of_them(flipside_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: flipside_cache / "none")
    writer.write_run(flipside_cache, writer.items(20), "1" * 16, ["itc"])
    opened = open_store()
    assert models_right.solved(opened, listed()).by_people_alone is None
    assert pd.isna(failures(opened, listed()).rows["people_right"]).all()
    opened.close()
