"""Which of open_clip's CoCa configurations can be asked for log P(caption | image). Imports no torch."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any


def written(config: Mapping[str, Any], _: Path) -> bool:
    """A captioner whose text tower reads from left to right.

    A tower from transformers (`coca_roberta-ViT-B-32`) reads in both directions: the state from which a token would be
    predicted has seen that token, so there is no P(caption). Such a model is a dual encoder here.
    """
    text = config.get("text_cfg") or {}
    return "multimodal_cfg" in config and not text.get("hf_model_name") and not text.get("no_causal_mask")
