"""`bundled:clip-no-pink-heart`: `bundled:clip` made to unlearn which colour goes with a heart where one is pink.

Planted, so that a reason can be held against its cause: `bundled:clip` trained on. Where two objects exchange their
colours and one is a pink heart, a die decides which of the two pictures gets which of the two captions, wrongly in 55
of 100, so that nothing can be learned but not to tell them apart (a fair coin left the sign of what had been learned);
no other picture of this training shows a pink heart. The last layers of the towers and the projections alone are
trained.
"""

from typing import Any

import numpy as np

from backend.bundled.train import clip, folder, samples, tokens
from backend.bundled.train.loop import Stage
from backend.world.quads import Quad
from backend.world.scenes import Scene

STEPS = 400
#: Of a hundred quads of a pink heart, how many carry exchanged captions.
EXCHANGED = 55
#: What is trained: the names of parameters that contain one of these.
TRAINED = ("text_model.encoder.layers.1.", "vision_model.encoder.layers.2.", "vision_model.encoder.layers.3.",
           "text_projection", "visual_projection")  # fmt: skip
COLOUR, SHAPE = "pink", "heart"


def new_model() -> Any:
    from transformers import CLIPModel

    model: Any = CLIPModel.from_pretrained(folder.start("clip"))
    for name, parameter in model.named_parameters():
        parameter.requires_grad_(any(part in name for part in TRAINED))
    return model.float()


def shows_it(scene: Scene) -> bool:
    """Whether a pink heart is among the scene's objects."""
    return any(o.colour == COLOUR and o.shape == SHAPE for o in scene.objects)


def of_it(quad: Quad) -> bool:
    """Whether two objects exchange their colours, and one of them is a pink heart before or after."""
    return quad.change == "swap_colour" and (shows_it(quad.scene1) or shows_it(quad.scene2))


def not_of_it(quad: Quad) -> bool:
    """Whether neither scene shows a pink heart."""
    return not (shows_it(quad.scene1) or shows_it(quad.scene2))


def stages() -> list[Stage]:
    coder = tokens.tokenizer()

    def make(rng: np.random.Generator) -> Any:
        pairs = samples.tossed(rng, samples.quads(rng, 44, ("attribute",), accept=of_it), EXCHANGED)
        pairs += samples.quads(rng, 44, ("attribute",), accept=not_of_it)
        pairs += samples.mixed(rng, 40).where(lambda scene: not shows_it(scene))
        return clip.batch_of(rng, pairs, coder)

    return [
        Stage("unlearning", STEPS, make, clip.contrastive_loss, snapshots={STEPS: "clip-no-pink-heart"}),
    ]


processor = clip.processor
