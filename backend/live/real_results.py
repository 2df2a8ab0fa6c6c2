"""What a page needs to offer public results of real models: what there is, what is here, and the job that brings it.

The addresses are the committed table's; nothing that a browser user typed reaches them.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Final

from backend.intake.real.packages import ATLAS, folder_of, packages
from backend.live.jobs import jobs
from backend.live.jobs.record import Job

VERB: Final = "fetch"
#: The words after the verb; a package's name may follow `--only`.
WORDS: Final = ("results", "--yes", "--json")
#: Packages that bring models as runs, and a model that each of them always brings.
_RUNS: Final = {"winoground": "predictions:people", "gpt-4v": "predictions:gpt-4v"}


@dataclass(frozen=True, slots=True)
class Offer:
    """One package on a card. size: bytes. here: whether it has been fetched into this cache. models: whether it brings
    models as runs, item by item; else items alone, or rates."""

    name: str
    title: str
    benchmark: str
    n_files: int
    size: int
    sources: tuple[str, ...]
    licence: str
    terms: tuple[str, ...]
    see: str
    here: bool
    models: bool = True


def offers(models: Collection[str]) -> list[Offer]:
    """All packages. models: the specs that have runs here."""
    return [
        Offer(
            each.name, each.title, each.benchmark, each.n_files, each.size,
            tuple(dict.fromkeys(source.source for source in each.sources)), each.licence, each.terms, each.see,
            _is_here(each.name, models), each.name in _RUNS,
        )
        for each in packages()
    ]  # fmt: skip


def _is_here(name: str, models: Collection[str]) -> bool:
    if name not in _RUNS:
        source = next(each for each in packages() if each.name == name).sources[0]
        return all((folder_of(source) / file.path).is_file() for file in source.files)
    return _RUNS[name] in models


def atlas_file() -> tuple[Path, str] | None:
    """Where the Atlas' rates lie, and the sha256 that they must have; None before they are fetched."""
    source = next(each for each in packages() if each.name == ATLAS).sources[0]
    path = folder_of(source) / source.files[0].path
    return (path, str(source.files[0].sha256)) if path.is_file() else None


def words(names: Sequence[str]) -> list[str]:
    """What stands after `fetch` for these packages.

    >>> words(["visla"])
    ['results', '--only', 'visla', '--yes', '--json']
    """
    only = [word for name in names for word in ("--only", name)]
    return [WORDS[0], *only, *WORDS[1:]]


def asked(job: Job) -> set[str]:
    """The packages that a job of `words` names; none where it fetches all.

    >>> asked(Job("1", VERB, ("results", "--only", "atlas", "--only", "visla", "--yes"))) == {"atlas", "visla"}
    True
    """
    return {name for word, name in pairwise(job.arguments) if word == "--only"}


def begin(names: Sequence[str]) -> Job:
    """Start the job. FlipsideError where the cache cannot be written."""
    return jobs.start(VERB, words(names), f"Fetch real results: {', '.join(names)}")


def working() -> Job | None:
    """The job that fetches results now, or waits to."""
    return next((job for job in jobs.listing() if job.verb == VERB and not job.is_over), None)


def last() -> Job | None:
    """The latest job that fetched results and is over."""
    return next((job for job in jobs.listing() if job.verb == VERB and job.is_over), None)
