"""Ctrl-C, SIGTERM and SIGKILL at every moment: the step is finished and kept, and what follows is the same to 1e-6."""

import os
import signal

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("peft", reason="the extra flipside[teach] is not installed")

from backend import durable  # noqa: E402
from backend.benchmarks import load_benchmark  # noqa: E402
from backend.engine import interrupt  # noqa: E402
from backend.teach.pairs.batches import Batches  # noqa: E402
from backend.teach.students.loading import student  # noqa: E402
from backend.teach.training import checkpoint, judging, log  # noqa: E402
from backend.teach.training.recipes import recipe  # noqa: E402
from backend.teach.training.steps import Plan, StoppedError, Training  # noqa: E402


@pytest.fixture(autouse=True)
def answered():
    """As every verb is run."""
    with interrupt.answered():
        yield


def training(folder, world, held_out=(), dropout=0.0, **plan):
    made = student("bundled:clip", device="cpu")
    for part in made.module.modules():
        if dropout and hasattr(part, "dropout") and isinstance(part.dropout, float):
            part.dropout = dropout  # attention's; CLIP has no other
    settings = Plan(**{"steps": 6, "warm_up": 2, "checkpoint_every": 4, "learning_rate": 1e-3, **plan})
    return Training(made, Batches(world, 6), recipe("eqsim"), settings, folder, held_out)


def entries(folder):
    """The log without what a clock says."""
    return [{k: v for k, v in entry.items() if k != "seconds"} for entry in log.read(folder)]


def alike(one, other):
    found, expected = entries(one), entries(other)
    assert [each["step"] for each in found] == [each["step"] for each in expected]
    for a, b in zip(found, expected, strict=True):
        assert a.pop("held_out", {}) == pytest.approx(b.pop("held_out", {}), abs=1e-6, rel=0)
        assert a.pop("gradient", 0) == pytest.approx(b.pop("gradient", 0), rel=1e-5)
        assert a == pytest.approx(b, abs=1e-6, rel=0)
    kept = [torch.load(folder / "checkpoint.pt", weights_only=True)["parameters"] for folder in (one, other)]
    assert all(torch.allclose(kept[0][name], kept[1][name], atol=1e-6, rtol=0) for name in kept[0])


def held_out(n=3):
    found = [item for item in load_benchmark("world", None) if item.protocol == "quad"]
    return found[:n]


def after(step, number):
    """Send this process a signal when so many steps are in the log."""

    def see(entry):
        if entry["step"] == step:
            os.kill(os.getpid(), number)

    return see


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("more", [{}, {"judge_every": 2, "held_out": 3}, {"mixed": True}, {"dropout": 0.3}], ids=str)
def test_asked_to_stop_it_keeps_the_step_and_goes_on_exactly(tmp_path, world, number, more, capfd):
    more = more | ({"held_out": held_out()} if "held_out" in more else {})
    whole = training(tmp_path / "whole", world, **more)
    whole.run()
    with pytest.raises(StoppedError, match=r"stopped after step 3 of 6, which its checkpoint has\. The same") as said:
        training(tmp_path / "parts", world, **more).run(see=after(3, number))
    assert said.value.exit_code == 130
    assert "stopping after this batch" in capfd.readouterr().err
    assert checkpoint.load(tmp_path / "parts", whole.document(), torch.device("cpu")).step == 3
    with interrupt.answered():
        assert training(tmp_path / "parts", world, **more).run() == 6
    alike(tmp_path / "parts", tmp_path / "whole")
    if "dropout" in more:
        training(tmp_path / "other", world, seed=1, **more).run(stop_after=1)
        assert entries(tmp_path / "other")[0]["loss"] != entries(tmp_path / "whole")[0]["loss"]  # it is at work


@pytest.mark.long
def test_asked_in_the_middle_of_a_step_it_is_finished(tmp_path, world):
    made = training(tmp_path, world)
    original = made.student.read

    def read(texts):
        if len(log.read(tmp_path)) == 1:
            os.kill(os.getpid(), signal.SIGINT)
        return original(texts)

    made.student.read = read
    with pytest.raises(StoppedError, match="after step 2 of 6"):
        made.run()
    assert [entry["step"] for entry in log.read(tmp_path)] == [1, 2]


@pytest.mark.long
def test_asked_twice_it_ends_at_once_with_its_last_checkpoint(tmp_path, world):
    def see(entry):
        if entry["step"] == 5:
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGINT)

    training(tmp_path / "whole", world).run()
    with pytest.raises(KeyboardInterrupt):
        training(tmp_path / "parts", world).run(see=see)
    with interrupt.answered():
        training(tmp_path / "parts", world).run()
    alike(tmp_path / "parts", tmp_path / "whole")


@pytest.mark.long
@pytest.mark.parametrize("step", [0, 2, 6])
def test_asked_while_it_judges_it_judges_when_it_goes_on(tmp_path, world, step, monkeypatch):
    monkeypatch.setattr(judging, "AT_ONCE", 1)
    plan = {"held_out": held_out(), "judge_every": 2}
    training(tmp_path / "whole", world, **plan).run()
    made = training(tmp_path / "parts", world, **plan)
    original, seen = made.student.see, []

    def see(images):
        if not made.student.module.training and (log.last_step(tmp_path / "parts") == max(0, step - 1)):
            seen.append(images)
            if len(seen) == 2:
                os.kill(os.getpid(), signal.SIGTERM)
        return original(images)

    made.student.see = see
    with pytest.raises(StoppedError, match=f"after step {step} of 6"):
        made.run()
    assert len(seen) == 2
    with interrupt.answered():
        training(tmp_path / "parts", world, **plan).run()
    alike(tmp_path / "parts", tmp_path / "whole")


@pytest.mark.long
def test_killed_while_it_writes_it_goes_on_from_the_checkpoint_before_and_leaves_nothing_aside(
    tmp_path, world, monkeypatch
):
    """The child dies with half of a checkpoint written; nothing of it is left once the training has gone on."""
    training(tmp_path / "whole", world, checkpoint_every=2).run()
    parts = tmp_path / "parts"
    made = training(parts, world, checkpoint_every=2)
    child = os.fork()
    if not child:
        original = durable.write_synced

        def killed(path, data):
            if path.name.endswith("checkpoint.pt") and log.last_step(parts) == 4:
                path.write_bytes(data[: len(data) // 2])
                os.kill(os.getpid(), signal.SIGKILL)
            original(path, data)

        monkeypatch.setattr(durable, "write_synced", killed)
        made.run()
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    (aside,) = parts.glob(".aside-*")
    assert aside.name == f".aside-{child}-checkpoint.pt"
    with (parts / log.FILE).open("a") as out:
        out.write('{"step": 5, "loss": 1.')
    (parts / ".aside-1-merged").mkdir()
    (parts / ".aside-mine").write_text("not ours")
    training(parts, world, checkpoint_every=2).run()
    alike(parts, tmp_path / "whole")
    assert [path.name for path in parts.glob(".aside-*")] == [".aside-mine"]
