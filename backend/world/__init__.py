"""The synthetic world: scenes, their pictures, captions and minimal pairs. NumPy and Pillow only."""

from backend.world.attributes import COLOURS, DIRECTIONS, FILLS, HELD_OUT, SHAPES, SIZES
from backend.world.sampling import sample
from backend.world.scenes import Obj, Scene, split_of

__all__ = [
    "COLOURS",
    "DIRECTIONS",
    "FILLS",
    "HELD_OUT",
    "SHAPES",
    "SIZES",
    "Obj",
    "Scene",
    "sample",
    "split_of",
]
