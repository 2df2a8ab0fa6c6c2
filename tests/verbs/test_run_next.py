"""What `run` names as the next step leads to what it has scored."""

import shlex

import pytest


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
