"""`bundled:clip-relational`: `bundled:clip` after a curriculum that teaches places first, then relations.

Places first: captions of one place, then of two. In this world those two stages taught shapes but no places, because
their batches can be told apart without them. So the next two put mirrored and exchanged pictures side by side, and the
last gives most of the batch to relation quads; relations then rise from 5 to 95 % within 800 steps.
"""

from typing import Any

import numpy as np

from backend.bundled.train import clip, folder, samples, tokens
from backend.bundled.train.loop import Stage

LAST = 1000
#: What the card says of its series: the steps of `bundled:clip`, then those of this recipe's stages.
SERIES = {"clip-relational": {"clip-relational": clip.STEPS + clip.BINDING_STEPS + 420 + 900 + 400 + 800 + LAST}}


def new_model() -> Any:
    from transformers import CLIPModel

    start = folder.model_folder("clip")
    model: Any = CLIPModel.from_pretrained(start)
    return model.float()


def stages() -> list[Stage]:
    coder = tokens.tokenizer()

    def one_place(rng: np.random.Generator) -> Any:
        pairs = samples.one_place(rng, 96) + samples.quads(rng, 34, ("relation",)) + samples.mixed(rng, 92)
        return clip.batch_of(pairs, coder)

    def two_places(rng: np.random.Generator) -> Any:
        pairs = samples.two_places(rng, 100) + samples.one_place(rng, 24)
        pairs += samples.quads(rng, 34, ("relation",)) + samples.mixed(rng, 64)
        return clip.batch_of(pairs, coder)

    def mirrored(rng: np.random.Generator) -> Any:
        pairs = samples.quads(rng, 60, ("location",), "one_place") + samples.quads(rng, 16, ("relation",))
        return clip.batch_of(pairs + samples.mixed(rng, 56), coder)

    def exchanged(rng: np.random.Generator) -> Any:
        pairs = samples.quads(rng, 40, ("location",), "two_places") + samples.quads(rng, 8, ("location",), "one_place")
        pairs += samples.quads(rng, 34, ("relation",)) + samples.mixed(rng, 44)
        return clip.batch_of(pairs, coder)

    def related(rng: np.random.Generator) -> Any:
        pairs = samples.quads(rng, 60, ("relation",)) + samples.quads(rng, 24, ("location",), "two_places")
        return clip.batch_of(pairs + samples.mixed(rng, 40), coder)

    return [
        Stage("one place", 420, one_place, clip.contrastive_loss),
        Stage("two places", 900, two_places, clip.contrastive_loss),
        Stage("one place, mirrored", 400, mirrored, clip.contrastive_loss),
        Stage("two places, exchanged", 800, exchanged, clip.contrastive_loss),
        Stage("relations", LAST, related, clip.contrastive_loss, snapshots={LAST: "clip-relational"}),
    ]


processor = clip.processor
