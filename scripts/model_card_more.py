"""Two more tables of docs/models.md (`make card`): P(match) at its threshold, verdicts under edits of captions."""

from typing import Any

from scipy.special import expit

from scripts.markdown import table


def matched(store: Any) -> str:
    """Medians of P(match) of truths and foils, and how many lie on the right side of 0.5."""
    from backend.results import Results

    results = Results(store)
    items = results.items("bundled:matcher", "world", subset="choice").set_index("item_id")
    frame = results.scores("bundled:matcher", "world", "itm", subset="choice")
    frame = frame.assign(
        p=expit(frame["value"].astype(float)), is_truth=frame["text_index"] == 0,
        stratum=frame["item_id"].map(items["perturbations"].map(lambda names: names[0])),
    )  # fmt: skip
    rows = []
    for stratum, part in frame.groupby("stratum"):
        truth, foil = part[part["is_truth"]]["p"], part[~part["is_truth"]]["p"]
        rows.append([str(stratum), f"{truth.median():.2f}", f"{foil.median():.2f}", f"{100 * (truth > 0.5).mean():.1f}",
                     f"{100 * (foil <= 0.5).mean():.1f}"])  # fmt: skip
    head = ("choice stratum", "median P(match), truths", "median P(match), foils", "pc, % of truths above 0.5",
            "pf, % of foils at or below 0.5")  # fmt: skip
    return (
        "## P(match) at 0.5: `matcher`, itm\nThe head was trained on as many true pairs as wrong ones, so 0.5 is where"
        " it is undecided.\n\n" + table(head, rows)
    )


def edited() -> str:
    """Verdicts on a sample of items before and after edits of the captions, from the editions that ship."""
    from backend.paths import bundled_editions_dir
    from backend.store import queries
    from backend.store.build.reader import open_store
    from backend.store.examples import example
    from backend.store.robustness import editions, robustness

    example.take_over(bundled_editions_dir())
    store = open_store(follow=False, wait=True)
    known = queries.benchmarks(store)
    world = str(known.loc[known["name"] == "world", "hash"].iloc[0])
    names = editions.pairs(store, world)[["hash", "perturbation", "effect"]].drop_duplicates()
    found = robustness.verdicts(store, world)
    found = found.drop(columns=[c for c in ("perturbation", "effect") if c in found]).merge(names, on="hash")
    found = found.dropna(subset=["was", "now"])
    rows = []
    for (effect, name, model, kind), part in found.groupby(["effect", "perturbation", "model", "kind"], sort=True):
        kept = part.loc[part["was"] == 1, "now"]
        rows.append([str(effect), f"`{name}`", f"`{str(model).removeprefix('bundled:')}` {kind}",
                     f"{100 * part['was'].mean():.1f}", f"{100 * part['now'].mean():.1f}", f"{100 * kept.mean():.1f}",
                     str(len(part))])  # fmt: skip
    head = ("effect on the meaning", "edit", "model, kind", "right before, %", "right after, %",
            "of those right before still right, %", "n")  # fmt: skip
    return (
        "## Edited captions\nA misspelt word is read by its characters, and a fifth of the training captions had slips"
        " like these (`misspelling.py`, its own function), so a slip costs some verdicts and not all; the words of a"
        " distraction were in none.\n\n" + table(head, rows)
    )
