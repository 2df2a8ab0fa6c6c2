"""Kosmos-2."""

from functools import partial
from pathlib import Path
from typing import Any

from tests.models.captioning import tokenizers
from tests.zoo.base import VISION, Case, hf, image_processor, save


def kosmos2(folder: Path, side: str = "right") -> Any:
    tokenizer = tokenizers.xlm_roberta(side=side)
    processor = hf().Kosmos2Processor(image_processor(), tokenizer, num_patch_index_tokens=4)
    text = {"embed_dim": 32, "layers": 2, "attention_heads": 4, "ffn_dim": 48, "max_position_embeddings": 64}
    ids = {"pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}
    config = hf().Kosmos2Config(
        text_config={**text, **ids, "vocab_size": len(tokenizer) + 3}, vision_config=VISION, latent_query_num=7
    )
    model = save(folder, lambda: hf().Kosmos2ForConditionalGeneration(config), processor)
    model.text_model.model.embed_tokens.weight.data[1] = 0  # padding is never trained, and transformers 5.17 clears it
    model.save_pretrained(folder)
    return model


CASES = [
    Case("Kosmos-2", "kosmos2", kosmos2),
    Case("Kosmos-2, pads left", "kosmos2", partial(kosmos2, side="left")),
]
