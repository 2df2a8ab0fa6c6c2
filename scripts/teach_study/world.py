"""The tests: minimal pairs, retrieval and zero-shot naming, all of the world's test split, none of a benchmark."""

from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from backend.bundled.train.folder import pixel_tensor
from backend.world.attributes import COLOURS, SHAPES, Split
from backend.world.dice import seeded
from backend.world.drawing import fast
from backend.world.language.captions import caption
from backend.world.language.grammar import say_alike
from backend.world.quads import CONCEPTS, quad
from backend.world.sampling import sample
from backend.world.scenes import Scene

#: Of tests that no benchmark holds, and of each how many.
SEED, N = 31, 1000
#: Attribute quads with colour-shape pairs that training never shows.
UNSEEN: Final = "attribute, unseen pairs"
SETS: Final = (*CONCEPTS, UNSEEN)
#: What a picture of one object is called.
NAMES: Final = tuple(f"a {colour} {shape}" for colour in COLOURS for shape in SHAPES)


@dataclass(frozen=True)
class Pictures:
    """Scenes as the bundled models see them: (n, 64, 64, 3) uint8, within two grey levels of the pictures that `run`
    resizes; and one text a picture ("" where there is none)."""

    pixels: NDArray[np.uint8]
    texts: tuple[str, ...]


def _drawn(scenes: list[Scene], texts: list[str]) -> Pictures:
    return Pictures(fast.small_batch(scenes), tuple(texts))


@cache
def quads(name: str, n: int = N, split: Split = "test", seed: int = SEED) -> Pictures:
    """n quads of a set: pictures and texts 2k and 2k + 1 are the halves of quad k."""
    scenes: list[Scene] = []
    texts: list[str] = []
    for k in range(n):
        d = seeded(seed, *name.encode(), k)
        made = quad(d, "attribute" if name == UNSEEN else name, split, held_out=name == UNSEEN)
        scenes += [made.scene1, made.scene2]
        texts += say_alike(d, made.meaning1, made.meaning2)
    return _drawn(scenes, texts)


@cache
def gallery(n: int = N) -> Pictures:
    """n scenes with a caption each, no caption twice, for retrieval. Another scene may fit a caption: what is compared
    are models on the same gallery."""
    scenes: list[Scene] = []
    texts: list[str] = []
    k = 0
    while len(scenes) < n:
        d = seeded(SEED, *b"gallery", k)
        k += 1
        scene = sample(d, "test")
        text = caption(d, scene)
        if text is not None and text not in texts:
            scenes.append(scene)
            texts.append(text)
    return _drawn(scenes, texts)


@cache
def single(n: int = N) -> tuple[Pictures, NDArray[np.int64]]:
    """n pictures of one object, and which of `NAMES` each is called."""
    scenes = [sample(seeded(SEED, *b"single", k), "test", 1) for k in range(n)]
    called = [f"a {scene.objects[0].colour} {scene.objects[0].shape}" for scene in scenes]
    return _drawn(scenes, [""] * n), np.array([NAMES.index(name) for name in called])


def image_vectors(model: Any, pictures: Pictures, size: int = 250) -> NDArray[np.float32]:
    """Unit vectors (n, d) of a CLIP of the bundled family."""
    import torch

    found = []
    with torch.no_grad():
        for start in range(0, len(pictures.pixels), size):
            given = {"pixel_values": pixel_tensor(pictures.pixels[start : start + size])}
            found.append(torch.nn.functional.normalize(model.image_features(given).float(), dim=-1).numpy())
    return np.concatenate(found)
