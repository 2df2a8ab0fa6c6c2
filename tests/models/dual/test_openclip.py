import importlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from backend.errors import FlipsideError, UsageError
from backend.models import load
from tests.models.conftest import TEXTS

ARCHITECTURE = {
    "embed_dim": 24,
    "vision_cfg": {"image_size": 32, "layers": 2, "width": 64, "patch_size": 8},
    "text_cfg": {"context_length": 77, "vocab_size": 49408, "width": 32, "heads": 2, "layers": 2},
}
LATER = {**ARCHITECTURE, "custom_text": True, "init_logit_bias": -10}
#: What open_clip's own conversion to half precision leaves in float32: LayerScale and the queries of attention pooling.
SCALED = {**ARCHITECTURE, "vision_cfg": {**ARCHITECTURE["vision_cfg"], "ls_init_value": 0.5, "attentional_pool": True}}


@pytest.fixture(scope="module")
def open_clip(torch: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """open_clip with two tiny architectures of its own classes."""
    open_clip = pytest.importorskip("open_clip")
    folder = tmp_path_factory.mktemp("architectures")
    (folder / "Tiny-1.json").write_text(json.dumps(ARCHITECTURE))
    (folder / "Tiny-2.json").write_text(json.dumps(LATER))
    (folder / "Tiny-3.json").write_text(json.dumps(SCALED))
    (folder / "Tiny-far.json").write_text(
        json.dumps({**LATER, "text_cfg": {**ARCHITECTURE["text_cfg"], "hf_tokenizer_name": "nobody/tokenizer"}})
    )
    factory: Any = importlib.import_module("open_clip.factory")
    paths, configs = list(factory._MODEL_CONFIG_PATHS), dict(factory._MODEL_CONFIGS)
    open_clip.add_model_config(folder)
    yield open_clip
    factory._MODEL_CONFIG_PATHS[:] = paths
    factory._MODEL_CONFIGS.clear()
    factory._MODEL_CONFIGS.update(configs)


@pytest.mark.usefixtures("open_clip")
@pytest.mark.parametrize("name", ["Tiny-1", "Tiny-2", "Tiny-3"])
@pytest.mark.parametrize(("dtype", "limit"), [("bfloat16", 2e-2), ("float16", 3e-3)])
def test_half_precision_computes_all_of_it(name: str, dtype: str, limit: float, images: list[Any]) -> None:
    exact, half = (load(f"openclip:{name}/none", device="cpu", dtype=d, seed=3) for d in ("float32", dtype))
    np.testing.assert_allclose(half.encode_images(images), exact.encode_images(images), atol=limit)
    np.testing.assert_allclose(half.encode_texts(TEXTS), exact.encode_texts(TEXTS), atol=limit)
    assert {str(p.dtype) for p in half.module.parameters() if p.ndim > 1} == {f"torch.{dtype}"}


@pytest.mark.usefixtures("open_clip")
@pytest.mark.parametrize("name", ["Tiny-1", "Tiny-2", "Tiny-3"])
def test_no_layer_norm_reads_halves_by_weights_in_float32(
    name: str, images: list[Any], torch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A processor takes the mixture, a GPU refuses it (seen on an H200 with CoCa's pooler)."""
    normed = torch.nn.functional.layer_norm

    def as_on_a_gpu(x: Any, shape: Any, weight: Any = None, bias: Any = None, eps: float = 1e-5) -> Any:
        if weight is not None and weight.dtype != x.dtype:
            raise RuntimeError(f"expected scalar type {x.dtype} but found {weight.dtype}")
        return normed(x, shape, weight, bias, eps)

    half = load(f"openclip:{name}/none", device="cpu", dtype="float16", seed=3)
    images_before, texts_before = half.encode_images(images), half.encode_texts(TEXTS)
    monkeypatch.setattr(torch.nn.functional, "layer_norm", as_on_a_gpu)
    assert half.encode_images(images).tobytes() == images_before.tobytes()
    assert half.encode_texts(TEXTS).tobytes() == texts_before.tobytes()


@pytest.mark.parametrize("tag", ["laion2b_s34b_b79k", "openai"])
def test_weights_out_of_reach_are_one_sentence_at_once(tag: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """open_clip itself would ask for each of several file names, many times over."""
    open_clip = pytest.importorskip("open_clip")
    monkeypatch.setattr(open_clip, "create_model", lambda *_, **__: pytest.fail("open_clip went on by itself"))
    with pytest.raises(FlipsideError, match=rf"ViT-B-32/{tag}: its weights are not in the local cache .* checkpoint"):
        load(f"openclip:ViT-B-32/{tag}", device="cpu")


@pytest.mark.usefixtures("open_clip")
def test_a_tokenizer_that_is_not_here_is_one_sentence() -> None:
    with pytest.raises(FlipsideError, match="openclip:Tiny-far/none: its tokenizer nobody/tokenizer"):
        load("openclip:Tiny-far/none", device="cpu")


@pytest.mark.parametrize("name", ["Tiny-1", "Tiny-2"])
def test_equals_open_clips_own_forward_pass(name: str, open_clip: Any, torch: Any, images: list[Any]) -> None:
    mine = load(f"openclip:{name}/none", device="cpu", seed=3)
    torch.manual_seed(3)
    model, _, transform = open_clip.create_model_and_transforms(name, pretrained_text=False)
    pixels = torch.stack([transform(image) for image in images])
    with torch.no_grad():
        want_images, want_texts, *_ = model.eval()(pixels, open_clip.get_tokenizer(name)(TEXTS))
    assert mine.image_size == (32, 32)
    np.testing.assert_allclose(mine.encode_images(images), want_images.numpy(), atol=1e-5)
    np.testing.assert_allclose(mine.encode_texts(TEXTS), want_texts.numpy(), atol=1e-5)
    mine.batch_size = 1
    np.testing.assert_allclose(mine.encode_texts(TEXTS), want_texts.numpy(), atol=1e-5)
    np.testing.assert_allclose(mine.encode_images(images), want_images.numpy(), atol=1e-5)
    assert mine.describe()["logit_bias"] == (-10 if name == "Tiny-2" else None)


@pytest.mark.long
@pytest.mark.usefixtures("open_clip")
def test_the_seed_makes_random_weights_and_leaves_torch_alone(torch: Any) -> None:
    torch.manual_seed(11)
    want = torch.rand(1)
    torch.manual_seed(11)
    hashes = [load("openclip:Tiny-1/none", device="cpu", seed=s).describe()["weights_sha256"] for s in (0, 0, 1)]
    assert hashes[0] == hashes[1] != hashes[2]
    assert torch.rand(1) == want


@pytest.mark.long
@pytest.mark.usefixtures("open_clip")
def test_long_texts_are_cut_where_open_clip_cuts() -> None:
    mine = load("openclip:Tiny-1/none", device="cpu")
    texts = ["a cat", "word " * 50_000]
    assert mine.truncated(texts).tolist() == [False, True]
    assert mine.text_lengths(texts).tolist() == [4, 77]
    assert np.isfinite(mine.encode_texts(texts)).all()


@pytest.mark.long
def test_a_checkpoint_file_and_a_folder_give_the_same(
    open_clip: Any, torch: Any, tmp_path: Path, images: list[Any]
) -> None:
    from safetensors.torch import save_file

    torch.manual_seed(5)
    model = open_clip.create_model("Tiny-1")
    torch.save(model.state_dict(), tmp_path / "one.pt")
    folder = tmp_path / "folder"
    folder.mkdir()
    save_file(model.state_dict(), folder / "open_clip_model.safetensors")
    (folder / "open_clip_config.json").write_text(json.dumps({"model_cfg": ARCHITECTURE, "preprocess_cfg": {}}))
    file_model = load(f"openclip:Tiny-1/{tmp_path / 'one.pt'}", device="cpu")
    with torch.no_grad():
        want = torch.nn.functional.normalize(model.eval().encode_text(open_clip.get_tokenizer("Tiny-1")(TEXTS)), dim=-1)
    for spec in (f"openclip:{folder}", f"hf:{folder}"):
        folder_model = load(spec, device="cpu")
        np.testing.assert_allclose(folder_model.encode_texts(TEXTS), want.numpy(), atol=1e-5)
        np.testing.assert_allclose(folder_model.encode_images(images), file_model.encode_images(images), atol=1e-5)
    np.testing.assert_allclose(file_model.encode_texts(TEXTS), want.numpy(), atol=1e-5)


def test_pickled_code_is_not_run(tmp_path: Path, open_clip: Any, torch: Any) -> None:
    class Trap:
        def __reduce__(self) -> Any:
            return (Path.touch, (tmp_path / "ran",))

    torch.save({"state_dict": Trap()}, tmp_path / "trap.pt")
    with pytest.raises(FlipsideError, match=r"trap\.pt"):
        load(f"openclip:Tiny-1/{tmp_path / 'trap.pt'}", device="cpu")
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("openclip:ViT-B-33/none", r"no architecture 'ViT-B-33'. Did you mean ViT-B-32"),
        ("openclip:ViT-B-32", r"after a slash, as in openclip:ViT-B-32/none"),
        ("openclip:ViT-B-32/laion2b", r"no weights 'laion2b'. Did you mean laion2b_e16"),
    ],
)
@pytest.mark.usefixtures("open_clip")
def test_unknown_names(spec: str, says: str) -> None:
    with pytest.raises(UsageError, match=says):
        load(spec, device="cpu")


@pytest.mark.parametrize(
    ("name", "tag", "forced"),
    [
        ("ViT-B-32", "openai", True),
        ("ViT-B-32-quickgelu", "openai", False),
        ("ViT-B-32", "laion2b_s34b_b79k", False),
        ("RN50", None, False),
    ],
)
def test_quick_gelu_is_known_from_the_weights_tag(name: str, tag: str | None, forced: bool, open_clip: Any) -> None:
    from backend.models.dual.openclip import needs_quick_gelu

    assert needs_quick_gelu(open_clip, name, tag) is forced


@pytest.mark.long
def test_weights_trained_with_quick_gelu_are_computed_with_it(
    tmp_path: Path, open_clip: Any, torch: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """open_clip itself warns of the mismatch and computes with GELU."""
    torch.manual_seed(5)
    model = open_clip.create_model("Tiny-1", force_quick_gelu=True).eval()
    torch.save(model.state_dict(), tmp_path / "one.pt")
    tags = {"own": {"url": "", "quick_gelu": True, "mean": None, "std": None}}
    monkeypatch.setitem(importlib.import_module("open_clip.pretrained")._PRETRAINED, "Tiny-1", tags)
    for place in ("open_clip", "open_clip.factory"):
        module = importlib.import_module(place)
        monkeypatch.setattr(module, "download_pretrained", lambda *_, **__: str(tmp_path / "one.pt"))
    mine = load("openclip:Tiny-1/own", device="cpu")
    plain = load(f"openclip:Tiny-1/{tmp_path / 'one.pt'}", device="cpu")
    with torch.no_grad():
        want = torch.nn.functional.normalize(model.encode_text(open_clip.get_tokenizer("Tiny-1")(TEXTS)), dim=-1)
    np.testing.assert_allclose(mine.encode_texts(TEXTS), want.numpy(), atol=1e-5)
    assert np.abs(mine.encode_texts(TEXTS) - plain.encode_texts(TEXTS)).max() > 1e-4
    assert "QuickGELU" in mine.describe()["preprocessing"]["activation"]
    assert "activation" not in plain.describe()["preprocessing"]
