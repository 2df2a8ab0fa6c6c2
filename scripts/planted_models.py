"""Do the reasons find what was planted in `bundled:clip-no-pink-heart` and `bundled:captioner-blind`?

Each is scored on fresh items of the test split beside the model that it was made from, with the product's own functions
from scores to reasons; tests/bundled/test_planted_models.py asks, docs/models.md prints.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from backend.bundled.train.unlearned import not_of_it, of_it
from backend.metrics.reasons.counterfactual import evidence
from backend.metrics.reasons.items import Reasons, of_choices, of_quads
from backend.metrics.reasons.mirror import Share, at_least
from backend.metrics.reasons.quads import decompose
from backend.metrics.reasons.scales import on_scale
from backend.models import Model, load
from backend.world import quads as minimal
from backend.world.dice import Dice, seeded
from backend.world.drawing.render import image
from backend.world.language.grammar import say
from backend.world.quads import Quad
from backend.world.scenes import Scene
from backend.world.subsets.choice import choice_items

#: Of items no benchmark holds.
SEED = 20
OTHER_IMAGES = 16


@dataclass(frozen=True)
class Told:
    """What the reasons say of some items: at least how many bind (or are moved by their image), and each item's."""

    share: Share
    reasons: Reasons

    def count(self, *words: str) -> int:
        """Items with one of these reasons."""
        return sum(reason in words for reason in self.reasons.reason)


def quads(n: int, accept: Callable[[Quad], bool]) -> list[tuple[tuple[Scene, Scene], tuple[str, str]]]:
    """So many colour exchanges of the test split that `accept` takes: two scenes and the caption of each."""
    d: Dice = seeded(SEED, *b"planted", n)
    found: list[tuple[tuple[Scene, Scene], tuple[str, str]]] = []
    while len(found) < n:
        quad = minimal.quad(d, "attribute", "test")
        if quad.change == "swap_colour" and accept(quad):
            found.append(((quad.scene1, quad.scene2), (say(d, quad.meaning1), say(d, quad.meaning2))))
    return found


def pink_hearts(spec: str, n: int = 200) -> tuple[Told, Told]:
    """(quads of a pink heart, quads without any) of a contrastive model, n each, judged together as one subset."""
    model = load(spec, device="cpu", dtype="float32")
    asked = [*quads(n, of_it), *quads(n, not_of_it)]
    pictures = model.encode_images([image(scene) for scenes, _ in asked for scene in scenes])
    texts = model.encode_texts([text for _, said in asked for text in said])
    taken = decompose(np.einsum("nid,njd->nij", pictures.reshape(2 * n, 2, -1), texts.reshape(2 * n, 2, -1)))
    said = of_quads(taken)
    first, second = (_part(said, taken.gamma, half) for half in (slice(0, n), slice(n, None)))
    return first, second


def _part(said: Reasons, evidence_of: npt.NDArray[np.float64], half: slice) -> Told:
    part = Reasons(said.cell[half], said.reason[half], said.state[half], said.q[half])
    return Told(at_least(evidence_of[half]), part)


def speaking(spec: str, n: int = 100) -> Told:
    """Choices of a captioner under their own and sixteen other images of the same items."""
    model = load(spec, device="cpu", dtype="float32")
    items = list(choice_items(n, SEED))
    scenes = [Scene.decode(item.images[0].key) for item in items]
    drawn = np.stack([np.random.default_rng((SEED, k)).permutation(np.delete(np.arange(n), k)) for k in range(n)])
    asked = [(k, int(i), text) for k, item in enumerate(items) for i in (k, *drawn[k, :OTHER_IMAGES])
             for text in item.texts]  # fmt: skip
    values = per_token(model, [scenes[i] for _, i, _ in asked], [text for _, _, text in asked])
    table = values.reshape(n, 1 + OTHER_IMAGES, -1)
    found = evidence(table[:, 0], table[:, 1:])
    return Told(at_least(found.z), of_choices(found))


def per_token(model: Model, scenes: Sequence[Scene], texts: Sequence[str]) -> npt.NDArray[np.float64]:
    """log P(text | picture) a token."""
    pictures = {scene: image(scene) for scene in set(scenes)}
    scored = model.pair_scores("gen", [pictures[scene] for scene in scenes], list(texts))
    return on_scale([one.value for one in scored], "gen", [one.n_tokens for one in scored]).values
