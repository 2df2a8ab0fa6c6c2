"""One lesson: a model, data, a recipe and a folder; afterwards the folder holds what was learned.

`<folder>/checkpoint.pt` and `log.jsonl` while it goes on (`training/checkpoint.py`), `adapter/` and `merged/` when it
is done. Called again with the same arguments it goes on where it stands.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backend import durable, locks
from backend.errors import FlipsideError
from backend.items import Item
from backend.teach.pairs.batches import Batches
from backend.teach.pairs.examples import Data
from backend.teach.pairs.generated import Captions
from backend.teach.training.recipes import Recipe, recipe, refuse_data

if TYPE_CHECKING:
    from backend.teach.training.estimate import Estimate


@dataclass(frozen=True)
class Lesson:
    """What is asked for. model: a spec. batch: pairs a step. rank: of the adapters, 0 for all weights. plan: arguments
    of `training.steps.Plan`, `steps` among them. held_out: quads and choices to judge by meanwhile, which `data` must
    not hold (`pairs.examples.parted`). series: as what the checkpoints of this training are known, by default the
    folder's name."""

    model: str
    data: Data
    folder: Path
    plan: dict[str, Any]
    recipe: Recipe = field(default_factory=lambda: recipe("baseline"))
    batch: int = 32
    rank: int = 4
    captions: Captions | None = None
    held_out: Sequence[Item] = ()
    series: str = ""
    seed: int = 0
    device: str = "auto"


@dataclass(frozen=True)
class Learned:
    """adapter: None after full fine-tuning. spec: under which the merged folder loads. run: the words of `flipside run`
    that make the merged model a checkpoint of its series, without a benchmark."""

    steps: int
    adapter: Path | None
    merged: Path
    spec: str
    run: tuple[str, ...]


class Prepared:
    """A lesson whose model is loaded and whose data fits it; nothing is written yet."""

    def __init__(self, lesson: Lesson) -> None:
        from backend.teach.students import loading
        from backend.teach.students.tuning import Tuning
        from backend.teach.training.steps import Plan, Training

        plan = Plan(**{"seed": lesson.seed, **lesson.plan})
        loading.refuse_unteachable(lesson.model)
        refuse_data(lesson.recipe, lesson.data, lesson.captions)
        batches = Batches(lesson.data, lesson.batch, lesson.seed, lesson.captions)
        self.lesson = lesson
        self.student = loading.student(lesson.model, Tuning(lesson.rank), device=lesson.device, seed=lesson.seed)
        self.training = Training(self.student, batches, lesson.recipe, plan, lesson.folder, lesson.held_out)

    def estimate(self) -> "Estimate":
        """Time, memory and disk, measured on the first batch."""
        from backend.teach.training.estimate import estimate

        return estimate(self.training)

    def run(self, see: Callable[[dict[str, Any]], object] = lambda _: None) -> Learned:
        """Train, or go on, and save. FlipsideError where another process trains into the same folder."""
        folder = self.lesson.folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise _unwritable(error, folder) from error
        with locks.held(folder / "lock", wait=False, refused=lambda error: _unwritable(error, folder)) as mine:
            if not mine:
                raise FlipsideError(f"{folder}: another process is training into it. Wait, or name another folder.")
            return self._saved(self.training.run(see=see))

    def _saved(self, done: int) -> Learned:
        from backend.teach.students import saving

        lesson, student = self.lesson, self.student
        series = lesson.series or lesson.folder.name
        record = {
            "series": series,
            "step": done,
            "recipe": lesson.recipe.document(),
            "rank": lesson.rank,
            "batch": lesson.batch,
            "seed": lesson.seed,
            "trained_on": list(lesson.data.about),
        }
        adapter = None if lesson.rank == 0 else saving.save_adapter(student, lesson.folder / "adapter", record)
        merged = saving.save_merged(student, lesson.folder / "merged", record)
        spec = saving.merged_spec(student, merged)
        return Learned(done, adapter, merged, spec, ("--model", spec, "--series", series, "--step", str(done)))


def _unwritable(error: OSError, folder: Path) -> FlipsideError:
    return FlipsideError(durable.unwritable(error, folder) or f"{folder}: cannot be written ({error}).")


def teach(lesson: Lesson, see: Callable[[dict[str, Any]], object] = lambda _: None) -> Learned:
    """Train, or go on, and save. UsageError before anything is loaded or written where the model, the recipe and the
    data do not fit; see: called with each line of the log."""
    return Prepared(lesson).run(see)
