"""The first line of a card: why a model's verdict on the item is what it is; and, once a list, where no reason can be.

A line stands only over a verdict that has a reason of its own: recall in a pool, T2T and forced choices have none.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from markupsafe import Markup

from backend.kinds import Kind
from backend.protocols import Protocol
from backend.store.queries import ItemDetail, Setting
from backend.store.reasons import not_measured, of_item, runs
from backend.store.reasons.words import CARRIED_BY
from pages.shared.data import stored
from pages.shared.data.frames import RowAt, lines_of
from pages.shared.drawing import colours
from pages.shared.frame.tips import kind_name


def of_model(
    detail: ItemDetail, model: str, metric: str, kind: str, *, note: str = "", lines: Sequence[Any] | None = None
) -> Markup | str:
    """The line of a model's verdict by a metric, at its kind's default setting; "" where it has none. kind: the one
    asked for; of a model that has another alone, that, and it is said. note: what stands behind the model's name;
    lines: of `ItemDetail.outcomes`, where they are at hand."""
    if not carried(detail.protocol, metric):
        return ""
    lines = lines_of(detail.outcomes) if lines is None else lines
    own = [line for line in lines if line.model == model and line.metric == metric]
    judged = next((line for line in own if line.kind == kind), own[0] if own else None)
    if judged is None:
        return ""
    by = "" if judged.kind == kind else f" · {kind_name(str(judged.kind))}"
    return line(
        colours.dot(model), f"{colours.label(model)}{by}{note}", _kept(detail, str(judged.run_id), str(judged.kind))
    )


def of_first(detail: ItemDetail, model: str, kind: str) -> Markup | str:
    """The line of a model's first verdict that has a reason, where no metric was chosen."""
    own = detail.outcomes[detail.outcomes["model"] == model]["metric"]
    metric = next((name for name in CARRIED_BY.get(Protocol(detail.protocol), ()) if name in set(own)), "")
    return of_model(detail, model, metric, kind) if metric else ""


def of_setting(
    detail: ItemDetail, run_id: str, metric: str, setting: Setting, dot: Markup, name: str
) -> Markup | str:  # fmt: skip
    """The same of a run under any setting whose verdicts were computed already. dot, name: whose."""
    if not carried(detail.protocol, metric):
        return ""
    if setting.is_default:
        return line(dot, name, _kept(detail, run_id, setting.kind))
    table = runs.of_run(stored.store(), run_id, setting, Protocol(detail.protocol))
    own = np.flatnonzero(table["item_no"].to_numpy() == detail.item_no).tolist() if len(table) else []
    return line(dot, name, _short(detail, table, own[0] if own else None))


def line(dot: Markup | str, name: str, short: str) -> Markup | str:
    """A line as HTML; "" without words."""
    if not short:
        return ""
    return Markup('<p class="fs-why-line">{}<i>{}</i> <span>{}</span></p>').format(dot, name, short)


def carried(protocol: str, metric: str) -> bool:
    """Whether verdicts by a metric have reasons.

    >>> carried("quad", "group_score"), carried("triplet", "t2t_accuracy"), carried("retrieval", "i2t_recall_at_1")
    (True, False, False)
    """
    return metric in CARRIED_BY.get(Protocol(protocol), ())


def none_exists(verdicts: Iterable[tuple[str, str]]) -> str:
    """One sentence on the verdicts of a list, (protocol, kind), that can have no reason; "" where all can.

    >>> none_exists([("retrieval", "itc"), ("quad", "itc"), ("retrieval", "gen")])
    'No reason exists for verdicts on retrieval: a retrieval item is judged against its whole pool.'
    >>> none_exists([("triplet", "t2t"), ("quad", "itc")])
    'No reason exists for verdicts on triplets by text–text: captions are compared without the image.'
    """
    parts = {}
    for protocol, kind in verdicts:
        what = Protocol(protocol).info.title
        if why := not_measured.BY_PROTOCOL.get(Protocol(protocol)):
            parts[what] = why
        elif why := not_measured.BY_KIND.get(Kind(kind)):
            parts[f"{what} by {kind_name(kind)}"] = why
    said = "; ".join(f"{what}: {why}" for what, why in parts.items())
    return f"No reason exists for verdicts on {said}." if said else ""


def _kept(detail: ItemDetail, run_id: str, kind: str) -> str:
    own = detail.evidence
    if not len(own):
        return ""
    # A gallery asks this for each card: to compare and cut a frame takes ten times as long as to walk two short lists.
    keys = enumerate(zip(own["run_id"], own["kind"], strict=True))
    return _short(detail, own, next((at for at, key in keys if key == (run_id, kind)), None))


def _short(detail: ItemDetail, rows: pd.DataFrame, at: int | None) -> str:
    """Of the row at this place; "" for none."""
    return "" if at is None else of_item.short_of(detail.protocol, RowAt(rows, at), detail.texts)
