"""On Ray itself: a cluster of this machine alone, by the verb, in processes of its own."""

import json
import os
import subprocess

import pytest

from backend.engine.inputs.selection import Selection
from backend.engine.runner import run
from backend.paths import module_command
from tests.conftest import ROOT
from tests.engine.samples import rows


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_verb_scores_on_a_cluster_what_one_process_scores(tmp_path):
    words = ["run", "--model", "fake:ok", "--benchmark", "world", "--kinds", "itc,itm,prior", "--prior", "noise:1"]
    environment = os.environ | {"FLIPSIDE_CACHE": str(tmp_path / "many"), "FLIPSIDE_PROGRESS": "json"}
    done = subprocess.run(
        module_command("backend", *words, "--sample", "60", "--ray", "local", "--json"),
        env=environment, cwd=ROOT, capture_output=True, text=True, check=False, timeout=280,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    alone = run(
        "fake:ok", "world", ["itc", "itm", "prior"], priors=["noise:1"], selection=Selection(sample=60),
        root=tmp_path / "one", planned=True, reuse=False,
    )  # fmt: skip
    assert summary["run"] == alone.run_id
    assert summary["asked"] == alone.asked
    assert rows(tmp_path / "many" / "runs" / alone.run_id) == rows(alone.run_dir)
    told = [json.loads(line)["progress"] for line in done.stderr.splitlines() if line.startswith('{"progress"')]
    assert told[-1]["done"] == told[-1]["total"] == alone.computed
    assert " on 1 machine, each with" in done.stderr
