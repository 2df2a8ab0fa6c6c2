"""What a classify run says as a whole and no share of items does: mean per class, AUROC, 11-point mAP."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.special import log_softmax

from backend.items import SIMILARITIES, Kind, Protocol
from backend.kinds import PROBABILITIES
from backend.metrics import classification
from backend.metrics.core.registry import by_name
from backend.metrics.core.scored import Scored
from backend.metrics.statistics import Rate
from backend.store.scores import classes, matrices, outcomes
from backend.store.scores.judged import judged_scores
from backend.store.scores.matrices import FloatArray
from backend.store.scores.setting import Setting

if TYPE_CHECKING:
    from backend.store.build.store import Store

#: ELEVATER's evaluator takes the softmax of 100 x cosine before it orders images.
SCALE = 100.0

#: metric, group, its rate, its chance level.
Found = tuple[str, str, Rate, float | None]


def class_rates(store: "Store", run_id: str, setting: Setting, by: str | None, subset: str | None) -> Iterator[Found]:
    """The rates of every classify subset (by "subset") or of all of them together (by None, group "").

    AUROC and mAP belong to one subset: together they are shown only where there is no other one.
    """
    if Kind(setting.kind) not in SIMILARITIES:
        return
    run = store.run(run_id)
    items = matrices.items_of(run, Protocol.CLASSIFY, subset)
    if items.empty:
        return
    frame = outcomes.compute(store, run_id, setting, subset)
    top = frame[frame["metric"] == "top1_accuracy"]
    names = list(items["subset"].unique())
    own = matrices.classes_of(run, top)
    for name in [""] if by is None else names:
        keep = np.ones(len(top), bool) if by is None else (top["subset"] == name).to_numpy()
        if keep.any():
            yield "mean_per_class_accuracy", name, *_balanced(top[keep], own[keep])
    several = matrices.multi_label(run)
    for name in names if by is not None or len(names) == 1 else []:
        part = items[items["subset"] == name].reset_index(drop=True)
        if name not in several and int(part["n_texts"].max()) != 2:
            continue
        block, scores = judged_scores(run, setting, Protocol.CLASSIFY, subset, part)
        if block is None or not len(block):
            continue
        ordered, truth = classes.in_order(run, block.items, scores)
        group = "" if by is None else name
        metric = by_name("map_11_point" if name in several else "classification_auroc")
        if metric.measure is not None:
            compared = comparable(setting.kind, ordered) if name in several else ordered
            yield metric.name, group, metric.measure(Scored(compared, of_class=truth)), metric.level()


def comparable(kind: str, scores: FloatArray) -> FloatArray:
    """Scores (n, classes) that can be compared between images: log-probabilities of the classes for itc and gen; the
    log-odds of itm and vqa are such by themselves."""
    if kind in PROBABILITIES:
        return scores
    scaled = scores * SCALE if kind == Kind.ITC else scores
    return np.asarray(log_softmax(scaled, axis=1), dtype=np.float64)


def _balanced(top: pd.DataFrame, own: np.typing.NDArray[np.intp]) -> tuple[Rate, float | None]:
    """Mean per class and its chance. own: the class of each row; classes of two subsets are two classes."""
    defined = top["correct"].notna().to_numpy()
    correct = top["correct"].fillna(value=False).to_numpy(dtype=bool)
    number, _ = pd.factorize(top["subset"])
    label = number.astype(np.int64) * (int(own.max(initial=0)) + 1) + own
    rate = classification.mean_per_class(correct, label, defined, top["ties"].to_numpy(dtype=bool))
    each = pd.DataFrame({"label": label, "n": top["candidates"].to_numpy()})[defined].drop_duplicates("label")
    return rate, by_name("mean_per_class_accuracy").level(each["n"].to_numpy())
