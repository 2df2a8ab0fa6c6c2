"""The items behind the rows of the barcode, so that the browser can show each as soon as it is pointed at."""

from itertools import islice
from typing import Any

import numpy as np

from backend.protocols import Protocol
from backend.store.alpha import ranges
from backend.store.queries import AlphaCurve
from pages.debias.view import changing
from pages.item.view import roles
from pages.shared.data import stored
from pages.shared.drawing.thumbnails import sources

#: So many rows carry their item; of more, those whose flips lie closest together would be on one pixel anyway.
MOST = 600
#: The longest caption that a card holds.
LETTERS = 160
#: Pictures of an item on its card.
PICTURES = 2
#: Where a caption is the right one whatever the image: captions before this place.
_TRUE = {Protocol.CHOICE: 1, Protocol.TRIPLET: 2}


def items(benchmark: stored.StoredBenchmark, curve: AlphaCurve, subset: str, domain: tuple[float, float]) -> dict[
    str, dict[str, Any]
]:  # fmt: skip
    """Position in the curve -> {id, images, texts}, of the items whose verdict changes within the domain.

    images: what an <img> shows each by; texts: [what it is, the caption, whether it is right: true, false, or null
    where that hangs on the image].
    """
    positions = np.unique(changing(curve.sets, domain)[1])
    if len(positions) > MOST:  # spread over all of them
        positions = positions[np.linspace(0, len(positions) - 1, MOST).astype(int)]
    ids = [str(each) for each in curve.items["item_id"].iloc[positions]]
    found = _found(benchmark.hash, tuple(ids))
    protocol = benchmark.protocols[subset]
    worded = protocol != Protocol.CLASSIFY  # its texts are the classes of all items
    uris = [each for item_id in ids for each in found.get(item_id, ([], []))[1][:PICTURES]]
    drawn = iter(sources(uris, 256))
    shown = {}
    for position, item_id in zip(positions, ids, strict=True):
        texts, pictures = found.get(item_id, ([], []))
        true = _TRUE.get(Protocol(protocol))
        named = zip(roles(protocol, len(texts)), texts, strict=True) if worded else ()
        shown[str(int(position))] = {
            "id": item_id,
            "images": list(islice(drawn, len(pictures[:PICTURES]))),
            "texts": [
                [role, text[:LETTERS] + ("…" if len(text) > LETTERS else ""), None if true is None else k < true]
                for k, (role, text) in enumerate(named)
            ],
        }
    return shown


@stored.kept()
def _found(benchmark: str, ids: tuple[str, ...]) -> dict[str, tuple[list[str], list[str]]]:
    return ranges.pictured(stored.store(), benchmark, ids)
