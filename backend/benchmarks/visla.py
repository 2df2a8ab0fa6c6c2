"""VISLA: an image, two paraphrases and one negative; two tab-separated files.

Checked against the original files: 973 generic and 640 spatial items, and all-MiniLM-L6-v2's printed numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from backend.benchmarks.base import Declaration, Source
from backend.benchmarks.reading.malformed import Malformed
from backend.benchmarks.reading.records import checked, each
from backend.benchmarks.reading.tsv import read_rows
from backend.items import Item, Protocol, Skipped


@dataclass(frozen=True, slots=True)
class _Part:
    """One file: its exact header, of which the first four columns are image, paraphrase, paraphrase, negative."""

    file: str
    concept: str
    header: tuple[str, ...]


PARTS = {
    "generic": _Part("Generic_VISLA.tsv", "sentence", ("filename", "caption", "second positive", "negative_caption")),
    "spatial": _Part(
        "Spatial_VISLA.tsv",
        "spatial",
        ("image", "sent1", "sent2", "Best reference (Semantically close)", "Reference-2 (Completely irrelevant)"),
    ),
}


FILES = {subset: part.file for subset, part in PARTS.items()}
#: SugarCrepe's images are COCO 2017 val; Visual Spatial Reasoning's are val and train.
IMAGES = ("val2017", "train2017")


def read(source: Source) -> Iterator[Item | Skipped]:
    """Both files' rows in order. The item's number is its row's (line - 1), so a skipped row renumbers nothing."""
    for subset, path in source.present(FILES):
        make = partial(_item, subset, PARTS[subset], source)
        yield from each(path.name, read_rows(path, PARTS[subset].header), make)


def _item(subset: str, part: _Part, source: Source, line: int | str, cells: tuple[str, ...]) -> Item:
    image, *texts = cells[:4]
    empty = [name for name, cell in zip(part.header, cells[:4], strict=False) if not cell.strip()]
    if empty:
        raise Malformed(f"empty column {', '.join(repr(name) for name in empty)}")
    return Item(
        item_id=f"{subset}/{int(line) - 1}",
        subset=subset,
        protocol=Protocol.TRIPLET,
        images=(source.files.image(image.strip(), prefer=IMAGES),),
        texts=tuple(checked(text, name) for text, name in zip(texts, part.header[1:4], strict=True)),
        truth=((0, 0), (0, 1)),
        tags={"concept": (part.concept,), "perturbation": ("paraphrase", "replace"), "original": (subset,)},
        source=f"{part.file}:{line}",
    )


VISLA = Declaration(
    name="visla",
    title="VISLA: semantic and lexical alterations",
    source="https://github.com/Sri-Harsha/visla_benchmark",
    revision="the two files of data/, 973 and 652 rows",
    licence="none stated; images: COCO 2017, under COCO's own terms",
    citation="VISLA Benchmark: Evaluating Embedding Sensitivity to Semantic and Lexical Alterations, 2024",
    protocols=dict.fromkeys(PARTS, Protocol.TRIPLET),
    read=read,
    files=FILES,
    images="COCO 2017 files by their 12-digit names, those under val2017 first (t2t needs none)",
    expected={"generic": 973, "spatial": 640},
)
