"""Two processes that share each batch learn what one learns: losses, gradients and weights, of both kinds of model."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

torch = pytest.importorskip("torch")
pytest.importorskip("peft", reason="the extra flipside[teach] is not installed")
pytest.importorskip("accelerate", reason="the extra flipside[teach] is not installed")

from backend.benchmarks import load_benchmark  # noqa: E402
from backend.errors import FlipsideError, UsageError  # noqa: E402
from backend.teach.lesson import Lesson, Prepared  # noqa: E402
from backend.teach.pairs.examples import from_world  # noqa: E402
from backend.teach.pairs.generated import generate  # noqa: E402
from backend.teach.processes import launching, team  # noqa: E402
from backend.teach.training import log  # noqa: E402
from backend.teach.training.recipes import recipe  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
#: Name -> model, recipe, rank. SVLC reads negatives and positives too, of which a share may be none of a batch's.
LESSONS = {
    "dual": ("bundled:clip", recipe("svlc", eqsim=0.5, binding=1.0), 4),
    "dual, all weights": ("bundled:clip", recipe("eqsim"), 0),
    "matcher": ("blip", recipe("binding", negatives=1.0), 4),
    "matcher, all weights": ("blip", recipe("eqsim"), 0),
}
STEPS = 4
BATCH = 5  # no multiple of the number of processes
#: A key's bias changes no softmax, so that its gradient is rounding alone, which AdamW makes as large as any other.
NOISE = ("key.bias", "k_proj.bias", "qkv.bias", "in_proj_bias")


def prepared(name, folder, **more):
    """In this process, or in one of several."""
    model, chosen, rank = LESSONS[name]
    spec = f"hf:{folder.parent / 'blip'}" if model == "blip" else model
    data = from_world(16, ("attribute",), 7)
    captions = generate([e.text for e in data.examples], ("negative_colour", "synonym_adjective", "synonym_noun"))
    held_out = [item for item in load_benchmark("world", None) if item.protocol == "quad"][:5]
    plan = {"steps": STEPS, "warm_up": 2, "learning_rate": 1e-4, "judge_every": 2, "checkpoint_every": 1, **more}
    asked = Lesson(spec, data, folder / name, plan, chosen, BATCH, rank, captions, held_out, seed=3, device="cpu")
    return Prepared(asked)


CHILD = """
import sys
from pathlib import Path
sys.path[:0] = [ROOT]
import flipside
from tests.teach.processes.test_team import LESSONS, prepared
for name in LESSONS:
    prepared(name, Path(FOLDER)).run()
"""


def several(n, code, folder):
    """Run the code by n processes that know of each other; their exit codes and what they said."""
    store = folder / "store"
    store.mkdir()
    code = f"ROOT, FOLDER = {str(ROOT)!r}, {str(folder)!r}\n{code}"
    started = [
        subprocess.Popen(
            [sys.executable, "-c", code], cwd=ROOT, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(n),
                 "LOCAL_WORLD_SIZE": str(n), launching.STORE: str(store)},
        )
        for rank in range(n)
    ]  # fmt: skip
    try:  # their standard input stays open: they end with it
        return [process.wait(240) for process in started], [process.stderr.read() for process in started]
    finally:
        for process in started:
            process.kill()
            process.wait()
            process.stdin.close()
            process.stderr.close()


def parameters(folder, name):
    return torch.load(folder / name / "checkpoint.pt", weights_only=True)["parameters"]


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_two_processes_learn_what_one_learns(tmp_path):
    from tests.zoo import cases

    for where in ("one", "two"):
        (tmp_path / where).mkdir()
    (tmp_path / "blip").mkdir()
    next(case for case in cases() if case.name == "BLIP ITM").build(tmp_path / "blip")
    codes, said = several(2, CHILD, tmp_path / "two")
    assert codes == [0, 0], said
    for name in LESSONS:
        prepared(name, tmp_path / "one").run()
        one, two = (log.read(tmp_path / where / name) for where in ("one", "two"))
        assert [entry["step"] for entry in two] == [0, *range(1, STEPS + 1)]
        for a, b in zip(one, two, strict=True):
            for entry in (a, b):
                entry.pop("seconds", None)
            ours, theirs = a.pop("held_out", {}), b.pop("held_out", {})
            for judged in (
                ours,
                theirs,
            ):  # an untrained head: the sign of γ is noise of float32
                judged.pop("group_match", None)
            assert ours == pytest.approx(theirs, abs=1e-5)
            assert a == pytest.approx(b, abs=1e-5, rel=1e-5), name
        known, found = parameters(tmp_path / "one", name), parameters(tmp_path / "two", name)
        assert known.keys() == found.keys()
        worst = {key: (known[key] - found[key]).abs().max().item() for key in known if not key.endswith(NOISE)}
        assert max(worst.values()) < 1e-5, name
        record = json.loads((tmp_path / "two" / name / "merged" / "teach.json").read_text())
        assert record["step"] == STEPS
        assert json.loads((tmp_path / "two" / name / "lesson.json").read_text())["processes"] == 2
        assert not list((tmp_path / "two" / name).glob(".aside*"))


PARTED = """
import sys
from pathlib import Path
sys.path[:0] = [ROOT]
import flipside
from tests.teach.processes.test_team import STEPS, prepared
for where, stop in (("whole", STEPS), ("parts", 2), ("parts", STEPS)):
    made = prepared("dual", Path(FOLDER) / where)
    for part in made.student.module.modules():
        if isinstance(getattr(part, "dropout", None), float):
            part.dropout = 0.3
    made.training.run(stop_after=stop)
"""


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_two_processes_go_on_exactly_each_with_its_own_dice(tmp_path):
    codes, said = several(2, PARTED, tmp_path)
    assert codes == [0, 0], said
    one, other = (log.read(tmp_path / where / "dual") for where in ("whole", "parts"))
    for a, b in zip(one, other, strict=True):
        assert a.get("loss", 0) == pytest.approx(b.get("loss", 0), abs=1e-6)
    found = torch.load(tmp_path / "whole" / "dual" / "checkpoint.pt", weights_only=True)
    assert found["processes"] == 2
    assert not torch.equal(*found["dice"])


@given(st.integers(1, 40), st.integers(1, 9))
def test_every_row_is_somebody_s_and_shares_are_of_one_length(n, size):
    shares, rows = team.parts(n, size)
    laid = [row for share in shares for row in range(n)[share]]
    assert [laid[row] for row in rows] == list(range(n))
    assert len({share.stop - share.start for share in shares}) == 1
    assert all(0 <= share.start < share.stop <= n for share in shares)


def test_alone_nothing_is_asked_of_anybody():
    alone = team.ALONE
    assert alone.first
    assert alone.agreed(True)
    assert not alone.agreed(False)
    assert alone.each(3, lambda share: torch.arange(3)[share]).tolist() == [0, 1, 2]
    alone.wait()
    alone.summed([])
    assert team.joined("cpu") == (alone, "cpu")


@pytest.fixture
def launched(monkeypatch):
    for name, value in {"RANK": "0", "LOCAL_RANK": "0", "WORLD_SIZE": "2"}.items():
        monkeypatch.setenv(name, value)


def test_devices_that_several_processes_cannot_have(launched):
    for device in ("mps", "cuda:0"):
        with pytest.raises(
            UsageError, match=f"--device {device}: 2 processes take cpu, or cuda, where each gets a GPU"
        ):
            team.joined(device)
    if torch.cuda.device_count() < 2:
        with pytest.raises(UsageError, match="2 processes need as many GPUs"):
            team.joined("cuda")


def test_without_accelerate_it_is_named(launched, monkeypatch):
    monkeypatch.setitem(sys.modules, "accelerate", None)
    with pytest.raises(FlipsideError, match=r"need the package accelerate.*pip install 'flipside\[teach\] @ file:"):
        team.joined("cpu")


def test_a_process_that_is_gone_is_told_as_that(launched, monkeypatch):
    def gone(*_):
        raise RuntimeError("Connection closed by peer [127.0.0.1]:1234")

    monkeypatch.setattr(team.distributed, "broadcast", gone)
    monkeypatch.setattr(team.distributed, "get_backend", lambda: "gloo")
    with pytest.raises(FlipsideError, match=r"another process of this training is gone \(Connection closed by peer"):
        team.Several(0, 2).agreed(True)
    monkeypatch.setenv(launching.STORE, "/nowhere")
    with pytest.raises(SystemExit) as quiet:
        team.Several(0, 2).agreed(True)
    assert quiet.value.code == launching.LOST
