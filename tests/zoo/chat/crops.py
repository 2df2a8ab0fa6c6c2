"""More models that cut a picture into tiles: LFM2-VL (convolutions between attention), Cohere2 Vision, Ovis2."""

from functools import partial
from pathlib import Path
from typing import Any

from tests.models.chat import templates_more as templates
from tests.models.chat.tokenizers import byte_level
from tests.zoo.base import TOWER, VISION, Case, hf, save
from tests.zoo.chat.llava import PIXELS, qwen_tokenizer, text_config

TILE = {"height": 32, "width": 32}


def lfm2(folder: Path, side: str = "left") -> Any:
    """SigLIP 2's pictures of any size, cut into tiles of 64 pixels where they are large; 16 patches to 4 tokens."""
    marks = ["<|pad|>", "<|startoftext|>", "<|im_start|>", "<|im_end|>", "<image>", "<|image_start|>", "<|image_end|>"]
    marks += ["<|img_thumbnail|>", *[f"<|img_row_{row}_col_{col}|>" for row in range(1, 5) for col in range(1, 5)]]
    names = {"bos_token": "<|startoftext|>", "eos_token": "<|im_end|>", "pad_token": "<|pad|>"}
    tokenizer = byte_level(marks, names, bos="<|startoftext|>", side=side)
    images = hf().Lfm2VlImageProcessor(
        tile_size=64,
        encoder_patch_size=8,
        min_tiles=2,
        max_tiles=4,
        min_image_tokens=4,
        max_image_tokens=16,
        max_num_patches=64,
        size={"height": 64, "width": 64},
        **PIXELS,
    )
    processor = hf().Lfm2VlProcessor(image_processor=images, tokenizer=tokenizer, chat_template=templates.CHATML)
    text = text_config("Lfm2Config", tokenizer, layer_types=["conv", "full_attention"], block_auto_adjust_ff_dim=False)
    config = hf().Lfm2VlConfig(
        vision_config=hf().Siglip2VisionConfig(**TOWER, patch_size=8, num_patches=64, vision_use_head=False),
        text_config=text,
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        projector_hidden_size=48,
    )
    return save(folder, lambda: hf().Lfm2VlForConditionalGeneration(config), processor)


def cohere2(folder: Path) -> Any:
    """Tiles of 32 pixels, up to 4 and the whole; 4 tokens each. Its text model slides over 8 tokens."""
    named = {
        "image_token": "<|IMG_PATCH|>",
        "boi_token": "<|START_OF_IMG|>",
        "eoi_token": "<|END_OF_IMG|>",
        "img_line_break_token": "<|IMG_LINE_BREAK|>",
    }
    marks = [*named.values(), "<|START_OF_TURN_TOKEN|>", "<|END_OF_TURN_TOKEN|>", "<|USER_TOKEN|>"]
    marks += ["<|CHATBOT_TOKEN|>", "<|START_RESPONSE|>", "<|END_RESPONSE|>", "<BOS_TOKEN>", "<PAD>"]
    names = {"bos_token": "<BOS_TOKEN>", "eos_token": "<|END_OF_TURN_TOKEN|>", "pad_token": "<PAD>"}
    tokenizer = byte_level(marks, {**names, "extra_special_tokens": named}, bos="<BOS_TOKEN>", side="left")
    processor = hf().Cohere2VisionProcessor(
        image_processor=hf().Cohere2VisionImageProcessor(size=TILE, max_patches=4, patch_size=2, **PIXELS),
        tokenizer=tokenizer,
        chat_template=templates.COHERE2,
    )
    config = hf().Cohere2VisionConfig(
        vision_config=hf().SiglipVisionConfig(**VISION, vision_use_head=False),
        text_config=text_config(
            "Cohere2Config",
            tokenizer,
            sliding_window=8,
            head_dim=8,
            layer_types=["sliding_attention", "full_attention"],
        ),
        image_token_id=tokenizer.convert_tokens_to_ids("<|IMG_PATCH|>"),
        alignment_intermediate_size=64,
    )
    return save(folder, lambda: hf().Cohere2VisionForConditionalGeneration(config), processor)


def ovis2(folder: Path) -> Any:
    """Tiles of 32 pixels, up to 4 and the whole; 4 tokens each, drawn from a visual vocabulary."""
    indicators = ("<IMG_START>", "<IMG_GRID>", "<IMG_COL>", "<IMG_ROW>", "<IMG_END>")
    tokenizer = qwen_tokenizer(("<image>", "<IMG_ATOM>", *indicators), {"image_token": "<image>"})
    processor = hf().Ovis2Processor(
        image_processor=hf().Ovis2ImageProcessor(size=TILE, crop_to_patches=True, max_patches=4, **PIXELS),
        tokenizer=tokenizer,
        chat_template=templates.CHATML,
        image_seq_length=4,
    )
    config = hf().Ovis2Config(
        vision_config={**TOWER, "image_size": 32, "patch_size": 8, "hidden_stride": 2, "vocab_size": 24},
        text_config=text_config("Qwen2Config", tokenizer).to_dict(),
        image_token_id=tokenizer.convert_tokens_to_ids("<IMG_ATOM>"),
        visual_indicator_token_ids=[tokenizer.convert_tokens_to_ids(token) for token in indicators],
        vocab_size=len(tokenizer),
        hidden_size=32,
    )
    return save(folder, lambda: hf().Ovis2ForConditionalGeneration(config), processor)


CASES = [
    Case("LFM2-VL", "chat", lfm2),
    Case("LFM2-VL, pads right", "chat", partial(lfm2, side="right")),
    Case("Cohere2 Vision", "chat", cohere2),
    Case("Ovis2", "chat", ovis2),
]
