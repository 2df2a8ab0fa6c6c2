"""What `flipside teach` trains on and judges by, out of its options."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from backend.engine.inputs.selection import Selection, open_selected
from backend.errors import UsageError
from backend.items import Item, Protocol
from backend.perturb import get
from backend.teach.pairs.examples import Data, from_file, from_items, from_world, parted
from backend.teach.pairs.generated import NEGATIVES, POSITIVES, Captions, generate, read
from backend.teach.training.recipes import Recipe, recipe
from backend.verbs.shared.proposing import Proposers

#: Quads of the bundled world by which fresh pairs of it are judged, at most.
JUDGED = 200


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
    selection.check_names(name, (item.subset for item in every), splits)
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
        try:
            changes[key] = {"float": float, "int": int}.get(str(getattr(kinds.get(key), "__name__", "")), str)(value)
        except ValueError:
            raise UsageError(f"--set {part}: {value!r} is no number.") from None
    return recipe(name, **changes)


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
