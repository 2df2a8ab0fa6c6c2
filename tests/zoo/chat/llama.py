"""Llama 3.2 Vision (mllama: text layers that attend to tiles) and Llama 4 (chunked attention, experts)."""

from functools import partial
from pathlib import Path
from typing import Any

from tests.models.chat import templates_more as templates
from tests.models.chat.tokenizers import byte_level
from tests.zoo.base import Case, hf, save
from tests.zoo.chat.llava import PIXELS, text_config

TILE = {"height": 32, "width": 32}


def mllama(folder: Path, side: str = "left") -> Any:
    """Tiles of 32 pixels, at most 4; the second text layer attends to them. The image's token has no logit."""
    names = {"bos_token": "<|begin_of_text|>", "eos_token": "<|eot_id|>", "pad_token": "<|finetune_right_pad_id|>"}
    marks = [*names.values(), "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|python_tag|>"]
    tokenizer = byte_level(marks, names, bos="<|begin_of_text|>", side=side)
    words = len(tokenizer)
    tokenizer.add_special_tokens({"additional_special_tokens": ["<|image|>"]})
    images = hf().MllamaImageProcessor(size=TILE, max_image_tiles=4, **PIXELS)
    processor = hf().MllamaProcessor(image_processor=images, tokenizer=tokenizer, chat_template=templates.MLLAMA)
    vision = {
        "hidden_size": 16,
        "intermediate_size": 32,
        "num_hidden_layers": 2,
        "num_global_layers": 1,
        "attention_heads": 2,
        "vision_output_dim": 32,
        "intermediate_layers_indices": [0],
        "image_size": 32,
        "patch_size": 8,
    }
    text = text_config("MllamaTextConfig", tokenizer, vocab_size=words, cross_attention_layers=[1])
    config = hf().MllamaConfig(
        vision_config=vision, text_config=text, image_token_index=tokenizer.convert_tokens_to_ids("<|image|>")
    )
    return save(folder, lambda: hf().MllamaForConditionalGeneration(config), processor)


def llama4(folder: Path) -> Any:
    """Tiles of 32 pixels, at most 4 and the whole; 4 tokens each. Its text model reads in chunks of 16 tokens."""
    marks = ["<|image_start|>", "<|image_end|>", "<|image|>", "<|patch|>", "<|tile_x_separator|>"]
    marks += ["<|tile_y_separator|>", "<|begin_of_text|>", "<|eot|>", "<|finetune_right_pad|>", "<|header_start|>"]
    names = {"bos_token": "<|begin_of_text|>", "eos_token": "<|eot|>", "pad_token": "<|finetune_right_pad|>"}
    tokenizer = byte_level([*marks, "<|header_end|>"], names, bos="<|begin_of_text|>", side="left")
    processor = hf().Llama4Processor(
        image_processor=hf().Llama4ImageProcessor(size=TILE, max_patches=4, **PIXELS),
        tokenizer=tokenizer,
        patch_size=8,
        pixel_shuffle_ratio=0.5,
        chat_template=templates.LLAMA4,
    )
    vision = {
        "hidden_size": 16,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "vision_output_dim": 32,
        "projector_input_dim": 32,
        "projector_output_dim": 32,
        "image_size": 32,
        "patch_size": 8,
    }
    text = text_config(
        "Llama4TextConfig",
        tokenizer,
        head_dim=8,
        intermediate_size_mlp=48,
        num_local_experts=2,
        interleave_moe_layer_step=2,
        no_rope_layers=[1, 0],
        attention_chunk_size=16,
    )
    config = hf().Llama4Config(
        vision_config=vision,
        text_config=text,
        boi_token_index=tokenizer.convert_tokens_to_ids("<|image_start|>"),
        eoi_token_index=tokenizer.convert_tokens_to_ids("<|image_end|>"),
        image_token_index=tokenizer.convert_tokens_to_ids("<|patch|>"),
    )
    return save(folder, lambda: hf().Llama4ForConditionalGeneration(config), processor)


CASES = [
    Case("Llama 3.2 Vision (mllama)", "chat", mllama),
    Case("Llama 3.2 Vision (mllama), pads right", "chat", partial(mllama, side="right")),
    Case("Llama 4", "chat", llama4),
]
