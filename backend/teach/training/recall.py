"""Retrieval over the held-out items' own images and captions, from what judging them has encoded already."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor

from backend.items import Item, Protocol


@dataclass
class Seen:
    """What a dual encoder has made of held-out items. images: key -> unit vector (d,); texts: caption -> the same."""

    images: dict[str, Tensor] = field(default_factory=dict)
    texts: dict[str, Tensor] = field(default_factory=dict)

    def add(self, items: Sequence[Item], images: Tensor, texts: Sequence[str], read: Tensor) -> None:
        """images: a row an image of each item in turn; texts, read: captions and their rows."""
        keys = (image.key for item in items for image in item.images)
        self.images.update(zip(keys, images, strict=True))
        self.texts.update(zip(texts, read, strict=True))


def true_pairs(items: Iterable[Item]) -> set[tuple[str, str]]:
    """(image key, caption) of all that the items say to be true: each half of a quad, a choice's first text."""
    found: set[tuple[str, str]] = set()
    for item in items:
        n = 2 if item.protocol is Protocol.QUAD else 1
        found |= {(item.images[k].key, item.texts[k]) for k in range(n)}
    return found


def recall(seen: Seen, items: Sequence[Item]) -> dict[str, float | int]:
    """R@1 both ways: text_r1, the share of images whose best caption is true of them, and image_r1, that of captions
    whose best image they are true of, by cosine, among n_images images and the n_captions different captions that are
    true of any (foils are left out). A caption that an item says to be true of several images is wrong for none of
    these; of others nobody knows. Ties count as failures. {} for fewer than two of either."""
    true = true_pairs(items)
    keys, captions = list(seen.images), sorted({text for _, text in true})
    if len(keys) < 2 or len(captions) < 2:
        return {}
    scores = torch.stack([seen.images[key] for key in keys]) @ torch.stack([seen.texts[text] for text in captions]).T
    column = {text: n for n, text in enumerate(captions)}
    row = {key: n for n, key in enumerate(keys)}
    relevant = torch.zeros(scores.shape, dtype=torch.bool, device=scores.device)
    for key, text in true:
        relevant[row[key], column[text]] = True
    best = scores.masked_fill(~relevant, -torch.inf)
    wrong = scores.masked_fill(relevant, -torch.inf)
    return {
        "n_images": len(keys),
        "n_captions": len(captions),
        "text_r1": float((best.amax(1) > wrong.amax(1)).float().mean()),
        "image_r1": float((best.amax(0) > wrong.amax(0)).float().mean()),
    }
