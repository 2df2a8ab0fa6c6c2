"""The deviations of several systems on the same quads: raw, and over the standard deviation of the scores."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from backend.kinds import SIMILARITIES
from backend.metrics.paired.differences import paired_bootstrap
from backend.metrics.paired.multiplicity import holm
from backend.protocols import Protocol
from backend.store.build.store import Store
from backend.store.quads.deviations import deviations
from backend.store.reasons import plane, runs
from backend.store.scores.matrices import JOIN
from backend.store.scores.setting import Setting

#: Signed, in the unit of the scores, and the same with `_sd` over the standard deviation of the scores.
MEASURES = ("v1", "v2_text", "v2_image", "gamma", "c", "r")
#: Whose mean is of the signed values, too: binding has a better side.
SIGNED = ("gamma",)
#: Columns of `means`.
MEANS = ("measure", "over_sd", "side", "mean", "n", "difference", "low", "high", "p", "holm")


def quads(store: Store, run_id: str, kind: str) -> pd.DataFrame:
    """One row a quad that has all four scores: item_no, subset, concept, cluster, MEASURES and MEASURES with `_sd`,
    cells (the standard deviation of all scores that the run gave to the quads of its subset, float64).

    v1, v2_text, v2_image as `deviations` gives them (raw: cosine, probability or mean log-probability), gamma, c and r
    on the scale of reasons, whose unit of `_sd` is the standard deviation there. Empty for a kind without such scores.
    """

    def make() -> pd.DataFrame:
        if kind not in SIMILARITIES:
            return pd.DataFrame()
        frame = deviations(store, run_id, kind, None)
        raw = runs.of_run(store, run_id, Setting(kind), Protocol.QUAD)
        scaled = plane.quads(store, run_id, kind)
        if frame.empty or not len(raw) or scaled.empty:
            return pd.DataFrame()
        found = frame[["item_no", "subset", "concept", "cluster", *MEASURES[:3]]].copy()
        for name in MEASURES[:3]:
            found[f"{name}_sd"] = frame[f"{name}_scale_free"].to_numpy(dtype=np.float64)
        of_cells = {
            subset: float(np.nanstd(part[["s11", "s12", "s21", "s22"]].to_numpy(dtype=np.float64)))
            for subset, part in frame.groupby("subset", sort=False)
        }
        found["cells"] = found["subset"].map(of_cells).to_numpy(dtype=np.float64)
        for name in MEASURES[3:]:
            found[name] = found["item_no"].map(raw.set_index("item_no")[name]).to_numpy(dtype=np.float64)
            found[f"{name}_sd"] = found["item_no"].map(scaled.set_index("item_no")[name]).to_numpy(dtype=np.float64)
        return found.dropna(subset=["v1", "gamma"]).reset_index(drop=True)

    return store.cached(("spread", run_id, kind), make)


def together(frames: Sequence[pd.DataFrame], group: str = "") -> list[pd.DataFrame]:
    """The quads that all have, in one order; group: of one concept, where any is of it. Frames of `quads`."""
    if not frames or any(frame.empty for frame in frames):
        return []
    common = sorted(set.intersection(*(set(frame["item_no"]) for frame in frames)))
    found = [frame.set_index("item_no").loc[common].reset_index() for frame in frames]
    if not common:
        return []
    of = np.array([group in str(tags).split(JOIN) for tags in found[0]["concept"]])
    return [frame[of].reset_index(drop=True) for frame in found] if of.any() else found


def means(frames: Sequence[pd.DataFrame], left: int) -> pd.DataFrame:
    """MEANS, a row for each measure, scale and side (position): the mean size (of gamma also the signed mean, named
    `gamma` where the size is `|gamma|`), and how far it is from that of the side at `left`, paired by quad.

    difference: side − left, with its 95 % interval and p by halves of the clusters (`paired_bootstrap`); holm: p
    adjusted over all rows of a side; NaN for left itself.
    """
    rows: list[tuple[object, ...]] = []
    for name in (*MEASURES, *SIGNED) if frames else ():
        signed = name in SIGNED and any(row[0] == f"|{name}|" for row in rows)
        for over in (False, True):
            column = f"{name}_sd" if over else name
            each = [frame[column].to_numpy(dtype=np.float64) for frame in frames]
            each = each if signed else [np.abs(values) for values in each]
            for side, values in enumerate(each):
                known = values[~np.isnan(values)]
                mean = float(known.mean()) if len(known) else np.nan
                apart: tuple[float, float, float, float] = (np.nan,) * 4
                if side != left:
                    found = paired_bootstrap(values, each[left], frames[0]["cluster"].to_numpy())
                    low, high = found.ci95 or (np.nan, np.nan)
                    gap, p = found.difference, found.p
                    apart = (np.nan if gap is None else gap, low, high, np.nan if p is None else p)
                rows.append((name if signed else f"|{name}|", over, side, mean, len(known), *apart))
    table = pd.DataFrame(rows, columns=list(MEANS[:-1])).assign(holm=np.nan)
    for side in table["side"].unique():
        table.loc[table["side"] == side, "holm"] = holm(
            table.loc[table["side"] == side, "p"].to_numpy(dtype=np.float64)
        )
    return table
