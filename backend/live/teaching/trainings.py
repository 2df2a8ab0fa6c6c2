"""The trainings that there are: each a folder of `<cache>/taught`, most with the job that fills it.

A name belongs to whoever makes its folder first, so two sessions that start one name at once are told apart. A training
that was started in a terminal, or whose job was taken off the list, is known by what its folder says.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from backend.engine.storage import files
from backend.errors import FlipsideError, UsageError
from backend.live.jobs import jobs
from backend.live.jobs.record import CANCELLED, DONE, FAILED, LOST, QUEUED, RUNNING, Job
from backend.live.teaching import words
from backend.live.teaching.words import Wish
from backend.live.uploads import trash
from backend.live.uploads.model_folders import taught_dir, taught_spec
from backend.teach.training import following, log
from backend.teach.training.following import Followed

#: The plain recipe, against which the others are seen.
BASELINE: Final = "baseline"


@dataclass(frozen=True)
class Training:
    """One training. job: None where there is none (any more). told: what its folder says, None before it says anything.
    options: of the job's command, {} without one."""

    name: str
    folder: Path
    job: Job | None = None
    told: Followed | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def state(self) -> str:
        """One of the states of jobs; of a folder alone: running, done or cancelled."""
        if self.job is not None and not (self.job.state in (FAILED, LOST, CANCELLED) and self.spec):
            return self.job.state
        if self.told is not None and self.told.running:
            return RUNNING
        return DONE if self.spec else CANCELLED

    @property
    def is_active(self) -> bool:
        return self.state in (RUNNING, QUEUED)

    @property
    def model(self) -> str:
        """The spec of the model that is taught."""
        return self.told.model if self.told is not None else self.options.get("--model", "")

    @property
    def recipe(self) -> str:
        return self.told.recipe if self.told is not None else self.options.get("--recipe", "")

    @property
    def steps(self) -> int:
        """Of the plan."""
        return self.told.steps if self.told is not None else int(self.options.get("--steps", "0") or 0)

    @property
    def done(self) -> int:
        return self.told.done if self.told is not None else 0

    @property
    def spec(self) -> str:
        """Of the finished model, "" before there is one."""
        return taught_spec(self.folder)

    @property
    def created(self) -> str:
        """When it was started first (UTC, ISO 8601)."""
        return self.job.created if self.job is not None else self.told.created if self.told is not None else ""

    def log(self) -> list[dict[str, Any]]:
        """The lines so far, [] where there are none that can be read."""
        with suppress(OSError, FlipsideError):
            return log.read(self.folder)
        return []


def listing(known: Sequence[Job] | None = None) -> list[Training]:
    """All of them, the latest first. known: all jobs, where they have been looked for just now."""
    found: dict[str, Training] = {}
    for job in (
        jobs.listing() if known is None else known
    ):  # the latest first: an earlier job of the same folder has nothing more to say
        options = words.read(job.arguments) if job.verb == "teach" else {}
        folder = Path(options.get("--out", ""))
        if words.NAME.fullmatch(folder.name) and folder.name not in found:
            place = taught_dir().resolve() / folder.name
            found[folder.name] = Training(folder.name, place, job, following.training(place), options)
    for told in following.trainings(taught_dir().resolve()):
        if words.NAME.fullmatch(told.folder.name) and told.folder.name not in found:
            found[told.folder.name] = Training(told.folder.name, told.folder, None, told)
    return sorted(found.values(), key=lambda each: each.created, reverse=True)


def baseline_of(one: Training, every: Sequence[Training]) -> Training | None:
    """The latest training by the plain recipe with the same model, data, steps, batches and seed; None where there is
    none, or where it is one itself."""
    if one.recipe == BASELINE or not one.options:
        return None
    wanted = words.compared(one.options)
    return next(
        (o for o in every if o.recipe == BASELINE and o.options and words.compared(o.options) == wanted), None
    )  # fmt: skip


def baseline_for(wish: Wish, captions: bytes = b"") -> Training | None:
    """The training by the plain recipe that a wish would be seen against; None where there is none yet."""
    words_ = wish.training(taught_dir(), f"{words.INPUT}{captions_name(captions)}" if captions else "")
    return baseline_of(Training("", taught_dir(), options=words.read(words_)), listing())


def free_name(wanted: str) -> str:
    """A name that nothing in the folder of trainings has: the wanted one, or with a number behind it."""
    name = wanted[:52].strip("._-") or "training"
    number = 1
    while (taught_dir() / (tried := name if number == 1 else f"{name}-{number}")).exists():
        number += 1
    return tried


def refuse_name(name: str) -> None:
    """UsageError for what is no name, or one that is taken."""
    if not words.NAME.fullmatch(name):
        raise UsageError(f"A training's name has {words.NAME_HAS}; it names the folder and the model.")
    if (taught_dir() / name).exists():
        raise UsageError(f"There is a training named {name} already: choose another name.")


def start(wish: Wish, name: str, title: str, captions: bytes = b"") -> Job:
    """Put a training into the queue. captions: the file of generated captions that it trains with, b"" for none.

    UsageError for a name that is none or taken, and for what pages may not teach; FlipsideError where the cache cannot
    be written. Nothing stays behind then.
    """
    refuse_name(name)
    root = taught_dir()
    files.make_dir(root)
    folder = root.resolve() / name
    try:
        folder.mkdir()
    except FileExistsError:
        raise UsageError(f"There is a training named {name} already: choose another name.") from None
    except OSError as error:
        raise FlipsideError(
            f"{root}: cannot be written ({error.strerror}). Make it yours, or choose another folder with "
            "$FLIPSIDE_CACHE."
        ) from None
    try:
        given = {captions_name(captions): captions} if captions else {}
        file = next((f"{words.INPUT}{each}" for each in given), "")
        return jobs.start("teach", wish.training(folder, file), title, given)
    except FlipsideError:
        with suppress(OSError):
            folder.rmdir()
        raise


def captions_name(data: bytes) -> str:
    """What a file of captions is called among a job's inputs: by its digest, which tells equal ones."""
    return f"captions-{sha256(data).hexdigest()[:12]}.jsonl"


def delete(one: Training) -> trash.Discarded:
    """Take a training away, its folder and its job; `trash.restore` puts both back."""
    if one.is_active:
        raise UsageError(f"{one.name} is {one.state}; stop it before you delete it.")
    places = [one.folder, *([one.job.folder] if one.job is not None else [])]
    there = [place for place in places if place.exists()]
    if not there:
        raise UsageError(f"{one.name} is not there any more; reload the page.")
    return trash.discard("training", one.name, there)
