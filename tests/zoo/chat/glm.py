"""GLM-4.1V, 4.5V (with experts), 4.6V: flattened patches, M-RoPE, an answer that the next user's turn ends."""

from functools import partial
from pathlib import Path
from typing import Any

from tests.models.chat import templates_more as templates
from tests.models.chat.tokenizers import byte_level
from tests.zoo.base import Case, hf, save
from tests.zoo.chat.llava import PIXELS, text_config
from tests.zoo.chat.qwen import PATCH, SIZE

NAMED = {
    "image_token_id": "<|image|>",
    "video_token_id": "<|video|>",
    "image_start_token_id": "<|begin_of_image|>",
    "image_end_token_id": "<|end_of_image|>",
    "video_start_token_id": "<|begin_of_video|>",
    "video_end_token_id": "<|end_of_video|>",
}


#: Class prefix -> the prefixes of its processor and of its text model, and its own text settings.
KINDS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "Glm4v": ("Glm4v", "Glm4v", {}),
    "Glm46V": ("Glm46V", "Glm4v", {}),
    "Glm4vMoe": (
        "Glm4v",
        "Glm4vMoe",
        {
            "n_routed_experts": 4,
            "num_experts_per_tok": 2,
            "moe_intermediate_size": 16,
            "first_k_dense_replace": 1,
        },
    ),
}


def glm4v(folder: Path, kind: str = "Glm4v") -> Any:
    processing, texts, more = KINDS[kind]
    names = {"eos_token": "<|endoftext|>", "pad_token": "<|endoftext|>"}
    special = ["<|endoftext|>", "[gMASK]", "<sop>", "<|user|>", "<|assistant|>", "<|observation|>", *NAMED.values()]
    tokenizer = byte_level(special, names, side="left")
    sizes = {"patch_size": PATCH, "temporal_patch_size": 2, "merge_size": 2, "size": SIZE, **PIXELS}
    processor = getattr(hf(), f"{processing}Processor")(
        image_processor=getattr(hf(), f"{processing}ImageProcessor")(**sizes),
        tokenizer=tokenizer,
        video_processor=getattr(hf(), f"{processing}VideoProcessor")(**sizes),
        chat_template=templates.GLM,
    )
    ids = {name: tokenizer.convert_tokens_to_ids(token) for name, token in NAMED.items()}
    stops = [tokenizer.convert_tokens_to_ids(token) for token in ("<|endoftext|>", "<|user|>", "<|observation|>")]
    rope = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 1, 1], "partial_rotary_factor": 0.5}
    text = text_config(
        f"{texts}TextConfig", tokenizer, head_dim=16, num_attention_heads=2, rope_parameters=rope, **more
    )
    text.eos_token_id = stops
    vision = {
        "depth": 2,
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_heads": 2,
        "patch_size": PATCH,
        "image_size": 64,
        "out_hidden_size": 32,
    }
    config = getattr(hf(), f"{kind}Config")(text_config=text.to_dict(), vision_config=vision, **ids)
    return save(folder, lambda: getattr(hf(), f"{kind}ForConditionalGeneration")(config), processor)


CASES = [
    Case("GLM-4V (GLM-4.1V)", "chat", glm4v),
    Case("GLM-4.6V", "chat", partial(glm4v, kind="Glm46V")),
    Case("GLM-4.5V, mixture of experts", "chat", partial(glm4v, kind="Glm4vMoe")),
]
