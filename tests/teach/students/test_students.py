"""Every family that is taught, on random weights of its real architecture: scores, gradients, adapters, folders."""

import json

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("peft", reason="the extra flipside[teach] is not installed")

from backend.errors import FlipsideError, UsageError  # noqa: E402
from backend.models import load  # noqa: E402
from backend.models.odd_pictures import pictures  # noqa: E402
from backend.teach.students import saving, tuning  # noqa: E402
from backend.teach.students.loading import FAMILIES, student, taught  # noqa: E402
from backend.teach.students.tuning import Tuning  # noqa: E402
from tests.zoo import cases  # noqa: E402

TEXTS = ["a cat", "the red ball on the blue mat", "two dogs left of a cube"]
CASES = {case.name: case for case in cases() if case.family in FAMILIES}
#: One of each way of attending, scaling and reading; the others belong to `make test-all`.
FIRST = ("CLIP", "SigLIP", "BLIP ITM", "open_clip ViT")


def parametrised():
    return [pytest.param(name, marks=[] if name in FIRST else [pytest.mark.slow]) for name in CASES]


@pytest.fixture
def made(tmp_path):
    def make(name: str, tuning: Tuning | None = None, stir: bool = True):
        """A student of a zoo model; stir: its adapters are as if trained, so that merging changes scores."""
        case = CASES[name]
        if case.absent:
            pytest.skip(case.absent)
        folder = tmp_path / "base"
        folder.mkdir()
        case.build(folder)
        found = student(case.spec.format(folder=folder), tuning, device="cpu")
        if stir:
            generator = torch.Generator().manual_seed(1)
            with torch.no_grad():
                for value in found.parameters().values():
                    value.add_(torch.randn(value.shape, generator=generator) * 0.02)
        return found

    return make


def grid(student):
    with student.judged():
        return student.grid(student.see(pictures()[:4]), student.read(TEXTS)).raw.numpy()


def scored(model):
    """What `run` would store, (4, 3)."""
    shown = pictures()[:4]
    if "itm" in model.kinds:
        pairs = [(image, text) for image in shown for text in TEXTS]
        return model.itm_logits([p[0] for p in pairs], [p[1] for p in pairs]).reshape(4, 3)
    return model.encode_images(shown) @ model.encode_texts(TEXTS).T


@pytest.mark.long
@pytest.mark.parametrize("name", parametrised())
def test_scores_gradients_adapter_and_merged_folder(made, tmp_path, name):
    taught = made(name, stir=False)
    base = load(taught.model.spec, device="cpu")
    assert np.allclose(grid(taught), scored(base), atol=1e-5)  # an untrained adapter changes nothing

    taught.begin()
    images, texts = taught.see(pictures()[:4]), taught.read(TEXTS)
    every = taught.grid(images, texts)
    rows = torch.tensor([2, 0, 1])
    some = taught.paired(images, rows, texts)
    assert torch.allclose(some.raw, every.raw[rows, torch.arange(3)], atol=1e-5)
    assert torch.allclose(some.logits, every.logits[rows, torch.arange(3)], atol=1e-3)
    every.logits.square().sum().backward()
    moved = {name for name, value in taught.parameters().items() if value.grad is not None and value.grad.any()}
    assert moved
    assert all("lora_" in name for name in taught.parameters())
    towers = ("vision", "visual", "image"), ("text", "transformer")
    assert all(any(word in name for name in moved for word in words) for words in towers)

    generator = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for value in taught.parameters().values():
            value.add_(torch.randn(value.shape, generator=generator) * 0.02)
    now = grid(taught)
    assert np.abs(now - scored(base)).max() > 1e-3
    adapter, folder = tmp_path / "adapter", tmp_path / "merged"
    saving.save_adapter(taught, adapter, {"series": "mine", "step": 3})
    saving.save_merged(taught, folder, {"series": "mine", "step": 3})
    again = load(saving.merged_spec(taught, folder), device="cpu")
    assert again.family == base.family
    assert np.allclose(scored(again), now, atol=1e-5)
    assert np.allclose(scored(saving.adapted(base, adapter)), now, atol=1e-5)
    assert np.allclose(grid(taught), now, atol=0)  # it goes on unchanged
    record = json.loads((adapter / "teach.json").read_text())
    assert record == json.loads((folder / "teach.json").read_text())
    assert record["base"] == taught.model.spec
    assert record["step"] == 3
    assert len({again.weights_sha256(), base.weights_sha256(), record["base_weights_sha256"]}) == 3
    preprocessed = again.preprocessing()["images"]
    assert preprocessed == base.preprocessing()["images"]


def test_rank_and_embeddings(made):
    found = made("CLIP", Tuning(rank=2), stir=False)
    shapes = {name: tuple(value.shape) for name, value in found.parameters().items()}
    assert any("token_embedding" in name for name in shapes)
    assert all(2 in shape for shape in shapes.values())
    weights = {name for name, value in found.module.named_parameters() if not value.requires_grad}
    assert "logit_scale" in weights  # only adapters are learned (paper, section 3.3)


def test_a_rank_that_no_layer_can_have_is_refused(made):
    with pytest.raises(
        UsageError, match=r"adapters of rank 999: no layer of .* has a rank above \d+\. Take a lower one"
    ):
        made("CLIP", Tuning(rank=999))


def test_adapters_without_embeddings(made):
    names = made("CLIP", Tuning(embeddings=False), stir=False).parameters()
    assert not any("token_embedding" in name or "position_embedding" in name for name in names)


def test_the_adapters_begin_as_the_seed_says_and_leave_torch_s_dice_alone(made):
    found = made("CLIP", stir=False)
    first = {name: value.clone() for name, value in found.parameters().items()}
    again = load(found.model.spec, device="cpu")
    state = torch.get_rng_state()
    same = taught(again, seed=0).parameters()
    assert torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(first[name], same[name]) for name in first)
    other = taught(load(found.model.spec, device="cpu"), seed=1).parameters()
    assert any(not torch.equal(first[name], other[name]) for name in first)


@pytest.mark.long
def test_full_fine_tuning_saves_a_folder_and_no_adapter(made, tmp_path):
    found = made("CLIP", Tuning(rank=0))
    assert len(found.parameters()) == len(list(found.module.parameters()))
    with pytest.raises(UsageError, match="no adapter: save the merged folder"):
        saving.save_adapter(found, tmp_path / "adapter")
    saving.save_merged(found, tmp_path / "merged")
    assert np.allclose(scored(load(f"hf:{tmp_path / 'merged'}", device="cpu")), grid(found), atol=1e-5)


def test_the_logit_scale_stays_where_training_is_stable(made):
    found = made("CLIP", Tuning(rank=0), stir=False)
    with torch.no_grad():
        found.module.logit_scale.fill_(9.0)
    found.stepped()
    assert found.module.logit_scale.item() == pytest.approx(4.6052)


@pytest.mark.long
def test_running_averages_stay_as_they_were_trained(made):
    found = made("ALIGN", stir=False)
    before = {name: value.clone() for name, value in found.module.named_buffers()}
    found.begin()
    found.see(pictures()[:3])
    assert found.module.training
    assert all(torch.equal(before[name], value) for name, value in found.module.named_buffers())


def test_what_cannot_be_taught_says_why(tmp_path):
    for spec, said in (
        ("bundled:captioner", "gives gen, prior, and what is taught is a cosine or a matching score"),
        ("bundled:lm", "gives prior"),
        ("fake:ok", "it is of the family fake"),
    ):
        with pytest.raises(UsageError, match=said):
            student(spec, device="cpu")
    with pytest.raises(UsageError, match="rank -1"):
        Tuning(rank=-1)
    half = load("bundled:clip", device="cpu", dtype="bfloat16")
    with pytest.raises(UsageError, match="taught in float32"):
        taught(half)


def test_frozen_weights_are_refused(made):
    found = made("CLIP", Tuning(rank=0), stir=False)

    class Quantised(torch.nn.Parameter):
        pass

    found.module.visual_projection.weight = Quantised(found.module.visual_projection.weight.data)
    with pytest.raises(UsageError, match="its weights are frozen"):
        tuning.attach(found, Tuning())


def test_without_peft_it_says_how_to_get_it(made, monkeypatch):
    monkeypatch.setattr(tuning.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(FlipsideError, match=r"pip install 'flipside\[teach\] @ file:"):
        made("CLIP", stir=False)


def test_an_adapter_of_other_weights_is_refused(made, tmp_path):
    found = made("CLIP")
    saving.save_adapter(found, tmp_path / "adapter")
    with pytest.raises(UsageError, match="whose weights bundled:clip does not have"):
        saving.adapted(load("bundled:clip", device="cpu"), tmp_path / "adapter")
    with pytest.raises(UsageError, match=r"holds no adapter_config\.json"):
        saving.adapted(load("bundled:clip", device="cpu"), tmp_path)


def test_a_folder_that_holds_something_else_stays(made, tmp_path):
    found = made("CLIP")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.tex").write_text("x")
    with pytest.raises(UsageError, match="holds something else"):
        saving.save_adapter(found, tmp_path / "mine")
    saving.save_adapter(found, tmp_path / "other")
    saving.save_adapter(found, tmp_path / "other", {"step": 2})  # its own it replaces
    assert saving.read_record(tmp_path / "other")["step"] == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["base", "mine", "other"]


def test_a_full_disk_leaves_the_older_folder(made, tmp_path, monkeypatch):
    import errno

    found = made("CLIP")
    saving.save_adapter(found, tmp_path / "other", {"step": 1})

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(found.peft, "save_pretrained", full)
    with pytest.raises(FlipsideError, match="No space is left on the disk"):
        saving.save_adapter(found, tmp_path / "other", {"step": 2})
    assert saving.read_record(tmp_path / "other")["step"] == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["base", "other"]
