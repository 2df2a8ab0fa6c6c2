"""ARO: relations and attributes of Visual Genome (one foil), the order of words in COCO and Flickr30k (four foils).

The order parts ship no foils: ARO shuffles each caption when it loads it, with other libraries' taggers and two running
generators, so that printed foils cannot be had again. Ours are made once, by `backend.perturb.rules.aro`, and
kept with the run.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from backend.benchmarks.base import Declaration, Judged, Official, Source
from backend.benchmarks.reading.malformed import Malformed
from backend.benchmarks.reading.records import each, json_list, number, skipped, text, texts
from backend.items import ImageRef, Item, Protocol, Skipped
from backend.metrics import official

FILES = {
    "vg_relation": "visual_genome_relation.json",
    "vg_attribution": "visual_genome_attribution.json",
    "coco_order": "coco_karpathy_test.json",
    "flickr30k_order": "flickr30k_test.json",
}
ORDER_PARTS = ("coco_order", "flickr30k_order")
#: Relations that ARO's notebook leaves out of its mean, one a line: symmetric ones, and rare ones.
DROPPED = frozenset((Path(__file__).parent / "aro_dropped.txt").read_text(encoding="utf-8").split("\n")) - {""}
#: Ordered pairs of attributes with fewer items are left out of ARO's mean.
LEAST_PAIR = 25
SEED = 1
#: ARO's four shuffles, in the order of the foils.
SHUFFLES = ("nouns_adjectives", "other_words", "within_trigrams", "trigrams")
#: Relations that say where things stand; ARO's own table parts them from verbs so, the dropped ones are our reading.
_PLACES = frozenset(
    """above|around|at|behind|below|beneath|beside|between|by|close to|higher than|in|in between|in front of|inside|near
    |next to|on|on the back of|on the edge of|on the front of|on the other side of|on the side of|on top of
    |to the left of|to the right of|under|underneath""".replace("\n", "")
    .replace("    ", "")
    .split("|")
)


def read(source: Source) -> Iterator[Item | Skipped]:
    """The VG parts' records, then a choice for each caption of the order parts' images."""
    for subset, path in source.present(FILES):
        if subset in ORDER_PARTS:
            yield from _order(subset, path, source)
        else:
            make = _relation if subset == "vg_relation" else _attribution
            yield from each(path.name, json_list(path), partial(make, source))


def region(record: Any, image: ImageRef, fields: tuple[str, str, str, str]) -> ImageRef:
    """The part of an image that a record is about; Malformed where it has no size."""
    x, y, width, height = (number(record, field) for field in fields)
    if width < 1 or height < 1:
        raise Malformed(f"the region is {width} x {height} pixels; it needs a width and a height")
    return image.cropped(x, y, width, height)


def _relation(source: Source, key: int | str, record: Any) -> Item:
    name = text(record, "relation_name").strip()
    verb = name.split()[0].endswith("ing")
    concept = "spatial" if name in _PLACES else "action" if verb else "relation"
    return _genome(source, "vg_relation", key, record, concept, {"relation_name": (name,), "original": (name,)})


def _attribution(source: Source, key: int | str, record: Any) -> Item:
    both = texts(record, "attributes")
    if len(both) < 2:
        raise Malformed("'attributes' names one attribute, expected two")
    own = {"attributes": tuple(both[:2]), "original": ("_".join(both[:2]),)}
    return _genome(source, "vg_attribution", key, record, "attribute", own)


def _genome(
    source: Source, subset: str, key: int | str, record: Any, concept: str, own: dict[str, tuple[str, ...]]
) -> Item:
    image = source.files.image(text(record, "image_path"), prefer=("images",))
    return Item(
        item_id=f"{subset}/{key}",
        subset=subset,
        protocol=Protocol.CHOICE,
        images=(region(record, image, ("bbox_x", "bbox_y", "bbox_w", "bbox_h")),),
        texts=(text(record, "true_caption"), text(record, "false_caption")),
        truth=((0, 0),),
        tags={"concept": (concept,), "perturbation": ("swap",), **own},
        source=f"{FILES[subset]}:{key}",
    )


def _order(subset: str, path: Path, source: Source) -> Iterator[Item | Skipped]:
    """One item a caption, numbered through the file from 1, as ARO's loader goes through it."""
    place = 0
    for key, record in json_list(path):
        captions = record.get("caption") if isinstance(record, Mapping) else None
        captions = [captions] if isinstance(captions, str) else captions
        try:
            image = source.files.image(text(record, "image"))
            captions = texts({"caption": captions}, "caption")
        except Malformed as reason:
            yield skipped(path.name, key, str(reason))
            place += len(captions) if isinstance(captions, list) else 0  # the ids of the others do not move
            continue
        for caption in captions:
            place += 1
            yield _shuffled(subset, place, f"{path.name}:{key}", image, caption)


def _shuffled(subset: str, place: int, where: str, image: ImageRef, caption: str) -> Item:
    from backend.perturb.rules import aro

    own, foils = aro.aro_clean(caption), aro.foils(caption, SEED)
    same = tuple(name for name, foil in zip(SHUFFLES, foils, strict=True) if foil == own)
    tags = {"concept": ("order",), "perturbation": ("shuffle",), "original": SHUFFLES}
    return Item(
        item_id=f"{subset}/{place}",
        subset=subset,
        protocol=Protocol.CHOICE,
        images=(image,),
        texts=(own or caption, *(foil or caption for foil in foils)),
        truth=((0, 0),),
        tags=tags | ({"unchanged": same} if same else {}),
        source=where,
    )


def scores(judged: Judged) -> list[Official]:
    """ARO's own numbers: means over relations and over pairs of attributes; in the order parts, ties count as right."""
    if judged.metric != "accuracy":
        return []
    subset = np.array(judged.subset, dtype=object)
    found = []
    for part, drop, least, name, how in (
        ("vg_relation", DROPPED, 1, "relation_name", f"mean over relations without {len(DROPPED)} that ARO drops"),
        ("vg_attribution", (), LEAST_PAIR, "original", f"mean over ordered pairs of {LEAST_PAIR} or more items"),
    ):  # fmt: skip
        rows = np.flatnonzero(subset == part)
        if len(rows):
            groups = [judged.tags[row].get(name, ("",))[0] for row in rows]
            mean = official.macro(judged.correct[rows], groups, least, drop)
            found.append(
                Official(f"{part}_macro_accuracy", mean.value, mean.n, f"{how}; {mean.groups} groups", (part,))
            )
    return found + [line for part in ORDER_PARTS for line in _precision(judged, np.flatnonzero(subset == part), part)]


def _precision(judged: Judged, rows: np.ndarray, part: str) -> list[Official]:
    if not len(rows):
        return []
    unchanged = sum("unchanged" in judged.tags[row] for row in rows)
    how = f"the first of the highest scores wins, so a tie counts as right; {unchanged} items have an unchanged foil"
    if judged.scores is None:
        return []
    values = judged.scores[rows]
    whole = ~np.isnan(judged.correct[rows])
    with np.errstate(invalid="ignore"):
        right = ~(values[:, 1:] > values[:, :1]).any(axis=1)
    mean = official.share(np.where(whole, right, np.nan))
    return [Official(f"{part}_precision_at_1", mean.value, mean.n, how, (part,))]


ARO = Declaration(
    name="aro",
    title="ARO: attribution, relation, order",
    source="https://github.com/mertyg/vision-language-models-are-bows",
    revision="visual_genome_*.json as published; the order parts from Karpathy's test split in BLIP's JSON",
    licence="MIT; images of Visual Genome, COCO and Flickr30k under their own terms",
    citation="Yuksekgonul et al., When and Why Vision-Language Models Behave like Bags-of-Words, ICLR 2023",
    protocols=dict.fromkeys(FILES, Protocol.CHOICE),
    read=read,
    files=FILES,
    images="images/ for the VG parts (cropped), val2014/ and flickr30k-images/ for the order parts",
    expected={"coco_order": 25_010, "flickr30k_order": 5_000},
    official=scores,
)
