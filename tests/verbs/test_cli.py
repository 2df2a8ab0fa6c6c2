"""The command line itself: the table of verbs, help, errors and exit codes."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from contextlib import nullcontext

import pytest
import typer

from backend import cli
from backend.errors import FlipsideError, UsageError


@pytest.fixture
def raising(monkeypatch):
    """Put a verb that raises into the table."""

    def put(error: Exception) -> str:
        def command() -> None:
            """Raise."""
            raise error

        import backend.verbs.models as host

        monkeypatch.setattr(host, "raising", command, raising=False)
        monkeypatch.setitem(cli.VERBS, "raising", "backend.verbs.models:raising")
        return "raising"

    return put


@pytest.mark.parametrize("verb", cli.VERBS)
def test_every_verb_has_help(flipside, verb):
    answer = flipside(verb, "--help")
    assert answer.code == 0
    first = answer.out.split("\n\n")[1].strip()
    assert len(first) > 20, "the first line of a verb's docstring is its help"


def test_the_list_of_verbs_is_complete(flipside):
    answer = flipside("--help")
    assert answer.code == 0
    for verb in cli.VERBS:
        assert f"\n  {verb} " in answer.out


def test_no_verb_shows_the_list(flipside):
    answer = flipside()
    assert answer.code == 2
    assert "Commands:" in answer.out + answer.err


def test_nothing_is_at_work_for_a_verb_that_does_not_exist(flipside, monkeypatch):
    told = []
    monkeypatch.setattr("backend.cli.at_work", lambda words: told.append(words) or nullcontext())
    flipside("rnu", "--model", "x")
    flipside("models", "--json")
    assert told == [[], ["models", "--json"]]


def test_a_wrong_verb_gets_near_matches(flipside):
    answer = flipside("benchmark")
    assert answer.code == 2
    assert "No such command 'benchmark'" in answer.err
    assert "benchmarks" in answer.err.split("benchmark'")[1]


def test_a_wrong_option_is_wrong_use(flipside):
    answer = flipside("models", "--jsn")
    assert answer.code == 2
    assert "--jsn" in answer.err
    assert answer.out == ""


@pytest.mark.parametrize(("error", "code"), [(UsageError("no such\nthing"), 2), (FlipsideError("it\n failed"), 1)])
def test_a_users_error_is_one_line_without_traceback(flipside, raising, error, code):
    answer = flipside(raising(error))
    assert answer.code == code
    assert answer.err == f"flipside: {' '.join(str(error).split())}\n"
    assert answer.out == ""


def test_our_error_goes_to_the_log(flipside, raising, flipside_cache):
    answer = flipside(raising(ZeroDivisionError("a\nb")))
    log = flipside_cache / "logs" / "flipside.log"
    assert answer.code == 1
    assert answer.err.count("\n") == 1
    assert "unexpected ZeroDivisionError: a b" in answer.err
    assert str(log) in answer.err
    assert "Traceback (most recent call last)" in log.read_text()
    assert stat.S_IMODE(log.stat().st_mode) == 0o600


def test_our_error_is_printed_where_no_log_can_be_written(flipside, raising, tmp_path, monkeypatch):
    (tmp_path / "logs").touch()
    monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path))
    answer = flipside(raising(ZeroDivisionError("boom")))
    assert answer.code == 1
    assert "Traceback" in answer.err
    assert "not written" in answer.err


def test_a_verbs_own_exit_code_is_kept(flipside, raising):
    assert flipside(raising(typer.Exit(1))).code == 1


def test_ctrl_c_is_130(flipside, raising):
    assert flipside(raising(KeyboardInterrupt())).code == 130


class InterruptException(Exception):  # noqa: N818 - DuckDB's own name, whose package has not to be imported for this
    """What DuckDB raises of a query that was stopped."""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("error", [RuntimeError("Query interrupted"), InterruptException("INTERRUPT Error")])
def test_a_signal_that_duckdb_has_made_its_own_error_of_is_130(flipside, monkeypatch, number, error):
    """It leaves typer as that error and becomes KeyboardInterrupt beyond it, which nothing else would catch."""
    from backend.verbs import models

    def stopped():
        """Stop."""
        try:
            os.kill(os.getpid(), number)
        except KeyboardInterrupt:
            raise error from None

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have the tests ignore it
    monkeypatch.setattr(models, "command", stopped)
    try:
        assert flipside("models").code == 130
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("words", [["report", "--model", "bundled:clip", "--benchmark", "world"], ["runs"]])
def test_a_signal_while_the_database_is_built_is_one_sentence(flipside_cache, number, words):
    script = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler);"
        # A generation kept at set-up would be copied, too fast for a signal to come in between.
        "from backend.store.build import first; first.found = lambda: None;"
        f"import sys; sys.argv[1:] = {words!r}; from backend.cli import run; sys.exit(run())"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "FLIPSIDE_CACHE": str(flipside_cache)},
    ) as working:  # fmt: skip
        try:
            until = time.monotonic() + 60
            while not any(flipside_cache.glob("db/**/*.duckdb")) and time.monotonic() < until:
                time.sleep(0.05)
            time.sleep(0.3)
            working.send_signal(number)
            out, said = working.communicate(timeout=60)
        finally:
            working.kill()
    assert (working.returncode, out) == (130, "")
    assert said.count("stopping. What is committed is kept") == 1
    assert "Traceback" not in said
    assert "Left out" not in said


def test_version(flipside):
    assert flipside("--version").out.startswith("flipside 0.")


@pytest.mark.long
def test_called_as_a_module(process):
    answer = process("benchmarks", "--json")
    assert answer.code == 0
    assert answer.json["benchmarks"]
    assert answer.err == ""


def test_json_has_no_nan(capsys):
    import numpy as np

    from backend.verbs.shared.output import print_json

    print_json({"a": float("nan"), "b": (np.float32(0.5), np.int64(2)), "c": {"z", "y"}, "d": {1: float("inf")}})
    found = json.loads(capsys.readouterr().out)
    assert found == {"a": None, "b": [0.5, 2], "c": ["y", "z"], "d": {"1": None}}


@pytest.mark.slow
def test_a_closed_pipe_is_no_traceback():
    import subprocess
    import sys

    command = f"{sys.executable} -m backend benchmarks --json | head -c 1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False, env=os.environ)  # noqa: S602
    assert "Traceback" not in done.stderr


def test_help_is_a_word_too(flipside):
    assert flipside("help") == flipside("--help")
