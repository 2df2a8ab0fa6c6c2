"""docs/teaching/study.md out of docs/teaching/study.json.gz."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from scripts.teach_study.compared import OVER, PARTS, RATES

#: How the page says a set and a rate.
_RATE: Final = {"text_score": "text score", "image_score": "image score", "group_score": "group score",
                "group_match": "group match"}  # fmt: skip
_PART: Final = dict(zip(PARTS, ("γ", "\\|c\\|", "\\|r\\|", "v1", "v2"), strict=True))
#: Of each study: its heading, the unit of its scores, and what a deviation is multiplied by to be read, with decimals.
_SAID: Final = {
    "dual": ("A dual encoder", "thousandths of the cosine", (1000.0, 2)),
    "matching": ("A matching head", "log-odds of “match”", (1.0, 3)),
}


def page(found: dict[str, Any]) -> str:
    """The whole page, as Markdown."""
    parts = [_study(name, part, found) for name, part in found["studies"].items()]
    return _PAGE.format(
        date=found["date"], machine=found["machine"], torch=found["torch"], seeds=len(found["seeds"]),
        n=f"{found['n']:,}", studies="\n".join(parts),
    )  # fmt: skip


_PAGE: Final = """# What teaching does on the bundled world

Made by `make teach-study` on {date} ({machine}, torch {torch}), {seeds} seeds; its numbers stand in
`docs/teaching/study.json.gz`. What they say in words: [teaching](../teaching.md#what-it-does).

The tests are {n} fresh quads a concept, images with captions for retrieval, and pictures of one object: all of the
test split, none of a benchmark, none seen in training by construction. `location` and `relation` are not taught: they
show what is forgotten or comes along. In *unseen pairs* colour and shape stand together as training never shows them.
**Compare with `baseline`**, which took the same steps on the same batches, never with the model before.

The interval (95 %) of a difference takes both seeds and items as drawn; with {seeds} seeds it has few degrees of
freedom and is wide. **Bold**: it leaves out 0. *Italic*: only the interval over items does, which speaks of these
trainings and not of others. Each study's table of group scores has as many looks as cells, of which one in twenty
would be bold by chance.

{studies}"""

_STUDY: Final = """## {heading}: `{base}`

Every recipe of [teaching](../teaching.md) takes {steps} steps of {batch} pairs ({concepts}; each minimal pair once),
with adapters of rank {rank} and the learning rate {learning_rate}, the best for `baseline` of those that were tried
(mean group score on other quads: {tried}). Recipes of one seed see the same images, captions and order.

### Group score

{rates}

### Group score: difference from `baseline`, in points

![Differences from baseline with their intervals, by set](differences-{name}.svg)

{group}

### All concepts together: difference from `baseline`, in points

{every}
{called}
### What was forgotten: difference from `baseline`, in points

{lost}

{hits}

### γ, |c| and |r|

![γ, |c| and |r| of the batches' quads over the steps](course-{name}.svg)

Means over the quads of all concepts: in {unit}, then over the standard deviation of the scores, by
which models can be compared (a training that shrinks all scores shrinks the first and not the second). v1 and v2 are
EqSim's deviations, mean |s12 − s21| and the mean of v2's two. AUROC: true pairs against false ones, mean over concepts.

{parts}

Differences from `baseline`, in {unit}:

{raw}

Over the scores' deviation:

{free}
"""

_CALLED: Final = """
### Called a match at P > .5, difference from `baseline`, in points

pc: true pairs that are called a match; pf: false ones that are not; acc: their mean.

{differences}

{values}
"""
_NO_THRESHOLD: Final = """
pc, pf and their minimum are undefined here: a cosine has no threshold. AUROC stands below.
"""


def _study(name: str, part: dict[str, Any], found: dict[str, Any]) -> str:
    heading, unit, scale = _SAID[name]
    shared = part["settings"]
    return _STUDY.format(
        **shared | {"concepts": ", ".join(shared["concepts"]), "learning_rate": f"{shared['learning_rate']:g}"},
        name=name, heading=heading, unit=unit,
        rates=_rates(part, found["sets"], "group_score"),
        group=_differences(part, lambda entry, of: entry["sets"][of]["group_score"], found["sets"]),
        every=_differences(part, lambda entry, of: entry["all"][of], RATES, _RATE),
        called=_called(part, found["sets"]),
        lost=_differences(part, lambda entry, of: entry["hits"][of], part["hits"]),
        hits=_hits(part),
        parts=_parts(part, found["sets"], scale[0]),
        raw=_differences(part, lambda entry, of: entry["parts"][of], PARTS, _PART, scale),
        free=_differences(
            part, lambda entry, of: entry["parts"][of + OVER], PARTS,
            {of: said + OVER for of, said in _PART.items()}, (1, 3),
        ),
        tried=", ".join(f"{100 * each['mean']:.1f} at {each['rate']:g}" for each in part["rates"]),
    )  # fmt: skip


def _called(part: dict[str, Any], sets: Sequence[str]) -> str:
    """Of log-odds pc, pf, acc and min(pc, pf); of cosines why there are none."""
    if "min_pc_pf" not in part["base"]["sets"][sets[0]]:
        return _NO_THRESHOLD
    names = ("pc", "pf", "acc")
    return _CALLED.format(
        differences=_differences(part, lambda entry, of: entry["all"][of], names),
        values=_rates(part, sets, "min_pc_pf", "min(pc, pf), %, mean over seeds"),
    )


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    return "\n".join([*lines, *("| " + " | ".join(row) + " |" for row in rows)])


def _rates(part: dict[str, Any], sets: Sequence[str], rate: str, head: str = "%, mean over seeds") -> str:
    rows = [["before", *(f"{100 * part['base']['sets'][of][rate]:.1f}" for of in sets)]]
    for name, cells in part["cells"].items():
        each = [[cell["sets"][of][rate] for cell in cells.values()] for of in sets]
        rows.append([f"`{name}`", *(f"{100 * sum(v) / len(v):.1f}" for v in each)])
    return _table([head, *sets], rows)


def _differences(
    part: dict[str, Any], of: Callable[[dict[str, Any], str], dict[str, Any]], names: Any,
    said: Mapping[str, str] | None = None, unit: tuple[float, int] = (100, 1),
) -> str:  # fmt: skip
    """unit: what a difference is multiplied by, and its decimals."""
    rows = [
        [f"`{name}`", *(_difference(of(entry, column), *unit) for column in names)]
        for name, entry in part["against_baseline"].items()
    ]
    return _table(["minus `baseline`", *((said or {}).get(column, column) for column in names)], rows)


def _difference(entry: dict[str, Any], by: float, decimals: int) -> str:
    value = f"{by * entry['mean']:+.{decimals}f}"
    if entry["ends"] is None:
        return value
    mark = "**" if _leaves_out_0(entry["ends"]) else "*" if _leaves_out_0(entry["item_ends"]) else ""
    low, high = entry["ends"]
    return f"{mark}{value}{mark} ({by * low:+.{decimals}f} … {by * high:+.{decimals}f})"


def _leaves_out_0(ends: Sequence[float]) -> bool:
    return ends[0] > 0 or ends[1] < 0


def _hits(part: dict[str, Any]) -> str:
    rows = [["before", *(f"{100 * part['base']['hits'][name]:.1f}" for name in part["hits"])]]
    for name, cells in part["cells"].items():
        each = [[cell["hits"][hit] for cell in cells.values()] for hit in part["hits"]]
        rows.append([f"`{name}`", *(f"{100 * sum(v) / len(v):.1f}" for v in each)])
    return _table(["%, mean over seeds", *(f"{name} (n = {n:,})" for name, n in part["hits"].items())], rows)


def _parts(part: dict[str, Any], sets: Sequence[str], by: float) -> str:
    rows = []
    for name, cells in {"before": {"": part["base"]}, **part["cells"]}.items():
        each = [cell["sets"][of] for cell in cells.values() for of in sets]

        def mean(key: str, each: list[dict[str, float]] = each) -> float:
            return sum(one[key] for one in each) / len(each)

        shown = name if name == "before" else f"`{name}`"
        raw, free = ([mean(key + over) for key in PARTS] for over in ("", OVER))
        rows.append([shown, *(f"{by * v:.2f}" for v in raw), *(f"{v:.3f}" for v in free), f"{mean('auroc'):.3f}"])
    head = list(_PART.values())
    return _table(["", *head, *(each + OVER for each in head), "AUROC"], rows)
