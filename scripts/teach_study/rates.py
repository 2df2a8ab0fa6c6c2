"""Which learning rate `baseline` does best with: tried on pairs of the training split that no cell trains on."""

import hashlib
import json
from typing import Any

import numpy as np

from backend.bundled.train import taught
from backend.teach.lesson import Lesson, teach
from scripts.teach_study import cells, compared, world
from scripts.teach_study.cells import Study

#: Of the training and of the pairs that judge it: neither is a seed of the study.
SEED, JUDGED_BY, N = 100, 101, 500


def tried(study: Study, rate: float) -> dict[str, Any]:
    """Group score of every concept after training at a rate, kept in the cache."""
    from backend.models import load

    shared = {name: value for name, value in study.settings().items() if name != "learning_rate"}
    told = hashlib.sha256(json.dumps(shared, sort_keys=True).encode()).hexdigest()[:8]
    path = cells.folder() / f"rate-{rate:g}-{told}"
    kept = path / "found.json"
    if not kept.is_file():
        data, captions = cells.material(SEED)
        plan = {"steps": study.steps, "learning_rate": rate}
        lesson = Lesson(
            study.base, data, path, plan, study.variants["baseline"], study.batch, taught.RANK, captions,
            series=path.name, seed=SEED, device="cpu",
        )  # fmt: skip
        found = judged(study, load(teach(lesson).spec, "cpu", "float32"))
        kept.write_text(json.dumps(found) + "\n", encoding="utf-8")
    return {"rate": rate} | dict(json.loads(kept.read_text(encoding="utf-8")))


def judged(study: Study, model: Any) -> dict[str, Any]:
    """The group score of each concept, and their mean."""
    found = {}
    for name in taught.CONCEPTS:
        scores = study.quad_scores(model, world.quads(name, N, "train", JUDGED_BY))
        found[name] = float(compared.verdicts(scores)["group_score"].mean())
    return {"group_score": found, "mean": float(np.mean(list(found.values())))}
