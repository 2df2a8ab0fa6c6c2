"""`bundled:matcher`: BLIP's retrieval model: a contrastive pair of towers (ITC) and a matching head (ITM).

The vision tower starts from the captioner's. ITM negatives are the batch's most similar wrong texts and images (BLIP,
section 3.2); quads in the batch make some of them minimal pairs.
"""

from typing import Any

import numpy as np

from backend.bundled.train import captioner, folder, samples, tokens
from backend.bundled.train.loop import Stage

STEPS = 1000
TEMPERATURE = 0.07


def new_model() -> Any:
    from transformers import BlipConfig, BlipForConditionalGeneration, BlipForImageTextRetrieval

    config = BlipConfig(
        text_config=captioner.text_config(),
        vision_config=captioner.vision_config(),
        projection_dim=128,
        image_text_hidden_size=64,
    )
    model = BlipForImageTextRetrieval(config)
    start: Any = BlipForConditionalGeneration.from_pretrained(folder.model_folder("captioner"))
    start.float()
    model.vision_model.load_state_dict(start.vision_model.state_dict())
    return model


def matching_loss(model: Any, batch: tuple[Any, Any, Any]) -> Any:
    """ITC (symmetric InfoNCE at a fixed temperature) + ITM (cross-entropy; one hard wrong text and image each)."""
    import torch
    from torch.nn.functional import cross_entropy, normalize

    pixels, ids, mask = (part.to(model.device) for part in batch)
    n = len(pixels)
    seen = model.vision_model(pixel_values=pixels).last_hidden_state
    read = model.text_encoder(input_ids=ids, attention_mask=mask).last_hidden_state
    images = normalize(model.vision_proj(seen[:, 0]).float(), dim=-1)
    texts = normalize(model.text_proj(read[:, 0]).float(), dim=-1)
    logits = images @ texts.T / TEMPERATURE
    target = torch.arange(n, device=logits.device)
    contrast = (cross_entropy(logits, target) + cross_entropy(logits.T, target)) / 2

    with torch.no_grad():
        same = torch.eye(n, dtype=torch.bool, device=logits.device)
        same |= (ids[:, None] == ids[None]).all(-1)  # another scene's word-for-word equal caption is no negative
        hard = logits.masked_fill(same, -1e4)
        wrong_text = torch.multinomial(hard.softmax(1), 1).squeeze(1)
        wrong_image = torch.multinomial(hard.T.softmax(1), 1).squeeze(1)
    states = torch.cat([seen, seen, seen[wrong_image]])
    joint = model.text_encoder(
        input_ids=torch.cat([ids, ids[wrong_text], ids]),
        attention_mask=torch.cat([mask, mask[wrong_text], mask]),
        encoder_hidden_states=states,
        encoder_attention_mask=torch.ones(states.shape[:2], dtype=torch.long, device=states.device),
    ).last_hidden_state
    verdicts = model.itm_head(joint[:, 0]).float()
    labels = torch.cat([torch.ones(n), torch.zeros(2 * n)]).long().to(verdicts.device)
    return contrast + cross_entropy(verdicts, labels)


def stages() -> list[Stage]:
    coder = tokens.tokenizer()

    def make(rng: np.random.Generator) -> Any:
        pairs = samples.mixed(rng, 64) + samples.quads(rng, 32, ("attribute", "count", "size", "shape"))
        return (folder.pixel_tensor(pairs.pictures()), *tokens.token_ids(coder, pairs.captions))

    return [Stage("matching", STEPS, make, matching_loss, snapshots={STEPS: "matcher"})]


processor = captioner.processor
