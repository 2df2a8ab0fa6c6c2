"""Public results from their own places into the cache, verified file by file, and from there into runs."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from backend import paths
from backend.benchmarks.fetching.fetch import Tick, fetch
from backend.benchmarks.fetching.outcome import Outcome
from backend.benchmarks.fetching.table import Source, SourceFile
from backend.benchmarks.winoground_stub import stub
from backend.durable import replaced
from backend.engine.inputs.selection import Selection, open_selected
from backend.errors import FlipsideError, UsageError
from backend.intake.predictions import add_predictions, commit
from backend.intake.real import quads
from backend.intake.real.packages import ATLAS, Package, folder_of
from backend.intake.real.score_files import ScoreFile, score_files
from backend.intake.survey import Survey, survey
from backend.predictions.matching import Matched
from backend.published.atlas.reading import read as read_atlas
from backend.regular import not_a_folder

#: Told of each file that becomes a run: how many of how many, and its name.
Step = Callable[[int, int, str], None]


@dataclass(frozen=True, slots=True)
class Run:
    """A run that came of it. unchanged: it was here before."""

    model: str
    benchmark: str
    run: str
    unchanged: bool


@dataclass
class Brought:
    """What became of one package. files: of each file; runs: what they became; items: how many items are there to
    browse; problems: what failed, a sentence each."""

    package: Package
    files: list[Outcome] = field(default_factory=list)
    runs: list[Run] = field(default_factory=list)
    items: int = 0
    problems: list[str] = field(default_factory=list)


def bring(
    package: Package,
    *,
    mirror: str | None = None,
    at_hand: Path | None = None,
    tick: Tick | None = None,
    step: Step | None = None,
    root: Path | None = None,
) -> Brought:
    """Fetch a package's files and import what is whole; a file that fails does not stop the others.

    mirror: the owner's own copies, `<mirror>/<source>/<file>`. at_hand: a folder, in which files are known by their
    bytes, whatever their names; those that are there are copied instead of fetched, the others named as missing.
    UsageError for a folder or an address that is none, FlipsideError where the cache cannot be written.
    """
    root = root or paths.cache_dir()
    found = Brought(package)
    for source in package.sources:
        folder = folder_of(source, root)
        if at_hand is not None:
            found.files += _copied(source, folder, at_hand)
        else:
            found.files += fetch(source, folder, mirror=mirror, tick=tick)
    found.problems += [f"{each.file}: {each.reason}" for each in found.files if each.state == "failed"]
    there = {each.file for each in found.files if each.state != "failed"}
    _IMPORT[package.name](found, there, root, step)
    return found


def _copied(source: Source, folder: Path, at_hand: Path) -> Iterator[Outcome]:
    """The source's files out of a folder, each found by its size and sha256."""
    if not at_hand.is_dir():
        raise UsageError(f"--from {at_hand}: {not_a_folder(at_hand)}. Name the folder that holds the files.")
    sizes = {file.size for file in source.files}
    known: dict[str, Path] = {}
    for path in sorted(each for each in at_hand.rglob("*") if each.is_file() and each.stat().st_size in sizes):
        with path.open("rb") as opened:
            known.setdefault(hashlib.file_digest(opened, "sha256").hexdigest(), path)
    for file in source.files:
        yield _one(file, folder / file.path, known.get(file.sha256 or ""), at_hand)


def _one(file: SourceFile, target: Path, path: Path | None, at_hand: Path) -> Outcome:
    if target.is_file() and hashlib.sha256(target.read_bytes()).hexdigest() == file.sha256:
        return Outcome(file.path, file.size, file.sha256, "already there", "sha256")
    if path is None:
        return Outcome(file.path, None, None, "failed", "none", f"no file in {at_hand} has its bytes")
    try:
        data = path.read_bytes()
    except OSError as error:
        return Outcome(file.path, None, None, "failed", "none", f"{path}: cannot be read ({error.strerror})")
    if hashlib.sha256(data).hexdigest() != file.sha256:
        return Outcome(file.path, None, None, "failed", "none", f"{path} was changed while it was copied; try again")
    replaced(target, data)  # under a name of this process first, so that two at once do not disturb each other
    return Outcome(file.path, file.size, file.sha256, "fetched", "sha256")


def _winoground(found: Brought, there: set[str], root: Path, step: Step | None) -> None:
    """One run a file, on the stub of item numbers."""
    files = [each for each in score_files() if each.path in there]
    if not files:
        return
    edition = stub()
    selection = Selection()
    items = survey(edition, selection, root)
    found.items = len(items)
    folder = folder_of(found.package.sources[0], root)
    for number, each in enumerate(files, 1):
        if step is not None:
            step(number, len(files), each.name)
        try:
            found.runs.append(_run(each, folder / each.path, items, root))
        except FlipsideError as error:
            found.problems.append(str(error))


def _run(each: ScoreFile, path: Path, items: Survey, root: Path) -> Run:
    values = quads.stored(quads.read(path), each.transformation)
    matched = Matched({str(each.kind): quads.part(values)}, statements=values.size)
    sources = [{"file": each.path, "sha256": each.sha256}]
    added = commit(each.spec, stub(), Selection(), items, matched, sources, root, replace=True, public=each.described())
    return Run(added.model, added.benchmark, added.run_id, added.unchanged)


def _gpt4v(found: Brought, there: set[str], root: Path, step: Step | None) -> None:
    """One run of both orders; the captions are SugarCrepe's own files."""
    answers, captions = found.package.sources
    given = [folder_of(answers, root) / file.path for file in answers.files if file.path in there]
    if not given or not any(file.path in there for file in captions.files):
        return
    if step is not None:
        step(1, 1, "gpt-4v")
    public: dict[str, Any] = {
        "name": "gpt-4v", "source": "SugarCrepe", "system": "GPT-4V", "head": "forced choice", "other_heads": [],
        "repeats": None, "how_it_repeats": None, "transformation": "none", "address": answers.source, "commit": None,
        "terms": answers.licence, "sharing": "everything",
    }  # fmt: skip
    try:
        added = add_predictions(
            given, "gpt-4v", "sugarcrepe", folder_of(captions, root), replace=True, root=root, public=public
        )
    except FlipsideError as error:
        found.problems.append(str(error))
        return
    found.items = added.n_items
    found.runs.append(Run(added.model, added.benchmark, added.run_id, added.unchanged))


def _visla(found: Brought, there: set[str], root: Path, step: Step | None) -> None:
    """Its items alone: there are no scores of it."""
    if not there:
        return
    opened, selection = open_selected("visla", folder_of(found.package.sources[0], root), Selection())
    if step is not None:
        step(1, 1, "visla")
    found.items = len(survey(opened, selection, root))


def _atlas(found: Brought, there: set[str], root: Path, step: Step | None) -> None:
    """No runs and no items: that the file reads is all that is seen to."""
    source = found.package.sources[0]
    if not there:
        return
    if step is not None:
        step(1, 1, ATLAS)
    try:
        read_atlas(folder_of(source, root) / source.files[0].path, source.files[0].sha256)
    except FlipsideError as error:
        found.problems.append(str(error))


_IMPORT: Final = {"winoground": _winoground, "gpt-4v": _gpt4v, "visla": _visla, ATLAS: _atlas}
