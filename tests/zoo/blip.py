"""BLIP: captioner and matching model."""

from functools import partial
from pathlib import Path
from typing import Any

from tests.zoo.base import IDS, TEXT, VISION, Case, hf, image_processor, save, word_tokenizer


def blip(folder: Path, name: str, side: str = "right") -> Any:
    config = hf().BlipConfig(
        text_config={**TEXT, **IDS, "sep_token_id": 3, "encoder_hidden_size": 32, "is_decoder": True},
        vision_config={**VISION, "initializer_range": 0.02},
        image_text_hidden_size=24,
        projection_dim=24,
    )
    parts = (word_tokenizer(side=side), image_processor("BlipImageProcessor"))
    return save(folder, lambda: getattr(hf(), name)(config), *parts)


CASES = [
    Case("BLIP captioner", "captioner", partial(blip, name="BlipForConditionalGeneration")),
    Case("BLIP captioner, pads left", "captioner", partial(blip, name="BlipForConditionalGeneration", side="left")),
    Case("BLIP ITM", "matcher", partial(blip, name="BlipForImageTextRetrieval")),
    Case("BLIP ITM, pads left", "matcher", partial(blip, name="BlipForImageTextRetrieval", side="left")),
]
