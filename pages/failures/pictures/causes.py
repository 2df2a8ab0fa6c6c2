"""The chosen model's cells, subset by subset, in a fold below the list; a click on a part sets the filter."""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from backend.metrics.reasons.names import CELLS
from backend.store.queries import Setting
from pages.failures import rate
from pages.failures.filters import AUTO, Filters
from pages.item import card_line
from pages.shared.data import cell_bars, stored
from pages.shared.drawing import cells, colours
from pages.shared.frame.alpha import number as alpha_said
from pages.shared.frame.fold import fold
from pages.shared.frame.header import chart_caption, section
from pages.shared.frame.tips import kind_name

_KEY = "failures-cells"
_CLICK = "A click on a part lists its items, a second click all again."
#: Session key: what the picture has set, filter -> (its value before, the value that was set).
_SET = "_failures_cells_set"
#: Cell -> what its items are by the headline metric.
_VERDICTS = {cell: "right" if cell in ("right", "grounded", "by_bias") else "wrong"
             for cells_of in CELLS.values() for cell in cells_of}  # fmt: skip


def draw(benchmark: stored.StoredBenchmark, chosen: Filters) -> None:
    """The bars under the setting that the list is shown under; nothing where several benchmarks are listed at once."""
    if benchmark.parts:
        return
    wanted = chosen.wanted
    title = cells.TITLE.replace("the model", colours.label(chosen.model))
    with fold("What would have to change, subset by subset", "failures-causes", ":material/stacked_bar_chart:") as box:
        if not box.open:
            return
        bars, missing = cell_bars.of_model(benchmark, chosen.model, wanted.setting)
        section(title, f"{_setting(wanted.setting)}, {rate.ALONE}")
        marked = ["\t".join((chosen.model, wanted.setting.kind, subset, cell))
                  for subset in wanted.subsets or {bar.group for bar in bars} for cell in wanted.cells]  # fmt: skip
        cells.draw(cells.view(bars, missing, marked), _KEY, _filter)
        if bars:
            chart_caption(cells.caption(len(bars), _CLICK))


def _setting(setting: Setting) -> str:
    """Under which scores, in words.

    >>> _setting(Setting("gen", 0.5, "noise:3"))
    'generation, α = 0.5'
    """
    return kind_name(setting.kind) + (f", α = {alpha_said(setting.alpha)}" if setting.alpha else "")


def _filter() -> None:
    """Show what was clicked; a second click on the same part gives back what the first one took."""
    picked = cells.opened(_KEY)
    if picked is not None:
        _, _, group, cell = picked
        protocols = {of.name: of.protocols for of in stored.chosen().values()}
        protocol = protocols.get(str(st.session_state.get("benchmark")), {}).get(group, "")
        st.session_state.update(toggled(st.session_state, [group], cell, protocol))


def toggled(state: Mapping[Any, Any], groups: Sequence[str], cell: str, protocol: str) -> dict[str, Any]:
    """What a click on a part changes: the filters of cell and, where the part is of some alone, of subset; and of the
    others only what would hide the items of the part: which verdicts are shown, and a metric whose verdicts have no
    cell. A second click gives back what the first one found, but for what was changed since.

    >>> first = toggled({"show": "right", "tag": ["odd"]}, ["relation"], "no_binding", "quad")
    >>> first["cell"], first["subset"], first["show"], "tag" in first
    (['no_binding'], ['relation'], 'all', False)
    >>> second = toggled(first, ["relation"], "no_binding", "quad")
    >>> second["cell"], second["subset"], second["show"]
    ([], [], 'right')
    """
    found = {key: before for key, (before, after) in (state.get(_SET) or {}).items() if state.get(key) == after}
    if state.get("cell") == [cell] and (not groups or state.get("subset") == list(groups)):
        return {"cell": []} | ({"subset": []} if groups else {}) | found | {_SET: {}}
    usual = {"show": "wrong", "metric": AUTO, "cell": [], "subset": []}
    plain = {key: state.get(key, value) for key, value in usual.items()} | found
    now: dict[str, Any] = {"cell": [cell]} | ({"subset": list(groups)} if groups else {})
    if plain["show"] != "all" and (plain["metric"] != AUTO or plain["show"] != _VERDICTS[cell]):
        now["show"] = "all"
    if plain["metric"] != AUTO and protocol and not card_line.carried(protocol, str(plain["metric"])):
        now["metric"] = AUTO
    return found | now | {_SET: {key: (plain[key], value) for key, value in now.items()}}
