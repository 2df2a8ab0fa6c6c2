import json
import re

import pytest

from backend.engine.runner import run
from backend.engine.storage import away, shards
from backend.engine.storage.ledger import Pace
from backend.errors import FlipsideError, UsageError
from backend.stores import opening
from backend.verbs import runs
from tests.engine.samples import mixed, rows, stopping_after
from tests.stores.stores import memory_store, s3_server

SMALL = Pace(cells=6, first_cells=6, rows=4)


@pytest.fixture
def store(monkeypatch):
    made = memory_store()
    monkeypatch.setattr(away, "SHARED", (*away.SHARED, "memory"))  # all "machines" of these tests are this process
    monkeypatch.setenv(away.VARIABLE, made)
    return made


def scored(tmp_path, cache, **how):
    return run("fake:ok", mixed(tmp_path / "p", 4), ["itc", "itm"], root=tmp_path / cache, pace=SMALL, **how)


def test_the_store_has_the_run_as_the_cache_has_it(store, tmp_path):
    found = scored(tmp_path, "one")
    names = {path.name for path in found.run_dir.iterdir()} - {"lock"}
    there = opening.listing(f"{store}/runs/{found.run_id}")
    assert there.keys() == names
    for name in names:
        assert opening.read(f"{store}/runs/{found.run_id}/{name}", kept=False) == (found.run_dir / name).read_bytes()
    assert any(name.endswith("items.parquet") for name in opening.listing(f"{store}/benchmarks"))


def test_another_machine_goes_on_from_it(store, tmp_path):
    first = scored(tmp_path, "one", progress=stopping_after(2))
    assert first.interrupted
    second = scored(tmp_path, "two")
    assert second.exit_code == 0
    assert second.computed > 0
    back = scored(tmp_path, "one")
    assert back.computed == 0
    assert rows(back.run_dir) == rows(second.run_dir)
    assert shards.verify(back.run_dir) == []


def test_each_score_is_computed_once_over_both(store, tmp_path, monkeypatch):
    first = scored(tmp_path, "one", progress=stopping_after(2))
    second = scored(tmp_path, "two")
    monkeypatch.delenv(away.VARIABLE)
    whole = scored(tmp_path, "whole")
    assert first.computed + second.computed == whole.computed
    assert rows(second.run_dir) == rows(whole.run_dir)


def test_a_machine_that_dies_at_any_write_leaves_a_whole_run_there(store, tmp_path, monkeypatch):
    monkeypatch.delenv(away.VARIABLE)
    whole = rows(scored(tmp_path, "whole").run_dir)
    monkeypatch.setenv(away.VARIABLE, store)
    original = opening.write
    for dies_at in range(0, 12, 3):
        writes = iter(range(1000))

        def write(url, data, writes=writes, dies_at=dies_at):
            if next(writes) == dies_at:
                raise SystemExit
            original(url, data)

        monkeypatch.setattr(opening, "write", write)
        with pytest.raises(SystemExit):
            scored(tmp_path, f"dead{dies_at}")
    monkeypatch.setattr(opening, "write", original)
    assert rows(scored(tmp_path, "last").run_dir) == whole


def test_a_store_that_does_not_answer_for_a_while_is_told_once_and_caught_up_with(store, tmp_path, monkeypatch):
    original, said = opening.write, []
    tries = iter(range(1000))

    def write(url, data):
        if 1 < next(tries) < 6:
            raise FlipsideError(f"{url}: no answer.")
        original(url, data)

    monkeypatch.setattr(opening, "write", write)
    found = scored(tmp_path, "one", tell=said.append)
    assert [line for line in said if "no answer" in line] == [line for line in said if "kept here meanwhile" in line]
    assert sum("no answer" in line for line in said) == 1
    manifest = opening.read(f"{store}/runs/{found.run_id}/manifest.json", kept=False)
    assert json.loads(manifest) == shards.read_manifest(found.run_dir)


def test_a_store_that_never_answers_ends_with_a_sentence_and_the_scores_are_here(store, tmp_path, monkeypatch):
    original = opening.write

    def write(url, data):
        raise FlipsideError(f"{url}: no answer.")

    monkeypatch.setattr(opening, "write", write)
    with pytest.raises(FlipsideError, match=r"Everything is kept in .*; the same command brings it to the store"):
        scored(tmp_path, "one")
    monkeypatch.setattr(opening, "write", original)
    again = scored(tmp_path, "one")
    assert again.computed == 0
    assert opening.listing(f"{store}/runs/{again.run_id}")


def test_two_machines_at_one_run_are_noticed(store, tmp_path):
    first = scored(tmp_path, "one", progress=stopping_after(1))
    other = away.Away(store, tmp_path / "two" / "runs" / first.run_id)
    other.pull()
    mine = away.Away(store, first.run_dir)
    mine.pull()
    manifest = shards.read_manifest(first.run_dir)
    manifest["parts"]["itc"]["complete"] = True
    mine.push(manifest)
    with pytest.raises(FlipsideError, match="Another machine has written run"):
        other.push(shards.read_manifest(other.run_dir))


def test_runs_that_parted_are_not_mixed(store, tmp_path, monkeypatch):
    monkeypatch.delenv(away.VARIABLE)
    scored(tmp_path, "one", progress=stopping_after(1))
    monkeypatch.setenv(away.VARIABLE, store)
    run("fake:ok", mixed(tmp_path / "p", 4), ["itc", "itm"], root=tmp_path / "two", pace=Pace(rows=1))
    with pytest.raises(FlipsideError, match="gone on with both here and on another machine"):
        scored(tmp_path, "one")


def damage(store, run_id, name, data):
    opening.write(f"{store}/runs/{run_id}/{name}", data)


def test_what_is_damaged_in_the_store_is_not_taken(store, tmp_path):
    found = scored(tmp_path, "one")
    shard = next(path.name for path in found.run_dir.glob("*.parquet"))
    damage(store, found.run_id, shard, b"other bytes")
    with pytest.raises(FlipsideError, match=f"{shard}: this shard is missing or damaged in the store"):
        scored(tmp_path, "two")


@pytest.mark.parametrize(
    ("document", "says"),
    [
        (b"{", "is damaged"),
        (b'{"format": 1, "run": "0000000000000000", "parts": {}}', "is of run '0000000000000000' in format 1"),
        (None, "names '../../evil.parquet', which is no shard"),
    ],
)
def test_a_manifest_that_cannot_be_believed_is_refused(store, tmp_path, document, says):
    found = scored(tmp_path, "one")
    if document is None:
        manifest = shards.read_manifest(found.run_dir)
        manifest["parts"]["itc"]["shards"][0]["file"] = "../../evil.parquet"
        document = json.dumps(manifest).encode()
    damage(store, found.run_id, "manifest.json", document)
    with pytest.raises(FlipsideError, match=says):
        scored(tmp_path, "two")


def test_every_run_can_be_brought_here(store, tmp_path):
    found = scored(tmp_path, "one")
    assert away.pull_all(store, tmp_path / "reader") == ([found.run_id], [])
    assert rows(tmp_path / "reader" / "runs" / found.run_id) == rows(found.run_dir)
    assert [*(tmp_path / "reader" / "benchmarks").glob("*/items.parquet")]


def test_a_damaged_run_keeps_back_no_other_one(store, tmp_path, monkeypatch, capsys):
    bad = scored(tmp_path, "one")
    good = run("fake:constant", mixed(tmp_path / "p", 4), ["itc"], root=tmp_path / "one", pace=SMALL)
    shard = next(path.name for path in bad.run_dir.glob("*.parquet"))
    damage(store, bad.run_id, shard, b"other bytes")
    monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path / "reader"))
    error = runs._pull()
    assert isinstance(error, FlipsideError)
    assert re.search(f"1 run could not be brought.*{shard}: this shard is missing or damaged in the store", str(error))
    assert "1 run of memory://" in capsys.readouterr().err
    assert rows(tmp_path / "reader" / "runs" / good.run_id) == rows(good.run_dir)


def test_what_is_no_address_is_refused_before_anything_is_scored(monkeypatch, tmp_path):
    monkeypatch.setenv(away.VARIABLE, "/a/folder")
    with pytest.raises(UsageError, match=r"FLIPSIDE_STORE=/a/folder: expected an address in an object store .s3://"):
        scored(tmp_path, "one")


def test_memory_that_no_other_process_reads_is_no_store(monkeypatch, tmp_path):
    """It was taken: what was said to be kept there was gone when the command ended."""
    monkeypatch.setenv(away.VARIABLE, "memory://flipside")
    with pytest.raises(UsageError, match=r"FLIPSIDE_STORE=memory://flipside: .* one process's memory no other one"):
        scored(tmp_path, "one")


@pytest.mark.slow
def test_a_run_behind_a_server(monkeypatch, tmp_path):
    with s3_server(monkeypatch) as bucket:
        monkeypatch.setenv(away.VARIABLE, f"{bucket}/results")
        first = scored(tmp_path, "one", progress=stopping_after(2))
        second = scored(tmp_path, "two")
        assert away.pull_all(f"{bucket}/results", tmp_path / "reader") == ([first.run_id], [])
    monkeypatch.delenv(away.VARIABLE)
    whole = scored(tmp_path, "whole")
    assert first.computed + second.computed == whole.computed
    assert rows(tmp_path / "reader" / "runs" / first.run_id) == rows(whole.run_dir)


@pytest.mark.parametrize("record", [b"{", b"[1]", b'{"x": 1}', b'{"run": "0123456789abcdef", "model": {"spec": "a"}}'])
def test_a_record_that_is_none_is_refused_and_nothing_counts(store, tmp_path, record):
    found = scored(tmp_path, "one")
    opening.write(f"{store}/runs/{found.run_id}/{shards.RECORD}", record)
    here, (error,) = away.pull_all(store, tmp_path / "two")
    assert not here
    assert re.search(r"run\.json: is damaged", str(error))
    assert not shards.run_dirs(tmp_path / "two")
