"""From scenes and captions to items: ids, tags, and the half of the benchmark that an item belongs to."""

from collections.abc import Mapping
from hashlib import sha256

from backend.items import ImageRef, Item, Protocol
from backend.world.scenes import Scene


def half_of(item_id: str) -> str:
    """ "dev" or "test", decided by the item's id alone: choose a setting on one half, report it on the other.

    >>> half_of("choice/2"), half_of("choice/1")
    ('dev', 'test')
    """
    return "test" if sha256(item_id.encode()).digest()[0] % 2 else "dev"


def item(
    subset: str,
    number: int,
    protocol: Protocol,
    scenes: tuple[Scene, ...],
    texts: tuple[str, ...],
    truth: tuple[tuple[int, int], ...],
    *,
    concept: str,
    perturbation: str,
    tags: Mapping[str, str] | None = None,
    seed: int = 0,
) -> Item:
    """An item of the world; `number` counts from 1 in its subset."""
    item_id = f"{subset}/{number}"
    said = {"concept": concept, "perturbation": perturbation, "split": half_of(item_id), **(tags or {})}
    return Item(
        item_id,
        subset,
        protocol,
        tuple(ImageRef(scene.uri, scene.uri) for scene in scenes),
        texts,
        truth,
        {name: (value,) for name, value in said.items()},
        f"backend.world, seed {seed}",
    )
