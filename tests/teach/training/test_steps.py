"""Trainings of bundled models and small real architectures: a few steps each."""

import errno
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("peft", reason="the extra flipside[teach] is not installed")

from backend import durable  # noqa: E402
from backend.benchmarks import load_benchmark  # noqa: E402
from backend.errors import FlipsideError, UsageError  # noqa: E402
from backend.metrics.reasons.quads import decompose  # noqa: E402
from backend.models import load  # noqa: E402
from backend.teach.pairs.batches import Batches  # noqa: E402
from backend.teach.students import loading  # noqa: E402
from backend.teach.students.loading import student  # noqa: E402
from backend.teach.students.tuning import Tuning  # noqa: E402
from backend.teach.training import checkpoint, judging  # noqa: E402
from backend.teach.training.objective import objective  # noqa: E402
from backend.teach.training.recipes import recipe  # noqa: E402
from backend.teach.training.steps import Plan, Training  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
CURVE = ("loss", "retrieval", "gamma", "abs_c", "abs_r", "gradient", "learning_rate")


def training(folder, world, name="eqsim", spec="bundled:clip", size=6, held_out=(), rank=4, **plan):
    made = student(spec, Tuning(rank), device="cpu")
    settings = {"steps": 6, "warm_up": 2, "checkpoint_every": 2, **plan}
    return Training(made, Batches(world, size), recipe(name), Plan(**settings), folder, held_out)


def curve(folder):
    return [{name: entry[name] for name in CURVE} for entry in checkpoint.read_log(folder) if entry["step"]]


def alike(one, other):
    assert len(one) == len(other)
    for a, b in zip(one, other, strict=True):
        norm, expected = a.pop("gradient", 0.0), b.pop("gradient", 0.0)
        assert a == pytest.approx(b, abs=1e-6, rel=0)
        assert norm == pytest.approx(expected, rel=1e-5)  # float32's own precision; its size is of any order


@pytest.mark.long
def test_a_stopped_training_goes_on_as_if_nothing_had_happened(tmp_path, world):
    assert training(tmp_path / "whole", world).run() == 6
    assert training(tmp_path / "parts", world).run(stop_after=3) == 3
    lines = tmp_path / "parts" / "log.jsonl"
    lines.write_text(lines.read_text() + '{"step": 4, "loss": 99, "retrie')  # killed while it wrote
    assert training(tmp_path / "parts", world).run() == 6
    alike(curve(tmp_path / "parts"), curve(tmp_path / "whole"))
    one, other = (
        torch.load(tmp_path / name / "checkpoint.pt", weights_only=True)["parameters"] for name in ("whole", "parts")
    )
    assert all(torch.allclose(one[name], other[name], atol=1e-6, rtol=0) for name in one)
    assert training(tmp_path / "parts", world).run() == 6  # done is done
    alike(curve(tmp_path / "parts"), curve(tmp_path / "whole"))


@pytest.mark.long
@pytest.mark.parametrize("rank", [4, 0])
def test_dropout_goes_on_too(tmp_path, world, rank):
    """A matching head with dropout, which takes torch's dice."""
    from tests.zoo import cases

    base = tmp_path / "base"
    base.mkdir()
    next(case for case in cases() if case.name == "BLIP ITM").build(base)
    config = json.loads((base / "config.json").read_text())
    config["text_config"] |= {"hidden_dropout_prob": 0.3, "attention_probs_dropout_prob": 0.3}
    (base / "config.json").write_text(json.dumps(config))
    common = {"spec": f"hf:{base}", "size": 4, "steps": 4, "rank": rank}
    training(tmp_path / "whole", world, **common).run()
    training(tmp_path / "parts", world, **common).run(stop_after=2)
    torch.rand(5)  # somebody else throws dice
    training(tmp_path / "parts", world, **common).run()
    alike(curve(tmp_path / "parts"), curve(tmp_path / "whole"))
    training(tmp_path / "other", world, seed=1, **common).run()
    assert curve(tmp_path / "other")[0]["loss"] != curve(tmp_path / "whole")[0]["loss"]  # dropout is at work


KILLED = """
import sys, time
from pathlib import Path
from backend.teach.pairs.batches import Batches
from backend.teach.pairs.examples import from_world
from backend.teach.students.loading import student
from backend.teach.training.recipes import recipe
from backend.teach.training.steps import Plan, Training
Training(
    student("bundled:clip", device="cpu"), Batches(from_world(16, ("attribute", "size"), 5), 6), recipe("eqsim"),
    Plan(steps=6, warm_up=2, checkpoint_every=2), Path(sys.argv[1]),
).run(see=lambda entry: time.sleep(60 if entry["step"] == 5 else 0))
"""


@pytest.mark.long
def test_a_killed_process_goes_on_exactly(tmp_path, world):
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path / "killed")], cwd=ROOT, env=os.environ)
    try:
        until = time.monotonic() + 90
        while len(checkpoint.read_log(tmp_path / "killed")) < 5 and time.monotonic() < until:
            assert process.poll() is None
            time.sleep(0.1)
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert [entry["step"] for entry in checkpoint.read_log(tmp_path / "killed")] == [
        1,
        2,
        3,
        4,
        5,
    ]  # 4 in the checkpoint
    assert training(tmp_path / "killed", world).run() == 6
    training(tmp_path / "whole", world).run()
    alike(curve(tmp_path / "killed"), curve(tmp_path / "whole"))


def test_all_recipes_see_the_same_batches(tmp_path, world, monkeypatch):
    seen: dict[str, list[str]] = {}
    for name in ("baseline", "eqsim", "binding"):
        made = training(tmp_path / name, world, name, steps=2)
        original = made.student.see

        def see(images, name=name, original=original):
            seen.setdefault(name, []).extend(images)
            return original(images)

        monkeypatch.setattr(made.student, "see", see)
        made.run()
    assert len(seen["baseline"]) == 12
    assert seen["baseline"] == seen["eqsim"] == seen["binding"]
    first = [curve(tmp_path / name)[0]["retrieval"] for name in seen]
    assert first == pytest.approx([first[0]] * 3)


def test_a_loss_that_is_no_number_ends_with_a_sentence_and_an_intact_checkpoint(tmp_path, world):
    made = training(tmp_path, world, learning_rate=1e30, warm_up=0, checkpoint_every=1)
    with pytest.raises(FlipsideError, match=r"bundled:clip, recipe eqsim, step 2: the loss or its gradient is no num"):
        made.run()
    saved = checkpoint.load(tmp_path, made.document(), torch.device("cpu"))
    assert saved is not None
    assert saved.step == 1
    assert [entry["step"] for entry in checkpoint.read_log(tmp_path)] == [1]


@pytest.mark.long
def test_a_full_disk_ends_with_a_sentence_and_the_same_command_goes_on(tmp_path, world, monkeypatch):
    training(tmp_path / "whole", world).run()
    original, writes = durable.write_synced, []

    def full(path, data):
        writes.append(path)
        if len(writes) == 4:  # the log, steps 0, 2 and then 4
            path.write_bytes(data[:100])
            raise OSError(errno.ENOSPC, "No space left on device")
        original(path, data)

    monkeypatch.setattr(durable, "write_synced", full)
    with pytest.raises(FlipsideError, match=r"No space is left on the disk of .* the same command goes on from it"):
        training(tmp_path / "full", world).run()
    assert sorted(path.name for path in (tmp_path / "full").iterdir()) == ["checkpoint.pt", "log.jsonl"]
    monkeypatch.setattr(durable, "write_synced", original)
    made = training(tmp_path / "full", world)
    saved = checkpoint.load(tmp_path / "full", made.document(), torch.device("cpu"))
    assert saved is not None
    assert saved.step == 2
    made.run()
    alike(curve(tmp_path / "full"), curve(tmp_path / "whole"))


@pytest.mark.long
def test_a_folder_of_another_training_is_not_gone_on_with(tmp_path, world):
    training(tmp_path, world, steps=2).run()
    with pytest.raises(
        UsageError, match=r"another training: its recipe's name is \"eqsim\", asked for is \"baseline\"\."
    ):
        training(tmp_path, world, "baseline", steps=2).run()
    for more, said in (
        ({"size": 5}, "its data differ, or --batch, --seed or --captions"),
        ({"learning_rate": 0.5}, "its plan's learning_rate is 0.0001, asked for is 0.5"),
        ({"rank": 2}, "it trains 61,600 numbers, asked for are 30,800 .--rank"),
        ({"held_out": quads(2)}, "it holds out other items"),
        ({"spec": "bundled:clip-young"}, "its model has other weights"),
    ):
        with pytest.raises(UsageError, match=f"holds another training: {said}"):
            training(tmp_path, world, **{"steps": 2, **more}).run()
    (tmp_path / "checkpoint.pt").write_bytes(b"PK")
    with pytest.raises(FlipsideError, match="cannot be read as a checkpoint; it is damaged"):
        training(tmp_path, world, steps=2).run()


def quads(n):
    found = [item for item in load_benchmark("world", None) if item.protocol == "quad"]
    return found[:n]


@pytest.mark.long
def test_held_out_quads_are_judged_as_a_run_judges_them():
    items = quads(40)
    made, model = student("bundled:clip", device="cpu"), load("bundled:clip", device="cpu")
    found = judging.judge(made, items)
    scores = np.stack(
        [model.encode_images([i.uri for i in item.images]) @ model.encode_texts(item.texts).T for item in items]
    )
    parts = decompose(scores)
    assert found["n_quads"] == 40
    assert found["group_score"] == pytest.approx(np.mean(parts.group))
    assert found["group_match"] == pytest.approx(np.mean(parts.gamma > 0))
    assert found["gamma"] == pytest.approx(np.mean(parts.gamma), abs=1e-6)
    assert found["abs_c"] == pytest.approx(np.mean(np.abs(parts.c)), abs=1e-6)
    assert found["abs_r"] == pytest.approx(np.mean(np.abs(parts.r)), abs=1e-6)
    assert found["spread"] == pytest.approx(np.std(scores), abs=1e-6)
    choices = [item for item in load_benchmark("world", None) if item.protocol == "choice"][:20]
    both = judging.judge(made, [*items, *choices])
    assert both["group_score"] == found["group_score"]
    right = [s[0] > max(s[1:]) for item in choices
             for s in [(model.encode_images([item.images[0].uri]) @ model.encode_texts(item.texts).T)[0]]]  # fmt: skip
    assert both["accuracy"] == pytest.approx(np.mean(right))
    with pytest.raises(UsageError, match="no held-out item is a quad or a choice"):
        judging.refuse([item for item in load_benchmark("world", None) if item.protocol == "retrieval"][:2])


def test_judging_changes_nothing_of_the_training(tmp_path, world):
    training(tmp_path / "judged", world, held_out=quads(4), judge_every=2, steps=4).run()
    training(tmp_path / "plain", world, steps=4).run()
    alike(curve(tmp_path / "judged"), curve(tmp_path / "plain"))
    log = checkpoint.read_log(tmp_path / "judged")
    assert [entry["step"] for entry in log if "held_out" in entry] == [0, 2, 4]
    assert log[0]["held_out"]["n_quads"] == 4


@pytest.mark.long
@pytest.mark.parametrize("name", ["baseline", "eqsim", "neg", "binding"])
def test_what_a_recipe_minimises_falls(tmp_path, world, name):
    """On one batch over and over, so that nothing but the steps changes it."""
    made = training(tmp_path, world, name, steps=25, learning_rate=3e-3, checkpoint_every=100)
    first = made.batches[0]
    made.batches = type("Same", (), {"__getitem__": lambda *_: first, "digest": lambda _: "same", "size": 6})()
    made.run()
    found = [entry["loss"] for entry in checkpoint.read_log(tmp_path)]
    assert found[-1] < 0.7 * found[0]


def test_mixed_precision_computes_towers_in_bfloat16_and_all_else_in_float32(tmp_path, world):
    training(tmp_path / "mixed", world, mixed=True, steps=2).run()
    training(tmp_path / "plain", world, steps=2).run()
    one, other = (curve(tmp_path / name)[0]["loss"] for name in ("mixed", "plain"))
    assert one != other
    assert one == pytest.approx(other, rel=0.05)
    kept = torch.load(tmp_path / "mixed" / "checkpoint.pt", weights_only=True)["parameters"]
    assert {value.dtype for value in kept.values()} == {torch.float32}


@pytest.mark.long
@pytest.mark.parametrize("mixed", [False, True])
def test_a_step_is_what_it_says(tmp_path, world, mixed):
    """The same losses, gradients and weights by a loop without anything of `Training`."""
    made = training(tmp_path, world, "eqsim", mixed=mixed, steps=4)
    made.run()
    other = student("bundled:clip", Tuning(4), device="cpu")
    other.mixed = mixed
    other.begin()
    weights = list(other.parameters().values())
    matrices, rest = ([w for w in weights if (w.ndim > 1) is many] for many in (True, False))
    groups = [{"params": matrices, "weight_decay": 0.05}, {"params": rest, "weight_decay": 0.0}]
    adam = torch.optim.AdamW([group for group in groups if group["params"]], betas=(0.9, 0.98))
    for step, entry in enumerate(checkpoint.read_log(tmp_path)):
        for group in adam.param_groups:
            group["lr"] = entry["learning_rate"]
        loss = objective(other, made.batches[step], recipe("eqsim")).total
        adam.zero_grad()
        loss.backward()
        norm = torch.sqrt(sum(w.grad.square().sum() for w in weights if w.grad is not None))
        for w in weights:
            w.grad = None if w.grad is None else w.grad * min(1.0, 1.0 / float(norm))
        adam.step()
        assert entry["loss"] == pytest.approx(loss.item(), rel=2e-5)  # float32, summed in another order
        assert entry["gradient"] == pytest.approx(float(norm), rel=1e-5)
    kept = torch.load(tmp_path / "checkpoint.pt", weights_only=True)["parameters"]
    assert all(torch.allclose(kept[name], value, atol=1e-6) for name, value in other.parameters().items())


def test_half_precision_is_bfloat16_and_refused_where_there_is_none(monkeypatch):
    made = student("bundled:clip", device="cpu")
    made.mixed = True
    with made.precision():
        assert torch.get_autocast_dtype("cpu") is torch.bfloat16
        assert torch.is_autocast_enabled("cpu")
    loading.refuse_mixed(torch.device("cpu"))
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda including_emulation: False)
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda _: "Tesla V100")
    with pytest.raises(UsageError, match=r"Tesla V100 has no bfloat16: leave out --mixed\."):
        loading.refuse_mixed(torch.device("cuda", 0))


def test_wrong_plans(world):
    for wrong in (
        {"steps": 0},
        {"steps": 10**9},
        {"steps": 1, "checkpoint_every": 0},
        {"steps": 1, "learning_rate": 0.0},
    ):
        with pytest.raises(UsageError):
            Plan(**wrong)
