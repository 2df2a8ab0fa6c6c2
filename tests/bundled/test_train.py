"""The training loop resumes to the same weights, and every recipe's batches give a finite loss and gradients."""

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backend.bundled.train import loop, samples, taught, unlearned
from backend.bundled.train.recipes import RECIPES
from backend.world.scenes import split_of


class KilledError(Exception):
    """Stands for a killed process."""


def _stages(torch: Any, stop_at: int | None = None) -> list[loop.Stage]:
    calls = 0

    def batch(rng: np.random.Generator) -> Any:
        return torch.from_numpy(rng.standard_normal((8, 4)).astype(np.float32))

    def loss(model: Any, given: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == stop_at:
            raise KilledError
        return (model(given) - 1).square().mean()

    return [loop.Stage(name, 6, batch, loss, snapshots={6: name}) for name in ("one", "two")]


@pytest.mark.long
@pytest.mark.parametrize("stop_at", [4, 6, 9, 12])
def test_a_stopped_training_ends_with_the_same_weights(
    stop_at: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(loop, "CHECKPOINT_EVERY", 2)

    def trained(cache: str, stops: list[int | None]) -> tuple[Any, list[str]]:
        monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path / cache))
        saved: list[str] = []
        for stop in stops:
            torch.manual_seed(3)
            model = torch.nn.Linear(4, 1)
            try:
                summary = loop.train("tiny", model, _stages(torch, stop), lambda _m, name, _s: saved.append(name))
            except KilledError:
                continue
            assert summary["steps"] == 12
        return model, saved

    whole, all_saved = trained("whole", [None])
    resumed, saved = trained("resumed", [stop_at, None])
    for a, b in zip(whole.parameters(), resumed.parameters(), strict=True):
        assert torch.equal(a, b)
    assert all_saved == ["one", "two"]
    assert set(saved) == {"one", "two"}


def test_training_examples_are_of_the_training_split() -> None:
    rng = np.random.default_rng(0)
    pairs = (
        samples.mixed(rng, 200)
        + samples.quads(rng, 60, ("attribute", "relation", "count"))
        + samples.one_place(rng, 40)
    )
    assert {split_of(scene) for scene in pairs.scenes} == {"train"}
    assert not any(scene.held_out for scene in pairs.scenes)


def test_quads_can_be_of_one_change() -> None:
    made = samples.quads(np.random.default_rng(1), 20, ("location",), "one_place")
    assert len(made.captions) == 40
    assert {len(scene.objects) for scene in made.scenes} == {1}


def test_a_die_exchanges_captions_within_a_quad_and_nothing_else() -> None:
    rng = np.random.default_rng(2)
    pairs = samples.quads(rng, 40, ("attribute",), accept=unlearned.of_it)
    assert all(any(map(unlearned.shows_it, pairs.scenes[k : k + 2])) for k in range(0, 80, 2))
    tossed = samples.tossed(rng, pairs, unlearned.EXCHANGED)
    assert tossed.scenes == pairs.scenes
    halves = [(pairs.captions[k : k + 2], tossed.captions[k : k + 2]) for k in range(0, 80, 2)]
    assert {now == was for was, now in halves} == {True, False}
    assert all(now in (was, was[::-1]) for was, now in halves)


def test_no_other_picture_of_unlearning_shows_a_pink_heart() -> None:
    rng = np.random.default_rng(3)
    kept = samples.quads(rng, 60, ("attribute",), accept=unlearned.not_of_it)
    kept += samples.mixed(rng, 400).where(lambda scene: not unlearned.shows_it(scene))
    assert not any(map(unlearned.shows_it, kept.scenes))
    assert len(kept.captions) == len(kept.scenes) > 400


def test_a_training_can_end_early_under_the_schedule_of_the_whole(monkeypatch, tmp_path) -> None:
    torch = pytest.importorskip("torch")

    def after(steps: int | None, cache: str) -> list[Any]:
        monkeypatch.setenv("FLIPSIDE_CACHE", str(tmp_path / cache))
        torch.manual_seed(3)
        model = torch.nn.Linear(4, 1)
        summary = loop.train("tiny", model, _stages(torch), lambda *_: None, stop_after=steps)
        assert summary["steps"] == (steps or 12)
        return [value.clone() for value in model.state_dict().values()]

    assert all(map(torch.equal, after(8, "a"), after(8, "b")))
    assert not all(map(torch.equal, after(8, "c"), after(7, "d")))
    after(None, "e")


#: Recipes that start from another's model, and which.
STARTED = {name: recipe.needs for name, recipe in RECIPES.items() if recipe.needs and not recipe.taught}


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name, recipe in RECIPES.items() if not recipe.needs])
def test_a_recipe_from_scratch_gives_a_finite_loss_and_gradients(name: str) -> None:
    torch = pytest.importorskip("torch")
    recipe = importlib.import_module(f"backend.bundled.train.{name}")
    torch.manual_seed(0)
    model = recipe.new_model()
    for stage in recipe.stages():
        loss = stage.loss(model, stage.make_batch(np.random.default_rng(0)))
        loss.backward()
        assert torch.isfinite(loss)
        assert all(torch.isfinite(p.grad).all() for p in model.parameters() if p.grad is not None)


@pytest.mark.slow
@pytest.mark.parametrize("name", STARTED)
def test_a_recipe_that_builds_on_a_shipped_model_starts_from_it(name: str) -> None:
    """Its first loss is finite, and its vision tower is the shipped one's."""
    torch = pytest.importorskip("torch")
    from safetensors.torch import load_file

    from backend.bundled.train import folder

    recipe = importlib.import_module(f"backend.bundled.train.{name}")
    model = recipe.new_model()
    start = load_file(folder.start(STARTED[name]) / "model.safetensors")
    key = next(key for key in start if key.startswith("vision_model.") and "weight" in key)
    assert torch.equal(model.state_dict()[key], start[key].float())
    for stage in recipe.stages():
        assert torch.isfinite(stage.loss(model, stage.make_batch(np.random.default_rng(0))))


@pytest.mark.slow
def test_a_taught_recipe_starts_from_the_shipped_model_and_leaves_an_adapter(flipside_cache, monkeypatch) -> None:
    pytest.importorskip("torch")
    from backend.bundled.train import folder, publish
    from backend.models import packed

    for name, value in {"PAIRS": 16, "STEPS": 2, "BATCH": 8}.items():
        monkeypatch.setattr(taught, name, value)
    left = taught.train("clip-svlc", 0)
    card, record = (json.loads((left / name).read_text()) for name in ("card.json", "teach.json"))
    assert (card["steps"], card["series"], record["base"]) == (2, {"clip-svlc": 2}, "bundled:clip")
    base, own = packed.tensors_of(folder.start("clip")), packed.tensors_of(left)
    changed = packed.factors(base, own, card["rank"])
    assert changed
    assert {name for name in base if not np.array_equal(base[name], own[name])} == changed.keys()
    publish.pack(left, flipside_cache / "packed" / "clip-svlc")
    tensors, needs = packed.read(flipside_cache / "packed" / "clip-svlc" / packed.FILE)
    assert needs == "clip"
    assert tensors.keys() == {f"{name}{end}" for name in changed for end in (packed.OUT, packed.IN)}
    found = []
    for number, seed in enumerate((0, 0, 1)):
        monkeypatch.setenv("FLIPSIDE_CACHE", str(flipside_cache / str(number)))
        found.append(taught.digest("clip-plain", 1, seed))
    assert found[0] == found[1] != found[2]
