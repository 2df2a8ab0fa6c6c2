"""Do the recipes give such models once more? What docs/models.md says of a second training.

In another checkout: `make models`, then score what is compared, with the kinds and priors of scripts/results.sh, as
`flipside run --no-reuse --counterfactual 0 --subset attribute,relation,count,location,size,triplet,choice` (`make
results` does too, and takes longer), then `python -m scripts.trained_again PATH [CACHE]`, PATH being
`backend/bundled/train/again.json` of the checkout whose models ship; CACHE: where its results are, if not among what
ships. The file holds rates alone, no weights.
"""

import json
import os
import platform
import sys
import tempfile
from datetime import datetime
from pathlib import Path
from typing import Any, Final

import numpy as np

from scripts.markdown import table

ROOT: Final = Path(__file__).resolve().parent.parent
TRAIN: Final = ROOT / "backend" / "bundled" / "train"
FOUND: Final = TRAIN / "again.json"
#: What is compared: a kind's rate on each subset, and on each stratum of choices.
WANTED: Final = {"group_score": ("attribute", "relation", "count", "location", "size"), "i2t_accuracy": ("triplet",),
                 "t2t_accuracy": ("triplet",), "accuracy": ("implausible", "against_prior")}  # fmt: skip
#: Two rates differ by luck of the items alone by about so many points in one of twenty comparisons (n = 450, rates of a
#: half, items shared: an upper bound, for two models that agree on nothing).
LUCK: Final = 6.5


def rates(store: Any) -> list[dict[str, Any]]:
    """Rows of model, kind, metric, group, value (0..1) and n of the results that a store shows."""
    from backend.store import queries

    rows: list[dict[str, Any]] = []
    for run in _rows(queries.runs(store)):
        for kind in queries.settings(store, run.run_id).kinds:
            if kind == "prior":
                continue
            setting = queries.Setting(kind)
            for by in ("subset", "perturbation"):
                rows += [
                    {"model": run.model.removeprefix("bundled:"), "kind": kind, "metric": row.metric,
                     "group": row.group, "value": round(float(row.value), 6), "n": int(row.n)}
                    for row in _rows(queries.rates(store, run.run_id, setting, by))
                    if row.group in WANTED.get(row.metric, ())
                ]  # fmt: skip
    return rows


def against_prior(store: Any) -> list[dict[str, Any]]:
    """The captioner's accuracy at α = 0 and α = 1, by stratum and source of P(t)."""
    from backend.store import queries

    run = next(row.run_id for row in _rows(queries.runs(store)) if row.model == "bundled:captioner")
    rows = []
    for stratum in ("implausible", "against_prior"):
        for source in ("noise:3", "images:20", "lm:bundled:lm"):
            for curve in queries.alpha_curves(store, run, source, subset="choice", perturbation=stratum):
                if curve.metric == "accuracy":
                    ends = [round(float(curve.curve.at(alpha)), 6) for alpha in (0.0, 1.0)]
                    rows.append({"stratum": stratum, "source": source, "ends": ends})
    return rows


def measured() -> dict[str, Any]:
    """This checkout's results, and how its models came about."""
    from backend.store.build.reader import open_store

    store = open_store(follow=False, wait=True)
    return {"training": training(), "rates": rates(store), "alpha": against_prior(store)}


def training() -> dict[str, Any]:
    """When, how long, in how many calls, on what, from the log that `make models` kept."""
    import torch

    lines = [json.loads(line) for line in (TRAIN / "times.jsonl").read_text(encoding="utf-8").splitlines()]
    began, ended = (datetime.fromisoformat(line["at"]) for line in (lines[0], lines[-1]))
    return {
        "on": began.date().isoformat(), "minutes": round((ended - began).total_seconds() / 60),
        "calls": sum(line["event"] == "began" for line in lines),
        "ended_well": lines[-1]["event"] == "all trained" and not any(line.get("status") for line in lines),
        "seconds": {line["recipe"]: line["seconds"] for line in lines if line["event"] == "ended"},
        "torch": torch.__version__, "machine": platform.processor() or platform.machine(),
    }  # fmt: skip


def said(store: Any) -> str:
    """The section of docs/models.md; "" where no second training was measured."""
    if not FOUND.is_file():
        return ""
    kept = json.loads(FOUND.read_text(encoding="utf-8"))
    how, own = kept["training"], {key(row): row for row in rates(store)}
    rows, gaps = [], []
    for again in kept["rates"]:
        if (first := own.get(key(again))) is None:
            continue
        gaps.append((100 * (again["value"] - first["value"]), again))
        rows.append([f"`{again['model']}` {again['kind']}", again["metric"], again["group"],
                     f"{100 * first['value']:.1f}", f"{100 * again['value']:.1f}",
                     signed(gaps[-1][0])])  # fmt: skip
    sizes = np.array([abs(gap) for gap, _ in gaps])
    widest, where = max(gaps, key=lambda pair: abs(pair[0]))
    calls = "one call that nothing interrupted" if how["calls"] == 1 and how["ended_well"] else f"{how['calls']} calls"
    alpha = [
        [row["stratum"], f"`{row['source']}`", *(f"{100 * each['ends'][0]:.1f} → {100 * each['ends'][1]:.1f}"
                                                 for each in (mine, row))]
        for mine, row in zip(against_prior(store), kept["alpha"], strict=True)
    ]  # fmt: skip
    return "\n".join([
        f"## The same recipes once more\nOn {how['on']} `make models` trained all of them from scratch a second time,"
        f" in {calls}, in {how['minutes']} minutes on two cores beside other work. They were scored on the subsets"
        " below alone, without other images (`run --subset … --counterfactual 0`), by the kinds and priors of `make"
        " results`. Their weights are not those that ship, though recipes, seed and versions are the same: the machines"
        " need not have been alike (`make repeated` compares on one), and any rounding leads a training elsewhere."
        f" Group score and accuracies, %: half of the {len(rows)} differ by at most {np.median(sizes):.1f} points,"
        f" {(sizes > LUCK).sum()} by more than {LUCK} (more than luck of the items explains), the most"
        f" `{where['model']}`'s {where['group']}, {signed(widest)}. So what these pages say of one of these models"
        " holds for this training of it; what holds for both trainings is what the recipe teaches.\n",
        table(("model, kind", "score", "items", "ships", "again", "difference"), rows),
        "The captioner's accuracy from α = 0 to α = 1 in both:\n",
        table(("choice stratum", "P(t) from", "ships", "again"), alpha),
    ])  # fmt: skip


def signed(points: float) -> str:
    """A difference in points.

    >>> signed(-1.25), signed(2)
    ('−1.2', '+2.0')
    """
    return f"{points:+.1f}".replace("-", "−")


def _rows(frame: Any) -> list[Any]:
    """A frame's rows as named tuples."""
    return list(frame.itertuples())


def key(row: dict[str, Any]) -> tuple[str, ...]:
    """What makes two rows the same measurement."""
    return row["model"], row["kind"], row["metric"], row["group"]


def main() -> None:
    """Measure this checkout's models with nothing but what lies in it."""
    with tempfile.TemporaryDirectory() as cache:
        os.environ["FLIPSIDE_CACHE"] = sys.argv[2] if len(sys.argv) > 2 else cache
        text = json.dumps(measured(), indent=1)
    Path(sys.argv[1]).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
