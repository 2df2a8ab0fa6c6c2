"""GIT."""

from functools import partial
from pathlib import Path
from typing import Any

from tests.models.captioning import tokenizers
from tests.zoo.base import TOWER, VISION, Case, hf, image_processor, save


def git(folder: Path, frames: int | None = None, side: str = "right") -> Any:
    ids = {"vocab_size": 40, "pad_token_id": 0, "bos_token_id": 2, "eos_token_id": 3}
    config = hf().GitConfig(
        **TOWER, **ids, vision_config=VISION, max_position_embeddings=16, num_image_with_embedding=frames
    )
    tokenizer = tokenizers.bert()
    tokenizer.padding_side, tokenizer.model_max_length = side, 16
    processor = hf().GitProcessor(image_processor(), tokenizer)
    return save(folder, lambda: hf().GitForCausalLM(config), processor)


CASES = [
    Case("GIT", "git", git),
    Case("GIT, pads left", "git", partial(git, side="left")),
    Case("GIT made for video", "git", partial(git, frames=6)),
]
