"""The example's runs are bundled wherever it is told, and what was made anew under their ids was computed here."""

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from backend import paths
from backend.engine import reuse
from backend.engine.storage import shards
from backend.live.uploads import trash
from backend.store.build.reader import open_store
from backend.store.build.sources import sha256_of
from backend.store.catalog import catalog
from backend.store.examples import example
from backend.store.exchange import imported
from backend.verbs.checking import results as checks_results


@pytest.fixture
def taken(flipside_cache: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A cache that took over an example of two runs on one edition."""
    few = tmp_path / "editions"
    runs = shards.run_dirs(paths.bundled_editions_dir())
    heads = {run: json.loads((run / shards.RECORD).read_text())["benchmark"]["hash"][:16] for run in runs}
    edition = heads[runs[0]]
    for run in [run for run in runs if heads[run] == edition][:2]:
        shutil.copytree(run, few / "runs" / run.name)
    shutil.copytree(paths.bundled_editions_dir() / "benchmarks" / edition, few / "benchmarks" / edition)
    monkeypatch.setattr("backend.paths.bundled_editions_dir", lambda: few)
    assert example.take_over(paths.bundled_editions_dir()) == 2
    return flipside_cache


def origins() -> list[str]:
    return sorted(catalog.runs(open_store(wait=True))["origin"])


def made_anew(run: Path, by: float) -> None:
    """The same run with scores of other bytes, as another version of a library writes them."""
    manifest = shards.read_manifest(run)
    for entry in manifest["parts"].values():
        for shard in entry["shards"]:
            old = run / shard["file"]
            table = pq.read_table(old)
            value = table.column("value").to_numpy() + by
            table = table.set_column(table.schema.get_field_index("value"), "value", [value.astype("float32")])
            again = old.with_name("again.parquet")
            pq.write_table(table, again, compression="gzip")
            shard["sha256"] = sha256_of(again)
            shard["file"] = f"{old.name.rpartition('-')[0]}-{shard['sha256'][:12]}.parquet"
            again.rename(run / shard["file"])
            old.unlink()
    shards.write_manifest(run, manifest)


@pytest.mark.long
def test_what_was_taken_over_is_bundled(taken: Path) -> None:
    """Failed before: every one of them was called "computed here"."""
    assert origins() == ["shipped", "shipped"]
    run_id = shards.run_dirs(taken)[0].name
    found = imported.locate(run_id)
    assert found is not None
    assert found[0] == "shipped"
    assert [side.origin for side in imported.others(run_id)] == ["shipped", "shipped"]
    assert list(checks_results._shadows()) == []


@pytest.mark.long
def test_it_can_be_deleted_and_comes_back(taken: Path) -> None:
    run_id = shards.run_dirs(taken)[0].name
    trash.discard_run(run_id, "a run of the example")
    assert origins() == ["shipped"]
    known = example.known(paths.bundled_editions_dir())
    assert known is not None
    assert not known.here
    assert example.take_over(paths.bundled_editions_dir()) == 2
    assert origins() == ["shipped", "shipped"]


@pytest.mark.long
@pytest.mark.parametrize(("by", "said"), [(0.0, 0), (0.5, 1)])
def test_scores_made_anew_were_computed_here(taken: Path, by: float, said: int) -> None:
    """Same id, other bytes: the run is its owner's, with the same scores or others; taking over leaves it alone."""
    run = shards.run_dirs(taken)[0]
    made_anew(run, by)
    before = (run / shards.MANIFEST).read_bytes()
    assert origins() == ["computed", "shipped"]
    assert example.take_over(paths.bundled_editions_dir()) == 1
    assert (run / shards.MANIFEST).read_bytes() == before
    shadows = list(checks_results._shadows())
    assert len(shadows) == said
    assert all("It is shown as computed here" in line for line in shadows)


@pytest.mark.long
def test_a_record_cannot_say_that_it_ships(taken: Path) -> None:
    """Another model's name over the shipped scores: not what ships; nor does a word of the record count."""
    record = json.loads((shards.run_dirs(taken)[0] / shards.RECORD).read_text())
    record["model"]["spec"] = "hf:some/other"
    shards.replace_json(shards.run_dirs(taken)[0] / shards.RECORD, record)
    made_anew(shards.run_dirs(taken)[1], 0.0)
    other = json.loads((shards.run_dirs(taken)[1] / shards.RECORD).read_text())
    shards.replace_json(shards.run_dirs(taken)[1] / shards.RECORD, {**other, "origin": "shipped", "shipped": True})
    assert origins() == ["computed", "computed"]


def test_its_scores_are_taken_as_those_that_ship(taken: Path, tmp_path: Path) -> None:
    """Parts from before there was a scoring version count where they ship: in the copy, and without one."""
    record = json.loads((shards.run_dirs(taken)[0] / shards.RECORD).read_text())

    class Model:
        def describe(self) -> dict[str, Any]:
            return dict(record["model"])

    for root in (taken, tmp_path / "empty"):
        found = reuse.sources(root, Model(), record["benchmark"]["hash"], Path("another"))  # type: ignore[arg-type]
        assert found
        assert all(source.shipped and source.has("itc") for source in found)
    made_anew(shards.run_dirs(taken)[0], 0.5)
    manifest = shards.read_manifest(shards.run_dirs(taken)[0])
    for part in manifest["parts"].values():
        part.pop("scoring", None)
    shards.write_manifest(shards.run_dirs(taken)[0], manifest)
    found = reuse.sources(taken, Model(), record["benchmark"]["hash"], Path("another"))  # type: ignore[arg-type]
    assert [source.shipped for source in found] == [False, True]
    assert not found[0].has("itc")
