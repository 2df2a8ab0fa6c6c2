"""What is known of the Atlas' models: who trained them, from which other model, and the spec that runs the same one."""

import csv
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from backend.published.atlas.reading import Atlas, Entry

TAUGHT: Final = Path(__file__).resolve().parent / "taught.csv"
#: The family whose two names are open_clip's own.
OPEN_CLIP: Final = "OpenCLIP"

#: Family -> what its models are, and whose.
FAMILIES: Final = {
    "OpenCLIP": "weights that open_clip names: OpenAI's, LAION's, DataComp's and others",
    "Scaling": "trained on 1 to 371 million real, synthetic or mixed images (Fan et al. 2023)",
    "LaCLIP": "captions rewritten by a language model, beside their baselines (Fan et al. 2023)",
    "SLIP": "self-supervision of images beside CLIP's loss, with CLIP baselines (Mu et al. 2022)",
    "StructuredCLIP": "taught or trained for composition, most of them from another CLIP",
    "TinyCLIP": "distilled into small towers (Wu et al. 2023)",
    "DeCLIP": "data-efficient training and its baselines: SLIP, FILIP, DeFILIP (Li et al. 2022; Cui et al. 2022)",
    "StableRep": "images from a text-to-image model, and CLIP baselines (Tian et al. 2023)",
    "meru": "embeddings in hyperbolic space, and CLIP baselines (Desai et al. 2023)",
    "MobileCLIP": "small towers trained on reinforced data (Vasu et al. 2024)",
    "UniCL": "image labels and captions in one space (Yang et al. 2022)",
    "DiHT": "filtered data and hard negatives by importance (Radenovic et al. 2023)",
    "SynthCLIP": "synthetic captions and images only, and a CLIP baseline (Hammoud et al. 2024)",
    "CyCLIP": "consistent cycles between and inside the modalities, with CLIP baseline (Goel et al. 2022)",
    "DIME-FM": "distilled from CLIP into a small model (Sun et al. 2023)",
}
#: Names of open_clip for models of other families, where its release is the authors' own under another spelling.
SPELLED: Final = {
    ("MobileCLIP-S1", "datacomp-dr"): "MobileCLIP-S1/datacompdr",
    ("MobileCLIP-S2", "datacomp-dr"): "MobileCLIP-S2/datacompdr",
    ("MobileCLIP-B", "datacomp-dr"): "MobileCLIP-B/datacompdr",
    ("MobileCLIP-B-LT", "datacomp-dr"): "MobileCLIP-B/datacompdr_lt",
}
#: Systems of the fetched Winoground scores (`system` of their records) whose weights the Atlas has, too.
SYSTEMS: Final = {
    "CLIP ViT-B/32": ("ViT-B-32", "openai"),
    "CLIP ViT-B/16": ("ViT-B-16", "openai"),
    "CLIP ViT-L/14": ("ViT-L-14", "openai"),
}


@dataclass(frozen=True, slots=True)
class Taught:
    """A model that was trained further from another one. base, taught: their rows in the Atlas."""

    base: int
    taught: int
    how: str
    source: str


def spec(entry: Entry) -> str:
    """The spec by which Flipside runs the same weights; "" where it knows none.

    >>> spec(Entry("ViT-B-32", "openai", "OpenCLIP")), spec(Entry("NegCLIP", "coco-ft", "StructuredCLIP"))
    ('openclip:ViT-B-32/openai', '')
    """
    if entry.family == OPEN_CLIP:
        return f"openclip:{entry.arch}/{entry.pretrained}"
    spelled = SPELLED.get((entry.arch, entry.pretrained))
    return f"openclip:{spelled}" if spelled else ""


def same_specs(entry: Entry) -> tuple[str, ...]:
    """All specs that are these weights here: for OpenAI's both spellings, since Flipside computes QuickGELU for them
    under either name (backend/models/dual/openclip.py)."""
    first = spec(entry)
    if not first or entry.pretrained != "openai":
        return (first,) if first else ()
    arch = entry.arch.removesuffix("-quickgelu")
    return tuple(dict.fromkeys((first, f"openclip:{arch}/openai", f"openclip:{arch}-quickgelu/openai")))


def taught(atlas: Atlas) -> tuple[Taught, ...]:
    """All pairs of which the Atlas has both."""
    found = []
    for row in _rows():
        base, after = atlas.find(row["base_arch"], row["base_pretrained"]), atlas.find(row["arch"], row["pretrained"])
        if base is not None and after is not None:
            found.append(Taught(base, after, row["how"], row["source"]))
    return tuple(found)


@cache
def _rows() -> tuple[dict[str, str], ...]:
    with TAUGHT.open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))
