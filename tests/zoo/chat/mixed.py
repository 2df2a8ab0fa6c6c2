"""ViP-LLaVA, Granite Vision 3 (in LLaVA-1.6's class), Aria, Molmo2, VideoLLaMA 3."""

from pathlib import Path
from typing import Any

from tests.models.chat import templates_more as templates
from tests.zoo.base import TOWER, VISION, Case, hf, save
from tests.zoo.chat.llava import GRID, PIXELS, llama_tokenizer, llava_processor, qwen_tokenizer, text_config
from tests.zoo.chat.qwen import PATCH, SIZE


def vipllava(folder: Path) -> Any:
    tokenizer = llama_tokenizer("left")
    processor = llava_processor(tokenizer, templates.VIPLLAVA)
    config = hf().VipLlavaConfig(
        vision_config=hf().CLIPVisionConfig(**VISION),
        text_config=text_config("LlamaConfig", tokenizer),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        vision_feature_layers=[-1, -2],
        image_seq_length=16,
    )
    return save(folder, lambda: hf().VipLlavaForConditionalGeneration(config), processor)


def granite(folder: Path) -> Any:
    """Granite Vision 3: LLaVA-1.6 with features of several SigLIP layers and Granite's multipliers."""
    tokenizer = qwen_tokenizer(("<image>",), {"image_token": "<image>"})
    processor = hf().LlavaNextProcessor(
        image_processor=hf().LlavaNextImageProcessor(
            size={"height": 32, "width": 32},
            crop_size={"height": 32, "width": 32},
            image_grid_pinpoints=GRID,
            **PIXELS,
        ),
        tokenizer=tokenizer,
        patch_size=8,
        vision_feature_select_strategy="full",
        chat_template=templates.CHATML,
    )
    text = text_config(
        "GraniteConfig", tokenizer, embedding_multiplier=2.0, logits_scaling=3.0, attention_multiplier=0.3
    )
    config = hf().LlavaNextConfig(
        vision_config=hf().SiglipVisionConfig(**VISION, vision_use_head=False),
        text_config=text,
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        image_grid_pinpoints=GRID,
        vision_feature_layer=[-2, -1],
        vision_feature_select_strategy="full",
    )
    return save(folder, lambda: hf().LlavaNextForConditionalGeneration(config), processor)


def aria(folder: Path) -> Any:
    """Its processor knows pictures of 980 pixels only; here they are 5 × 5 patches, padding masked, to 4 tokens."""
    tokenizer = qwen_tokenizer(("<|img|>", "<fim_prefix>", "<fim_suffix>"), {"image_token": "<|img|>"})
    processor = hf().AriaProcessor(
        image_processor=hf().AriaImageProcessor(**PIXELS),
        tokenizer=tokenizer,
        chat_template=templates.ARIA,
        size_conversion={490: 2, 980: 4},
    )
    text = text_config("AriaTextConfig", tokenizer, moe_num_experts=2, moe_topk=1, moe_num_shared_experts=1)
    config = hf().AriaConfig(
        vision_config=hf().Idefics3VisionConfig(**{**TOWER, "hidden_size": 16, "image_size": 980, "patch_size": 196}),
        text_config=text,
        image_token_index=tokenizer.convert_tokens_to_ids("<|img|>"),
        projector_patch_to_query_dict={25: 4},
    )
    return save(folder, lambda: hf().AriaForConditionalGeneration(config), processor)


def molmo2(folder: Path) -> Any:
    """Overlapping crops of 32 pixels, at most 4, and the whole; patches pooled by index. Its processor writes BOS."""
    marks = ("<|image|>", "<|video|>", "<im_patch>", "<im_col>", "<im_start>", "<im_end>", "<low_res_im_start>")
    marks += ("<frame_start>", "<frame_end>", "<im_low>")
    tokenizer = qwen_tokenizer(marks, {"image_token": "<|image|>", "video_token": "<|video|>"})
    template = templates.CHATML.replace("{{ bos_token }}", "").replace("'<image>'", "'<|image|>'")
    processor = hf().Molmo2Processor(
        image_processor=hf().Molmo2ImageProcessor(
            size={"height": 32, "width": 32}, max_crops=4, overlap_margins=[1, 1], patch_size=4, **PIXELS
        ),
        video_processor=hf().Molmo2VideoProcessor(),
        tokenizer=tokenizer,
        chat_template=template,
    )
    heads = {"num_attention_heads": 2, "num_key_value_heads": 2, "head_dim": 8, "intermediate_size": 48}
    text = text_config("Molmo2TextConfig", tokenizer, head_dim=8, additional_vocab_size=8)
    config = hf().Molmo2Config(
        vision_config={**heads, "hidden_size": 16, "num_hidden_layers": 2, "image_size": [32, 32], "patch_size": 4},
        adapter_config={**heads, "hidden_size": 16, "text_hidden_size": 32, "vision_feature_layer": [1, 0]},
        text_config=text.to_dict(),
        image_patch_id=tokenizer.convert_tokens_to_ids("<im_patch>"),
        **{
            f"{name}_token_id": tokenizer.convert_tokens_to_ids(token)
            for name, token in {
                "image_start": "<im_start>",
                "low_res_image_start": "<low_res_im_start>",
                "image_end": "<im_end>",
                "frame_start": "<frame_start>",
                "frame_end": "<frame_end>",
            }.items()
        },
    )
    return save(folder, lambda: hf().Molmo2ForConditionalGeneration(config), processor)


def videollama3(folder: Path) -> Any:
    tokenizer = qwen_tokenizer(
        ("<|image_pad|>", "<|video_pad|>"), {"image_token": "<|image_pad|>", "video_token": "<|video_pad|>"}
    )
    sizes = {"patch_size": PATCH, "size": SIZE, **PIXELS}
    processor = hf().VideoLlama3Processor(
        image_processor=hf().VideoLlama3ImageProcessor(**sizes),
        tokenizer=tokenizer,
        video_processor=hf().VideoLlama3VideoProcessor(**sizes),
        chat_template=templates.CHATML.replace("{{ bos_token }}", "").replace("<image>", "<|image_pad|>\n"),
    )
    config = hf().VideoLlama3Config(
        vision_config={**TOWER, "patch_size": PATCH},
        text_config=text_config("Qwen2Config", tokenizer).to_dict(),
        image_token_id=tokenizer.convert_tokens_to_ids("<|image_pad|>"),
        video_token_id=tokenizer.convert_tokens_to_ids("<|video_pad|>"),
    )
    return save(folder, lambda: hf().VideoLlama3ForConditionalGeneration(config), processor)


CASES = [
    Case("ViP-LLaVA", "chat", vipllava),
    Case("Granite Vision 3 in LLaVA-1.6", "chat", granite),
    Case("Aria", "chat", aria),
    Case("Molmo2", "chat", molmo2, needs="Molmo2ForConditionalGeneration"),
    Case("VideoLLaMA 3", "chat", videollama3),
]
