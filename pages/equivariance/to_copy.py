"""What the planes and violins of Equivariance give to be copied: rates of quads, never scores or deviations. Pure."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from backend import written
from backend.finding import Finding
from backend.metrics import statistics
from backend.metrics.paired.resampling import where_shared
from pages.equivariance.pick import plane as places
from pages.equivariance.pick import shares


def plane(name: str, frame: pd.DataFrame, of: str, setting: Sequence[str]) -> str:
    """Where a model's quads lie; "" without any that is scored. frame: of `parts.own`; of: which quads, in words."""
    across, up = places(frame).T
    known = np.isfinite(across) & np.isfinite(up)
    right = statistics.rate((across > 0) & (up > 0), known, clusters=where_shared(frame["cluster"]))
    if right.value is None:
        return ""
    share = shares(frame)
    one, swapped = (
        written.percent(part, right.n) for part in (share["caption1"] + share["caption2"], share["swapped"])
    )
    claim = (
        f"Under {name} both images prefer their own caption on {{}} of {of}; on {one} one caption wins for both "
        f"images, on {swapped} both are swapped"
    )
    return Finding(claim, right.n, ("ties count as failures", *setting), right.value, right.ci95, counted="quads").said


def violins(names: dict[str, str], frame: pd.DataFrame, focus: str, of: str, setting: Sequence[str]) -> str:
    """On how many quads the text side's deviation is larger than the margin that decides the quad, under the model in
    focus, and the range of all models that are drawn; "" without any. names: of these models; frame: of `parts.quads`;
    of: which quads, in words."""
    found = {model: rate for model in names if (rate := _larger(frame[frame["model"] == model])).value is not None}
    if not found:
        return ""
    model = focus if focus in found else next(iter(found))
    rate = found[model]
    claim = (
        f"Under {names[model]} the deviation of the text side (v2) is larger than the margin that decides the quad on "
        f"{{}} of {of}"
    )
    if len(found) > 1:
        least, most = (pick(found, key=lambda m: found[m].value or 0.0) for pick in (min, max))
        ends = (f"{written.percent(found[m].value, found[m].n)} ({names[m]})" for m in (least, most))
        claim += f"; of the {len(found)} models drawn it is on {' to '.join(ends)}"
    left_out = int((frame["model"] == model).sum()) - rate.n
    ties = f"{left_out:,} that tie or lack a score left out" if left_out else ""
    return Finding(claim, rate.n, (*setting, ties), rate.value, rate.ci95, counted="quads").said


def _larger(own: pd.DataFrame) -> statistics.Rate:
    over = own["v2_text_over_margin"].to_numpy(dtype=np.float64)
    return statistics.rate(over > 1, ~np.isnan(over), clusters=where_shared(own["cluster"]) if len(own) else None)
