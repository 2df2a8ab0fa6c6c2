"""A study is run: benchmark by benchmark under one model, each model loaded once; what fails is one cell's, no more."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any, TextIO

from backend import locks
from backend.engine.cache import Memory
from backend.engine.cluster.connection import Cluster
from backend.engine.inputs.kept_pictures import KeptPictures
from backend.engine.inputs.selection import Selection, open_selected
from backend.engine.reporting.summary import Progress, RunSummary
from backend.engine.runner import run
from backend.engine.storage import files, shards
from backend.engine.storage.record import timestamp
from backend.errors import FlipsideError
from backend.intake.survey import Survey, survey
from backend.models.base import Model
from backend.other_images import DEFAULT
from backend.paths import cache_dir
from backend.study import state as state_
from backend.study.grid import BenchmarkEntry, ModelEntry, Study
from backend.study.state import DONE, MISSING, RUNNING, WAITING, CellState, StudyState

#: Seconds between two writes of the state while a cell is filled.
EVERY = 1.0


@dataclass
class Subject:
    """A benchmark of a study as it is here: its hash, items, missing images; or why it cannot be read."""

    entry: BenchmarkEntry
    content_hash: str = ""
    n_items: int = 0
    n_missing: int = 0
    why: str = ""
    found: Survey | None = None


@dataclass
class Filled:
    """How a study stands at the end. loaded: how often a model was loaded."""

    state: StudyState
    interrupted: bool = False
    loaded: int = 0
    asked: dict[str, int] = field(default_factory=dict)

    @property
    def exit_code(self) -> int:
        """130 interrupted, 1 with missing cells, else 0."""
        return 130 if self.interrupted else int(any(c.state != DONE for row in self.state.cells for c in row))


def subjects(study: Study, tell: Callable[[str], object] | None = None) -> list[Subject]:
    """Every benchmark read once: counted, its items kept, as `flipside import` does."""
    found = []
    for entry in study.benchmarks:
        if tell is not None:
            tell(f"reading {entry.title}")
        try:
            benchmark, selection = open_selected(entry.name, entry.data, entry.selection)
            seen = survey(benchmark, selection, cache_dir(), 0)
        except FlipsideError as error:
            found.append(Subject(entry, why=entry.wrong(error)))
            continue
        missing = int(seen.n_missing[seen.selected].sum())
        found.append(Subject(entry, seen.content_hash, len(seen.selected), missing, found=seen))
    return found


def key_of(study: Study, model: ModelEntry, subject: Subject) -> str:
    """What decides a cell's scores, as far as the file, the model's folder and the benchmark's items say it."""
    return state_.digest(
        {
            "model": [model.spec, model.dtype, state_.stamp(model.spec)],
            "device": study.device,
            "benchmark": [subject.entry.name, subject.content_hash, asdict(_selected(subject))],
            "kinds": study.kinds_of(model, subject.entry),
            "priors": study.priors_of(model),
            "counterfactual": counterfactual(study, model),
        }
    )


def _selected(subject: Subject) -> Selection:
    """What a cell selects; what leaves nothing out of the benchmark selects nothing."""
    return subject.entry.selection if subject.found is None else subject.found.selection


def counterfactual(study: Study, model: ModelEntry) -> int:
    """Under how many other images captions are scored, as `run` has it where nobody says."""
    if study.counterfactual is not None:
        return study.counterfactual
    return DEFAULT if model.spec.startswith("bundled:") else 0


def begun(study: Study, found: list[Subject]) -> StudyState:
    """The study's cells as they stand before anything is scored: those that are finished are kept."""
    study_id = state_.study_id(study.path)
    before = state_.read(study_id)
    finished = dict(before.finished) if before is not None else {}
    cells = []
    for model in study.models:
        row = []
        for subject in found:
            key = key_of(study, model, subject) if not subject.why else ""
            cell = CellState(key, n_items=subject.n_items, n_missing=subject.n_missing)
            if subject.why:
                cell.state, cell.why = MISSING, subject.why
            elif _stands(known := finished.get(key), cell):
                cell = CellState(**{**known, "kept": True})  # type: ignore[dict-item]
            row.append(cell)
        cells.append(row)
    models, benchmarks = [model.title for model in study.models], [subject.entry.title for subject in found]
    return StudyState(study_id, study.title, str(study.path), models, benchmarks, cells, finished)


def _stands(known: dict[str, Any] | None, cell: CellState) -> bool:
    """Whether a finished cell is still there: its run with complete parts and sound files, and no image come since that
    was missing."""
    if known is None or (known["left_out"] and known["n_missing"] != cell.n_missing):
        return False
    run_dir = cache_dir() / "runs" / str(known["run_id"])
    try:
        manifest = shards.read_manifest(run_dir)
        parts = manifest["parts"]
        if shards.damaged(run_dir, manifest):
            return False
    except (FlipsideError, OSError, KeyError, TypeError, ValueError):
        return False
    return any(part["complete"] for part in parts.values()) and not any("failed" in part for part in parts.values())


@contextmanager
def alone(study: Study) -> Iterator[None]:
    """Keep a second process from filling the same study."""
    folder = state_.folder_of(state_.study_id(study.path))
    path = folder / state_.LOCK

    def opened() -> TextIO:
        files.make_dir(folder)
        return path.open("a+")

    def busy(holder: str) -> FlipsideError:
        return FlipsideError(f"{study.path} is being run by {holder}. Wait for it, or stop it; nothing is lost.")

    with locks.signed(path, opened, busy):
        yield


def fill(
    study: Study,
    found: list[Subject],
    *,
    tell: Callable[[str], object] = lambda _: None,
    progress: Callable[[str], Any] | None = None,
    cluster: Cluster | None = None,
) -> Filled:
    """Score what is not there yet. tell: hears a line for every cell. progress: title -> a context that gives a
    callback for `run(progress=…)`. cluster: where models are loaded and asked, None for here."""
    filled = Filled(begun(study, found))
    state_.write(filled.state)
    _rename(study, filled.state)
    pictures = KeptPictures() if len(study.models) > 1 else None
    for number, model in enumerate(study.models):
        row = filled.state.cells[number]
        todo = [at for at, cell in enumerate(row) if cell.state == WAITING]
        if not todo or filled.interrupted:
            continue
        loaded: dict[str, Model] = {}
        memory = Memory(pictures)
        for at in todo:
            cell = row[at]
            _one(study, model, found[at], cell, filled, loaded, memory, progress, tell, cluster)
            _keep(filled.state, cell)
            tell(f"{model.title} on {found[at].entry.title}: {said(cell)}")
            if filled.interrupted:
                break
        filled.loaded += len(loaded) if cluster is None else len(todo)
    return filled


def _one(
    study: Study,
    model: ModelEntry,
    subject: Subject,
    cell: CellState,
    filled: Filled,
    loaded: dict[str, Model],
    memory: Memory,
    progress: Callable[[str], Any] | None,
    tell: Callable[[str], object],
    cluster: Cluster | None,
) -> None:
    """Fill one cell; whatever is wrong becomes its reason."""
    written = time.monotonic()

    def told(report: Progress) -> None:
        nonlocal written
        if draw is not None:
            draw(report)
        if time.monotonic() - written >= EVERY:
            written = time.monotonic()
            cell.done, cell.total, cell.seconds = report.done, report.total, round(report.seconds, 1)
            state_.write(filled.state)

    cell.state, cell.why = RUNNING, ""
    state_.write(filled.state)
    entry, draw = subject.entry, None
    try:
        with _shown(progress, f"{model.title} on {entry.title}") as draw:
            summary = run(
                model.spec, entry.name, study.kinds_of(model, entry), data_dir=entry.data,
                priors=study.priors_of(model), selection=entry.selection, device=study.device, dtype=model.dtype,
                batch=model.batch or study.batch, progress=told, trust_remote_code=study.trust_remote_code,
                counterfactual=counterfactual(study, model), loaded=loaded, memory=memory, name=model.name, tell=tell,
                cluster=cluster,
            )  # fmt: skip
    except FlipsideError as error:
        cell.state, cell.why = MISSING, model.wrong(error)
        return
    except KeyboardInterrupt:
        cell.state, filled.interrupted = WAITING, True
        return
    _outcome(cell, summary)
    filled.interrupted = summary.interrupted
    for name, n in summary.asked.items():
        filled.asked[name] = filled.asked.get(name, 0) + n


@contextmanager
def _shown(progress: Callable[[str], Any] | None, title: str) -> Iterator[Callable[[Progress], object] | None]:
    if progress is None:
        yield None
        return
    with progress(title) as draw:
        yield draw


def _outcome(cell: CellState, summary: RunSummary) -> None:
    """What a run's summary makes of its cell."""
    cell.run_id, cell.n_items = summary.run_id, summary.n_items
    cell.done = cell.total = summary.computed
    cell.seconds = round(summary.seconds, 1)
    left_out = {reason: n for entry in summary.left_out for reason, n in [(entry.reason, entry.n)]}
    cell.left_out = max(left_out.values(), default=0)
    rows = any(part["rows"] for part in summary.parts.values())
    if summary.interrupted:
        cell.state, cell.why = WAITING, "stopped; the same command goes on from here"
    elif summary.failed:
        cell.state, cell.why = MISSING, next(iter(summary.failed.values()))
    elif not rows:
        cell.state, cell.why = MISSING, "nothing could be scored: the images are missing"
    else:
        cell.state = DONE
        cell.why = "; ".join(f"{n} items left out: {reason}" for reason, n in left_out.items())


def _rename(study: Study, state: StudyState) -> None:
    """Cells that are kept are called as the file calls their models now."""
    for model, row in zip(study.models, state.cells, strict=True):
        for cell in row:
            run_dir = cache_dir() / "runs" / cell.run_id
            if (
                cell.kept
                and model.name is not None
                and files.read_json(run_dir / shards.RECORD).get("name") != model.name
            ):
                with files.run_lock(run_dir):
                    kept = files.read_json(run_dir / shards.RECORD)
                    files.replace_json(run_dir / shards.RECORD, kept | {"name": model.name, "updated": timestamp()})


def _keep(state: StudyState, cell: CellState) -> None:
    if cell.state == DONE:
        state.finished[cell.key] = asdict(cell)
    state_.write(state)


def said(cell: CellState) -> str:
    """A cell's state in words.

    >>> said(CellState(state="done", n_items=40, kept=True)), said(CellState(state="missing", why="no such model."))
    ('done, 40 items (kept)', 'missing: no such model.')
    """
    if cell.state == DONE:
        more = f", {cell.why}" if cell.why else ""
        return f"done, {cell.n_items:,} items{' (kept)' if cell.kept else ''}{more}"
    return f"{cell.state}: {cell.why}" if cell.why else cell.state
