"""`bundled:matcher`: BLIP's retrieval model: a contrastive pair of towers (ITC) and a matching head (ITM).

Both towers start from the captioner's. Half of what the head judges are true pairs, half are wrong ones, with a text or
an image that the towers find similar (BLIP, section 3.2), so that P(match) = 0.5 is where it is undecided; quads in the
batch make some of the wrong ones minimal pairs. The second stage starts at the full rate again, with more quads; it was
added when the first one had ended and shapes were hardly told apart.
"""

from typing import Any

import numpy as np

from backend.bundled.train import captioner, folder, misspelling, samples, tokens
from backend.bundled.train.loop import Stage

STEPS, AGAIN_STEPS = 750, 600
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
    start: Any = BlipForConditionalGeneration.from_pretrained(folder.start("captioner"))
    start.float()
    model.vision_model.load_state_dict(start.vision_model.state_dict())
    model.text_encoder.load_state_dict(start.text_decoder.bert.state_dict())
    return model


def matching_loss(model: Any, batch: tuple[Any, Any, Any]) -> Any:
    """ITC (symmetric InfoNCE at a fixed temperature) + ITM (cross-entropy over n true pairs and n hard wrong ones)."""
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
    half = n // 2  # the first half's wrong pairs get a wrong text, the others a wrong image
    states = torch.cat([seen, seen[:half], seen[wrong_image[half:]]])
    told = torch.cat([torch.arange(n, device=ids.device), wrong_text[:half], torch.arange(half, n, device=ids.device)])
    joint = model.text_encoder(
        input_ids=ids[told],
        attention_mask=mask[told],
        encoder_hidden_states=states,
        encoder_attention_mask=torch.ones(states.shape[:2], dtype=torch.long, device=states.device),
    ).last_hidden_state
    verdicts = model.itm_head(joint[:, 0]).float()
    labels = torch.cat([torch.ones(n), torch.zeros(n)]).long().to(verdicts.device)
    return contrast + cross_entropy(verdicts, labels)


def stages() -> list[Stage]:
    coder = tokens.tokenizer()

    def batch_of(rng: np.random.Generator, mixed: int, quads: int, concepts: tuple[str, ...]) -> Any:
        pairs = samples.shuffled(rng, samples.mixed(rng, mixed) + samples.quads(rng, quads, concepts))
        return (folder.pixel_tensor(pairs.pictures()), *tokens.token_ids(coder, misspelling.some(rng, pairs.captions)))

    def make(rng: np.random.Generator) -> Any:
        return batch_of(rng, 64, 32, ("attribute", "attribute", "count", "size", "shape", "colour"))

    def with_more(rng: np.random.Generator) -> Any:
        return batch_of(rng, 32, 48, ("attribute", "attribute", "attribute", "shape", "shape", "count", "size"))

    return [
        Stage("matching", STEPS, make, matching_loss),
        Stage("again", AGAIN_STEPS, with_more, matching_loss, snapshots={AGAIN_STEPS: "matcher"}),
    ]


processor = captioner.processor
