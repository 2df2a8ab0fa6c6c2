"""How a model was taught, from its runs' records, and the plain training beside it."""

from typing import Any

import pytest

from backend.store import queries as q
from backend.store.build.reader import open_store
from backend.store.compare import lineage, series
from tests.store import taught_runs, writer
from tests.store.taught_runs import BASE, PLAIN, TAUGHT


def the_benchmark(store: Any) -> str:
    return str(q.benchmarks(store)["hash"][0])


@pytest.mark.parametrize("said", ["yes", None, 3, [], [{"base": "x"}], True])
def test_a_record_of_another_form_says_nothing(said: Any) -> None:
    assert lineage.of_record({"model": {"taught": said}}) is None
    assert lineage.of_record({"model": said}) is None
    assert lineage.of_record({"taught": taught_runs.taught()}) is None


def test_odd_entries_are_left_out() -> None:
    odd = {"base": 3, "recipe": ["x"], "step": True, "trained_on": "all"}
    assert lineage.of_record({"model": {"taught": odd}}) == lineage.Lineage("", "", None, "[]")
    assert lineage.of_record({"model": {"taught": {"base": "b" * 900, "step": -1}}}).base == "b" * 200
    assert lineage.of_record({"model": {"taught": {"step": float("nan")}}}).step is None


@pytest.mark.long
def test_the_plain_training_has_the_same_base_steps_and_data(flipside_cache, items) -> None:
    taught_runs.write(flipside_cache, items)
    store = open_store()
    found = the_benchmark(store)
    assert lineage.plain_twin(store, found, TAUGHT, "c" * 16) == (PLAIN, "b" * 16)
    assert lineage.plain_twin(store, found, PLAIN, "b" * 16) is None  # it is the plain training itself
    assert lineage.plain_twin(store, found, BASE, "a" * 16) is None  # it was not taught


@pytest.mark.long
@pytest.mark.parametrize(
    "other",
    [{"base": "fake:other"}, {"step": 200}, {"trained_on": [{"world": 100}]}, {"recipe": "binding"}],
    ids=lambda other: next(iter(other)),
)
def test_another_training_is_no_plain_one(flipside_cache, items, other) -> None:
    taught_runs.write(flipside_cache, items)
    taught_runs.say(flipside_cache / "runs" / ("b" * 16), taught_runs.taught(**{"recipe": "baseline"} | other))
    store = open_store()
    assert lineage.plain_twin(store, the_benchmark(store), TAUGHT, "c" * 16) is None


@pytest.mark.long
def test_the_base_is_step_0_wherever_it_has_a_run(flipside_cache, items) -> None:
    taught_runs.write(flipside_cache, items)
    store = open_store()
    found = series.series(store, the_benchmark(store))
    assert {name: [(c.step, c.model) for c in of] for name, of in found.items()} == {
        "mine": [(0, BASE), (300, TAUGHT)],
        PLAIN: [(0, BASE), (300, PLAIN)],  # its record names no series: it is one of its own
    }
    assert series.alone(store, the_benchmark(store)) == {}


@pytest.mark.long
def test_a_base_that_is_gone_leaves_one_checkpoint_alone(flipside_cache, items) -> None:
    made = writer.write_run(flipside_cache, items, "c" * 16, ["itc"], model=TAUGHT)
    taught_runs.say(made, taught_runs.taught(), series={"mine": 300})
    store = open_store()
    assert series.series(store, the_benchmark(store)) == {}
    (point, base) = series.alone(store, the_benchmark(store))["mine"]
    assert (point.model, base) == (TAUGHT, BASE)


@pytest.mark.long
def test_a_base_is_put_nowhere_twice(flipside_cache, items) -> None:
    base = writer.write_run(flipside_cache, items, "a" * 16, ["itc"], model=BASE)
    taught_runs.say(base, None, series={"mine": 100})  # the base is a checkpoint of the same series already
    late = writer.write_run(flipside_cache, items, "c" * 16, ["itc"], model=TAUGHT)
    taught_runs.say(late, taught_runs.taught(), series={"mine": 300, "from nothing": 0})
    store = open_store()
    found = series.series(store, the_benchmark(store))
    assert [(c.step, c.model) for c in found["mine"]] == [(100, BASE), (300, TAUGHT)]
    assert "from nothing" not in found  # nothing is before step 0
