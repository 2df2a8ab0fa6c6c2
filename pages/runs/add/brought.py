"""Runs, Add: the rows of what was brought, read anew from jobs, kept benchmarks and stored runs."""

from collections.abc import Callable
from typing import Any

from backend import benchmarks as benchmarks_
from backend.benchmarks.items_folder.folder import own_names
from backend.benchmarks.items_folder.kept import EDITED, is_kept, kept_hash
from backend.live.jobs.record import Job
from backend.store import queries
from backend.store.catalog import public
from pages.runs import subjects
from pages.runs.add import states
from pages.runs.add.states import Row, Subject
from pages.runs.history import view as history
from pages.runs.history.groups import Run
from pages.shared.data import stored
from pages.shared.data.frames import lines_of

#: Sort -> the heading over its rows. In this order all of them stand below the tiles.
SORTS = {
    "own": "Own data", "import": "Benchmarks from files", "predictions": "Predictions", "perturb": "Edits of captions",
    "bundle": "Results bundles", "score": "Scored lately",
}  # fmt: skip


def sorts_of(chosen: str) -> list[str]:
    """The sorts of rows that stand below a form; all of them where none is open."""
    return [chosen] if chosen in SORTS else [] if chosen else list(SORTS)


def jobs_of(chosen: str, listed: list[Job]) -> set[str]:
    """The ids of all jobs that have their place in one of these rows, with those that the same work has replaced."""
    found = [row for sort in sorts_of(chosen) for row in rows(sort, listed)]
    told = [job for row in found for job in (row.bringing, *row.scoring) if job is not None]
    works = {states.work(job) for job in told}
    return {job.job_id for job in listed if states.work(job) in works}


def rows(sort: str, found: list[Job]) -> list[Row]:
    """The rows of a sort, by the stored runs. found: all jobs."""
    made: dict[str, Callable[[], list[Row]]] = {
        "own": lambda: states.benchmark_rows(_own(edited=False), found, runs, is_own=True),
        "import": lambda: states.benchmark_rows(_imported(), found, runs, is_own=False),
        "perturb": lambda: states.edit_rows(_own(edited=True), found, runs),
        "predictions": lambda: states.prediction_rows(found, _brought(runs)),
        "bundle": lambda: states.bundle_rows(found, runs),
        "score": lambda: states.model_rows(found, runs),  # of those that have no row of their own
    }
    runs = history.runs()[1]
    return made[sort]()


def _brought(runs: list[Run]) -> list[Run]:
    """Without what was fetched: that has a view of its own."""
    fetched = set(public.names(stored.store()))
    return [run for run in runs if run.model not in fetched]


def _own(edited: bool) -> list[Subject]:
    """Own data, or perturbed editions."""
    known = {str(line.hash): line for line in lines_of(queries.benchmarks(stored.store()))}
    return [
        _subject(name, kept_hash(name), known.get(kept_hash(name)))
        for name in own_names() if (EDITED in name) == edited
    ]  # fmt: skip


def _imported() -> list[Subject]:
    """Benchmarks that were imported from their files, which can still be read."""
    lines = {str(line.name): line for line in lines_of(queries.benchmarks(stored.store()))}
    found: dict[str, Subject] = {}
    for each in subjects.subjects():
        line = lines.get(each.name)
        if each.data and line is not None and not is_kept(each.name) and benchmarks_.known(each.name):
            found.setdefault(each.name, _subject(each.name, str(line.hash), line, each.data))
    return list(found.values())


def _subject(name: str, of: str, line: Any, data: str = "") -> Subject:
    """A benchmark with its numbers; line: its row of `queries.benchmarks`, None where it was never opened."""
    if line is None:
        return Subject(name, of, data=data)
    protocols = tuple(sorted(set(map(str, line.protocols.values()))))
    return Subject(name, of, int(line.n_items), int(line.n_images), int(line.n_texts), data, protocols)
