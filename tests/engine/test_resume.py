import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from backend.engine.inputs.selection import Selection
from backend.engine.runner import run
from backend.engine.storage import files, shards
from backend.engine.storage.ledger import Ledger, Pace
from backend.errors import FlipsideError
from tests.conftest import ROOT
from tests.engine.interrupted_run import KINDS
from tests.engine.samples import PARTS_OF_ALL, Counting, mixed, rows

SMALL = Pace(cells=4, first_cells=4, rows=8)


def start(pictures: Path, root: Path, spec: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.engine.interrupted_run", str(pictures), str(root), spec]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_windows(process: subprocess.Popen[str], n: int) -> bool:
    """Read n lines; False where the run ended before."""
    return all(process.stdout.readline() for _ in range(n))


def only_run(root: Path) -> Path:
    (folder,) = (root / "runs").iterdir()
    return folder


@pytest.mark.slow
def test_killed_again_and_again_it_loses_no_row_and_has_none_twice(tmp_path):
    dice = random.Random(0)
    kills, done = 0, []
    while True:
        process = start(tmp_path / "p", tmp_path / "killed", "fake:slow")
        if not wait_for_windows(process, dice.randint(1, 3) if kills < 5 else 1000):
            break
        time.sleep(dice.random() * 0.15)
        process.kill()
        process.communicate()
        kills += 1
        manifest = shards.read_manifest(only_run(tmp_path / "killed"))
        done.append(sum(entry["rows"] for part in manifest["parts"].values() for entry in part["shards"]))
        assert shards.verify(only_run(tmp_path / "killed")) == []
    out, err = process.communicate()
    assert process.returncode == 0, out + err
    assert kills >= 3
    assert done == sorted(done)
    folder = only_run(tmp_path / "killed")
    whole = run("fake:ok", mixed(tmp_path / "p", 6), KINDS, priors=["noise:1"], root=tmp_path / "whole")
    assert rows(folder) == rows(whole.run_dir)
    assert all(part["complete"] for part in shards.read_manifest(folder)["parts"].values())
    named = {entry["file"] for part in shards.read_manifest(folder)["parts"].values() for entry in part["shards"]}
    assert {path.name for path in folder.iterdir()} == named | {"manifest.json", "run.json", "images.jsonl", "lock"}


class SimulatedCrash(BaseException):
    """Stands for the end of the process."""


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["before writing", "half written aside", "after renaming"])
def test_a_crash_at_any_file_operation_leaves_a_consistent_run(tmp_path, monkeypatch, moment):
    benchmark = mixed(tmp_path / "p", 1)
    pace = Pace(cells=6, first_cells=6, rows=6)
    whole = rows(run("fake:ok", benchmark, ["itc", "gen"], root=tmp_path / "whole", pace=pace).run_dir)
    original = files.replace_bytes
    for crash_at in range(40):
        root = tmp_path / f"crash{crash_at}"
        operations = iter(range(40))

        def replace_or_crash(path, data, operations=operations, crash_at=crash_at):
            if next(operations) != crash_at:
                original(path, data)
                return
            if moment == "half written aside":
                path.parent.mkdir(parents=True, exist_ok=True)
                path.with_name(files.ASIDE + path.name).write_bytes(data[: len(data) // 2])
            elif moment == "after renaming":
                original(path, data)
            raise SimulatedCrash

        with monkeypatch.context() as patch:
            patch.setattr(files, "replace_bytes", replace_or_crash)
            try:
                run("fake:ok", benchmark, ["itc", "gen"], root=root, pace=pace)
                break
            except SimulatedCrash:
                pass
        if [*root.glob("runs/*/manifest.json")]:
            assert shards.verify(only_run(root)) == []
            seen = rows(only_run(root))
            assert all(set(some) <= set(whole[part]) and len(set(some)) == len(some) for part, some in seen.items())
        summary = run("fake:ok", benchmark, ["itc", "gen"], root=root, pace=pace)
        assert rows(summary.run_dir) == whole
        assert not [path for path in summary.run_dir.iterdir() if path.name.startswith(files.ASIDE)]
    assert crash_at > 10


def test_another_kind_extends_the_run_and_a_repeat_computes_nothing(tmp_path):
    benchmark = mixed(tmp_path / "p")
    first = run("fake:ok", benchmark, ["itc"])
    second = run("fake:ok", benchmark, ["itc", "gen"])
    counting = Counting()
    third = run(counting.model, benchmark, ["gen", "itc"])
    assert first.run_id == second.run_id == third.run_id
    assert second.parts["itc"]["new_rows"] == 0 < second.parts["gen"]["new_rows"]
    assert third.computed == 0
    assert not counting.calls
    assert all(part["complete"] for part in third.parts.values())


def test_recomputing_gives_the_same_values(tmp_path):
    benchmark = mixed(tmp_path / "p")
    one = run("fake:ok", benchmark, PARTS_OF_ALL, root=tmp_path / "one")
    two = run("fake:ok", benchmark, PARTS_OF_ALL, root=tmp_path / "two", pace=SMALL, workers=1, batch=1)
    assert one.run_id == two.run_id
    assert rows(one.run_dir) == rows(two.run_dir)


def test_interrupting_keeps_the_finished_windows(tmp_path):
    benchmark = mixed(tmp_path / "p")

    def stop(report):
        if report.done > 40:
            raise KeyboardInterrupt

    stopped = run("fake:ok", benchmark, ["itc", "gen"], progress=stop, pace=Pace(cells=4, first_cells=4))
    assert (stopped.interrupted, stopped.exit_code) == (True, 130)
    assert stopped.parts["gen"]["rows"] > 0
    assert not stopped.parts["gen"]["complete"]
    resumed = run("fake:ok", benchmark, ["itc", "gen"])
    assert resumed.parts["gen"]["new_rows"] + stopped.parts["gen"]["rows"] == resumed.parts["gen"]["rows"]
    assert resumed.parts["gen"]["complete"]


@pytest.mark.slow
def test_control_c_in_a_real_process_says_how_to_go_on(tmp_path):
    lines = [f"{k}.jpg\tone {k}\tthe one {k}\tnot {k}" for k in range(4000)]
    header = "filename\tcaption\tsecond positive\tnegative_caption"
    (tmp_path / "Generic_VISLA.tsv").write_text("\n".join([header, *lines]) + "\n")
    script = (
        # A shell that starts the tests in the background has them ignore SIGINT, which child processes inherit.
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "import sys, typer; from backend.verbs.run import command; app = typer.Typer(); app.command()(command);"
        f"sys.argv[1:] = '--model fake:slow --benchmark visla --kinds t2t --data {tmp_path}'.split(); app()"
    )
    env = os.environ | {"FLIPSIDE_CACHE": str(tmp_path / "cache")}
    process = subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob("cache/runs/*/manifest.json")) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert "the same command goes on from here" in err
    assert "Traceback" not in err


@pytest.mark.long
def test_two_processes_do_not_write_one_run(tmp_path):
    process = start(tmp_path / "p", tmp_path / "root", "fake:slow")
    try:
        assert wait_for_windows(process, 1)
        with pytest.raises(FlipsideError, match=rf"is being written by process {process.pid} on"):
            run("fake:slow", mixed(tmp_path / "p", 6), ["itc"], root=tmp_path / "root")
    finally:
        process.kill()
        process.communicate()
    summary = run("fake:slow", mixed(tmp_path / "p", 6), ["t2t"], root=tmp_path / "root")
    assert summary.exit_code == 0


@pytest.mark.parametrize("damage", ["changed", "missing"])
def test_a_damaged_shard_is_named(tmp_path, damage):
    summary = run("fake:ok", mixed(tmp_path / "p"), ["itc", "t2t"])
    assert shards.verify(summary.run_dir) == []
    path = next(summary.run_dir.glob("itc-*.parquet"))
    if damage == "missing":
        path.unlink()
    else:
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 1
        path.write_bytes(data)
    (problem,) = shards.verify(summary.run_dir)
    assert str(path) in problem
    with pytest.raises(FlipsideError, match=path.name):
        shards.read_part(summary.run_dir, "itc")
    (said,) = run("fake:ok", mixed(tmp_path / "p"), ["itc"]).notes
    assert str(path) in said
    assert shards.verify(summary.run_dir) == []
    assert len(shards.read_part(summary.run_dir, "t2t")) == 12


@pytest.mark.parametrize("content", ["{", "[]", '{"format": 99}'])
def test_a_damaged_manifest_is_named(tmp_path, content):
    summary = run("fake:ok", mixed(tmp_path / "p"), ["t2t"])
    path = summary.run_dir / "manifest.json"
    path.write_text(content)
    assert str(path) in shards.verify(summary.run_dir)[0]
    with pytest.raises(FlipsideError, match=r"manifest\.json.*run again"):
        run("fake:ok", mixed(tmp_path / "p"), ["t2t"])


def test_an_interrupt_while_rows_are_taken_waits_for_the_end(tmp_path, monkeypatch):
    original = Ledger.add
    calls = iter(range(1000))

    def interrupted_add(self, stage, found):
        original(self, stage, {part: more for part, more in found.items() if part == stage.name})
        if next(calls) == 4:
            os.kill(os.getpid(), signal.SIGINT)
        original(self, stage, {part: more for part, more in found.items() if part != stage.name})

    monkeypatch.setattr(Ledger, "add", interrupted_add)
    stopped = run("fake:ok", mixed(tmp_path / "p"), ["gen"], pace=SMALL, selection=Selection(subset="quad,tri"))
    assert stopped.interrupted
    assert stopped.parts["gen"]["rows"] == stopped.parts["tokens:gen"]["rows"] > 0
    monkeypatch.undo()
    resumed = run(
        "fake:ok",
        mixed(tmp_path / "p"),
        ["gen"],
        root=stopped.run_dir.parents[1],
        selection=Selection(subset="tri,quad"),
    )
    assert resumed.parts["tokens:gen"]["rows"] == 28


def test_a_full_disk_is_said_in_a_sentence_and_loses_nothing(tmp_path, monkeypatch):
    original = Path.replace

    def full(self, target):
        if target.name.startswith("gen-1"):
            raise OSError(28, "No space left on device")
        return original(self, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", full)
        with pytest.raises(FlipsideError, match=r"gen-1.*no space is left on its disk.*kept"):
            run("fake:ok", mixed(tmp_path / "p"), ["gen"], pace=SMALL, root=tmp_path / "root")
    assert shards.verify(only_run(tmp_path / "root")) == []
    assert shards.read_part(only_run(tmp_path / "root"), "gen").num_rows > 0


def test_what_a_damaged_or_missing_shard_held_is_scored_again_and_the_rest_is_kept(tmp_path):
    found = run("fake:ok", mixed(tmp_path / "p", 6), ["itc"], root=tmp_path / "root", pace=SMALL)
    before = rows(found.run_dir)
    entries = shards.read_manifest(found.run_dir)["parts"]["itc"]["shards"]
    assert len(entries) > 2
    damaged, gone = (found.run_dir / entry["file"] for entry in entries[:2])
    damaged.write_bytes(damaged.read_bytes()[:-4] + b"oops")
    gone.unlink()
    with pytest.raises(FlipsideError, match="give the command that made the run again"):
        shards.read_part(found.run_dir, "itc")
    said = []
    again = run("fake:ok", mixed(tmp_path / "p", 6), ["itc"], root=tmp_path / "root", reuse=False, tell=said.append)
    assert again.computed == entries[0]["rows"] + entries[1]["rows"]
    assert rows(again.run_dir) == before
    assert shards.verify(again.run_dir) == []
    assert [("set aside" in line, "was missing" in line) for line in said] == [(True, False), (False, True)]
    assert damaged.with_name(f"{damaged.name}{shards.DAMAGED}").read_bytes().endswith(b"oops")
