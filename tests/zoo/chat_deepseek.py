"""DeepSeek-VL, with one tower (1.3B's form is the hybrid) and with two that see the picture at two resolutions."""

from functools import partial
from pathlib import Path
from typing import Any

from tests.models.chat import templates_more as templates
from tests.models.chat.tokenizers import byte_level
from tests.zoo.base import VISION, Case, hf, save
from tests.zoo.chat_llava import PIXELS, text_config

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


CASES = [
    Case("DeepSeek-VL", "chat", deepseek),
    Case("DeepSeek-VL, two resolutions (hybrid)", "chat", partial(deepseek, hybrid=True)),
]
