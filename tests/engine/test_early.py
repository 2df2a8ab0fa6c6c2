"""What can be refused is refused before a model is loaded."""

import pytest

from backend.engine.inputs.selection import Selection
from backend.engine.runner import run
from backend.engine.storage import files
from backend.errors import FlipsideError


@pytest.fixture(autouse=True)
def nothing_is_loaded(monkeypatch):
    """Loading a model fails the test."""

    def load(spec, *_, **__):
        pytest.fail(f"{spec} was loaded")

    monkeypatch.setattr("backend.models.load", load)


CAPTIONER = ["--model", "bundled:captioner", "--benchmark", "world"]


@pytest.mark.parametrize(
    ("given", "said", "code"),
    [
        ([*CAPTIONER, "--kinds", "gen", "--subset", "relatoin"], "Did you mean relation?", 2),
        ([*CAPTIONER, "--kinds", "gen", "--subset", "relation", "--split", "tets"], "--split tets", 2),
        ([*CAPTIONER, "--kinds", "itc"], "bundled:captioner gives no itc", 2),
        ([*CAPTIONER, "--kinds", "gen", "--device", "gpu"], "--device gpu: use auto, cpu, cuda", 2),
        ([*CAPTIONER, "--kinds", "gen", "--dtype", "int8"], "--dtype int8: use auto, float32", 2),
        ([*CAPTIONER, "--kinds", "gen,prior", "--prior", "self"], "is no blind model", 2),
        ([*CAPTIONER, "--kinds", "gen,prior", "--prior", "lm:bundled:clip"], "is no blind language model", 2),
        ([*CAPTIONER, "--kinds", "gen", "--prior", "noise:3"], "add prior to --kinds", 2),
        (["--model", "bundled:captioner", "--benchmark", "sugarcrepe", "--kinds", "gen"], "sugarcrepe needs --data", 2),
        (["--model", "bundled:captioner", "--benchmark", "wrld", "--kinds", "gen"], "Did you mean world", 2),
        (["--model", "clip", "--benchmark", "world", "--kinds", "itc"], "as in bundled:clip", 2),
        (["--model", "bundled:clip", "--benchmark", "world", "--kinds", "t2t", "--subset", "relation"], "t2t is", 2),
    ],
)
def test_wrong_use(flipside, given, said, code):
    answer = flipside("run", *given)
    assert (answer.code, answer.out) == (code, "")
    assert said in answer.err


def test_a_cache_that_cannot_be_written(flipside, tmp_path, monkeypatch):
    (tmp_path / "runs").touch()
    monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path))
    answer = flipside("run", *CAPTIONER, "--kinds", "gen", "--subset", "relation")
    assert answer.code == 1
    assert "FLIPSIDE_CACHE" in answer.err


@pytest.mark.long
def test_a_run_that_another_process_is_writing(tmp_path, monkeypatch):
    monkeypatch.undo()
    first = run("fake:ok", "world", ["itc"], selection=Selection(limit=2), root=tmp_path, device="cpu")
    monkeypatch.setattr("backend.models.load", lambda *_, **__: pytest.fail("it was loaded"))
    with files.run_lock(first.run_dir), pytest.raises(FlipsideError, match=rf"Run {first.run_id} is being written by"):
        run("fake:ok", "world", ["itc"], selection=Selection(limit=2), root=tmp_path, device="cpu")
