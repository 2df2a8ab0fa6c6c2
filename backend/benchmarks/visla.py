"""VISLA: an image, two paraphrases and one negative; two tab-separated files.

Checked against the original files: 973 generic and 640 spatial items, and all-MiniLM-L6-v2's printed numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from backend.benchmarks.base import Declaration
from backend.benchmarks.coco import CocoImages
from backend.benchmarks.tsv import read_rows
from backend.items import Item, Protocol, Skipped


@dataclass(frozen=True, slots=True)
class _Part:
    """One file: its exact header, of which the first four columns are image, paraphrase, paraphrase, negative."""

    file: str
    header: tuple[str, ...]


PARTS = {
    "generic": _Part("Generic_VISLA.tsv", ("filename", "caption", "second positive", "negative_caption")),
    "spatial": _Part(
        "Spatial_VISLA.tsv",
        ("image", "sent1", "sent2", "Best reference (Semantically close)", "Reference-2 (Completely irrelevant)"),
    ),
}


def read(folder: Path | None) -> Iterator[Item | Skipped]:
    """Both files' rows in order. The item's number is its row's (line - 1), so a skipped row renumbers nothing."""
    assert folder is not None, "check_folder refuses None"  # noqa: S101
    images = CocoImages(folder)
    for subset, part in PARTS.items():
        path = folder / part.file
        if path.is_file():
            for line, cells in read_rows(path, part.header):
                yield _entry(subset, part, line, cells, images)


def _entry(subset: str, part: _Part, line: int, cells: tuple[str, ...], images: CocoImages) -> Item | Skipped:
    image, *texts = cells[:4]
    empty = [name for name, cell in zip(part.header, cells[:4], strict=False) if not cell.strip()]
    if empty:
        return Skipped(file=part.file, line=line, reason=f"empty column {', '.join(repr(name) for name in empty)}")
    return Item(
        item_id=f"{subset}/{line - 1}",
        subset=subset,
        protocol=Protocol.TRIPLET,
        images=(images.find(image.strip()),),
        texts=tuple(texts),
        truth=((0, 0), (0, 1)),
        tags={"concept": (subset,)},
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
    files={subset: part.file for subset, part in PARTS.items()},
    images="COCO 2017 files under DIR/images/val2017, DIR/images/train2017 or DIR/images (t2t needs none)",
    expected={"generic": 973, "spatial": 640},
)
