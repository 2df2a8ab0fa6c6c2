"""What `flipside teach` trains on and judges by, out of its options, and what it tells meanwhile."""

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from backend import environment
from backend.engine.inputs.selection import Selection, open_selected
from backend.engine.reporting.progress import JSON_INTERVAL, VARIABLE, tell
from backend.errors import UsageError
from backend.items import Item, Protocol
from backend.perturb import get
from backend.teach.pairs.examples import Data, from_file, from_items, from_world, parted
from backend.teach.pairs.generated import NEGATIVES, POSITIVES, Captions, generate, read
from backend.teach.training import following, log
from backend.teach.training.recipes import Recipe, recipe
from backend.verbs.shared import out
from backend.verbs.shared.proposing import Proposers

if TYPE_CHECKING:
    from backend.teach.lesson import Lesson

#: Quads of the bundled world by which fresh pairs of it are judged, at most.
JUDGED = 200
#: Seconds between two lines of progress.
EVERY = 2.0
#: How many seeds there are: numpy's and torch's take each of these.
SEEDS = 2**32


@dataclass(frozen=True)
class Sources:
    """As typed: a benchmark with its selection, files of images and captions, fresh pairs of the world."""

    benchmark: str | None = None
    data: Path | None = None
    selection: Selection = field(default_factory=Selection)
    files: Sequence[Path] = ()
    fresh: int | None = None
    concepts: str = "attribute"
    seed: int = 0


def material(sources: Sources, share: float) -> tuple[Data, list[Item]]:
    """(what is trained on, the quads and choices that are held out). share: of the benchmark's items; 0 holds none out.
    Fresh pairs of the world are judged by its own items of the same concepts. UsageError where no source is named."""
    if not 0 <= share < 1:
        raise UsageError(f"--held-out {share:g}: a share of the items, from 0 (none) to below 1.")
    if not 0 <= sources.seed < SEEDS:
        raise UsageError(f"--seed {sources.seed}: a whole number from 0 to {SEEDS - 1}.")
    parts: list[Data] = []
    held: list[Item] = []
    if sources.benchmark is not None:
        items, content = _items(sources)
        if share:
            items, held = parted(items, share, sources.seed)
        parts.append(from_items(items, sources.benchmark, content))
    if sources.fresh is not None:
        concepts = [name.strip() for name in sources.concepts.split(",") if name.strip()]
        parts.append(from_world(sources.fresh, concepts, sources.seed))
        if share and sources.benchmark is None:
            held = _of_world(concepts)
    parts += [from_file(path) for path in sources.files]
    if not parts:
        raise UsageError("name what to train on: --benchmark NAME, --file FILE, or --fresh N pairs of the world.")
    whole = parts[0]
    for part in parts[1:]:
        whole = whole + part
    return whole, [item for item in held if item.protocol in (Protocol.QUAD, Protocol.CHOICE)]


def _items(sources: Sources) -> tuple[list[Item], str]:
    """The selected items of a benchmark, and the benchmark's hash."""
    name, digest = str(sources.benchmark), None
    benchmark, selection = open_selected(name, sources.data, sources.selection)
    digest = benchmark.hash_begun()
    every: list[Item] = []
    for item in benchmark:
        digest.update(item.canonical().encode() + b"\n")
        every.append(item)
    splits = (split for item in every for split in item.tags.get("split", ()))
    selection.check_names(name, {item.subset for item in every}, set(splits))
    matching = [item for item in every if selection.matches(item)]
    strata = np.unique([item.subset for item in matching], return_inverse=True)[1] if matching else None
    chosen = selection.choose(np.arange(len(matching), dtype=np.int32), strata)
    return [matching[int(k)] for k in chosen], digest.hexdigest()


def _of_world(concepts: Sequence[str]) -> list[Item]:
    """The world's own quads of these concepts, the same number of each; no scene of them is in its training split."""
    from backend.benchmarks import load_benchmark

    found: dict[str, list[Item]] = {name: [] for name in concepts}
    for item in load_benchmark("world", None):
        if item.protocol is Protocol.QUAD and len(found.get(item.subset, [0] * JUDGED)) < JUDGED // len(concepts):
            found[item.subset].append(item)
    return [item for items in found.values() for item in items]


def changed(name: str, written: str) -> Recipe:
    """A recipe with the numbers of `--set alpha=0.04,k=4`. UsageError for what is no number of it."""
    kinds = {each.name: each.type for each in fields(Recipe)}
    changes: dict[str, Any] = {}
    for part in filter(None, (each.strip() for each in written.split(","))):
        key, equals, value = (each.strip() for each in part.partition("="))
        if not equals:
            raise UsageError(f"--set {part}: write NAME=VALUE, as in --set eqsim=0.2,alpha=0.04.")
        if key in changes:
            raise UsageError(f"--set {written}: {key} stands in it twice; leave one out.")
        kind = str(getattr(kinds.get(key), "__name__", ""))
        try:
            changes[key] = {"float": float, "int": int}.get(kind, str)(value)
        except ValueError:
            wanted = "whole number" if kind == "int" else "number"
            raise UsageError(f"--set {part}: {value!r} is no {wanted}.") from None
    return recipe(name, **changes)


def file(text: str) -> Path:
    """The file that `--generate` names, by the rule of every `--out`."""
    try:
        return out.file(text)
    except UsageError as error:
        raise UsageError(str(error).replace("--out", "--generate", 1)) from None


def folder(to: Path) -> None:
    """UsageError for a folder with files of something else in it, where a training would lie among them, and for a
    place that may not be written: before a model is loaded for it."""
    above = next((place for place in (to, *to.absolute().parents) if place.exists()), Path("/"))
    if not os.access(above, os.W_OK | os.X_OK):
        raise UsageError(f"--out {to}: {above} may not be written by you. Change its permissions, or name another.")
    ours = (following.FILE, following.LOCK, log.FILE, "checkpoint.pt")
    inside = [path.name for path in to.iterdir() if not path.name.startswith(".")] if to.is_dir() else []
    if inside and not any((to / name).is_file() for name in ours):
        raise UsageError(
            f"--out {to}: holds other files ({sorted(inside)[0]}) and no training. Name a new folder, or an empty one."
        )


def generated(
    data: Data, ways: str | None, seed: int, fill_mask: str | None, proposer: str | None, device: str
) -> Captions:
    """Captions generated from the data's own. Without `--ways`: SVLC's rules, synonyms, and what a named model adds."""
    named = [name.strip() for name in (ways or "").split(",") if name.strip()]
    more = ["fill_mask"] * (fill_mask is not None) + ["analogy"] * (proposer is not None)
    wanted = named or [*NEGATIVES, *POSITIVES, *more]
    true: dict[str, set[str]] = {}
    by_image = data.true_texts()
    for each in data.examples:
        true.setdefault(each.text, set()).update(by_image[each.image.key])
    with Proposers(fill_mask, proposer, device) as proposers:
        kinds = [get(name) for name in wanted]
        models = {kind.needs: proposers.equipped(kind)[0].proposer for kind in kinds if kind.needs}
        ready = {name: model for name, model in models.items() if model is not None}
        return generate((each.text for each in data.examples), wanted, seed=seed, proposers=ready, true_of=true)


def taken(path: Path | None, left_out: str | None) -> Captions | None:
    """A file of generated captions without the ways of `--leave-out`."""
    if path is None:
        if left_out:
            raise UsageError("--leave-out names ways of --captions FILE: give the file.")
        return None
    found = read(path)
    known = {row.how for row in found.rows}
    for name in filter(None, (each.strip() for each in (left_out or "").split(","))):
        if name not in known:
            raise UsageError(f"--leave-out {name}: {path} has no such captions, but {', '.join(sorted(known))}.")
        found = found.filtered(how=name)
    return found


class Told:
    """Called with each line of a training's log: a line on standard error every two seconds, or for the dashboard,
    which asks for it with FLIPSIDE_PROGRESS=json, one of JSON each second; quiet: only the latter.

    The JSON's seconds are as long as all steps so far take at this session's pace, so that a training that goes on has
    its true share and time left.
    """

    def __init__(self, lesson: "Lesson", quiet: bool) -> None:
        self.title, self.steps = f"{lesson.model}, {lesson.recipe.name}", int(lesson.plan["steps"])
        self.json, self.quiet = environment.said(VARIABLE) == "json", quiet
        self.first: int | None = None
        self.began = self.last = time.monotonic()

    def __call__(self, entry: dict[str, Any]) -> None:
        now, step = time.monotonic(), entry["step"]
        if self.first is None:  # loading and measuring are over, and so is the first step
            self.first, self.began = step - 1, now - entry.get("seconds", 0.0)
        elif now - self.last < (JSON_INTERVAL if self.json else EVERY) and step < self.steps:
            return
        self.last = now
        if self.json:
            seconds = (now - self.began) / (step - self.first) * step
            tell(self.title, step, self.steps, seconds, "steps")
        elif not self.quiet:
            terms = " ".join(f"{name} {value:.4g}" for name, value in losses([entry]).items())
            sys.stderr.write(f"step {step} of {self.steps}: {terms}\n")
            sys.stderr.flush()


def losses(entries: Sequence[dict[str, Any]]) -> dict[str, float]:
    """The losses, γ, |c| and |r| of the last of some lines of the log."""
    left = ("step", "held_out", "gradient", "learning_rate", "seconds")
    entry: dict[str, Any] = next((each for each in reversed(entries) if "loss" in each), {})
    return {name: value for name, value in entry.items() if name not in left and value is not None}
