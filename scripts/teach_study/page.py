"""docs/teaching/study.md out of docs/teaching/study.json."""

from collections.abc import Callable
from typing import Any, Final

from scripts.teach_study.compared import RATES

#: How the page says a set and a rate.
_RATE: Final = {"text_score": "text score", "image_score": "image score", "group_score": "group score",
                "group_match": "group match"}  # fmt: skip


def page(found: dict[str, Any]) -> str:
    """The whole page, as Markdown."""
    shared = found["settings"]
    looks = len(found["against_baseline"]) * len(found["sets"])
    return _PAGE.format(
        **shared | {"concepts": ", ".join(shared["concepts"]), "learning_rate": f"{shared['learning_rate']:g}"},
        date=found["date"], machine=found["machine"], torch=found["torch"], seeds=len(found["seeds"]),
        n=f"{found['n']:,}", looks=looks,
        rates=_rates(found, "group_score"),
        group=_differences(found, lambda entry, name: entry["sets"][name]["group_score"], found["sets"]),
        every=_differences(found, lambda entry, name: entry["all"][name], RATES, _RATE),
        lost=_differences(found, lambda entry, name: entry["hits"][name], found["hits"]),
        hits=_hits(found),
        parts=_parts(found),
    )  # fmt: skip


_PAGE: Final = """# What teaching does on the bundled world

Made by `make teach-study` on {date} ({machine}, torch {torch}), {seeds} seeds; its numbers stand in
`docs/teaching/study.json`. Every recipe of [teaching](../teaching.md) starts from `{base}` and takes {steps} steps
of {batch} pairs ({concepts}; each minimal pair once), with adapters of rank {rank} and the learning
rate {learning_rate}. Recipes of one seed see the same images, captions and order.

The tests are {n} fresh quads a concept, {n} images with captions for retrieval, and {n} pictures of one
object: all of the test split, none of a benchmark, none seen in training by construction. **Compare with `baseline`**,
which took the same steps on the same batches, never with the model before.

The interval (95 %) of a difference takes both seeds and items as drawn; with {seeds} seeds it has few degrees of
freedom and is wide. **Bold**: it leaves out 0. The table of group scores is {looks} looks, of which one in twenty
would be bold by chance.

## Group score

{rates}

## Group score: difference from `baseline`, in points

{group}

## All concepts together: difference from `baseline`, in points

{every}

## What was forgotten: difference from `baseline`, in points

{lost}

{hits}

## γ, |c| and |r|

Means over the quads of all concepts: in thousandths of the cosine, then over the standard deviation of the scores, by
which models can be compared (a training that shrinks all scores shrinks the first and not the second). v1 and v2 are
EqSim's deviations, mean |s12 − s21| and the mean of v2's two. AUROC: true pairs against false ones, mean over concepts;
it stands for min(pc, pf), which needs a threshold that cosines do not have.

{parts}
"""


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def _rates(found: dict[str, Any], rate: str) -> str:
    rows = []
    for name, cells in found["cells"].items():
        each = [[cell["sets"][of][rate] for cell in cells.values()] for of in found["sets"]]
        rows.append([f"`{name}`", *(f"{100 * sum(v) / len(v):.1f}" for v in each)])
    before = ["before", *(f"{100 * found['base']['sets'][of][rate]:.1f}" for of in found["sets"])]
    return _table(["%, mean over seeds", *found["sets"]], [before, *rows])


def _differences(
    found: dict[str, Any], of: Callable[[dict[str, Any], str], dict[str, Any]], names: Any, said: Any = None
) -> str:
    rows = [
        [f"`{name}`", *(_difference(of(entry, column)) for column in names)]
        for name, entry in found["against_baseline"].items()
    ]
    return _table(["minus `baseline`", *((said or {}).get(column, column) for column in names)], rows)


def _difference(entry: dict[str, Any]) -> str:
    value = f"{100 * entry['mean']:+.1f}"
    if entry["ends"] is None:
        return value
    low, high = entry["ends"]
    shown = f"**{value}**" if low > 0 or high < 0 else value
    return f"{shown} ({100 * low:+.1f} … {100 * high:+.1f})"


def _hits(found: dict[str, Any]) -> str:
    rows = [["before", *(f"{100 * found['base']['hits'][name]:.1f}" for name in found["hits"])]]
    for name, cells in found["cells"].items():
        each = [[cell["hits"][hit] for cell in cells.values()] for hit in found["hits"]]
        rows.append([f"`{name}`", *(f"{100 * sum(v) / len(v):.1f}" for v in each)])
    return _table(["%, mean over seeds", *found["hits"]], rows)


def _parts(found: dict[str, Any]) -> str:
    names = ("gamma", "abs_c", "abs_r", "deviation_v1", "deviation_v2")
    rows = []
    for name, cells in {"before": {"": found["base"]}, **found["cells"]}.items():
        sets = [cell["sets"][of] for cell in cells.values() for of in found["sets"]]
        raw = [sum(each[part] for each in sets) / len(sets) for part in names]
        free = [sum(each[part] / each["spread"] for each in sets) / len(sets) for part in names]
        area = sum(each["auroc"] for each in sets) / len(sets)
        shown = name if name == "before" else f"`{name}`"
        rows.append([shown, *(f"{1000 * v:.1f}" for v in raw), *(f"{v:.3f}" for v in free), f"{area:.3f}"])
    head = ["γ", "\\|c\\|", "\\|r\\|", "v1", "v2"]
    return _table(["", *head, *(f"{each} / deviation" for each in head), "AUROC"], rows)
