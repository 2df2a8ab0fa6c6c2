"""`bundled:clip-relational`: `bundled:clip` after a curriculum that teaches places first, then relations.

One object's picture beside its mirror image, then two objects' beside the one with their places exchanged, each other's
hard negatives; the last stage gives most of the batch to relation quads. A tower that is blind to places gives such a
pair one vector, and then the other tower cannot learn from it: so besides InfoNCE the two pictures of a pair, and its
two captions, are pushed apart until their cosine is below a margin. Without that (and from the same start) relations
had not begun to be learned after 1,400 steps. The last stage starts at the full rate again; it was added when the third
had ended at 15 % of relation quads.
"""

from typing import Any

import numpy as np

from backend.bundled.train import clip, folder, samples, tokens
from backend.bundled.train.loop import Stage

MIRRORED, EXCHANGED, RELATED, LAST = 300, 400, 700, 800
#: The two of a pair are pushed apart until their cosine is this much.
MARGIN = 0.8
#: What the card says of its series: the steps of `bundled:clip`, then those of this recipe's stages.
SERIES = {"clip-relational": {"clip-relational": clip.ALL_STEPS + MIRRORED + EXCHANGED + RELATED + LAST}}


def new_model() -> Any:
    from transformers import CLIPModel

    model: Any = CLIPModel.from_pretrained(folder.start("clip"))
    return model.float()


def apart_loss(model: Any, batch: tuple[Any, Any, Any, int]) -> Any:
    """InfoNCE, and how far the cosines within the batch's first pairs, in either tower, are above the margin."""
    import torch
    from torch.nn.functional import cross_entropy

    pixels, ids, mask, pairs = batch
    found = model(input_ids=ids, pixel_values=pixels, attention_mask=mask)
    logits = found.logits_per_image.float()
    target = torch.arange(len(logits), device=logits.device)
    with torch.no_grad():
        model.logit_scale.clamp_(max=4.6052)
    loss = (cross_entropy(logits, target) + cross_entropy(logits.T, target)) / 2
    for vectors in (found.image_embeds, found.text_embeds):
        one, other = vectors[: 2 * pairs].float().unflatten(0, (pairs, 2)).unbind(1)
        loss = loss + ((one * other).sum(-1) - MARGIN).relu().mean()
    return loss


def stages() -> list[Stage]:
    coder = tokens.tokenizer()

    def batch_of(rng: np.random.Generator, pairs: samples.Pairs, mixed: int) -> Any:
        return (*clip.batch_of(rng, pairs + samples.mixed(rng, mixed), coder), len(pairs.captions) // 2)

    def mirrored(rng: np.random.Generator) -> Any:
        return batch_of(rng, samples.quads(rng, 56, ("location",), "one_place"), 56)

    def exchanged(rng: np.random.Generator) -> Any:
        pairs = samples.quads(rng, 32, ("location",), "two_places") + samples.quads(rng, 12, ("location",), "one_place")
        return batch_of(rng, pairs + samples.quads(rng, 20, ("relation",)), 40)

    def related(rng: np.random.Generator) -> Any:
        pairs = samples.quads(rng, 44, ("relation",)) + samples.quads(rng, 16, ("location",))
        return batch_of(rng, pairs + samples.quads(rng, 6, ("attribute",)), 36)

    def again(rng: np.random.Generator) -> Any:
        pairs = samples.quads(rng, 46, ("relation",)) + samples.quads(rng, 12, ("location",))
        return batch_of(rng, pairs + samples.quads(rng, 10, ("attribute", "size", "count")), 32)

    return [
        Stage("one place, mirrored", MIRRORED, mirrored, apart_loss),
        Stage("two places, exchanged", EXCHANGED, exchanged, apart_loss),
        Stage("relations", RELATED, related, apart_loss),
        Stage("again", LAST, again, apart_loss, snapshots={LAST: "clip-relational"}),
    ]


processor = clip.processor
