"""Matching heads beside BLIP's: BLIP-2, FLAVA, ViLT, BridgeTower."""

from functools import partial
from pathlib import Path
from typing import Any

from tests.models import real_tokenizers
from tests.zoo.base import TOWER, VISION, Case, hf, image_processor, save
from tests.zoo.dual_hf import bridgetower, flava


def blip2(folder: Path, named: bool = False, side: str = "right") -> Any:
    """named: the config names an image token, as transformers writes it since 4.46."""
    tokenizer = real_tokenizers.bert()
    tokenizer.padding_side = side
    qformer = {**TOWER, "vocab_size": len(tokenizer), "max_position_embeddings": 16, "use_qformer_text_input": True}
    config = hf().Blip2Config(
        vision_config={**VISION, "attention_dropout": 0.0},
        qformer_config={**qformer, "cross_attention_frequency": 1},
        num_query_tokens=5,
        image_text_hidden_size=24,
        **({"image_token_index": 4} if named else {}),
    )
    parts = (tokenizer, image_processor("BlipImageProcessor"))
    return save(folder, lambda: hf().Blip2ForImageTextRetrieval(config), *parts)


def vilt(folder: Path, limit: int = -1) -> Any:
    """Images of any proportions, in patches of 8 pixels; limit: the config's `max_image_length`."""
    tokenizer = real_tokenizers.bert()
    config = hf().ViltConfig(
        **TOWER,
        vocab_size=len(tokenizer),
        max_position_embeddings=16,
        image_size=32,
        patch_size=8,
        max_image_length=limit,
    )
    pictures = hf().ViltImageProcessor(size={"shortest_edge": 32}, size_divisor=8)
    return save(folder, lambda: hf().ViltForImageAndTextRetrieval(config), tokenizer, pictures)


CASES = [
    Case("BLIP-2 ITM", "matcher-blip2", blip2),
    Case("BLIP-2 ITM, image token named", "matcher-blip2", partial(blip2, named=True)),
    Case("BLIP-2 ITM, pads left", "matcher-blip2", partial(blip2, side="left")),
    Case("FLAVA ITM", "matcher-flava", partial(flava, name="FlavaForPreTraining")),
    Case("ViLT ITM", "matcher-vilt", vilt),
    Case("BridgeTower ITM", "matcher-bridgetower", partial(bridgetower, name="BridgeTowerForImageAndTextRetrieval")),
]
