"""Random scenes of a split: draw kinds of objects by a prior, then find each a place."""

from typing import Final

from backend.world.attributes import CANVAS, GRID, HELD_OUT, MAX_OBJECTS, REACH, Split
from backend.world.dice import Dice, Rng, dice
from backend.world.prior import UNIFORM, Prior
from backend.world.scenes import TONES, Obj, Scene, split_of

#: An object's kind: shape, colour, size, fill.
Kind = tuple[str, str, str, str]

_TRIES: Final = 12
_FIRST: Final = {size: reach // GRID for size, reach in REACH.items()}
_CELLS: Final = {size: (CANVAS - 2 * reach) // GRID + 1 for size, reach in REACH.items()}
_REPEAT_PERCENT: Final = 25


def draw_kind(d: Dice, prior: Prior = UNIFORM, *, unlike: tuple[Kind, ...] = ()) -> Kind:
    """A random kind that is no held-out pair; it shares neither shape nor colour with those in `unlike`."""
    tables = prior.tables
    while True:
        shape, colour = d.pick(tables["shape"]), d.pick(tables["colour"])
        if (colour, shape) not in HELD_OUT and not any(shape == k[0] or colour == k[1] for k in unlike):
            return shape, colour, d.pick(tables["size"]), d.pick(tables["fill"])


def draw_held_out(d: Dice) -> Kind:
    """A random kind whose colour and shape never occur together in training."""
    colour, shape = d.pick(sorted(HELD_OUT))
    return shape, colour, d.pick(UNIFORM.tables["size"]), d.pick(UNIFORM.tables["fill"])


def draw_place(d: Dice, size: str) -> tuple[int, int]:
    """A random centre for an object of that size, on the grid and inside the canvas."""
    first, cells = _FIRST[size], _CELLS[size]
    return (first + d.below(cells)) * GRID, (first + d.below(cells)) * GRID


def place(d: Dice, kinds: list[Kind]) -> tuple[Obj, ...]:
    """Objects of these kinds, in this order, at random places where none overlaps another."""
    order = sorted(range(len(kinds)), key=lambda i: kinds[i][2])  # big ones first: they need the room
    while True:
        placed: dict[int, Obj] = {}
        for i in order:
            for _ in range(_TRIES):
                candidate = Obj(*kinds[i], *draw_place(d, kinds[i][2]))
                if all(candidate.clear_of(other) for other in placed.values()):
                    placed[i] = candidate
                    break
            else:
                break
        if len(placed) == len(kinds):
            return tuple(placed[i] for i in range(len(kinds)))


def draw_tone(d: Dice) -> int:
    """A random background."""
    return d.below(TONES)


def sample(
    rng: Rng,
    split: Split = "train",
    n_objects: int | None = None,
    *,
    prior: Prior = UNIFORM,
    held_out: bool = False,
) -> Scene:
    """A random scene of a split. A quarter of the objects repeat the kind of an earlier one.

    n_objects: 1 to 5; by default drawn from the prior's counts.
    held_out: whether the first object has a held-out pair (such scenes are in the test split only).
    """
    d = dice(rng)
    if held_out and split == "train":
        raise ValueError("held-out pairs never occur in training")
    while True:
        n = n_objects or int(d.pick(prior.tables["count"]))
        if not 1 <= n <= MAX_OBJECTS:
            raise ValueError(f"a scene has 1 to {MAX_OBJECTS} objects, not {n}")
        kinds = [draw_held_out(d) if held_out else draw_kind(d, prior)]
        while len(kinds) < n:
            repeat = not held_out and d.chance(_REPEAT_PERCENT)
            kinds.append(d.pick(kinds) if repeat else draw_kind(d, prior))
        scene = Scene(place(d, kinds), draw_tone(d))
        if split_of(scene) == split:
            return scene
