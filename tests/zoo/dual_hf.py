"""transformers' dual encoders."""

from functools import partial
from pathlib import Path
from typing import Any

from tests.zoo.base import IDS, TEXT, VISION, Case, hf, image_processor, save, word_tokenizer


def clip(folder: Path, side: str = "right") -> Any:
    config = hf().CLIPConfig(text_config={**TEXT, **IDS}, vision_config=VISION, projection_dim=24)
    return save(folder, lambda: hf().CLIPModel(config), word_tokenizer(side=side), image_processor())


def siglip(folder: Path) -> Any:
    config = hf().SiglipConfig(text_config={**TEXT, **IDS, "projection_size": 32}, vision_config=VISION)
    tokenizer = word_tokenizer(model_input_names=["input_ids"])
    return save(folder, lambda: hf().SiglipModel(config), tokenizer, image_processor())


CASES = [
    Case("CLIP", "dual-hf", clip),
    Case("CLIP, tokenizer pads left", "dual-hf", partial(clip, side="left")),
    Case("SigLIP", "dual-hf", siglip),
]
