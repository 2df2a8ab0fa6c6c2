"""`bundled:clip-relational`: `bundled:clip` after a curriculum that teaches places first, then relations.

Where one thing is; then where two things are; relations follow. Quads stand in each other's batch as hard negatives.
"""

from typing import Any

import numpy as np

from backend.bundled.train import clip, folder, samples, tokens
from backend.bundled.train.loop import Stage


def new_model() -> Any:
    from transformers import CLIPModel

    start = folder.model_folder("clip")
    return CLIPModel.from_pretrained(start).float()


def stages() -> list[Stage]:
    coder = tokens.tokenizer()

    def one_place(rng: np.random.Generator) -> Any:
        pairs = samples.one_place(rng, 96) + samples.quads(rng, 34, ("relation",)) + samples.mixed(rng, 92)
        return clip.batch_of(pairs, coder)

    def two_places(rng: np.random.Generator) -> Any:
        pairs = samples.two_places(rng, 100) + samples.one_place(rng, 24)
        pairs += samples.quads(rng, 34, ("relation",)) + samples.mixed(rng, 64)
        return clip.batch_of(pairs, coder)

    last = {900: "clip-relational"}
    return [
        Stage("one place", 420, one_place, clip.contrastive_loss),
        Stage("two places", 900, two_places, clip.contrastive_loss, snapshots=last),
    ]
