"""Ctrl-C and SIGTERM: one line at once, the batch finished, what is scored committed, exit code 130."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from backend import cli
from backend.engine.interrupt import (
    AFTER_BATCH,
    AT_ONCE,
    BEGINS_ANEW,
    NOT_BEGUN,
    answered,
    batch_by_batch,
    before_batches,
    beginning_anew,
    uninterrupted,
)
from backend.engine.runner import run
from backend.engine.storage import shards
from backend.engine.storage.ledger import Pace
from tests.conftest import ROOT
from tests.engine.samples import mixed

BOTH = pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])


def ask(number: int = signal.SIGINT) -> None:
    os.kill(os.getpid(), number)


@pytest.fixture(autouse=True)
def ctrl_c_is_heard():
    """A shell that starts the tests in the background has them ignore SIGINT."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@BOTH
def test_outside_of_batches_it_stops_at_once_and_says_so(capfd, number):
    with answered(), pytest.raises(KeyboardInterrupt):
        ask(number)
    err = capfd.readouterr().err
    assert err.count("\n") == 1
    assert err.endswith(f"{AT_ONCE}\n")
    assert ("SIGTERM" in err) == (number == signal.SIGTERM)


def test_before_the_first_batch_nothing_is_said_to_be_kept_of_this_command(capfd):
    with answered():
        before_batches()
        with pytest.raises(KeyboardInterrupt):
            ask()
    assert capfd.readouterr().err.endswith(f"{NOT_BEGUN}\n")
    with answered():
        before_batches()
        with batch_by_batch():
            pass
        before_batches()  # the next one of a study
        with pytest.raises(KeyboardInterrupt):
            ask()
    assert capfd.readouterr().err.endswith(f"{AT_ONCE}\n")


def test_of_what_is_no_use_before_it_is_whole_nothing_is_said_to_be_kept(capfd):
    with answered(), beginning_anew(), pytest.raises(KeyboardInterrupt):
        ask()
    assert capfd.readouterr().err.endswith(f"{BEGINS_ANEW}\n")


@BOTH
def test_a_batch_is_finished_and_the_second_signal_stops_it(capfd, number):
    with answered(), batch_by_batch() as asked_to_stop:
        assert not asked_to_stop()
        ask(number)
        assert asked_to_stop()
        with pytest.raises(KeyboardInterrupt):
            ask(number)
    err = capfd.readouterr().err
    assert err.count("\n") == 1
    assert err.endswith(f"{AFTER_BATCH}\n")


def test_a_commit_is_never_cut(capfd):
    done = []

    def commit() -> None:
        with uninterrupted():
            ask()
            done.append("committed")

    with answered():
        with batch_by_batch():
            commit()  # the first only asks
            with pytest.raises(KeyboardInterrupt):
                commit()
        with pytest.raises(KeyboardInterrupt):
            commit()
    assert len(done) == 3
    assert capfd.readouterr().err.count("flipside: ") == 1


def test_the_handlers_are_put_back_and_ignored_signals_stay_ignored():
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    before = signal.getsignal(signal.SIGTERM)
    with answered():
        ask()
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
        assert signal.getsignal(signal.SIGTERM) != before
    assert signal.getsignal(signal.SIGTERM) == before


def test_threads_change_no_handler():
    before, found = signal.getsignal(signal.SIGTERM), []

    def work() -> None:
        with answered(), batch_by_batch() as asked_to_stop, uninterrupted():
            found.append((signal.getsignal(signal.SIGTERM), asked_to_stop()))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [(before, False)]


def test_the_batch_that_is_under_way_is_scored_and_kept(tmp_path):
    benchmark = mixed(tmp_path / "p")
    reports = []

    def stop(report):
        reports.append(report.done)
        if len(reports) == 2:
            ask()

    with answered():
        stopped = run("fake:ok", benchmark, ["itc", "gen"], progress=stop, pace=Pace(cells=4, first_cells=4))
    assert (stopped.interrupted, stopped.exit_code) == (True, 130)
    assert len(reports) == 2
    assert stopped.computed == reports[-1]
    resumed = run("fake:ok", benchmark, ["itc", "gen"])
    assert resumed.parts["gen"]["new_rows"] + stopped.parts["gen"]["rows"] == resumed.parts["gen"]["rows"]


def test_asked_in_the_last_batch_it_is_simply_done(tmp_path):
    with answered():
        found = run("fake:ok", mixed(tmp_path / "p"), ["itc"], progress=lambda p: p.done < p.total or ask())
    assert (found.interrupted, found.exit_code) == (False, 0)


@BOTH
def test_a_verb_without_batches(capfd, monkeypatch, number):
    import backend.verbs.models as host

    def command() -> None:
        """Wait for a signal that comes from itself."""
        ask(number)
        signal.pause()

    monkeypatch.setattr(host, "waiting", command, raising=False)
    monkeypatch.setitem(cli.VERBS, "waiting", "backend.verbs.models:waiting")
    assert cli.main(["waiting"]) == 130
    assert capfd.readouterr().err.endswith(f"{AT_ONCE}\n")


@pytest.mark.slow
@BOTH
def test_in_a_process_of_its_own(tmp_path, number):
    lines = [f"{k}.jpg\tone {k}\tthe one {k}\tnot {k}" for k in range(4000)]
    header = "filename\tcaption\tsecond positive\tnegative_caption"
    (tmp_path / "Generic_VISLA.tsv").write_text("\n".join([header, *lines]) + "\n")
    script = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from backend.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    asked = ["run", "--model", "fake:slow", "--benchmark", "visla", "--kinds", "t2t", "--data", str(tmp_path)]
    process = subprocess.Popen(
        [sys.executable, "-c", script, *asked],
        cwd=ROOT, env=os.environ | {"FLIPSIDE_PROGRESS": "json"}, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        assert '"progress"' in process.stderr.readline()  # a batch is done, the next has begun
        process.send_signal(number)
        said = next(line for line in process.stderr if '"progress"' not in line)
        assert AFTER_BATCH in said
        process.send_signal(number)  # its batches may take ten seconds
        # Not communicate(): it reads the pipe itself and loses what the line before it took along.
        err = process.stderr.read()
        assert process.wait(60) == 130, err
    finally:
        process.kill()
    assert "the same command goes on from here" in err
    assert "Traceback" not in err
    (folder,) = (Path(os.environ["FLIPSIDE_CACHE"]) / "runs").iterdir()
    assert shards.verify(folder) == []
    assert shards.read_part(folder, "t2t").num_rows > 0


def test_a_query_that_a_signal_interrupts_is_ctrl_c():
    """DuckDB drops what the handler raised and raises a RuntimeError in its place. Not asked of DuckDB itself: at times
    it then waits for its other threads, which never hear of it (`Executor::CancelTasks`), and a query that takes days
    holds up every test after it."""

    def drops_it():
        with contextlib.suppress(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(5)
        raise RuntimeError("Query interrupted")

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt), answered():
            drops_it()
        with pytest.raises(RuntimeError, match="of another kind"), answered():
            raise RuntimeError("of another kind, interrupted")
    finally:
        signal.signal(signal.SIGINT, before)
