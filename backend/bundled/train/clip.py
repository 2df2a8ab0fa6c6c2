"""`bundled:clip` and its earlier checkpoints `clip-bag` and `clip-young`: a contrastive dual encoder.

Symmetric InfoNCE (CLIP) over 256 fresh scenes a step, captions of every sort mixed. The checkpoints are a ladder from
a bag of colours to partial binding; relations stay at the floor.
"""

from typing import Any

import numpy as np

from backend.bundled.train import folder, samples, tokens
from backend.bundled.train.loop import Stage

BATCH = 256
STEPS = 1300
#: The ladder: after how many steps each checkpoint is taken.
LADDER = {300: "clip-bag", 650: "clip-young", STEPS: "clip"}


def new_model() -> Any:
    """1.3 M parameters: vision 4 × 128 on 8-pixel patches, text 2 × 128, projection 128."""
    from transformers import CLIPConfig, CLIPModel

    vocabulary = len(tokens.tokenizer())
    return CLIPModel(
        CLIPConfig(
            text_config={
                "hidden_size": 128,
                "intermediate_size": 512,
                "num_hidden_layers": 2,
                "num_attention_heads": 4,
                "hidden_act": "gelu",
                "vocab_size": vocabulary,
                "max_position_embeddings": tokens.MAX_TOKENS,
                "projection_dim": 128,
                "pad_token_id": tokens.PAD_ID,
                "bos_token_id": tokens.BOS_ID,
                "eos_token_id": tokens.EOS_ID,
            },
            vision_config={
                "hidden_size": 128,
                "intermediate_size": 512,
                "num_hidden_layers": 4,
                "num_attention_heads": 4,
                "hidden_act": "gelu",
                "image_size": 64,
                "patch_size": 8,
                "projection_dim": 128,
            },
            projection_dim=128,
        )
    )


def processor() -> Any:
    from transformers import CLIPProcessor

    return CLIPProcessor(image_processor=folder.clip_image_processor(), tokenizer=tokens.tokenizer())


def batch_of(pairs: samples.Pairs, coder: Any) -> tuple[Any, Any, Any]:
    """(pixels (n, 3, 64, 64) float32, token ids, attention mask)."""
    return (folder.pixel_tensor(pairs.pictures()), *tokens.token_ids(coder, pairs.captions))


def contrastive_loss(model: Any, batch: tuple[Any, Any, Any]) -> Any:
    import torch
    from torch.nn.functional import cross_entropy

    pixels, ids, mask = (part.to(model.device) for part in batch)
    logits = model(input_ids=ids, pixel_values=pixels, attention_mask=mask).logits_per_image.float()
    target = torch.arange(len(logits), device=logits.device)
    with torch.no_grad():
        model.logit_scale.clamp_(max=4.6052)  # a temperature below 0.01 makes training unstable (CLIP, section 2.5)
    return (cross_entropy(logits, target) + cross_entropy(logits.T, target)) / 2


def stages() -> list[Stage]:
    coder = tokens.tokenizer()

    def make(rng: np.random.Generator) -> Any:
        return batch_of(samples.mixed(rng, BATCH), coder)

    return [Stage("mixed", STEPS, make, contrastive_loss, learning_rate=1e-3, snapshots=LADDER)]
