"""Models that cut a picture into tiles: Idefics3, SmolVLM, InternVL."""

from pathlib import Path
from typing import Any

from tests.models.chat import templates
from tests.models.chat.tokenizers import byte_level
from tests.zoo.base import VISION, Case, hf, save
from tests.zoo.chat.llava import PIXELS, qwen_tokenizer, text_config

IDEFICS = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<fake_token_around_image>", "<image>", "<end_of_utterance>"]
IDEFICS += ["<global-img>", *[f"<row_{row}_col_{col}>" for row in range(1, 7) for col in range(1, 7)]]


def idefics(folder: Path, name: str, side: str) -> Any:
    """Tiles of 32 pixels, at most 2 × 2 and the whole; 4 tokens each."""
    names = {"bos_token": "<|im_start|>", "eos_token": "<end_of_utterance>", "pad_token": "<|im_end|>"}
    tokenizer = byte_level(IDEFICS, names, side=side)
    images = getattr(hf(), f"{name}ImageProcessor")(
        size={"longest_edge": 64}, max_image_size={"longest_edge": 32}, return_row_col_info=True, **PIXELS
    )
    more = {"video_processor": hf().SmolVLMVideoProcessor()} if name == "SmolVLM" else {}
    processor = getattr(hf(), f"{name}Processor")(
        image_processor=images, tokenizer=tokenizer, image_seq_len=4, chat_template=templates.IDEFICS, **more
    )
    text = text_config("LlamaConfig", tokenizer)
    config = getattr(hf(), f"{name}Config")(
        vision_config=VISION,
        text_config=text,
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        pad_token_id=tokenizer.pad_token_id,
        scale_factor=2,
    )
    return save(folder, lambda: getattr(hf(), f"{name}ForConditionalGeneration")(config), processor)


def idefics3(folder: Path) -> Any:
    return idefics(folder, "Idefics3", "right")


def smolvlm(folder: Path) -> Any:
    return idefics(folder, "SmolVLM", "left")


def internvl(folder: Path) -> Any:
    """Tiles of 32 pixels, up to 4 and the whole; 4 tokens each."""
    named = {
        "start_image_token": "<img>",
        "end_image_token": "</img>",
        "context_image_token": "<IMG_CONTEXT>",
        "video_token": "<video>",
    }
    tokenizer = qwen_tokenizer(tuple(named.values()), named)
    size = {"height": 32, "width": 32}
    processor = hf().InternVLProcessor(
        image_processor=hf().GotOcr2ImageProcessor(
            size=size, crop_to_patches=True, min_patches=1, max_patches=4, **PIXELS
        ),
        tokenizer=tokenizer,
        video_processor=hf().InternVLVideoProcessor(size=size),
        image_seq_length=4,
        chat_template=templates.INTERNVL,
    )
    config = hf().InternVLConfig(
        vision_config={**VISION, "image_size": [32, 32], "patch_size": [8, 8]},
        text_config=text_config("Qwen2Config", tokenizer),
        image_token_id=tokenizer.convert_tokens_to_ids("<IMG_CONTEXT>"),
        image_seq_length=4,
    )
    return save(folder, lambda: hf().InternVLForConditionalGeneration(config), processor)


def aya(folder: Path) -> Any:
    """Tiles of 32 pixels, up to 4 and the whole; 4 tokens each. Its text model slides over 8 tokens."""
    marks = ["<image>", "<|START_OF_IMG|>", "<|END_OF_IMG|>", "<|IMG_PATCH|>", "<|IMG_LINE_BREAK|>", "TILE_GLOBAL"]
    marks += ["TILE_1", "TILE_2", "TILE_3", "TILE_4", "<|START_OF_TURN_TOKEN|>", "<|END_OF_TURN_TOKEN|>"]
    marks += ["<|USER_TOKEN|>", "<|CHATBOT_TOKEN|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>", "<BOS_TOKEN>", "<PAD>"]
    names = {"bos_token": "<BOS_TOKEN>", "eos_token": "<|END_OF_TURN_TOKEN|>", "pad_token": "<PAD>"}
    tokenizer = byte_level(marks, names, bos="<BOS_TOKEN>", side="left")
    size = {"height": 32, "width": 32}
    processor = hf().AyaVisionProcessor(
        image_processor=hf().GotOcr2ImageProcessor(
            size=size, crop_to_patches=True, min_patches=1, max_patches=4, **PIXELS
        ),
        tokenizer=tokenizer,
        patch_size=8,
        img_size=32,
        downsample_factor=2,
        chat_template=templates.AYA,
    )
    text = text_config(
        "Cohere2Config", tokenizer, sliding_window=8, head_dim=8, layer_types=["sliding_attention", "full_attention"]
    )
    config = hf().AyaVisionConfig(
        vision_config=hf().SiglipVisionConfig(**VISION, vision_use_head=False),
        text_config=text,
        image_token_index=tokenizer.convert_tokens_to_ids("<|IMG_PATCH|>"),
        vision_feature_layer=-1,
        adapter_layer_norm_eps=1e-6,
    )
    return save(folder, lambda: hf().AyaVisionForConditionalGeneration(config), processor)


CASES = [
    Case("Idefics3", "chat", idefics3),
    Case("SmolVLM", "chat", smolvlm),
    Case("InternVL", "chat", internvl),
    Case("Aya Vision", "chat", aya),
]
