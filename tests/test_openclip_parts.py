"""What the study of open_clip's architectures builds and how it judges: each check can fail."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from scripts.openclip_compare import LIMIT, compare, judged
from scripts.openclip_parity import shrink
from scripts.openclip_small import TOWERS, cut, timm_depth, tower_config, write_tokenizer
from scripts.openclip_transform import tags_of

#: Millions of parameters of the text tower, as open_clip's docs/model_profile.csv prints them.
PUBLISHED = {
    "roberta-ViT-B-32": 124.87,
    "coca_roberta-ViT-B-32": 124.45,
    "xlm-roberta-base-ViT-B-32": 278.27,
    "xlm-roberta-large-ViT-H-14": 560.94,
    "mt5-base-ViT-B-32": 277.86,
    "mt5-xl-ViT-H-14": 1674.68,
    "nllb-clip-base": 414.04,
    "nllb-clip-large": 767.14,
}


@pytest.fixture
def open_clip(monkeypatch: pytest.MonkeyPatch) -> Any:
    """open_clip, whose registry of architectures is as before afterwards."""
    module = pytest.importorskip("open_clip")
    monkeypatch.setattr(module.factory, "_MODEL_CONFIGS", dict(module.factory._MODEL_CONFIGS))
    monkeypatch.setattr(module.factory, "_MODEL_CONFIG_PATHS", list(module.factory._MODEL_CONFIG_PATHS))
    return module


def test_depth_is_cut_and_width_is_not() -> None:
    config = {
        "vision_cfg": {"layers": [3, 4, 6, 1], "width": 64},
        "text_cfg": {"layers": 12, "width": 512, "heads": 8},
        "multimodal_cfg": {"layers": 1},
    }
    assert cut(config) == {"vision": "[3, 4, 6, 1] → [2, 2, 2, 1] layers", "text": "12 → 2 layers"}
    assert config["text_cfg"] == {"layers": 2, "width": 512, "heads": 8}
    timm: dict[str, Any] = {"vision_cfg": {"timm_model_name": "x", "layers": 9}, "text_cfg": {"hf_model_name": "y"}}
    assert cut(timm) == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "told", "depth"),
    [
        ("eva02_base_patch16_clip_224", {"depth": 2}, 12),
        ("convnext_tiny", {"depths": [2, 2, 2, 2]}, [3, 3, 9, 3]),
        ("fastvit_mci0", {"layers": [2, 2, 2, 2]}, [2, 6, 10, 2]),
        ("swin_base_patch4_window7_224", {"depths": [2, 2, 2, 2]}, [2, 2, 18, 2]),
        ("vitamin_small_224", {"depth": 2}, 14),
    ],
)
def test_timms_towers_are_made_short_through_their_own_arguments(name: str, told: Any, depth: Any) -> None:
    timm = pytest.importorskip("timm")
    torch = pytest.importorskip("torch")
    assert timm_depth(name) == (told, depth)
    with torch.device("meta"):
        whole, short = timm.create_model(name), timm.create_model(name, **told)
    assert short.num_features == whole.num_features
    kept = {key: value.shape for key, value in short.state_dict().items()}
    assert 0 < len(kept) < len(whole.state_dict())
    assert kept.items() <= {key: value.shape for key, value in whole.state_dict().items()}.items()


@pytest.mark.long
@pytest.mark.parametrize("name", PUBLISHED)
def test_hub_towers_are_as_large_as_published(name: str, open_clip: Any, tmp_path: Path) -> None:
    import torch

    config = open_clip.get_model_config(name)
    text = config["text_cfg"]
    tower_config(text["hf_model_name"], whole=True)[0].save_pretrained(tmp_path)
    text.update(hf_model_name=str(tmp_path), hf_model_pretrained=False)
    with torch.device("meta"):
        tower = open_clip.model._build_text_tower(config["embed_dim"], text)
    assert sum(p.numel() for p in tower.parameters()) / 1e6 == pytest.approx(PUBLISHED[name], abs=0.006)


@pytest.mark.slow
def test_every_tokenizer_of_the_hub_has_a_stand_in_that_fits_its_tower(open_clip: Any, tmp_path: Path) -> None:
    towers: dict[tuple[Any, ...], dict[str, Any]] = {}
    for name in open_clip.list_models():
        text = open_clip.get_model_config(name)["text_cfg"]
        if text.get("hf_tokenizer_name"):
            key = (text["hf_tokenizer_name"], text.get("hf_model_name"), text.get("eos_id"), text.get("vocab_size"))
            towers[key] = text
    assert {text["hf_model_name"] for text in towers.values() if text.get("hf_model_name")} == set(TOWERS)
    for number, (name, tower, eos, size) in enumerate(towers):
        folder = tmp_path / str(number)
        said = write_tokenizer(name, folder)
        assert name in said
        tokenizer = open_clip.tokenizer.HFTokenizer(str(folder), context_length=8)
        inner = tokenizer.tokenizer
        config = tower_config(tower)[0] if tower else None
        assert max(inner.get_vocab().values()) < (config.vocab_size if config else size), name
        short, long = tokenizer(["a cat", "two dogs are running after a child on the beach"]).tolist()
        end = inner.sep_token_id if name == "bert-base-uncased" else inner.eos_token_id
        assert long[-1] == end, f"{name}: a text that is too long keeps its closing token"
        assert short[short.index(end) + 1 :] == [inner.pad_token_id] * (7 - short.index(end))
        if eos is not None:
            assert end == eos, f"{name}: the tower pools at {eos}"
        if config:
            assert (inner.pad_token_id, end) == (config.pad_token_id, config.eos_token_id), name


def rows(*starts: float) -> list[Any]:
    return [np.array([start, 0.5], dtype=np.float32) for start in starts]


@pytest.mark.parametrize(
    ("ours", "theirs", "status"),
    [
        (rows(0.1, 0.2), rows(0.1, 0.2), "equal"),
        (rows(0.1, 0.2), rows(0.1, 0.2003), "different"),
        (rows(0.2, 0.1), rows(0.1, 0.2), "different"),
        (rows(0.1, 0.1005), rows(0.1, 0.1005), "undecided"),
        (rows(0.1, 0.2, 0.1), rows(0.1, 0.2, 0.1), "undecided"),
        (rows(0.1, float("nan")), rows(0.1, 0.2), "different"),
        (rows(0.1, 0.2), rows(0.1, float("nan")), "different"),
        ([np.zeros(3), np.ones(2)], [np.zeros(2), np.ones(2)], "different"),
    ],
)
def test_verdicts(ours: list[Any], theirs: list[Any], status: str) -> None:
    found = judged({"text": (rows(1, 2), rows(1, 2)), "image": (ours, theirs)})
    assert found["status"] == status
    assert status == "equal" or found["reason"].startswith("image")
    assert status != "equal" or found["largest"] <= LIMIT


@pytest.mark.slow
def test_a_mistake_of_the_adapter_is_a_difference(
    open_clip: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from backend.models.dual import openclip as adapter

    name = "ViT-S-32-alt"
    config = open_clip.get_model_config(name)
    assert shrink(config, tmp_path) == {"vision": "12 → 2 layers", "text": "10 → 2 layers"}
    (tmp_path / f"{name}.json").write_text(json.dumps(config))
    open_clip.add_model_config(tmp_path)
    *_, own = open_clip.create_model_and_transforms(name)
    found = compare(name, config, own)
    assert found["status"] == "equal", found
    right = adapter.encode_cut
    monkeypatch.setattr(adapter, "encode_cut", lambda model, ids: right(model, ids[:, :-1]))
    found = compare(name, config, own)
    assert found["status"] == "different"
    assert found["kinds"]["text"] > LIMIT >= found["kinds"]["image"]


@pytest.mark.long
def test_tags_change_how_pictures_are_prepared_and_forgetting_one_is_noticed(
    open_clip: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from backend.models.dual.openclip import OpenClip

    name = "PE-Core-T-16-384"
    config = open_clip.get_model_config(name)
    found = tags_of(name, config, tmp_path)
    assert found["tags"] == 1
    assert found["apart"] == 0
    assert "reason" not in found
    plain, own = found["settings"]
    assert plain.startswith("[384, 384], bicubic, shortest, mean (0.48145466")
    assert own == "[384, 384], bilinear, squash, mean (0.5, 0.5, 0.5), std (0.5, 0.5, 0.5)"

    create, pixels = OpenClip.create, OpenClip.pixels
    monkeypatch.setattr(OpenClip, "create", lambda self, library, name, _: create(self, library, name, None))
    assert "resize_mode" in tags_of(name, config, tmp_path)["reason"]
    monkeypatch.setattr(OpenClip, "create", create)
    monkeypatch.setattr(OpenClip, "pixels", lambda self, image: pixels(self, image) * 1.01)
    assert "no tag" in tags_of(name, config, tmp_path)["reason"]


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:QuickGELU mismatch")
def test_weights_trained_with_quick_gelu_are_computed_with_it(
    open_clip: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from backend.models.dual import openclip as adapter

    config = open_clip.get_model_config("RN50")
    assert "reason" not in tags_of("RN50", config, tmp_path)
    monkeypatch.setattr(adapter, "needs_quick_gelu", lambda *_: False)
    assert "'quick_gelu': (False, True)" in tags_of("RN50", config, tmp_path)["reason"]
