"""What `flipside fetch results` brings: packages of public files, each with its source, terms and what one will see."""

import csv
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from backend import paths
from backend.benchmarks.fetching.table import Source, SourceFile, source
from backend.errors import UsageError
from backend.intake.real.score_files import COMMIT, REPOSITORY, SETS, score_files

#: Under the cache: the files as they came, a folder a source.
FETCHED: Final = "fetched"
OTHERS: Final = Path(__file__).resolve().parent / "others.csv"
#: The package of the Atlas: rates that others measured, which become no runs.
ATLAS: Final = "atlas"
ATLAS_COMMIT: Final = "43e2eae0474c686d99ab463232ec6fa0fb9a8852"
ATLAS_SHA256: Final = "732af73af35f7e0b10c7cd58709b54504f95d2778b74193f8be58d13bafc5da5"
_CHECKED: Final = "sizes and sha256 computed from the original files"


@dataclass(frozen=True, slots=True)
class Package:
    """Files that belong together. benchmark: whose items they are about, "" for rates
    alone. terms: what the user agrees to, a sentence
    each. see: what one will see. sources: what is fetched, a benchmark's own captions among them."""

    name: str
    title: str
    benchmark: str
    sources: tuple[Source, ...]
    licence: str
    terms: tuple[str, ...]
    see: str

    @property
    def n_files(self) -> int:
        return sum(len(each.files) for each in self.sources)

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(file.size or 0 for each in self.sources for file in each.files)


def folder_of(source: Source, root: Path | None = None) -> Path:
    """Where a source's files lie once they are fetched."""
    return (root or paths.cache_dir()) / FETCHED / source.name


@cache
def packages() -> tuple[Package, ...]:
    """All packages, the one with the most models first.

    >>> [(each.name, each.n_files) for each in packages()]
    [('winoground', 58), ('gpt-4v', 21), ('visla', 2), ('atlas', 1)]
    """
    return (_winoground(), _gpt4v(), _visla(), _atlas())


def chosen(names: Sequence[str]) -> tuple[Package, ...]:
    """The packages of these names, all of them where none is named. UsageError for another name."""
    known = {each.name: each for each in packages()}
    for name in names:
        if name not in known:
            raise UsageError(f"--only {name}: there is no such package of results. Available: {', '.join(known)}.")
    return tuple(each for each in packages() if not names or each.name in names)


def _winoground() -> Package:
    files = tuple(
        SourceFile(each.path, each.address, each.name, each.terms, each.size, each.sha256, None, False, None, "")
        for each in score_files()
    )
    licence = "MIT (the repository's notice); for the 20 baselines no terms are stated"
    return Package(
        "winoground",
        "Real models and people on Winoground, 58 files",
        "winoground",
        (Source("winoground-scores", REPOSITORY, licence, "open", "", _CHECKED, files),),
        licence,
        (
            f"The scores are kept in {REPOSITORY} at commit {COMMIT[:12]}, which carries an MIT notice "
            "(© J. Etxaniz): keep the notice with copies.",
            f"baseline_*: {SETS['baseline_scores'][2]}.",
            "Winoground's captions and pictures are for research only, are not fetched, and are never handed on.",
            "What you export or publish of these runs has rates, verdicts, cells, reasons and item numbers, no scores.",
        ),
        "Text, image and group score of CLIP, FLAVA, BLIP, UNITER, ViLT, VinVL, OFA and others beside people's, with "
        "cells and reasons, on 400 items that are known by their number until you import Winoground itself.",
    )


def _gpt4v() -> Package:
    captions = source("sugarcrepe")
    return Package(
        "gpt-4v",
        "GPT-4V on SugarCrepe, asked in both orders",
        "sugarcrepe",
        (
            Source("gpt-4v", captions.source, "MIT", "open", "", _CHECKED, _others("gpt-4v", "MIT")),
            captions,
        ),
        "MIT",
        (
            f"Answers and captions are from {captions.source}, which carries an MIT notice: keep it with copies.",
            "The pictures are COCO's, under Flickr's terms; they are not fetched.",
        ),
        "A verdict on each of 7,511 pairs of captions in seven subsets, and what the order of asking changes.",
    )


def _visla() -> Package:
    known = source("visla")
    return Package(
        "visla",
        "VISLA's items, beside the rates that its paper prints",
        "visla",
        (Source("visla", known.source, known.licence, "open", "", _CHECKED, _others("visla", known.licence)),),
        known.licence,
        (f"The authors of {known.source} state no licence: the items are for your own research, do not hand them on.",),
        "1,613 triplets to browse and to score, and 600 printed rates of the paper to compare with; nobody has "
        "published scores item by item, so no model is among them.",
    )


def _atlas() -> Package:
    repository = "https://github.com/ytaek-oh/vl_compo"
    file = SourceFile(
        "individual_results.csv",
        f"https://raw.githubusercontent.com/ytaek-oh/vl_compo/{ATLAS_COMMIT}/individual_results.csv",
        "rates of 202 models in 136 columns",
        "none stated",
        411_180,
        ATLAS_SHA256,
        None,
        False,
        None,
        "",
    )
    return Package(
        ATLAS,
        "202 published CLIPs in 136 columns, for the Atlas",
        "",
        (Source("vl-compo", repository, "none stated", "open", "", _CHECKED, (file,)),),
        "none stated",
        (
            f"The authors of {repository} (Oh et al. 2024, arXiv 2406.09388) state no licence: the table is for your "
            "own reading, do not hand it on.",
        ),
        "Every published CLIP in one picture: any two of 12 compositionality benchmarks, 21 zero-shot tasks and "
        "retrieval against each other, your own runs among them.",
    )


def _others(package: str, licence: str) -> tuple[SourceFile, ...]:
    with OTHERS.open(encoding="utf-8", newline="") as file:
        return tuple(
            SourceFile(
                row["file"], row["address"], package, licence, int(row["bytes"]), row["sha256"], None, False, None, ""
            )
            for row in csv.DictReader(file)
            if row["package"] == package
        )
