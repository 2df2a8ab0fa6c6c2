"""open_clip's kinds of towers, small, in folders as its hub models are laid out."""

import json
from functools import partial
from pathlib import Path
from typing import Any

from tests.zoo.base import Case

TEXT = {"context_length": 16, "vocab_size": 49408, "width": 32, "heads": 2, "layers": 2}
VIT = {"image_size": 32, "layers": 2, "width": 64, "patch_size": 8}
TIMM = {"timm_model_pretrained": False, "timm_proj": "linear", "image_size": 160}
SQUASH = {"resize_mode": "squash", "interpolation": "bicubic", "mean": [0.5] * 3, "std": [0.5] * 3}


def register_small_eva() -> None:
    """timm's EVA02 with two layers on 28 pixels, under a name of its own: open_clip's config cannot shrink it."""
    import timm

    def small_eva02(pretrained: bool = False, **more: Any) -> Any:
        kept = {name: more[name] for name in ("num_classes", "global_pool") if name in more}
        return timm.create_model("eva02_tiny_patch14_224", pretrained=pretrained, depth=2, img_size=28, **kept)

    if not timm.is_model("small_eva02"):
        timm.models.register_model(small_eva02)


def build(folder: Path, config: dict[str, Any], preprocessing: dict[str, Any] | None = None) -> Any:
    """Random weights from seed 7, stirred so that a wrong token or pixel would show. Gives open_clip's own model."""
    import open_clip
    import torch
    from safetensors.torch import save_file

    register_small_eva()
    (folder / "open_clip_config.json").write_text(
        json.dumps({"model_cfg": {"embed_dim": 24, **config}, "preprocess_cfg": preprocessing or {}})
    )
    torch.manual_seed(7)
    model: Any = open_clip.create_model(f"local-dir:{folder}", load_weights=False).eval()
    with torch.no_grad():
        if hasattr(model, "text_decoder"):  # open_clip leaves CoCa's last projection as uninitialised memory
            torch.nn.init.normal_(model.text_decoder.text_projection, std=0.2)
        for value in model.parameters():
            if value.ndim:
                value.add_(torch.randn_like(value) * 0.05)
    save_file(model.state_dict(), folder / "open_clip_model.safetensors")
    return model


def case(name: str, config: dict[str, Any], preprocessing: dict[str, Any] | None = None, family: str = "") -> Case:
    return Case(
        f"open_clip {name}", family or "dual-openclip", partial(build, config=config, preprocessing=preprocessing)
    )


CASES = [
    case("ViT", {"vision_cfg": VIT, "text_cfg": TEXT}),
    case("ViT, quickgelu", {"vision_cfg": VIT, "text_cfg": TEXT, "quick_gelu": True}),
    case("ResNet", {"vision_cfg": {"image_size": 64, "layers": [1, 1, 1, 1], "width": 8}, "text_cfg": TEXT}),
    case(
        "ConvNeXt",
        {"vision_cfg": {**TIMM, "timm_model_name": "test_convnext", "timm_pool": ""}, "text_cfg": TEXT},
    ),
    case(
        "EVA",
        {
            "vision_cfg": {**TIMM, "timm_model_name": "small_eva02", "timm_pool": "token", "image_size": 28},
            "text_cfg": TEXT,
            "custom_text": True,
        },
    ),
    case(
        "SigLIP",
        {
            "vision_cfg": {**TIMM, "timm_model_name": "test_vit", "timm_pool": "map", "timm_proj": "none"},
            "text_cfg": {**TEXT, "no_causal_mask": True, "proj_bias": True, "pool_type": "last"},
            "embed_dim": 64,
            "init_logit_bias": -10,
            "custom_text": True,
        },
        SQUASH,
    ),
]
