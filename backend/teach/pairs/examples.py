"""Training examples out of a benchmark's items, a file of images and captions, or the bundled world."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from backend.benchmarks.reading import records
from backend.benchmarks.reading.malformed import Malformed
from backend.errors import UsageError
from backend.images import WORLD_SCHEME
from backend.item_clusters import GROUP, clusters
from backend.items import ImageRef, Item, Protocol, set_digest

#: Protocols whose items give pairs of an image and a caption that is true of it, with what each gives.
GIVES: Final[Mapping[Protocol, str]] = {
    Protocol.QUAD: "two examples, each other's other half",
    Protocol.CHOICE: "one example with its foils",
    Protocol.TRIPLET: "one example with its foil and a paraphrase",
    Protocol.RETRIEVAL: "one example a caption",
}


@dataclass(frozen=True, slots=True)
class Example:
    """One image and a caption that is true of it.

    id: unique in its data (`attribute/3#2`). partner: the id of the other half of its quad, whose caption is false of
    this image and whose image does not fit this caption; "" for none. foils: captions that are false of the image.
    paraphrases: others that are true of it. item_id: the item it was made from.
    """

    id: str
    image: ImageRef
    text: str
    partner: str = ""
    foils: tuple[str, ...] = ()
    paraphrases: tuple[str, ...] = ()
    item_id: str = ""


@dataclass(frozen=True)
class Data:
    """Examples in a fixed order. skipped: reason -> how many items or records gave none. about: where they are from, as
    JSON: for a benchmark its name, and the items whose results are "trained on"."""

    examples: tuple[Example, ...]
    skipped: Counter[str] = field(default_factory=Counter)
    about: tuple[Mapping[str, Any], ...] = ()

    def __post_init__(self) -> None:
        """UsageError where an id stands twice: two sources, or one twice."""
        twice = [name for name, n in Counter(each.id for each in self.examples).items() if n > 1]
        if twice:
            raise UsageError(
                f"{twice[0]} stands in the training data more than once ({len(twice)} such examples): name each "
                "source once, and give files of your own different names."
            )

    def __add__(self, other: "Data") -> "Data":
        return Data(self.examples + other.examples, self.skipped + other.skipped, self.about + other.about)

    @property
    def quads(self) -> int:
        """How many minimal pairs of images and captions there are."""
        return sum(bool(each.partner) for each in self.examples) // 2

    @property
    def with_foils(self) -> int:
        """Of how many examples a false caption is known (a foil, or the other half's)."""
        return sum(bool(each.foils or each.partner) for each in self.examples)

    def true_texts(self) -> dict[str, set[str]]:
        """Image key -> every caption that the data says to be true of it."""
        found: dict[str, set[str]] = {}
        for each in self.examples:
            found.setdefault(each.image.key, set()).update((each.text, *each.paraphrases))
        return found


def from_items(items: Iterable[Item], benchmark: str, content_hash: str = "") -> Data:
    """The examples of some items. Items without their images, and of protocols that pair no image with a caption
    (classify, answers, grounding), give none and are counted. UsageError where none is left."""
    examples: list[Example] = []
    skipped: Counter[str] = Counter()
    used: list[str] = []
    for item in items:
        if item.protocol not in GIVES:
            skipped[f"{item.protocol} items pair no image with a caption"] += 1
        elif not item.images or any(image.missing for image in item.images):
            skipped["images are missing"] += 1
        else:
            examples += _of(item)
            used.append(item.item_id)
    if not examples:
        why = "; ".join(f"{n}: {reason}" for reason, n in skipped.items()) or "there are no items"
        raise UsageError(
            f"{benchmark} gives nothing to train on ({why}). Items of {', '.join(GIVES)} do, with their images."
        )
    about = {"benchmark": benchmark, "hash": content_hash, "items": len(used), "items_digest": set_digest(used)}
    return Data(tuple(examples), skipped, (about | {"item_ids": used},))


def _of(item: Item) -> list[Example]:
    name, texts = item.item_id, item.texts
    if item.protocol is Protocol.QUAD:
        return [Example(f"{name}#{k + 1}", item.images[k], texts[k], f"{name}#{2 - k}", item_id=name) for k in range(2)]
    if item.protocol is Protocol.CHOICE:
        return [Example(name, item.images[0], texts[0], foils=texts[1:], item_id=name)]
    if item.protocol is Protocol.TRIPLET:
        return [Example(name, item.images[0], texts[0], foils=texts[2:], paraphrases=(texts[1],), item_id=name)]
    return [
        Example(f"{name}#{number + 1}", item.images[image], texts[text], item_id=name)
        for number, (image, text) in enumerate(item.truth)
    ]


def from_file(path: Path) -> Data:
    """The examples of a CSV or JSON Lines file with the columns `image` (a path, from the file's own folder on) and
    `caption`; in JSON Lines also lists `negatives` and `positives`, in CSV columns `negative` and `positive` with one
    text each (empty for none). A record that is none is skipped and counted; UsageError where none is left."""
    if not path.is_file():
        raise UsageError(f"{path}: no such file. Give a CSV or JSON Lines file with the columns image and caption.")
    lines = path.suffix.lower() in (".jsonl", ".ndjson")
    if not lines and path.suffix.lower() != ".csv":
        raise UsageError(f"{path}: a file of images and captions ends in .csv or .jsonl.")
    found = records.json_lines(path) if lines else records.csv_rows(path, ("image", "caption"))
    examples: list[Example] = []
    skipped: Counter[str] = Counter()
    first = ""
    for line, record in found:
        try:
            examples.append(_record(path, line, record, lines))
        except Malformed as reason:
            skipped[str(reason)] += 1
            first = first or f"line {line} {reason}"
    if not examples:
        raise UsageError(f"{path}: no record is an image with its caption ({first or 'the file is empty'}).")
    return Data(tuple(examples), skipped, ({"file": str(path), "records": len(examples)},))


def _record(path: Path, line: int, record: Any, lines: bool) -> Example:
    if isinstance(record, Malformed):
        raise record
    shown = Path(records.text(record, "image"))
    image = shown if shown.is_absolute() else path.parent / shown
    if not image.is_file():
        raise Malformed(f"names an image that is not there ({shown})")
    said: dict[str, tuple[str, ...]] = {}
    for several, one in (("negatives", "negative"), ("positives", "positive")):
        if lines and record.get(several):
            said[several] = tuple(records.texts(record, several))
        else:
            said[several] = (str(record[one]),) if record.get(one) else ()
    caption = records.text(record, "caption")
    ref = ImageRef(str(shown), str(image.resolve()))
    return Example(f"{path.name}:{line}", ref, caption, "", said["negatives"], said["positives"])


def from_world(n: int, concepts: Sequence[str] = ("attribute",), seed: int = 0) -> Data:
    """n fresh minimal pairs of the bundled world's training split, the concepts in turn, with a caption each: disjoint
    from its test items by construction (a scene belongs to one split), and without the colour-shape pairs that training
    never shows. Pair k depends on (seed, k) alone. UsageError for a concept that there is not."""
    from backend.world.dice import seeded
    from backend.world.language.grammar import say_alike
    from backend.world.quads import CONCEPTS, quad

    if wrong := [name for name in concepts if name not in CONCEPTS]:
        raise UsageError(f"the world has no minimal pairs of {wrong[0]!r}; it has {', '.join(CONCEPTS)}.")
    if n < 1 or not concepts:
        raise UsageError("name at least one minimal pair and one concept of the world.")
    examples = []
    for k in range(n):
        concept = concepts[k % len(concepts)]
        made = quad(np.random.Generator(np.random.PCG64([seed, k])), concept)
        texts = say_alike(seeded(seed, k, 1), made.meaning1, made.meaning2)
        name = f"world-{seed}/{concept}/{k + 1}"
        for half, scene in enumerate((made.scene1, made.scene2)):
            code = f"{WORLD_SCHEME}{scene.code()}"
            examples.append(Example(f"{name}#{half + 1}", ImageRef(code, code), texts[half], f"{name}#{2 - half}"))
    return Data(tuple(examples), about=({"world": {"pairs": n, "concepts": list(concepts), "seed": seed}},))


def parted(items: Sequence[Item], share: float, seed: int = 0) -> tuple[list[Item], list[Item]]:
    """(for training, held out): clusters of items that share an image or a group go to one side as a whole, in an order
    drawn from the seed, until at least `share` of the items is held out. UsageError where a side would be empty."""
    if not 0 < share < 1:
        raise UsageError(f"the held-out share {share} must lie between 0 and 1.")
    found = clusters([[i.key for i in item.images] for item in items], [item.tags.get(GROUP, ()) for item in items])
    sizes = np.bincount(found, minlength=1)
    out: set[int] = set()
    for cluster in np.random.default_rng(seed).permutation(len(sizes)).tolist():
        if sum(int(sizes[c]) for c in out) >= share * len(items):
            break
        out.add(cluster)
    sides = [
        [item for item, c in zip(items, found.tolist(), strict=True) if (c in out) is held] for held in (False, True)
    ]
    if not all(sides):
        raise UsageError(
            f"{len(items)} items in {len(sizes) if len(items) else 0} groups that share images cannot be parted: "
            "train on other data than is held out."
        )
    return sides[0], sides[1]
