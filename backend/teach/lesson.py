"""One lesson: a model, data, a recipe and a folder; afterwards the folder holds what was learned.

`<folder>/lesson.json` from the beginning (`training/following.py`), `checkpoint.pt` and `log.jsonl` while it goes on
(`training/checkpoint.py`, `training/log.py`), `adapter/` and `merged/` when it is done. Called again with the same
arguments it goes on where it stands.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from backend import __version__, locks
from backend.errors import FlipsideError
from backend.items import Item
from backend.teach.pairs.batches import Batches
from backend.teach.pairs.examples import Data
from backend.teach.pairs.generated import Captions
from backend.teach.training import following, log
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
        from backend.teach.processes.team import joined
        from backend.teach.students import loading
        from backend.teach.students.tuning import Tuning
        from backend.teach.training.steps import Plan, Training

        plan = Plan(**{"seed": lesson.seed, **lesson.plan})
        loading.refuse_unteachable(lesson.model)
        refuse_data(lesson.recipe, lesson.data, lesson.captions)
        batches = Batches(lesson.data, lesson.batch, lesson.seed, lesson.captions)
        self.lesson = lesson
        self.needs: Estimate | None = None
        self.team, device = joined(lesson.device)
        self.student = loading.student(lesson.model, Tuning(lesson.rank), device=device, seed=lesson.seed)
        self.student.team = self.team
        if plan.mixed:
            loading.refuse_mixed(self.student.device)
        self.training = Training(self.student, batches, lesson.recipe, plan, lesson.folder, lesson.held_out)

    def estimate(self) -> "Estimate":
        """Time, memory and disk, measured on the first batch."""
        from backend.teach.training.estimate import estimate

        self.needs = estimate(self.training)
        return self.needs

    def run(self, see: Callable[[dict[str, Any]], object] = lambda _: None) -> Learned:
        """Train, or go on, and save. FlipsideError where another training goes on in the same folder. Of several
        processes the first one writes, and returns what is there when it is."""
        folder = self.lesson.folder
        if not self.team.first:
            return self._learned(self.training.run())
        try:
            folder.mkdir(parents=True, exist_ok=True)
            lock = locks.signed(folder / following.LOCK, lambda: (folder / following.LOCK).open("a+"), self._busy)
        except OSError as error:
            raise log.disk(error, folder) from error
        with lock:
            done = self.training.run(see=see, begun=self._begun)
            self._save(done)
            return self._learned(done)

    def _busy(self, holder: str) -> FlipsideError:
        return FlipsideError(f"{self.lesson.folder}: {holder} is training into it. Wait, or name another folder.")

    def _begun(self, done: int) -> None:
        """Write down what is taught; a training that goes on was created when it began."""
        before = following.training(self.lesson.folder) if done else None
        created = {"created": before.created} if before is not None else {}
        following.write(self.lesson.folder, self.document() | created)

    def document(self) -> dict[str, Any]:
        """What is taught, as JSON. data: its numbers, and where it is from, without the single items."""
        lesson, captions = self.lesson, self.lesson.captions
        about = [{name: value for name, value in each.items() if name != "item_ids"} for each in lesson.data.about]
        return {
            "flipside": __version__,
            "model": lesson.model,
            "recipe": lesson.recipe.document(),
            "series": self.series,
            "plan": asdict(self.training.plan),
            "batch": lesson.batch,
            "rank": lesson.rank,
            "seed": lesson.seed,
            "device": str(self.student.device),
            "processes": self.team.size,
            "data": {
                "examples": len(lesson.data.examples),
                "quads": lesson.data.quads,
                "with_negatives": lesson.data.with_foils,
                "skipped": dict(lesson.data.skipped),
                "about": about,
            },
            "captions": captions and {
                effect: sum(map(len, captions.kept(effect).values())) for effect in ("negative", "positive")
            },
            "held_out": len(lesson.held_out),
            "estimate": self.needs and asdict(self.needs),
        }  # fmt: skip

    @property
    def series(self) -> str:
        return self.lesson.series or self.lesson.folder.absolute().name

    def _save(self, done: int) -> None:
        from backend.teach.students import saving

        lesson = self.lesson
        record = {
            "series": self.series,
            "step": done,
            "recipe": lesson.recipe.document(),
            "rank": lesson.rank,
            "batch": lesson.batch,
            "seed": lesson.seed,
            "trained_on": list(lesson.data.about),
        }
        if lesson.rank:
            saving.save_adapter(self.student, lesson.folder / "adapter", record)
        saving.save_merged(self.student, lesson.folder / "merged", record)

    def _learned(self, done: int) -> Learned:
        from backend.teach.students import saving

        folder = self.lesson.folder
        spec = saving.merged_spec(self.student, folder / "merged")
        words = ("--model", spec, "--series", self.series, "--step", str(done))
        return Learned(done, folder / "adapter" if self.lesson.rank else None, folder / "merged", spec, words)


def teach(lesson: Lesson, see: Callable[[dict[str, Any]], object] = lambda _: None) -> Learned:
    """Train, or go on, and save. UsageError before anything is loaded or written where the model, the recipe and the
    data do not fit; see: called with each line of the log."""
    return Prepared(lesson).run(see)
