"""Qwen2-VL, Qwen2.5-VL, Qwen3-VL, Qwen3.5: flattened patches, M-RoPE positions."""

from functools import partial
from pathlib import Path
from typing import Any

from tests.models.chat import templates
from tests.zoo.base import Case, hf, save
from tests.zoo.chat.llava import PIXELS, qwen_tokenizer, text_config

MARKS = ("<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>")
PATCH = 8
#: Pixels of the smallest and largest picture: 4 × 4 to 8 × 8 patches.
SIZE = {"shortest_edge": (4 * PATCH) ** 2, "longest_edge": (8 * PATCH) ** 2}
VISION = {"depth": 2, "num_heads": 2, "patch_size": PATCH, "spatial_merge_size": 2, "temporal_patch_size": 2}
#: name -> its class's prefix, template, vision settings, rope sections of a head of 8 (4 frequencies).
KINDS: dict[str, tuple[str, str, dict[str, Any], dict[str, Any]]] = {
    "qwen2": ("Qwen2VL", templates.QWEN2, {"embed_dim": 32, "hidden_size": 32, "mlp_ratio": 2}, {}),
    "qwen2.5": (
        "Qwen2_5_VL",
        templates.QWEN2,
        {
            "hidden_size": 32,
            "intermediate_size": 48,
            "out_hidden_size": 32,
            "window_size": 32,
            "fullatt_block_indexes": [1],
        },
        {},
    ),
    "qwen3": (
        "Qwen3VL",
        templates.QWEN3,
        {
            "hidden_size": 32,
            "intermediate_size": 48,
            "out_hidden_size": 32,
            "num_position_embeddings": 64,
            "deepstack_visual_indexes": [0],
        },
        {"mrope_interleaved": True},
    ),
    "qwen3.5": (
        "Qwen3_5",
        templates.QWEN3,
        {"hidden_size": 32, "intermediate_size": 48, "out_hidden_size": 32, "num_position_embeddings": 64},
        {"mrope_interleaved": True, "partial_rotary_factor": 0.25},
    ),
}
EXPERTS = {"num_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16}
#: Mixtures of experts are read like the dense model of the same name: name -> (that one, class, text settings).
MOE: dict[str, tuple[str, str, dict[str, Any]]] = {
    "qwen3-moe": ("qwen3", "Qwen3VLMoe", {**EXPERTS, "head_dim": 8}),
    "qwen3.5-moe": ("qwen3.5", "Qwen3_5Moe", {**EXPERTS, "shared_expert_intermediate_size": 16}),
}
#: Qwen3.5: a layer of linear attention, whose state stands for all tokens before it, and one of full attention.
HYBRID = {
    "head_dim": 32,
    "layer_types": ["linear_attention", "full_attention"],
    "linear_key_head_dim": 8,
    "linear_value_head_dim": 8,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 2,
}


def qwen(folder: Path, kind: str, side: str = "left") -> Any:
    kind, expert, mixture = MOE.get(kind, (kind, "", {}))
    prefix, template, vision, rope = KINDS[kind]
    own = "Qwen3VL" if kind == "qwen3.5" else prefix
    prefix = expert or prefix
    tokenizer = qwen_tokenizer(MARKS, {"image_token": "<|image_pad|>", "video_token": "<|video_pad|>"}, side)
    sizes = {"patch_size": PATCH, "temporal_patch_size": 2, "merge_size": 2, "size": SIZE, **PIXELS}
    video = "Qwen3VLVideoProcessor" if "qwen3" in kind else "Qwen2VLVideoProcessor"
    processor = getattr(hf(), f"{own}Processor")(
        image_processor=hf().Qwen2VLImageProcessor(**sizes),
        tokenizer=tokenizer,
        video_processor=getattr(hf(), video)(**sizes),
        chat_template=template,
    )
    named = {
        "image_token_id": "<|image_pad|>",
        "video_token_id": "<|video_pad|>",
        "vision_start_token_id": "<|vision_start|>",
        "vision_end_token_id": "<|vision_end|>",
    }
    rope = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 1, 1], **rope}
    more = (HYBRID if kind == "qwen3.5" else {"head_dim": 8}) | mixture
    text = text_config(f"{prefix}TextConfig", tokenizer, rope_parameters=rope, **more).to_dict()
    config = getattr(hf(), f"{prefix}Config")(
        text_config=text,
        vision_config={**VISION, **vision},
        **{name: tokenizer.convert_tokens_to_ids(token) for name, token in named.items()},
    )

    def make() -> Any:
        model = getattr(hf(), f"{prefix}ForConditionalGeneration")(config)
        for name, value in model.named_parameters():
            if name.endswith("A_log"):
                value.data.fill_(-4.0)  # at its random start linear attention forgets within a token
        return model

    return save(folder, make, processor)


CASES = [
    Case("Qwen2-VL", "chat", partial(qwen, kind="qwen2")),
    Case("Qwen2.5-VL, pads right", "chat", partial(qwen, kind="qwen2.5", side="right")),
    Case("Qwen3-VL", "chat", partial(qwen, kind="qwen3")),
    Case("Qwen3.5", "chat", partial(qwen, kind="qwen3.5")),
    Case("Qwen3-VL, mixture of experts", "chat", partial(qwen, kind="qwen3-moe")),
    Case("Qwen3.5, mixture of experts", "chat", partial(qwen, kind="qwen3.5-moe")),
]
