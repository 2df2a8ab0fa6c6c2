"""`bundled:clip` and its earlier checkpoints `clip-bag` and `clip-young`: a contrastive dual encoder.

Symmetric InfoNCE (CLIP) over 256 fresh scenes a step, captions of every sort mixed; then a stage in which half of the
batch is attribute quads, each other's hard negatives. The checkpoints are a ladder: a bag of colours, then sizes and
counts, then binding in part; relations stay at the floor, for no two pictures of a batch differ in them alone. The last
stage starts at the full rate again, with more quads; it was added when the second one had ended at 11 % of quads.
"""

from typing import Any

import numpy as np

from backend.bundled.train import folder, misspelling, samples, tokens
from backend.bundled.train.loop import Stage

BATCH = 256
STEPS = 1150
BINDING_STEPS, AGAIN_STEPS = 600, 600
ALL_STEPS = STEPS + BINDING_STEPS + AGAIN_STEPS
#: The ladder: after how many steps of the first stage each checkpoint is taken. `clip` comes after the last.
LADDER = {300: "clip-bag", STEPS: "clip-young"}
#: What each model's card says of its series: name -> steps since the weights were drawn (store/compare/series.py).
SERIES = {
    "clip-bag": {"clip": 300},
    "clip-young": {"clip": STEPS},
    "clip": {"clip": ALL_STEPS, "clip-relational": ALL_STEPS},
}


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

    made: Any = CLIPProcessor
    return made(image_processor=folder.clip_image_processor(), tokenizer=tokens.tokenizer())


def batch_of(rng: np.random.Generator, pairs: samples.Pairs, coder: Any) -> tuple[Any, Any, Any]:
    """(pixels (n, 3, 64, 64) float32, token ids, attention mask), some words misspelt."""
    written = misspelling.some(rng, pairs.captions)
    return (folder.pixel_tensor(pairs.pictures()), *tokens.token_ids(coder, written))


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
        return batch_of(rng, samples.mixed(rng, BATCH), coder)

    def with_quads(rng: np.random.Generator) -> Any:
        pairs = samples.quads(rng, 64, ("attribute",)) + samples.quads(rng, 16, ("size", "count"))
        return batch_of(rng, pairs + samples.mixed(rng, BATCH - 160), coder)

    def with_more(rng: np.random.Generator) -> Any:
        pairs = samples.quads(rng, 84, ("attribute",)) + samples.quads(rng, 12, ("size", "count"))
        return batch_of(rng, pairs + samples.mixed(rng, BATCH - 192), coder)

    return [
        Stage("mixed", STEPS, make, contrastive_loss, snapshots=LADDER),
        Stage("binding", BINDING_STEPS, with_quads, contrastive_loss),
        Stage("again", AGAIN_STEPS, with_more, contrastive_loss, snapshots={AGAIN_STEPS: "clip"}),
    ]
