"""`make card`: docs/models.md from the models' own cards and the stored results. Nothing in it is typed by hand."""

import math
import os
import tempfile
from pathlib import Path
from typing import Any

from scripts import trained_again
from scripts.markdown import table
from scripts.model_card_more import edited, matched
from scripts.model_card_training import MODELS, head_of_page, planted

ROOT = Path(__file__).resolve().parent.parent
QUADS = ("attribute", "relation", "count", "location", "size")


def rows_of(frame: Any) -> list[Any]:
    """A frame's rows as named tuples."""
    return list(frame.itertuples())


def percent(row: Any) -> str:
    """61.5 [59.4, 63.6], or a dash where undefined."""
    from backend import written

    if row is None or row.value is None or math.isnan(row.value):
        return "–"
    return " ".join(written.cell(row.value, int(row.n), (row.lo, row.hi))).strip()


def results() -> str:
    """All models × subsets, with 95 % intervals; where α* lies; how good each estimate of P(t) is."""
    from backend.store import queries
    from backend.store.build.reader import open_store

    store = open_store(follow=False, wait=True)
    runs = {row.model.removeprefix("bundled:"): row.run_id for row in rows_of(queries.runs(store))}
    quads: list[list[str]] = []
    others: list[list[str]] = []
    for name in MODELS:
        for kind in ("itc", "itm", "gen", "t2t", "prior"):
            if kind not in queries.settings(store, runs[name]).kinds or (kind == "prior" and name != "lm"):
                continue
            setting = queries.Setting(kind)
            by_subset = {(r.metric, r.group): r for r in rows_of(queries.rates(store, runs[name], setting, "subset"))}
            by_change = {
                (r.metric, r.group): r for r in rows_of(queries.rates(store, runs[name], setting, "perturbation"))
            }
            label = f"`{name}` {kind}"
            if any(("group_score", s) in by_subset for s in QUADS):
                for metric in ("group_score", "text_score", "image_score"):
                    cells = [percent(by_subset.get((metric, s))) for s in QUADS]
                    quads.append([label if metric == "group_score" else "", metric.removesuffix("_score"), *cells])
            cells = [
                percent(by_subset.get((metric, subset)))
                for metric, subset in (
                    ("i2t_accuracy", "triplet"), ("t2t_accuracy", "triplet"),
                    ("i2t_recall_at_1", "retrieval"), ("t2i_recall_at_1", "retrieval"),
                )
            ]  # fmt: skip
            strata = [percent(by_change.get(("accuracy", s))) for s in ("implausible", "against_prior")]
            others.append([label, *cells[:2], *strata, *cells[2:]])
    head = ("model, kind", "triplet I2T", "triplet T2T", "choice, implausible foils", "choice, likelier foils",
            "retrieval I2T R@1", "retrieval T2I R@1")  # fmt: skip
    return "\n".join(
        [
            "## Quads, %, 95 % intervals\nChance (independent random scores): group 16.7, text and image 25. A model"
            " that is blind to a difference falls far below it, because its two rows move together. n = 450 each.\n",
            table(("model, kind", "score", *QUADS), quads),
            "## Triplets, choices, retrieval, %\nChance: triplets 33.3, choices 25. Retrieval by `itc` is over the"
            " whole pool of 500 images; by `itm` and `gen` over its labelled part of 100 images × 300 texts.\n",
            table(head, others),
            trained_again.said(store),
            matched(store),
            *alpha(store, runs["captioner"]),
        ]
    )


def alpha(store: Any, run: str) -> list[str]:
    """Where α* lies, by stratum and prior source, how far that can be trusted; α of the dev half on the test half."""
    from backend.store import queries
    from backend.store.alpha.uncertainty import verdict

    rows: list[list[str]] = []
    moved: dict[str | None, list[str]] = {}
    for stratum in (None, "implausible", "against_prior"):
        for source in ("noise:3", "images:20", "lm:bundled:lm"):
            curves = queries.alpha_curves(store, run, source, subset="choice", perturbation=stratum)
            for c in curves:
                if c.metric != "accuracy" or c.best is None or c.tuned is None:
                    continue
                at = [f"{100 * float(c.curve.at(a)):.1f}" for a in (0.0, 0.5, 1.0)]
                found = verdict(store, run, c, "choice", stratum)
                if found is None:
                    continue
                moved.setdefault(stratum, []).append(f"{at[0]} → {at[2]} with `{source}`")
                rows.append(
                    [stratum or "both, as they are mixed", f"`{source}`", samples(found.samples), *at, c.best.text(),
                     f"{100 * c.best.value:.1f}", *trusted(found)]
                )  # fmt: skip
    head = ("choice stratum", "P(t) from", "effective samples", "α = 0", "α = 0.5", "α = 1", "α* and its plateau",
            "at α*", "α*, 95 %", "P(gain > 0)", "α of the dev half, gain on the test half")  # fmt: skip
    likelier, implausible = (", ".join(moved.get(stratum, [])) for stratum in ("against_prior", "implausible"))
    agreement = [
        [f"`{r.prior}`", r.subset or "all", percent(r), str(r.n)] for r in rows_of(queries.prior_agreement(store, run))
    ]
    return [
        "## Where α* lies: `captioner`, gen, norm token, accuracy in %\nWhether debiasing helps depends on where P(t)"
        " is from, and on the foils. From α = 0 to α = 1 against foils that are the likelier text: "
        f"{likelier}; with implausible foils: {implausible}."
        " The plateau is where α* holds on these items; the 95 % are over items and sampled"
        " images drawn again, and a gain is counted on what a draw left out. Effective samples: the median over"
        " items of the smaller of their texts; below 5 nothing debiased is claimed. n = 520 a stratum.\n",
        table(head, rows),
        "## How good each estimate of P(t) is\nHow often it agrees with the blind model `bundled:lm` on which of two"
        " captions is the likelier text (choices: truth and first foil; triplets: first paraphrase and negative).\n",
        table(("P(t) from", "subset", "agreement, %", "n"), agreement),
    ]


def samples(found: Any) -> str:
    """Effective samples of how many; a blind model samples nothing."""
    return "–" if found.median is None else f"{found.median:.1f} of {found.n}"


def trusted(found: Any) -> list[str]:
    """Interval of α*, P(gain > 0), and the gain on the test half of a `Verdict`."""
    from backend import written

    drawn, held = found.spread, found.held_out
    cells = ["–", "–"] if drawn is None else [f"{drawn.star[0]:.2f} to {drawn.star[1]:.2f}", f"{drawn.likely:.2f}"]
    if held is None:
        return [*cells, "–"]
    ends = written.ends(held.ci95, signed=True)
    gain = f"{written.number(100 * held.value, signed=True)} points {ends}"
    return [*cells, f"{held.alpha_to:.3f}: {gain}, {written.p_value(held.p)}"]


def main() -> None:
    """Write the page."""
    with tempfile.TemporaryDirectory() as cache:
        os.environ["FLIPSIDE_CACHE"] = cache  # only what ships is read, whatever else this machine has computed
        text = "\n".join([head_of_page(), results(), planted(), edited()])
    (ROOT / "docs" / "models.md").write_text(text, encoding="utf-8")
    print("wrote docs/models.md")


if __name__ == "__main__":
    main()
