"""One cell of the study: a recipe under a seed, trained from `bundled:clip` and judged; done once, then kept."""

import hashlib
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from backend.bundled.train import taught
from backend.bundled.train.taught import BATCH, CONCEPTS, RANK, RATE, STEPS
from backend.paths import cache_dir
from backend.teach.lesson import Lesson, teach
from backend.teach.training.recipes import Recipe, recipe
from scripts.teach_study import matching, world
from scripts.teach_study.kept import Judged

#: Of torch: one, so that two cells can be done side by side and a cell is the same beside other work.
THREADS: Final = 1
#: Every recipe; EqSim as its paper varies it: v1 on distant pairs (section 3), a margin α, a larger β, raw scores; and
#: ours at ten times its weight, for its hinge lies on cosines and the other losses on logits, 25 times as large.
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
    "binding binding=10": recipe("binding", binding=10.0),
}


@dataclass(frozen=True)
class Study:
    """One model under every recipe. base: its spec. variants: name -> recipe. steps, batch, rate: as `flipside teach`
    has them. rates: that were tried for it. judge: a loaded model -> its tests; quad_scores: and pictures -> their
    scores. odds: whether scores are log-odds."""

    base: str
    variants: Mapping[str, Recipe]
    steps: int
    batch: int
    rate: float
    rates: tuple[float, ...]
    judge: Callable[[Any], Judged]
    quad_scores: Callable[[Any, world.Pictures], NDArray[np.float32]]
    odds: bool = False

    def settings(self) -> dict[str, Any]:
        """What every cell shares."""
        shared = {"steps": self.steps, "batch": self.batch, "rank": RANK, "learning_rate": self.rate}
        return {"base": self.base, "concepts": CONCEPTS} | shared | {"threads": THREADS}


def folder() -> Path:
    """Where cells are kept."""
    return cache_dir() / "teach-study"


def cell(study: Study, name: str, seed: int) -> Path:
    """Where a cell is kept. Another setting or recipe is another folder."""
    told = json.dumps([study.settings(), study.variants[name].document()], sort_keys=True)
    return folder() / f"{name.replace(' ', '-')}-{seed}-{hashlib.sha256(told.encode()).hexdigest()[:8]}"


def judge(model: Any) -> Judged:
    """Every test of a dual encoder, in float32 on the CPU."""
    scores = {}
    for name in world.SETS:
        scores[name] = quad_scores(model, world.quads(name))
    gallery = world.gallery()
    cosines = world.image_vectors(model, gallery) @ model.encode_texts(gallery.texts).T
    single, called = world.single()
    named = world.image_vectors(model, single) @ model.encode_texts(world.NAMES).T
    return Judged.of(scores, cosines, named, called)


def quad_scores(model: Any, quads: world.Pictures) -> NDArray[np.float32]:
    """Cosines (n, 2, 2) of quads, image by caption."""
    images, texts = world.image_vectors(model, quads), model.encode_texts(quads.texts)
    found = np.einsum("nid,njd->nij", *(v.reshape(-1, 2, v.shape[-1]) for v in (images, texts)))
    return np.asarray(found, np.float32)


#: Every recipe on `bundled:clip`, and four on a matching head, for which EqSim's pc and pf are defined.
STUDIES: Final = {
    "dual": Study("bundled:clip", VARIANTS, STEPS, BATCH, RATE, (1e-3, 3e-3, 1e-2), judge, quad_scores),
    "matching": Study(
        "bundled:matcher", {name: VARIANTS[name] for name in matching.RECIPES}, matching.STEPS, matching.BATCH,
        matching.RATE, matching.RATES, matching.judge, matching.quad_scores, odds=True,
    ),
}  # fmt: skip


def judged(study: Study, path: Path, spec: str) -> Judged:
    """What is kept in `path`/judged.npz, else the model judged and kept."""
    from backend.models import load

    file = path / "judged.npz"
    if not file.is_file():
        study.judge(load(spec, "cpu", "float32")).save(file)
    return Judged.read(file)


def base(study: Study) -> Judged:
    """The model that every cell starts from."""
    from backend.models import load

    model: Any = load(study.base, "cpu", "float32")
    return judged(study, folder() / f"base-{model.weights_sha256()[:8]}", study.base)


material = cache(taught.material)


def run(study: Study, name: str, seed: int) -> dict[str, Any]:
    """Train and judge, or go on where it stands; `cell.json`: how long it took and what the log ended with."""
    path = cell(study, name, seed)
    done = path / "cell.json"
    if done.is_file() and (path / "judged.npz").is_file():
        found: dict[str, Any] = json.loads(done.read_text(encoding="utf-8"))
        return found
    data, captions = material(seed)
    began, cpu = time.perf_counter(), time.process_time()
    plan = {"steps": study.steps, "learning_rate": study.rate}
    log: list[dict[str, Any]] = []
    learned = teach(
        Lesson(
            study.base, data, path, plan, study.variants[name], study.batch, RANK, captions, series=path.name,
            seed=seed, device="cpu",
        ),
        see=log.append,
    )  # fmt: skip
    judged(study, path, learned.spec)
    told = {"seconds": time.perf_counter() - began, "cpu_seconds": time.process_time() - cpu, "last": log[-1:]}
    done.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return told
