"""What `run` names as the next step leads to what it has scored."""

import shlex

import pytest

from backend.engine.reporting.summary import RunSummary
from backend.verbs.run import _warn


@pytest.mark.slow
def test_the_next_step_names_the_run_where_its_name_is_taken_twice(flipside, flipside_cache, tmp_path, monkeypatch):
    monkeypatch.setattr("backend.store.build.sources.bundled_runs_dir", lambda: tmp_path / "none")
    asked = ("run", "--model", "fake:ok", "--benchmark", "world~nearby_key", "--kinds", "itc", "--counterfactual", "0")
    said = []
    for n in ("8", "6", "8"):
        made = flipside("perturb", "--benchmark", "world", "--kinds", "nearby_key", "--limit", n)
        assert made.code == 0, made.err
        done = flipside(*asked)
        assert done.code == 0, done.err
        (line,) = [line for line in done.out.splitlines() if line.startswith("What it gets wrong: ")]
        said.append(shlex.split(line.partition(": ")[2])[1:])
        listed = flipside(*said[-1], "--json")
        assert listed.code == 0, listed.err
        run = flipside(*asked, "--json").json["run"]
        assert run in str(listed.json), n
    assert "--run" not in said[0]
    assert "--run" in said[1]
    assert said[2][-1] != said[1][-1], "the first one's items are the newest by no date, but what was just scored"


def test_the_next_step_names_the_run_of_a_subset(flipside):
    """A run of all of the benchmark, such as one that ships, would be taken by the names alone."""
    done = flipside("run", "--model", "fake:ok", "--benchmark", "world", "--subset", "size", "--kinds", "itc")
    assert done.code == 0, done.err
    (line,) = [line for line in done.out.splitlines() if line.startswith("What it gets wrong: ")]
    (run,) = [line.split()[1].rstrip(":") for line in done.out.splitlines() if line.startswith("run ")]
    assert line.endswith(f"--run {run}")


def test_each_model_s_next_step_is_named(flipside):
    done = flipside("run", "--model", "fake:ok,fake:constant", "--benchmark", "world", "--limit", "4", "--kinds", "itc")
    said = [line.partition(": flipside failures")[0] for line in done.out.splitlines() if line.startswith("What ")]
    assert said == ["What fake:ok gets wrong on world", "What fake:constant gets wrong on world"], done.out + done.err


@pytest.mark.parametrize(("weights", "rows", "said"), [
    (True, 0, "Nothing was scored. Mend that and run again."),
    (True, 5, "What was committed before is kept; run again to go on."),
    (False, 5, "What was committed before is kept in run r1; the same command begins another run."),
])  # fmt: skip
def test_a_failed_run_says_once_what_is_kept(tmp_path, capsys, weights, rows, said):
    failed = {"complete": False, "rows": rows, "new_rows": rows, "taken_rows": 0}
    parts = {name: failed | {"failed": f"{name} gave NaN."} for name in ("itc", "itm")}
    _warn(RunSummary("r1", tmp_path, "py:x", "world", 9, parts, goes_on=weights))
    told = capsys.readouterr().err.splitlines()
    assert told == ["flipside: itc gave NaN.", "flipside: itm gave NaN.", f"flipside: {said}"]
    _warn(RunSummary("r1", tmp_path, "py:x", "world", 9, parts, interrupted=True, goes_on=weights))
    again = "goes on from here" if weights else "begins another run"
    assert capsys.readouterr().err.splitlines()[-1].endswith(f"the same command {again}.")
