"""Runs, Add: how far each thing is that somebody has brought, from stored jobs and runs alone. Nothing is drawn.

A row is what was brought and all that follows from it: the job that brings it, the jobs that score models on it, and
the runs that are stored. Its state is read off them each time, so it is the same after a reload and in any session.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from backend import moments
from backend.benchmarks.custom.opening import PREFIX, label_of
from backend.benchmarks.items_folder.kept import EDITED
from backend.kinds import PREDICTIONS
from backend.live.jobs.record import CANCELLED, DONE, QUEUED, RUNNING, Job
from pages.runs.history.groups import Run
from pages.shared.drawing.numbers import count

#: What a row can be: being brought; not brought (its job failed or was stopped); there, with no score yet; waiting to
#: be scored; being scored; scored in part, since the scoring was stopped, or failed; scored.
BRINGING, REFUSED, READY, WAITING, SCORING, STOPPED, FAILED, SCORED = STATES = (
    "bringing", "refused", "ready", "waiting", "scoring", "stopped", "failed", "scored",
)  # fmt: skip
ACTIVE = frozenset({BRINGING, WAITING, SCORING})
#: Rows of models that were scored lately.
LATELY = 6


@dataclass(frozen=True)
class Subject:
    """A benchmark that is here. hash: of its items, 16 hex digits, "" where they were never opened; data: the folder
    that scoring it needs, "" for none; protocols: of its subsets, none where it was never opened."""

    name: str
    hash: str = ""
    n_items: int | None = None
    n_images: int | None = None
    n_texts: int | None = None
    data: str = ""
    protocols: tuple[str, ...] = ()


@dataclass(frozen=True)
class Row:
    """What was brought. key: tells rows apart; title: its name; subjects: the benchmarks of it that are here; bringing:
    the latest job that brings it; scoring: the latest job of each model on each of its benchmarks, without those that a
    later run has overtaken; runs: what is stored of it, the latest first."""

    key: str
    title: str
    subjects: tuple[Subject, ...] = ()
    bringing: Job | None = None
    scoring: tuple[Job, ...] = ()
    runs: tuple[Run, ...] = ()

    @property
    def state(self) -> str:
        """One of STATES."""
        states = {job.state for job in self.scoring}
        if self.bringing is not None and not self.bringing.is_over:
            return BRINGING
        if not self.subjects and not self.runs and not self.scoring:
            return REFUSED
        if RUNNING in states:
            return SCORING
        if QUEUED in states:
            return WAITING
        if states - {DONE, CANCELLED}:
            return FAILED
        if CANCELLED in states:
            return STOPPED
        return SCORED if self.runs else READY

    @property
    def unfinished(self) -> list[Job]:
        """The jobs that ended without being done: each is said with its reason, also where an earlier one was done."""
        jobs = [*([self.bringing] if self.bringing is not None else []), *self.scoring]
        return [job for job in jobs if job.is_over and job.state != DONE]

    @property
    def models(self) -> list[str]:
        """Models with a stored run, the latest first."""
        return list(dict.fromkeys(run.model for run in self.runs))


def said(job: Job, option: str) -> str:
    """What stands behind an option of a job's command, "" for nothing."""
    words = job.arguments
    return words[words.index(option) + 1] if option in words[:-1] else ""


def target(job: Job) -> str:
    """The name of the benchmark that a job imports or scores on, as it is called once it is here."""
    if job.verb != "import":
        return said(job, "--benchmark")
    name = job.arguments[0] if job.arguments else ""
    return f"{PREFIX}{label_of(said(job, '--as'))}" if name == PREFIX.rstrip(":") else name


def work(job: Job) -> tuple[str, ...]:
    """What a job is about: two with the same words here do the same work, and the later one replaces the other."""
    named = target(job) if job.verb in ("run", "import", "perturb") else ""
    return (job.verb, said(job, "--model"), named) if named else (job.job_id,)


def latest(jobs: Iterable[Job], key: Mapping[str, object]) -> list[Job]:
    """Of jobs with the same key the one that was queued last; the latest first. key: job id -> what it is about."""
    found: dict[object, Job] = {}
    for job in sorted(jobs, key=lambda job: (job.queued, job.job_id), reverse=True):
        found.setdefault(key[job.job_id], job)
    return list(found.values())


def benchmark_rows(subjects: Sequence[Subject], jobs: Sequence[Job], runs: Sequence[Run], is_own: bool) -> list[Row]:
    """A row for each benchmark that is here or on its way. is_own: own data, else a benchmark's files."""
    bringing = [
        job for job in jobs if job.verb == "import" and target(job).startswith(PREFIX) == is_own and target(job)
    ]
    brought = {target(job): job for job in latest(bringing, {job.job_id: target(job) for job in bringing})}
    here = {each.name: each for each in subjects}
    names = [*(name for name in brought if name not in here), *here]
    rows = [_on(name, name, [here[name]] if name in here else [], brought.get(name), jobs, runs) for name in names]
    return sorted(rows, key=_begun, reverse=True)


def edit_rows(subjects: Sequence[Subject], jobs: Sequence[Job], runs: Sequence[Run]) -> list[Row]:
    """A row for all edits of one benchmark that are here."""
    found: dict[str, list[Subject]] = {}
    for each in subjects:
        found.setdefault(each.name.partition(EDITED)[0], []).append(each)
    making = [job for job in jobs if job.verb == "perturb"]
    made = {target(job): job for job in latest(making, {job.job_id: target(job) for job in making})}
    names = [*(name for name in made if name not in found), *found]
    titles = {
        name: f"{count(len(found[name]), 'edit')} of {name}" if name in found else f"Edits of {name}" for name in names
    }
    rows = [_on(name, titles[name], found.get(name, []), made.get(name), jobs, runs) for name in names]
    return sorted(rows, key=_begun, reverse=True)


def prediction_rows(jobs: Sequence[Job], runs: Sequence[Run]) -> list[Row]:
    """A row for the predictions of each system on each benchmark. runs: without those that were fetched."""
    bringing = [job for job in jobs if job.verb == "add-predictions"]
    about = {job.job_id: (f"{PREDICTIONS}{said(job, '--as')}", target(job)) for job in bringing}
    brought = {about[job.job_id]: job for job in latest(bringing, about)}
    stored: dict[tuple[str, str], list[Run]] = {}
    for run in _newest_first(run for run in runs if run.model.startswith(PREDICTIONS) and run.origin[0] == "computed"):
        stored.setdefault((run.model, run.name), []).append(run)
    pairs = [*(pair for pair in brought if pair not in stored), *stored]
    rows = [
        Row(f"{model} on {name}", f"{model.removeprefix(PREDICTIONS)} on {name}", (), brought.get((model, name)), (),
            tuple(stored.get((model, name), ())))
        for model, name in pairs
    ]  # fmt: skip
    return sorted(rows, key=_begun, reverse=True)


def bundle_rows(jobs: Sequence[Job], runs: Sequence[Run]) -> list[Row]:
    """A row for each bundle: those of which a run is here, and those that are on their way or were refused."""
    stored: dict[str, list[Run]] = {}
    for run in _newest_first(run for run in runs if run.origin[0] == "imported"):
        stored.setdefault(run.origin[1], []).append(run)
    coming = [job for job in jobs if job.verb == "import-results"]
    files = {job.job_id: job.arguments[0].rpartition("/")[2] if job.arguments else "" for job in coming}
    brought = {files[job.job_id]: job for job in latest(coming, files)}
    names = [*(name for name in brought if name not in stored and brought[name].state != DONE), *stored]
    rows = [Row(name, name, (), brought.get(name), (), tuple(stored.get(name, ()))) for name in names]
    return sorted(rows, key=_begun, reverse=True)


def model_rows(jobs: Sequence[Job], runs: Sequence[Run]) -> list[Row]:
    """A row for each model that was scored lately on a benchmark, by the jobs that are still listed."""
    scoring = [job for job in jobs if job.verb == "run" and not job.problem]
    about = {job.job_id: (said(job, "--model"), target(job)) for job in scoring}
    rows = []
    for job in latest(scoring, about)[:LATELY]:
        model, name = about[job.job_id]
        mine = _newest_first(run for run in runs if (run.model, run.name) == (model, name))
        rows.append(Row(f"{model} on {name}", job.title, (), None, (job,), tuple(mine)))
    return rows


def _on(
    key: str, title: str, subjects: Sequence[Subject], bringing: Job | None, jobs: Sequence[Job], runs: Sequence[Run]
) -> Row:
    """A row of benchmarks with the jobs that score models on them and their runs."""
    names, hashes = {each.name for each in subjects}, {each.hash for each in subjects if each.hash}
    mine = tuple(_newest_first(run for run in runs if run.benchmark in hashes))
    scoring = [job for job in jobs if job.verb == "run" and target(job) in names]
    about = {job.job_id: (said(job, "--model"), target(job)) for job in scoring}
    hash_of = {each.name: each.hash for each in subjects}
    left = [
        job for job in latest(scoring, about)
        if not _is_overtaken(job, [run for run in mine if (run.model, run.benchmark) == (about[job.job_id][0],
                                                                                         hash_of[about[job.job_id][1]])])
    ]  # fmt: skip
    return Row(key, title, tuple(subjects), bringing, tuple(left), mine)


def _is_overtaken(job: Job, runs: Iterable[Run]) -> bool:
    """Whether a job that did not come to its end has become moot: the same model has a complete run since."""
    if not job.is_over or job.state == DONE or not job.finished:
        return False
    return any(run.complete and _moment(run.stamp) > _moment(job.finished) for run in runs)


def _moment(stamp: str) -> float:
    moment = moments.utc(stamp)
    return 0.0 if moment is None else moment.timestamp()


def _newest_first(runs: Iterable[Run]) -> list[Run]:
    return sorted(runs, key=lambda run: (run.stamp, run.run_id), reverse=True)


def _begun(row: Row) -> tuple[bool, str]:
    """Rows with jobs first, those whose last job began last in front of them."""
    jobs = [job.queued for job in (*([row.bringing] if row.bringing else []), *row.scoring)]
    return bool(jobs), max(jobs, default="")
