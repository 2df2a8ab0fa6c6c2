"""The failures that Overview begins with, and the typical ones of a model: held against the stored verdicts."""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from backend.items import ImageRef
from backend.store.build.reader import open_store
from backend.store.queries import Setting, benchmarks, outcomes
from backend.store.reasons import showcase
from backend.store.reasons.showcase import METRICS, UNCERTIFIED
from backend.store.reasons.typical import typical
from tests.pages import results

RUNS = {results.STRONG: ("1" * 16, "itc"), results.WEAK: ("2" * 16, "itc"), results.SPEAKER: ("3" * 16, "gen")}
ASKED = [(model, run, kind) for model, (run, kind) in RUNS.items()]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Any:
    root = tmp_path_factory.mktemp("showcase")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FLIPSIDE_CACHE", str(root))
        patch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: root / "none")
        results.write(root, results.world(400))
        return open_store(follow=False)


@pytest.fixture(scope="module")
def benchmark(store: Any) -> str:
    return str(benchmarks(store)["hash"].iloc[0])


@pytest.fixture(scope="module")
def verdicts(store: Any) -> dict[str, pd.DataFrame]:
    """Model -> its verdicts, judged anew from its scores: by (item id, metric)."""
    return {
        model: outcomes(store, run, Setting(kind)).set_index(["item_id", "metric"])
        for model, (run, kind) in RUNS.items()
    }


def test_a_failure_is_wrong_for_whom_it_says_and_its_reason_is_the_stored_one(store, benchmark, verdicts):
    found = showcase.real_failures(store, benchmark, ASKED)
    assert len(found) > 4
    for each in found:
        own = verdicts[each.model].loc[(each.item_id, each.metric)]
        assert own["correct"] == 0
        assert (own["cell"], own["reason"]) == (each.cell, each.reason)
        assert (each.run_id, each.kind) == RUNS[each.model]
        said = {model: bool(verdicts[model].loc[(each.item_id, each.metric), "correct"]) for model in RUNS}
        assert dict(each.verdicts) == said
        assert each.right == sum(said.values())
        assert not said[each.model]


def test_certified_reasons_on_which_models_disagree_come_first_and_no_two_are_alike(store, benchmark):
    found = showcase.real_failures(store, benchmark, ASKED)
    assert found == showcase.real_failures(store, benchmark, ASKED)
    ranks = [(each.certified, each.right > 0) for each in found]
    assert ranks == sorted(ranks, reverse=True)
    assert ranks[0] == (True, True)
    assert found[0].protocol == "quad"
    pairs = Counter((each.subset, each.reason) for each in found)
    assert set(pairs.values()) == {1}
    assert len({each.item_id for each in found}) == len(found) <= showcase.MOST


def test_what_cannot_be_shown_is_no_failure_to_begin_with(flipside_cache, monkeypatch):
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: flipside_cache / "none")
    gone = [replace(item, images=tuple(ImageRef(image.key, "") for image in item.images)) for item in results.world(60)]
    results.write(flipside_cache, gone)
    store = open_store(follow=False)
    known = str(benchmarks(store)["hash"].iloc[0])
    assert showcase.real_failures(store, known, ASKED) == []
    assert showcase.real_failures(store, known, []) == []


@pytest.mark.parametrize("model", RUNS)
def test_typical_failures_are_the_middle_of_the_most_frequent_certified_reasons(store, benchmark, verdicts, model):
    run, kind = RUNS[model]
    own = verdicts[model].reset_index()
    own = own[own["metric"].isin(METRICS.values()) & (own["correct"] == 0) & (own["query"] == -1)]
    counts = own[~own["reason"].isin(UNCERTIFIED)]["reason"].value_counts()
    found = typical(store, run, kind, benchmark)
    assert [each.items for each in found] == sorted(counts, reverse=True)[:3]
    for each in found:
        assert each.wrong == len(own)
        assert each.items == counts[each.reason]
        group = own[own["reason"] == each.reason]
        middle = np.sort(group["margin"].to_numpy())[(len(group) - 1) // 2]
        assert each.margin == pytest.approx(middle)
        shown = group[group["item_id"] == each.item_id].iloc[0]
        assert (shown["margin"], shown["cell"]) == (pytest.approx(middle), each.cell)


def test_without_a_certified_reason_subsets_stand_in_its_place(store, benchmark, monkeypatch):
    monkeypatch.setattr("backend.store.reasons.typical.UNCERTIFIED", (*UNCERTIFIED, *_words(store)))
    found = typical(store, "2" * 16, "itc", benchmark)
    assert len(found) == 3
    assert len({each.subset for each in found}) == 3


def _words(store: Any) -> list[str]:
    return [word for (word,) in store.cursor().execute("SELECT DISTINCT reason FROM outcomes").fetchall() if word]
