"""LLaVA-1.5, LLaVA-1.6 (LlavaNext), LLaVA-OneVision, and Pixtral in LLaVA's class."""

from functools import partial
from pathlib import Path
from typing import Any

from tests.models.chat import templates
from tests.models.chat.tokenizers import byte_level, sentencepiece
from tests.zoo.base import TOWER, VISION, Case, hf, save

DECODER = {**TOWER, "num_key_value_heads": 2, "max_position_embeddings": 4096}
PIXELS = {"image_mean": [0.4, 0.5, 0.6], "image_std": [0.2, 0.25, 0.3]}
LLAMA = {"bos_token": "<s>", "eos_token": "</s>", "unk_token": "<unk>", "pad_token": "<pad>"}
CHATML = {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"}
GRID = [[32, 64], [64, 32], [64, 64], [96, 32], [32, 96]]


def text_config(kind: str, tokenizer: Any, **more: Any) -> Any:
    ids = {name: getattr(tokenizer, name) for name in ("bos_token_id", "eos_token_id", "pad_token_id")}
    return getattr(hf(), kind)(**{**DECODER, "vocab_size": len(tokenizer), **ids, **more})


def llama_tokenizer(side: str) -> Any:
    special = ["<unk>", "<s>", "</s>", "<pad>", "<image>"]
    names = {**LLAMA, "extra_special_tokens": {"image_token": "<image>"}}
    return sentencepiece(special, names, dummy=True, bos="<s>", side=side)


def qwen_tokenizer(special: tuple[str, ...], named: dict[str, str], side: str = "left") -> Any:
    every = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", *special]
    return byte_level(every, {**CHATML, "extra_special_tokens": named}, side=side)


def llava_processor(tokenizer: Any, template: str | None) -> Any:
    """LLaVA 1.5's, for pictures of 32 pixels."""
    return hf().LlavaProcessor(
        image_processor=hf().CLIPImageProcessor(
            size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}, **PIXELS
        ),
        tokenizer=tokenizer,
        patch_size=8,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=template,
    )


def llava(folder: Path, side: str = "left", template: str | None = templates.LLAVA) -> Any:
    tokenizer = llama_tokenizer(side)
    processor = llava_processor(tokenizer, template)
    config = hf().LlavaConfig(
        vision_config=hf().CLIPVisionConfig(**VISION),
        text_config=text_config("LlamaConfig", tokenizer),
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
    )
    return save(folder, lambda: hf().LlavaForConditionalGeneration(config), processor)


def llava_next(folder: Path, side: str = "left") -> Any:
    tokenizer = llama_tokenizer(side)
    processor = hf().LlavaNextProcessor(
        image_processor=hf().LlavaNextImageProcessor(
            size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}, image_grid_pinpoints=GRID, **PIXELS
        ),
        tokenizer=tokenizer,
        patch_size=8,
        vision_feature_select_strategy="default",
        num_additional_image_tokens=1,
        chat_template=templates.LLAVA_MISTRAL,
    )
    config = hf().LlavaNextConfig(
        vision_config=hf().CLIPVisionConfig(**VISION),
        text_config=text_config("MistralConfig", tokenizer, sliding_window=None),
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        image_grid_pinpoints=GRID,
    )
    return save(folder, lambda: hf().LlavaNextForConditionalGeneration(config), processor)


def onevision(folder: Path, side: str = "right") -> Any:
    named = {"image_token": "<image>", "video_token": "<video>"}
    tokenizer = qwen_tokenizer(("<image>", "<video>"), named, side)
    size = {"height": 32, "width": 32}
    processor = hf().LlavaOnevisionProcessor(
        image_processor=hf().LlavaOnevisionImageProcessor(size=size, image_grid_pinpoints=GRID, **PIXELS),
        tokenizer=tokenizer,
        video_processor=hf().LlavaOnevisionVideoProcessor(size=size),
        num_image_tokens=16,
        vision_feature_select_strategy="full",
        chat_template=templates.ONEVISION,
    )
    config = hf().LlavaOnevisionConfig(
        vision_config=hf().SiglipVisionConfig(**VISION, vision_use_head=False),
        text_config=text_config("Qwen2Config", tokenizer),
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        video_token_id=tokenizer.convert_tokens_to_ids("<video>"),
        image_grid_pinpoints=GRID,
        vision_feature_layer=-1,
        vision_feature_select_strategy="full",
    )
    return save(folder, lambda: hf().LlavaOnevisionForConditionalGeneration(config), processor)


def pixtral(folder: Path) -> Any:
    special = ["<unk>", "<s>", "</s>", "<pad>", "[INST]", "[/INST]", "[IMG]", "[IMG_BREAK]", "[IMG_END]"]
    tokenizer = byte_level(special, LLAMA, bos="<s>", side="left")
    processor = hf().PixtralProcessor(
        image_processor=hf().PixtralImageProcessor(
            size={"longest_edge": 64}, patch_size={"height": 8, "width": 8}, **PIXELS
        ),
        tokenizer=tokenizer,
        patch_size=8,
        chat_template=templates.PIXTRAL,
    )
    vision = {**VISION, "image_size": 64, "head_dim": 8}
    config = hf().LlavaConfig(
        vision_config=hf().PixtralVisionConfig(**vision),
        text_config=text_config("MistralConfig", tokenizer, sliding_window=None, head_dim=8),
        image_token_id=tokenizer.convert_tokens_to_ids("[IMG]"),
        vision_feature_layer=-1,
        vision_feature_select_strategy="full",
    )
    return save(folder, lambda: hf().LlavaForConditionalGeneration(config), processor)


CASES = [
    Case("LLaVA-1.5", "chat", llava),
    Case("LLaVA-1.5, pads right, without chat template", "chat", partial(llava, side="right", template=None)),
    Case("LLaVA-1.6 (LlavaNext)", "chat", llava_next),
    Case("LLaVA-OneVision", "chat", onevision),
    Case("Pixtral in LLaVA", "chat", pixtral),
]
