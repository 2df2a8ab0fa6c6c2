"""GLM-4V (GLM-4.1V-Thinking): flattened patches, M-RoPE, an answer that the next user's turn ends."""

from pathlib import Path
from typing import Any

from tests.models.chat import templates_more as templates
from tests.models.chat.tokenizers import byte_level
from tests.zoo.base import Case, hf, save
from tests.zoo.chat_llava import PIXELS, text_config
from tests.zoo.chat_qwen import PATCH, SIZE

NAMED = {
    "image_token_id": "<|image|>",
    "video_token_id": "<|video|>",
    "image_start_token_id": "<|begin_of_image|>",
    "image_end_token_id": "<|end_of_image|>",
    "video_start_token_id": "<|begin_of_video|>",
    "video_end_token_id": "<|end_of_video|>",
}


def glm4v(folder: Path) -> Any:
    names = {"eos_token": "<|endoftext|>", "pad_token": "<|endoftext|>"}
    special = ["<|endoftext|>", "[gMASK]", "<sop>", "<|user|>", "<|assistant|>", "<|observation|>", *NAMED.values()]
    tokenizer = byte_level(special, names, side="left")
    sizes = {"patch_size": PATCH, "temporal_patch_size": 2, "merge_size": 2, "size": SIZE, **PIXELS}
    processor = hf().Glm4vProcessor(
        image_processor=hf().Glm4vImageProcessor(**sizes),
        tokenizer=tokenizer,
        video_processor=hf().Glm4vVideoProcessor(**sizes),
        chat_template=templates.GLM,
    )
    ids = {name: tokenizer.convert_tokens_to_ids(token) for name, token in NAMED.items()}
    stops = [tokenizer.convert_tokens_to_ids(token) for token in ("<|endoftext|>", "<|user|>", "<|observation|>")]
    rope = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [2, 1, 1], "partial_rotary_factor": 0.5}
    text = text_config("Glm4vTextConfig", tokenizer, head_dim=16, num_attention_heads=2, rope_parameters=rope)
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
    config = hf().Glm4vConfig(text_config=text.to_dict(), vision_config=vision, **ids)
    return save(folder, lambda: hf().Glm4vForConditionalGeneration(config), processor)


CASES = [Case("GLM-4V (GLM-4.1V)", "chat", glm4v)]
