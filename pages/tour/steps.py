"""The steps of the guided first visit: what each says, where it is, what its button does. Pure functions."""

from dataclasses import dataclass

from backend import written
from backend.metrics.reasons.names import MEANINGS, NAMES
from backend.taxonomy import title
from pages.tour.target import Target, overview

LAST = 5
#: Debias' slider for α, which the card must not cover.
SLIDER = "input.slider, input#slider"


@dataclass(frozen=True)
class Step:
    """One step. page: the file in pages/ that it is on; address: its query; text: one sentence; button: what comes
    next, in words; look: a CSS selector of what it speaks of, outlined and scrolled to; "" for nothing. alpha: where
    the button moves the slider of the page to, before the next step is shown."""

    number: int
    page: str
    address: dict[str, str]
    text: str
    button: str
    look: str = ""
    alpha: float | None = None


def steps(target: Target) -> list[Step]:
    """All steps, and at the end one that says what was found (number LAST + 1).

    Without a prior to take away, the last step stays with the item's scores.
    """
    of = {"benchmark": target.benchmark}
    cell = of | {"model": target.model, "kind": target.kind, "metric": target.metric, target.by: target.group}
    item = of | {"item": target.item, "model": target.model, "kind": target.kind}
    group = title(target.group)
    found = [
        Step(1, "overview", overview(target),
             f"{target.name} is right on only {_pct(target.rate)} of “{group}”: its cell is outlined.",
             "Open its failures", "button.marked"),
        Step(2, "failures", cell,
             f"These are the {target.failures:,} items it gets wrong; the chips say by how far, for every model.",
             "Open one of them"),
        Step(3, "item", item,
             f"{target.name} has ✗ here: a false caption scores as high as the true one, or higher.",
             "Why does it fail?", ".fs-chips:has(.fs-wrong)"),
        Step(4, "item", item,
             _why(target.reason),
             "Take the prior away" if target.alpha is not None else "Show all scores", ".fs-why-lead"),
    ]  # fmt: skip
    if target.alpha is None:
        return [
            *found,
            Step(5, "item", item, "Every verdict is made of these scores: images are rows, captions columns.",
                 "Done", ".fs-matrix"),
            Step(6, "item", item, f"You have found a failure of {target.name}. Try it takes your own pictures.",
                 "Close"),
        ]  # fmt: skip
    there = of | {"model": target.model, "subset": target.subset, "metric": target.metric}
    there |= {"stratum": target.group} if target.by == "perturbation" else {}
    return [
        *found,
        Step(5, "debias", there,
             f"At α = 0 what is usually said decides, and {_pct(target.before)} are right; α takes that away.",
             f"Move α to {target.alpha:.3f}", SLIDER, alpha=round(target.alpha, 3)),
        Step(6, "debias", there | {"alpha": f"{target.alpha:.3f}"},
             f"At α = {target.alpha:.3f} it is {_pct(target.after)}: right once what is usually said is taken away.",
             "Close", SLIDER),
    ]  # fmt: skip


def _why(reason: str) -> str:
    """What is known of why an item fails."""
    if not reason:
        return "Why it fails is not measured, so look at the numbers that the captions got."
    if reason == "uncertain":
        return "Why it fails is uncertain: the evidence does not tell this item from luck. These are its numbers."
    meaning = MEANINGS[reason].removeprefix("wrong, though ").removeprefix("wrong, and ")
    return f"Why it fails, {NAMES[reason]}: {meaning}."


def _pct(value: float) -> str:
    return written.percent(value)
