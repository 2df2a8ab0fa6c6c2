"""Mistral 3 (Mistral Small 3.1) and Idefics2: Mistral language models."""

from functools import partial
from pathlib import Path
from typing import Any

from tests.models.chat import templates_more as templates
from tests.models.chat.tokenizers import byte_level, sentencepiece
from tests.zoo.base import TOWER, VISION, Case, hf, save
from tests.zoo.chat.llava import LLAMA, PIXELS, text_config


def mistral3(folder: Path) -> Any:
    """Pixtral's pictures of any size, 2 × 2 patches merged; the template tells the date."""
    special = ["<unk>", "<s>", "</s>", "<pad>", "[INST]", "[/INST]", "[IMG]", "[IMG_BREAK]", "[IMG_END]"]
    special += ["[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"]
    tokenizer = byte_level(special, LLAMA, bos="<s>", side="left")
    processor = hf().PixtralProcessor(
        image_processor=hf().PixtralImageProcessor(
            size={"longest_edge": 64}, patch_size={"height": 16, "width": 16}, **PIXELS
        ),
        tokenizer=tokenizer,
        patch_size=8,
        spatial_merge_size=2,
        chat_template=templates.MISTRAL3,
    )
    config = hf().Mistral3Config(
        vision_config=hf().PixtralVisionConfig(**{**VISION, "image_size": 64, "head_dim": 8}),
        text_config=text_config("MistralConfig", tokenizer, sliding_window=None, head_dim=8),
        image_token_index=tokenizer.convert_tokens_to_ids("[IMG]"),
        tie_word_embeddings=False,
    )
    return save(folder, lambda: hf().Mistral3ForConditionalGeneration(config), processor)


def idefics2(folder: Path, splits: bool = False, side: str = "left") -> Any:
    """Pictures of any size, resampled to 4 tokens; `splits`: four quarters and the whole."""
    special = ["<unk>", "<s>", "</s>", "<pad>", "<fake_token_around_image>", "<image>", "<end_of_utterance>"]
    tokenizer = sentencepiece(special, LLAMA, dummy=True, bos="<s>", side=side)
    processor = hf().Idefics2Processor(
        image_processor=hf().Idefics2ImageProcessor(
            size={"shortest_edge": 24, "longest_edge": 48}, do_image_splitting=splits, **PIXELS
        ),
        tokenizer=tokenizer,
        image_seq_len=4,
        chat_template=templates.IDEFICS2,
    )
    vision = {**TOWER, "image_size": 48, "patch_size": 8}
    resampler = {"resampler_n_latents": 4, "resampler_depth": 1, "resampler_n_heads": 2, "resampler_head_dim": 8}
    config = hf().Idefics2Config(
        vision_config=vision,
        perceiver_config={**resampler, "num_key_value_heads": 1, "hidden_size": 32},
        text_config=text_config("MistralConfig", tokenizer, sliding_window=None).to_dict(),
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
    )
    return save(folder, lambda: hf().Idefics2ForConditionalGeneration(config), processor)


CASES = [
    Case("Mistral 3 (Mistral Small 3.1)", "chat", mistral3),
    Case("Idefics2", "chat", idefics2),
    Case("Idefics2, pads right, in five parts", "chat", partial(idefics2, splits=True, side="right")),
]
