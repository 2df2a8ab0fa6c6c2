"""What is on the Try-it page as an item of a benchmark of one's own: `custom:<label>`, one item after the other.

The items lie where imported own data lies (`<cache>/own`, benchmarks/items_folder), their uploaded pictures beside
them, named by their pixels. Nothing is scored: `flipside run --benchmark custom:<label>` or the Runs page does that.
"""

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from PIL import Image

from backend.benchmarks.custom.opening import PREFIX, check_label, label_of
from backend.benchmarks.items_folder.folder import HEAD, own_folder, own_names, read_head, read_own, write_own
from backend.engine.storage import files
from backend.errors import FlipsideError, UsageError
from backend.images import WORLD_SCHEME
from backend.intake.own_data import own_lock
from backend.items import Benchmark, ImageRef, Item, Protocol
from backend.live.scoring import judging
from backend.live.uploads.uploads import content_key

#: What such a benchmark is made from; one that was imported is not added to, for importing it anew would lose the item.
SOURCE: Final = "Try it"
PICTURES: Final = "images"
LONGEST: Final = 60
_SAVED: Final = (Protocol.TRIPLET, Protocol.CHOICE, Protocol.QUAD)


@dataclass(frozen=True)
class Saved:
    """Where an item is. is_new: False where the same pictures and captions were there before; nothing is added then."""

    name: str
    item_id: str
    n_items: int
    is_new: bool


def names() -> list[str]:
    """The labels of the benchmarks that were made here, sorted."""
    labels = (name.removeprefix(PREFIX) for name in own_names() if name.startswith(PREFIX))
    return [label for label in labels if _made_from(own_folder(f"{PREFIX}{label}")) == SOURCE]


def can_save(layout: str) -> bool:
    """Whether something is known to be true, without which an item could not be judged."""
    return layout in _SAVED


def save_item(
    label: str,
    layout: str,
    images: Sequence[tuple[Image.Image, str]],
    texts: Sequence[str],
    concepts: Sequence[str] = (),
) -> Saved:
    """Add an item to `custom:<label>`, which is made where it is not there; several sessions may do so at once.

    layout: quad, triplet or choice. images: each with its `world:` code, or "" for one whose pixels are kept.
    UsageError for a layout without truth, a label that is none, or one of a benchmark that was imported.
    """
    if not can_save(layout):
        raise UsageError("a free grid says of no caption that it is true; choose quad, triplet or choice first.")
    if not label.strip() or len(label) > LONGEST:
        raise UsageError(f"give the benchmark a name of 1 to {LONGEST} characters.")
    name = f"{PREFIX}{label_of(check_label(label.strip(), 'the name'))}"
    folder = own_folder(name)
    with own_lock(name):
        kept = list(read_own(folder)) if (folder / HEAD).is_file() else []
        if kept and _made_from(folder) != SOURCE:
            raise UsageError(f"{name} was imported from a file; choose another name, or add the item to that file.")
        refs = tuple(_reference(folder, image, address) for image, address in images)
        item = _item(Protocol(layout), refs, tuple(texts), tuple(concepts), kept)
        for before in kept:
            if _content(before) == _content(item):
                return Saved(name, before.item_id, len(kept), is_new=False)
        for (image, address), ref in zip(images, refs, strict=True):
            if not address:
                _keep_picture(folder / ref.key, image)
        write_own(folder, Benchmark(name, lambda: _entries(folder, [*kept, item]), about={"from": SOURCE}))
    return Saved(name, item.item_id, len(kept) + 1, is_new=True)


def _item(
    protocol: Protocol,
    images: tuple[ImageRef, ...],
    texts: tuple[str, ...],
    concepts: tuple[str, ...],
    kept: Sequence[Item],
) -> Item:
    """The subset is the protocol, of which a subset has one; numbers go on from the highest."""
    numbers = [
        int(n) for each in kept if (n := each.item_id.rpartition("/")[2]).isdecimal() and each.subset == protocol
    ]
    item_id = f"{protocol}/{max(numbers, default=0) + 1}"
    tags = {"concept": concepts} if concepts else {}
    truth = tuple(sorted(judging.truth(protocol)))
    return Item(item_id, protocol.value, protocol, images, texts, truth, tags, source=SOURCE)


def _reference(folder: Path, image: Image.Image, address: str) -> ImageRef:
    if address.startswith(WORLD_SCHEME):
        return ImageRef(address, address)
    if address:
        raise UsageError(f"'{address[:40]}' is no scene of the bundled world.")
    key = f"{PICTURES}/{content_key(image)[:32]}.png"
    return ImageRef(key, str(folder / key))


def _keep_picture(path: Path, image: Image.Image) -> None:
    if path.is_file():
        return
    data = io.BytesIO()
    image.save(data, "PNG")
    files.replace_bytes(path, data.getvalue())


def _entries(folder: Path, items: Sequence[Item]) -> Iterator[Item]:
    """The items with pictures of the folder named by their path in it, so that the folder can be moved."""
    for item in items:
        images = tuple(ImageRef(ref.key, ref.uri.removeprefix(f"{folder}/")) for ref in item.images)
        yield replace(item, images=images)


def _content(item: Item) -> tuple[object, ...]:
    return item.protocol, [ref.key for ref in item.images], item.texts


def _made_from(folder: Path) -> str:
    try:
        return str(read_head(folder)["about"].get("from", ""))
    except FlipsideError:
        return ""
