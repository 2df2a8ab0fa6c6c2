"""Overview's sidebar: what the columns are, what judges quads, which score kind; and where a cell leads."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from backend import taxonomy
from backend.kinds import Kind
from backend.metrics.core.registry import by_name, deciding
from backend.protocols import Protocol
from backend.store.catalog.catalog import tagged
from backend.store.failures.failures import NARROWER
from pages.overview.view import EVERY, QUAD_SCORES, Grid, split_part
from pages.shared.data import stored
from pages.shared.data.best_kind import BEST, RULE
from pages.shared.drawing.heatmap import MOST_ACROSS
from pages.shared.drawing.signs import PART
from pages.shared.frame import address, alpha
from pages.shared.frame.fold import more
from pages.shared.frame.tips import kind_name, kinds_help, metric_tip

KEYS = ("benchmark", "by", "broad", "quads", "score", "order", "threshold", "threshold_of", "threshold_on", "example")
#: How an address names the models' own order.
OWN = "own"
GROUPS = {"subset": "Subset", "concept": "Concept", "perturbation": "Change"}


@dataclass(frozen=True)
class Said:
    """What the sidebar says. by: subset, concept or perturbation; broad: by the taxonomy's broadest terms."""

    by: str
    broad: bool
    quad: str
    kind: str

    @property
    def grouping(self) -> str:
        """As the store calls it."""
        return f"{self.by}/*" if self.broad else self.by


def draw(benchmark: stored.StoredBenchmark) -> Said:
    """Draw the controls and return what they say."""
    offered = [kind for kind in map(str, Kind) if any(kind in kinds for kinds in benchmark.kinds.values())]
    hidden = ("broad", "quads", "score")
    with st.sidebar:
        by, offers_broad = ("subset", False) if benchmark.parts else _columns(benchmark)
        with more(*hidden):
            broad = offers_broad and _broader()
            quad = _judged_by() if _has_quads(benchmark) else QUAD_SCORES[0]
            kind = st.selectbox(
                "Score kind", [BEST, EVERY, *offered], key=address.option("score", [BEST, EVERY, *offered], BEST),
                index=address.index("score"),
                format_func=lambda k: {BEST: "each model's best", EVERY: "all, a row each"}.get(
                    k, f"{kind_name(k)} ({k})"
                ),
                help=f"How a model judges an image with a text. “Each model's best” is the kind that {RULE}, whatever "
                "the columns are. Text–text columns always compare texts alone.\n\n" + kinds_help(offered),
            ) or BEST  # fmt: skip
    return Said(by, broad, quad, kind)


def how_to_read(shown: Grid, said: Said) -> str:
    """The line below the heat map: what a number is, what is clicked for what, and by which kind a model is shown."""
    turned = len(shown.columns) > MOST_ACROSS  # models are then across, each name a way to sort, its page below it
    clicks = "“its page” for a model's page, its name to sort" if turned else (
        "a model's name for its page, a column's name to sort"
    )  # fmt: skip
    text = (
        "Per cent of items right; ties count as failures. Point at a number for its interval, n and ties; click it for "
        f"its failures, {clicks}."
    )
    if any(cell.of for cell in shown.cells.values()):
        text += (
            f" {PART}: the model has judged only so much of the benchmark's items, so its rate is no rate of all, "
            "and is never marked the best of a column."
        )
    return (
        f"{text} A model is shown by the score kind that {RULE}, whatever the columns." if said.kind == BEST else text
    )


def _has_quads(benchmark: stored.StoredBenchmark) -> bool:
    return any(part.with_protocol(Protocol.QUAD) for part in benchmark.parts or (benchmark,))


def _judged_by() -> str:
    return st.segmented_control(
        "Quads judged by", QUAD_SCORES, key=address.option("quads", QUAD_SCORES, QUAD_SCORES[0]),
        default=address.value("quads"), required=True,
        format_func=lambda name: by_name(name).label.removesuffix(" score"),
        help="\n\n".join(metric_tip(name) for name in QUAD_SCORES),
    ) or QUAD_SCORES[0]  # fmt: skip


def groups_of(benchmark: stored.StoredBenchmark) -> list[str]:
    """What the columns of a benchmark can be."""
    has = dict(zip(("concept", "perturbation"), tagged(stored.store(), benchmark.hash), strict=True))
    return [name for name in GROUPS if has.get(name, True)]


def _columns(benchmark: stored.StoredBenchmark) -> tuple[str, bool]:
    """What the columns are, and whether they can be joined into broader terms; nothing to choose where items have
    neither concept nor change."""
    offered = groups_of(benchmark)
    if len(offered) < 2:
        return "subset", False
    by = st.segmented_control(
        "Columns", offered, key=address.option("by", offered, "subset"),
        default=address.value("by"), required=True,
        format_func=GROUPS.__getitem__, help="What the columns are: the benchmark's subsets, what an item is about, or "
        "how its captions were changed.",
    ) or "subset"  # fmt: skip
    return by, by != "subset"


def _broader() -> bool:
    return bool(
        st.toggle(
            "Broader terms", key=address.option("broad", [False, True], False), value=address.value("broad"),
            help="One column for each of the broadest terms of the common taxonomy: colour, size and material are all "
            "attributes. An item with several of them counts once.",
        )
    )  # fmt: skip


def order() -> str | None:
    """The order of the table that was chosen last (see `heatmap.draw`); None where none was."""
    said = str(st.session_state[address.text("order")])
    return None if not said else "" if said == OWN else said.replace("|", "\t")


def keep_order(now: str, usual: str) -> None:
    """Put the order of the table in the address, unless it is the usual one."""
    spelt = {"": OWN, usual: ""}
    address.note("order", spelt.get(now, now.replace("\t", "|")), "")


def below(rates: pd.DataFrame) -> dict[tuple[str, str, str], list[str]]:
    """(model, kind, metric) -> the groups of a frame of rates (see view.py), each once."""
    found: dict[tuple[str, str, str], dict[str, None]] = {}
    for model, kind, metric, group in zip(*(rates[name] for name in ("model", "kind", "metric", "group")), strict=True):
        found.setdefault((str(model), str(kind), str(metric)), {})[str(group)] = None
    return {key: list(groups) for key, groups in found.items()}


def behind(shown: Grid, benchmark: stored.StoredBenchmark, said: Said) -> dict[tuple[str, str], dict[str, str]]:
    """Cell -> the address of the failures behind it, which its link has and a click goes to."""
    finer = below(stored.headlines(benchmark, said.by)) if said.broad else None
    found = {cell: address_of(shown, benchmark, said, cell, finer) for cell in shown.cells}
    return {cell: wanted | alpha.along() for cell, wanted in found.items() if wanted}


def address_of(
    shown: Grid,
    benchmark: stored.StoredBenchmark,
    said: Said,
    opened: tuple[str, str],
    finer: Mapping[tuple[str, str, str], Sequence[str]] | None,
) -> dict[str, str] | None:
    """The address of the failures behind a cell: benchmark, model, kind, metric and group; None for no cell.

    finer: what there is below the broader terms (`below`), which says how Failures calls the family.
    """
    row, column = opened
    if opened not in shown.kinds:
        return None
    group, metric = column.split("\t")
    group, model, kind = split_part(group)[0], row.split("\t")[0], shown.kinds[opened]
    found = {"benchmark": benchmark.name, "model": model, "kind": kind}
    # Items are listed by one verdict each: where the metric has none, by the one that decides (of choices asked in
    # several orders, right in every one).
    known = by_name(metric)
    found["metric"] = metric if known.judge else deciding(known.protocol, kind) or metric
    if benchmark.parts:
        return found | {"benchmark": group}
    if said.broad and finer is not None:
        members = taxonomy.within(group, finer.get((model, kind, metric), ()))
        group = f"{group}{NARROWER}" if len(members) > 1 else next(iter(members), group)
    return found | {said.by: group}
