"""What one window's computing has found, by what it is about, and the rows that an item's cells make of it."""

from dataclasses import dataclass, field
from shlex import quote

import numpy as np
import numpy.typing as npt

from backend.engine.inputs.prior import PriorRow
from backend.engine.plan import T2T_PAIRS, Asked, Plan, Stage
from backend.engine.storage.rows import Row, Rows, other_row, score_row, token_row
from backend.engine.storage.schema import schema_of
from backend.intake.survey import WorkItem
from backend.items import IMAGE_KINDS, Kind, Protocol
from backend.models.base import Model, PairScore

Vector = npt.NDArray[np.float32]


@dataclass
class Findings:
    """Results by key. texts, images: unit vectors by text and by image key. classes: (names, d) by subset and names.
    pairs: by (kind, image key, what is asked). priors: by (stage, text). broken: image key -> why it cannot be opened.
    """

    plan: Plan
    texts: dict[str, Vector] = field(default_factory=dict)
    images: dict[str, Vector] = field(default_factory=dict)
    classes: dict[tuple[str, tuple[str, ...]], npt.NDArray[np.float32]] = field(default_factory=dict)
    pairs: dict[tuple[Kind, str, Asked], PairScore] = field(default_factory=dict)
    priors: dict[tuple[str, str], list[PriorRow]] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)

    def problem(self, stage: Stage, item: WorkItem) -> str | None:
        """Why the item cannot have this stage's scores; None where it can."""
        if stage.kind not in IMAGE_KINDS or (stage.share is not None and stage.paired):
            return None  # under other images, those that cannot be opened are passed over
        images = self.plan.images(stage, item)
        return next((self.broken[image.key] for image in images if image.key in self.broken), None)

    def rows(self, stage: Stage, item: WorkItem) -> Rows:
        """The item's rows for each part of the stage."""
        if stage.paired:
            return self._pair_rows(stage, item)
        if stage.kind == Kind.ITC:
            return self._itc_rows(stage, item)
        if stage.kind == Kind.T2T:
            return self._t2t_rows(stage, item)
        return self._prior_rows(stage, item)

    def _itc_rows(self, stage: Stage, item: WorkItem) -> Rows:
        if stage.kept is not None:
            image_part, text_part = stage.parts
            return {
                image_part: [(item.item_no, i, self.images[image.key]) for i, image in stage.kept.images(item)],
                text_part: [(item.item_no, t, self.texts[text]) for t, text in stage.kept.texts(item)],
            }
        images = [self.images[image.key] for image in item.images]
        if self.plan.prompts(item):
            return {stage.name: _class_rows(item, images, self.classes[item.subset, item.texts])}
        texts = [self.texts[text] for text in item.texts]
        if stage.share is not None:
            text_part, image_part = stage.parts
            kept = stage.share.others.holds(item.item_no, item.images[0].key)
            return {
                text_part: [(item.item_no, t, vector) for t, vector in enumerate(texts)],
                image_part: [(item.item_no, 0, images[0])] if kept else [],
            }
        if item.protocol == Protocol.RETRIEVAL:
            return {
                "embeddings:image": [(item.item_no, i, vector) for i, vector in enumerate(images)],
                "embeddings:text": [(item.item_no, t, vector) for t, vector in enumerate(texts)],
            }
        cells = ((i, t, float(image @ text)) for i, image in enumerate(images) for t, text in enumerate(texts))
        return {stage.name: [score_row(item.item_no, i, t, value) for i, t, value in cells]}

    def _t2t_rows(self, stage: Stage, item: WorkItem) -> Rows:
        vectors = [self.texts[text] for text in item.texts]
        if item.protocol == Protocol.RETRIEVAL:
            return {"embeddings:text": [(item.item_no, t, vector) for t, vector in enumerate(vectors)]}
        cells = ((a, b, float(vectors[a] @ vectors[b])) for a, b in T2T_PAIRS)
        return {stage.name: [score_row(item.item_no, -1, a, value, text_b=b) for a, b, value in cells]}

    def _pair_rows(self, stage: Stage, item: WorkItem) -> Rows:
        rows: Rows = {part: [] for part in stage.parts}
        for cell in self.plan.cells(stage, item):
            image, text_index, key = cell.image_index, cell.text_index, self.plan.image(item, cell).key
            if stage.share is not None and key in self.broken:
                continue
            score = self.pairs[stage.kind, key, cell.asked]
            if stage.share is not None:
                rows[stage.name].append(other_row(item.item_no, cell.other, text_index, score.value, score.n_tokens))
                continue
            n_tokens, rival = score.n_tokens, cell.rival_index
            row = score_row(item.item_no, image, text_index, score.value, text_b=rival, n_tokens=n_tokens)
            rows[stage.name].append(row)
            if score.tokens is not None and item.protocol != Protocol.RETRIEVAL:
                rows[stage.parts[1]].append(token_row(item.item_no, image, text_index, -1, score.tokens))
        return rows

    def _prior_rows(self, stage: Stage, item: WorkItem) -> Rows:
        rows: Rows = {part: [] for part in stage.parts}
        for t, text in enumerate(self.plan.prior_texts(item)):
            for prior in self.priors[stage.name, text]:
                sample, number = prior.sample, prior.n_tokens
                row = score_row(item.item_no, -1, t, prior.value, sample=sample, n_tokens=number)
                rows[stage.name].append(row)
                if prior.tokens is not None and item.protocol != Protocol.RETRIEVAL:
                    rows[stage.parts[1]].append(token_row(item.item_no, -1, t, sample, prior.tokens))
        return rows


def _class_rows(item: WorkItem, images: list[Vector], classes: npt.NDArray[np.float32]) -> list[Row]:
    values = (np.stack(images) @ classes.T).tolist()
    return [score_row(item.item_no, i, t, value) for i, row in enumerate(values) for t, value in enumerate(row)]


def finite(rows: Rows) -> bool:
    """Whether every score, and every number of every vector, is one."""
    values, vectors = [], []
    for part, more in rows.items():
        names = schema_of(part).names
        if "vector" in names:
            vectors += [row[names.index("vector")] for row in more]
        elif "value" in names:
            values += [row[names.index("value")] for row in more]
    return bool(np.isfinite(values).all()) and all(bool(np.isfinite(vector).all()) for vector in vectors)


def not_finite(model: Model) -> str:
    """What to say of a model whose scores are no numbers: which one, in which precision, and what to try."""
    dtype = str(model.describe().get("dtype", ""))
    said = f"{model.spec} gave a score that is no finite number (NaN or infinite)"
    if dtype in ("", "float32", "its own"):
        return f"{said}; `flipside doctor --model {quote(model.spec)}` shows where"
    return f"{said} in {dtype}; run it again with --dtype float32{' or bfloat16' if dtype == 'float16' else ''}"
