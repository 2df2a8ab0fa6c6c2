"""Whether the adapter prepares pictures as open_clip does: for an architecture without weights, and with every tag.

What a tag changes (mean, standard deviation, interpolation, how a picture is brought to its size; also QuickGELU, which
open_clip's own loading only warns of) lies in open_clip's table of weights. The weights are not needed, and the towers
may be tiny: only the size of the picture comes from the architecture.
"""

import json
from pathlib import Path
from typing import Any
from unittest.mock import patch

KEYS = ("mean", "std", "interpolation", "resize_mode")
TEXT: dict[str, Any] = {"width": 32, "heads": 2, "layers": 1, "context_length": 16, "vocab_size": 49408}


def tiny(config: dict[str, Any]) -> dict[str, Any]:
    """The smallest model with this architecture's picture size and tokenizer."""
    size = config["vision_cfg"]["image_size"]
    vision = {"image_size": size, "patch_size": size // 2, "width": 32, "head_width": 16, "layers": 1}
    text = {**TEXT, "hf_tokenizer_name": config["text_cfg"].get("hf_tokenizer_name")}
    return {"embed_dim": 16, "vision_cfg": vision, "text_cfg": text, "quick_gelu": config.get("quick_gelu", False)}


def tags_of(name: str, config: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The adapter under each of a name's tags, beside `create_model_and_transforms` and the tag's own entry.

    config: the architecture's, its tokenizer one that is here. Registers the tiny model under the architecture's name.
    Gives how many tags there are, the settings found, and the largest difference of a pixel; a disagreement is a
    `reason`.
    """
    import open_clip

    (folder / f"{name}.json").write_text(json.dumps(tiny(config)))
    open_clip.add_model_config(folder)
    weights = folder / "weights"
    weights.write_bytes(b"")
    tags = [None, *open_clip.list_pretrained_tags_by_model(name)]
    said: dict[str, Any] = {"tags": len(tags) - 1, "apart": 0.0, "settings": []}
    with (
        patch("open_clip.factory.download_pretrained", lambda *_, **__: str(weights)),
        patch("open_clip.download_pretrained", lambda *_, **__: str(weights)),
        patch("open_clip.factory.load_checkpoint", lambda *_, **__: {}),
        patch("backend.models.dual.openclip.refuse_unreachable", lambda *_: None, create=True),
    ):
        for tag in tags:
            found, pixel = compared(name, tag, config)
            said["apart"] = max(said["apart"], pixel)
            wanted = expected(name, tag, bool(config.get("quick_gelu")))
            wrong = {key: (found[key], want) for key, want in wanted.items() if found[key] != want}
            if wrong or pixel:
                return {**said, "reason": f"under {tag or 'no tag'}: {wrong or f'{pixel:.0e} apart'}"}
            line = "{size}, {interpolation}, {resize_mode}, mean {mean}, std {std}".format(**found)
            if line not in said["settings"]:
                said["settings"].append(line)
    return said


def expected(name: str, tag: str | None, quick: bool) -> dict[str, Any]:
    """What open_clip's table says of the tag, over its defaults; `quick`: the architecture has QuickGELU by itself."""
    import open_clip

    entry = open_clip.get_pretrained_cfg(name, tag) if tag else {}
    default = open_clip.transform.PreprocessCfg()
    said = {key: entry.get(key) or getattr(default, key) for key in KEYS}
    return {**said, "quick_gelu": quick or bool(entry.get("quick_gelu"))}


def compared(name: str, tag: str | None, config: dict[str, Any]) -> tuple[dict[str, Any], float]:
    """The adapter's settings, and the largest difference of a pixel from open_clip's own transform."""
    import open_clip

    from backend.models.dual.openclip import OpenClip
    from backend.models.request import Request

    *_, own = open_clip.create_model_and_transforms(name, tag)
    full = f"{name}/{tag or 'none'}"
    model = OpenClip.load(Request(f"openclip:{full}", full, Path(), config, "cpu", "float32", seed=3))
    settings = {key: list(v) if isinstance(v, list | tuple) else v for key, v in model.settings.items()}
    settings.update({key: tuple(settings[key]) for key in ("mean", "std")})
    settings["quick_gelu"] = any(type(module).__name__ == "QuickGELU" for module in model.module.modules())
    return settings, apart(model, own)


def apart(model: Any, transform: Any) -> float:
    """The largest difference of a pixel, over pictures of several sizes."""
    from backend.models.odd_pictures import pictures

    return max(float((model.pixels(picture) - transform(picture)).abs().max()) for picture in pictures()[:3])
