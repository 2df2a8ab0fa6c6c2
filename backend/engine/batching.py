"""What batching changes: a handful of what a run has scored in its batches is scored once more, each input alone.

The largest difference goes into the run's record, part by part, so that readers know which margins a batch of another
size could turn over (store/scores/noise.py). It costs about eight single calls a part. Kinds that answer with a choice
have nothing to measure, and what has no torch module (a server, the owner's own code) batches where nobody sees it.
"""

from collections.abc import Mapping, Sequence
from contextlib import closing

import numpy as np
import numpy.typing as npt

from backend.engine.inputs.decoder import Decoder
from backend.engine.inputs.prior import TextScorer
from backend.engine.plan import Plan, Stage
from backend.engine.retries import Guard
from backend.engine.score import Scorer, Window, Work
from backend.engine.storage.rows import Rows
from backend.intake.survey import WorkItem
from backend.items import Kind
from backend.models.base import Model

#: About how many cells of a part are scored again, and the most that one item may have to be among them.
CELLS, ITEM = 8, 16
#: Part -> {"difference", "n"}, and "per_token" of sums over tokens, "in_pools" of vectors that are kept.
Measured = dict[str, dict[str, float]]


class Sample:
    """Items of each stage with the rows that the run has made of them in its first window."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.kept: dict[str, tuple[Stage, list[WorkItem], Rows]] = {}

    def note(self, work: Work, window: Window) -> None:
        """Keep a handful of a window's items, of stages that have none yet."""
        for stage, items in work:
            if stage.name in self.kept or stage.name in window.failed or not is_measured(stage):
                continue
            gone = window.unreadable.get(stage.name, {})
            chosen = self._choose(stage, [item for item in items if item.item_no not in gone])
            if chosen:
                known = {item.item_no for item in chosen}
                rows = {
                    part: [row for row in window.rows.get(part, []) if row[0] in known]
                    for part in stage.parts
                    if not part.startswith("tokens:")
                }
                self.kept[stage.name] = (stage, chosen, rows)

    def measure(self, model: Model, priors: Mapping[str, TextScorer]) -> Measured:
        """How far the kept rows lie from what the model says of each input alone; parts that fail are left out."""
        if model.module is None:
            return {}
        found: Measured = {}
        size, model.batch_size = model.batch_size, 1  # a text under several null images is one call, but no batch
        try:
            for name, (stage, items, before) in self.kept.items():
                with closing(Decoder(1)) as decoder:
                    scorer = Scorer(model, self.plan, decoder, priors)
                    scorer.guard = Guard(most=1)
                    model.keep_features(keep=True)  # a picture by itself is the same for each of its texts
                    after = scorer.score([(stage, items)])
                if name not in after.failed and (apart := differences(before, after.rows)):
                    found[name] = apart
        finally:
            model.batch_size = size
            model.keep_features(keep=False)
        return found

    def _choose(self, stage: Stage, items: Sequence[WorkItem]) -> list[WorkItem]:
        """Small items from all over the list, about CELLS cells of them. Class names read through many prompts, and
        images that meet a whole pool, would take hundreds of calls."""
        small = [item for item in items if is_small(self.plan, stage, item)]
        chosen: list[WorkItem] = []
        cells = 0
        for at in np.unique(np.linspace(0, max(len(small) - 1, 0), CELLS).astype(int)).tolist():
            if small and cells < CELLS:
                chosen.append(small[at])
                cells += _cells(self.plan, stage, small[at])
        return chosen


def is_measured(stage: Stage) -> bool:
    """Whether batching can change a stage's scores, and is measured by its own rows: scores under other images, and
    vectors that are kept, come of the same calls as those of the kind's own part."""
    return stage.kind != Kind.VERDICT and stage.share is None and stage.kept is None


def is_small(plan: Plan, stage: Stage, item: WorkItem) -> bool:
    """Whether an item costs few enough calls to be scored once more."""
    return not plan.prompts(item) and 0 < _cells(plan, stage, item) <= ITEM


def _cells(plan: Plan, stage: Stage, item: WorkItem) -> int:
    return plan.n_cells(stage, np.array([item.item_no], np.int32))


def differences(before: Rows, after: Rows) -> dict[str, float]:
    """The largest differences between two scorings of the same rows; {} where no score has a partner.

    difference: of stored values (cosines, log-odds, sums of log-probabilities). per_token: of sums, divided by their
    tokens. in_pools: of cosines of vectors as they are kept, in half precision. n: how many values were compared.
    """
    apart: list[float] = []
    per_token: list[float] = []
    for part, rows in before.items():
        if part.startswith("embeddings:"):
            continue
        again = {row[:5]: row for row in after.get(part, [])}
        for row in rows:
            if row[:5] in again:
                apart.append(abs(float(row[5]) - float(again[row[:5]][5])))
                per_token += [apart[-1] / int(row[6])] if int(row[6]) > 0 else []
    found = {"difference": max(apart)} if apart else {}
    found |= {"per_token": max(per_token)} if per_token else {}
    vectors = [(_vectors(before, side), _vectors(after, side)) for side in ("image", "text")]
    if all(len(old) and old.shape == new.shape for old, new in vectors):
        (images, images_alone), (texts, texts_alone) = vectors
        found["in_pools"] = float(np.abs(_cosines(images, texts) - _cosines(images_alone, texts_alone)).max())
        apart += [0.0] * (len(images) * len(texts))
    return found | {"n": len(apart)} if found else {}


def _vectors(rows: Rows, side: str) -> npt.NDArray[np.float64]:
    """The vectors of one side, (n, d), by item and place, as half precision keeps them."""
    found = sorted(rows.get(f"embeddings:{side}", []), key=lambda row: (row[0], row[1]))
    return np.array([np.asarray(row[2], np.float16) for row in found], dtype=np.float64)


def _cosines(images: npt.NDArray[np.float64], texts: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.asarray(images @ texts.T)
