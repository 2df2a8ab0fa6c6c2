"""The shipped example of Robustness: what it weighs, that it is whole, that its editions can be made anew."""

import json
from pathlib import Path

import pytest

from backend.benchmarks import load_benchmark
from backend.benchmarks.items_folder.perturbed import Edition, Wanted
from backend.engine.inputs.selection import Selection
from backend.engine.storage import shards
from backend.intake.survey import survey
from backend.paths import bundled_editions_dir, bundled_runs_dir
from backend.perturb import get
from backend.store import queries
from backend.store.build.reader import open_store
from backend.store.examples import example
from backend.store.exchange.check import verify
from backend.store.robustness import editions

ROOT = bundled_editions_dir()


def records() -> list[dict]:
    return [json.loads((folder / shards.RECORD).read_text()) for folder in shards.run_dirs(ROOT)]


def test_it_is_small_and_whole() -> None:
    assert sum(path.stat().st_size for path in ROOT.rglob("*") if path.is_file()) < 0.8e6
    for folder in shards.run_dirs(ROOT):
        assert shards.verify(folder) == []
        assert all(part["complete"] for part in shards.read_manifest(folder)["parts"].values())
    named = {record["benchmark"]["hash"][:16] for record in records()}
    assert {path.name for path in (ROOT / "benchmarks").iterdir()} == named
    assert {record["benchmark"]["data_dir"] for record in records()} == {""}


def test_its_runs_are_of_the_models_that_ship() -> None:
    """Otherwise they could not be set beside the runs on the original captions."""
    ours = {
        json.loads((folder / shards.RECORD).read_text())["model"]["weights_sha256"]
        for folder in shards.run_dirs(bundled_runs_dir())
    }
    assert {record["model"]["weights_sha256"] for record in records()} <= ours


@pytest.mark.slow
def test_its_editions_can_be_made_anew(flipside_cache: Path) -> None:
    world = load_benchmark("world", None)
    found = survey(world, Selection(subset="choice,attribute,relation", sample=200), flipside_cache)
    heads = [json.loads(path.read_text()) for path in sorted((ROOT / "benchmarks").glob("*/benchmark.json"))]
    assert len(heads) == 12
    for head in heads[::4]:
        told = head["about"]["perturbation"]
        wanted = Wanted(get(told["name"]), told["seed"])
        again = Edition(world, found.content_hash, wanted, frozenset(found.selected.tolist()))
        digest = again.benchmark.hash_begun()
        for item in again.benchmark:
            digest.update(item.canonical().encode() + b"\n")
        assert digest.hexdigest() == head["hash"]


@pytest.mark.slow
def test_it_is_taken_over_once(flipside_cache: Path) -> None:
    known = example.known(ROOT)
    assert known is not None
    assert not known.here
    assert example.take_over(ROOT) == len(records()) == 36
    assert example.take_over(ROOT) == 36
    again = example.known(ROOT)
    assert again is not None
    assert again.here
    store = open_store(wait=True)
    frame = queries.benchmarks(store)
    world = str(frame[frame["name"] == "world"]["hash"].iloc[0])
    pairs = editions.pairs(store, world)
    assert set(pairs["model"]) == set(known.models)
    assert set(pairs["name"]) == set(known.benchmarks)
    assert len(pairs) == 48


@pytest.mark.slow
def test_its_rows_are_what_a_bundle_s_have_to_be() -> None:
    """`take_over` holds what ships to its checksums alone; here some of each model's rows are looked at."""
    for folder in shards.run_dirs(ROOT)[::6]:
        benchmark = json.loads((folder / shards.RECORD).read_text())["benchmark"]["hash"][:16]
        verify(ROOT, folder.name, benchmark)
