"""One cell of the study: a recipe under a seed, trained from `bundled:clip` and judged; done once, then kept."""

import hashlib
import json
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from backend.paths import cache_dir
from backend.teach.lesson import Lesson, teach
from backend.teach.pairs.examples import Data, from_world
from backend.teach.pairs.generated import Captions, generate
from backend.teach.training.recipes import Recipe, recipe
from scripts.teach_study import world

BASE: Final = "bundled:clip"
CONCEPTS: Final = ("attribute", "size", "count", "location", "relation")
#: The same for every recipe. The rate is the best for `baseline` of those that were tried on other pairs (page.py).
STEPS, BATCH, RANK, RATE = 400, 64, 4, 1e-3
#: Quads that training draws from: each is seen once.
PAIRS: Final = STEPS * BATCH // 2
#: Every recipe, and EqSim as its paper varies it: v1 on distant pairs (section 3), a margin α, a larger β, raw scores.
VARIANTS: Final[dict[str, Recipe]] = {
    "baseline": recipe("baseline"),
    "eqsim": recipe("eqsim"),
    "eqsim v1=distant": recipe("eqsim", v1="distant"),
    "eqsim alpha=0.1": recipe("eqsim", alpha=0.1),
    "eqsim eqsim=1": recipe("eqsim", eqsim=1.0),
    "eqsim normalisation=none": recipe("eqsim", normalisation="none"),
    "neg": recipe("neg"),
    "svlc": recipe("svlc"),
    "binding": recipe("binding"),
}


@dataclass(frozen=True)
class Judged:
    """scores: set -> (n, 2, 2) float32 cosines, image by caption. hits: retrieval's and zero-shot naming's verdicts."""

    scores: dict[str, NDArray[np.float32]]
    hits: dict[str, NDArray[np.bool_]]


def folder() -> Path:
    """Where cells are kept."""
    return cache_dir() / "teach-study"


def settings() -> dict[str, Any]:
    """What every cell shares."""
    return {"base": BASE, "concepts": CONCEPTS, "steps": STEPS, "batch": BATCH, "rank": RANK, "learning_rate": RATE}


def cell(name: str, seed: int) -> Path:
    """Where a cell is kept. Another setting or recipe is another folder."""
    told = json.dumps([settings(), VARIANTS[name].document()], sort_keys=True)
    return folder() / f"{name.replace(' ', '-')}-{seed}-{hashlib.sha256(told.encode()).hexdigest()[:8]}"


def judge(model: Any) -> Judged:
    """Every test, in float32 on the CPU."""
    scores = {}
    for name in world.SETS:
        quads = world.quads(name)
        images, texts = world.image_vectors(model, quads), model.encode_texts(quads.texts)
        scores[name] = np.einsum("nid,njd->nij", *(v.reshape(-1, 2, v.shape[-1]) for v in (images, texts)))
    gallery = world.gallery()
    cosines = world.image_vectors(model, gallery) @ model.encode_texts(gallery.texts).T
    single, called = world.single()
    named = world.image_vectors(model, single) @ model.encode_texts(world.NAMES).T
    own = np.arange(len(cosines))
    hits = {
        "image to text, R@1": cosines.argmax(1) == own,
        "text to image, R@1": cosines.argmax(0) == own,
        "zero-shot naming": named.argmax(1) == called,
    }
    return Judged({name: values.astype(np.float32) for name, values in scores.items()}, hits)


def judged(path: Path, spec: str) -> Judged:
    """What is kept in `path`/judged.npz, else the model judged and kept."""
    from backend.models import load

    kept = path / "judged.npz"
    if not kept.is_file():
        found = judge(load(spec, "cpu", "float32"))
        path.mkdir(parents=True, exist_ok=True)
        aside = kept.with_name(".judged.npz")
        np.savez(aside, allow_pickle=False, **_named(found))
        aside.replace(kept)
    with np.load(kept) as file:
        by_kind = {kind: {k[2:]: file[k] for k in file.files if k[0] == kind} for kind in "sh"}
    return Judged(by_kind["s"], by_kind["h"])


def _named(found: Judged) -> dict[str, Any]:
    """As arrays of one file."""
    scores: dict[str, Any] = {f"s {name}": values for name, values in found.scores.items()}
    return scores | {f"h {name}": values for name, values in found.hits.items()}


def base() -> Judged:
    """The model that every cell starts from."""
    from backend.models import load

    model: Any = load(BASE, "cpu", "float32")
    return judged(folder() / f"base-{model.weights_sha256()[:8]}", BASE)


@cache
def material(seed: int) -> tuple[Data, Captions]:
    """The pairs of a seed, and what SVLC's rules and synonyms make of their captions: the same for every recipe."""
    data = from_world(PAIRS, CONCEPTS, seed)
    true: dict[str, set[str]] = {}
    by_image = data.true_texts()
    for each in data.examples:
        true.setdefault(each.text, set()).update(by_image[each.image.key])
    return data, generate((each.text for each in data.examples), seed=seed, true_of=true)


def run(name: str, seed: int) -> dict[str, Any]:
    """Train and judge, or go on where it stands; `cell.json`: how long it took and what the log ended with."""
    path = cell(name, seed)
    done = path / "cell.json"
    if done.is_file() and (path / "judged.npz").is_file():
        found: dict[str, Any] = json.loads(done.read_text(encoding="utf-8"))
        return found
    data, captions = material(seed)
    began, cpu = time.perf_counter(), time.process_time()
    plan = {"steps": STEPS, "learning_rate": RATE}
    log: list[dict[str, Any]] = []
    learned = teach(
        Lesson(
            BASE, data, path, plan, VARIANTS[name], BATCH, RANK, captions, series=path.name, seed=seed, device="cpu"
        ),
        see=log.append,
    )
    judged(path, learned.spec)
    told = {"seconds": time.perf_counter() - began, "cpu_seconds": time.process_time() - cpu, "last": log[-1:]}
    done.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return told
