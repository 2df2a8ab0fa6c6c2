"""DeepSeek-VL with one tower, and with two that see the picture at two resolutions; Janus, read as a chat model."""

from functools import partial
from pathlib import Path
from typing import Any

from tests.models.chat import templates_more as templates
from tests.models.chat.tokenizers import byte_level
from tests.zoo.base import VISION, Case, hf, save
from tests.zoo.chat.llava import PIXELS, text_config

SIZE = {"height": 32, "width": 32}
BEGIN, END = "<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>"
#: SAM: the second layer sees the whole picture.
SAM = {
    "hidden_size": 16,
    "output_channels": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "image_size": 128,
    "patch_size": 8,
    "global_attn_indexes": [1],
    "window_size": 4,
    "num_pos_feats": 8,
    "mlp_dim": 32,
}


def deepseek(folder: Path, hybrid: bool = False) -> Any:
    kind = "DeepseekVLHybrid" if hybrid else "DeepseekVL"
    names = {"bos_token": BEGIN, "eos_token": END, "pad_token": END}
    special = [BEGIN, END, "<image_placeholder>"]
    named = {"extra_special_tokens": {"image_token": "<image_placeholder>"}}
    tokenizer = byte_level(special, {**names, **named}, bos=BEGIN, side="left")
    more = {"high_res_size": {"height": 128, "width": 128}} if hybrid else {}
    processor = getattr(hf(), f"{kind}Processor")(
        image_processor=getattr(hf(), f"{kind}ImageProcessor")(size=SIZE, **PIXELS, **more),
        tokenizer=tokenizer,
        chat_template=templates.DEEPSEEK,
        num_image_tokens=16,
    )
    towers = {"vision_config": hf().SiglipVisionConfig(**VISION, vision_use_head=False)}
    if hybrid:
        towers["high_res_vision_config"] = hf().SamVisionConfig(**SAM)
    config = getattr(hf(), f"{kind}Config")(
        text_config=text_config("LlamaConfig", tokenizer),
        image_token_id=tokenizer.convert_tokens_to_ids("<image_placeholder>"),
        tie_word_embeddings=False,
        **towers,
    )
    return save(folder, lambda: getattr(hf(), f"{kind}ForConditionalGeneration")(config), processor)


def janus(folder: Path) -> Any:
    """Its image generator (codes, aligner) is there and idle."""
    named = {"image_token": "<image_placeholder>", "boi_token": "<begin_of_image>", "eoi_token": "<end_of_image>"}
    names = {"bos_token": BEGIN, "eos_token": END, "pad_token": END, "extra_special_tokens": named}
    tokenizer = byte_level([BEGIN, END, "<|User|>", "<|Assistant|>", *named.values()], names, bos=BEGIN, side="left")
    template = templates.DEEPSEEK.replace("User: ", "<|User|>: ").replace("Assistant:", "<|Assistant|>:")
    processor = hf().JanusProcessor(
        image_processor=hf().JanusImageProcessor(size=SIZE, min_size=4, **PIXELS),
        tokenizer=tokenizer,
        chat_template=template.replace("<image_placeholder>", "<image_placeholder>\n"),
        num_image_tokens=16,
    )
    tower = {**VISION, "mlp_ratio": 2, "projection_dim": 32, "num_image_tokens": 16}
    codes = {
        "embed_dim": 4,
        "num_embeddings": 8,
        "latent_channels": 16,
        "base_channels": 32,
        "channel_multiplier": [1, 1],
        "num_res_blocks": 1,
        "num_patches": 16,
        "projection_dim": 32,
        "image_token_embed_dim": 32,
    }
    config = hf().JanusConfig(
        text_config=text_config("LlamaConfig", tokenizer),
        vision_config=hf().JanusVisionConfig(**tower),
        vq_config=hf().JanusVQVAEConfig(**codes),
        image_token_id=tokenizer.convert_tokens_to_ids("<image_placeholder>"),
    )
    return save(folder, lambda: hf().JanusForConditionalGeneration(config), processor)


CASES = [
    Case("DeepSeek-VL", "chat", deepseek),
    Case("DeepSeek-VL, two resolutions (hybrid)", "chat", partial(deepseek, hybrid=True)),
    Case("Janus", "chat", janus),
]
