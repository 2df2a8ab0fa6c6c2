"""Runs, History: one run in full: what it is, where to look at it, the command that makes it, its end."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st
from markupsafe import Markup

from backend import paths
from backend.kinds import PREDICTIONS
from backend.live.jobs import jobs
from backend.metrics.core.registry import by_name
from backend.store.catalog import command_again, public, taught, transformed
from backend.store.exchange import imported
from backend.taxonomy import title
from pages.overview.view import split_part
from pages.runs import view
from pages.runs.history import gone
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import count, listing
from pages.shared.frame import model_link
from pages.shared.frame.fold import fold
from pages.shared.frame.header import chart_caption
from pages.shared.frame.next_step import next_step
from pages.shared.frame.plain import plain
from pages.shared.frame.style import show
from pages.shared.frame.tips import kind_name

#: Subsets without any verdict that are named.
NAMED = 4


def draw(run_id: str, line: Any, note: str, source: str) -> None:
    """A run. line: its row of `queries.runs`; note: why it is this one, "" where somebody picked it; source: where it
    is from, in words."""
    record = stored.store().run(run_id).record
    spec = str(line.model)
    kinds = ", ".join(f"{kind_name(kind)} ({kind})" for kind in line.kinds) or "no scores yet"
    state = Markup('<span class="fs-chip fs-{}"><b>{}</b>{}</span>').format(
        *(("right", "✓", "complete") if line.complete else ("near", "◐", "in part"))
    )
    facts = {
        "kinds": kinds, "items": _judged(int(line.n_items), record, view.selection(line), spec),
        "written": view.moment(str(line.updated)), "from": source,
    }  # fmt: skip
    rows = Markup().join(Markup("<dt>{}</dt><dd>{}</dd>").format(name, said) for name, said in facts.items())
    show(
        Markup(
            '<div class="runs-one">{}<h3>{}{} on {}</h3><p>{}<small>run {}</small></p>'
            '<dl class="fs-declared">{}</dl></div>'
        ).format(
            Markup('<p class="fs-eyebrow">{}</p>').format(note) if note else "", colours.dot(spec),
            model_link.model_link(spec, str(line.benchmark_name)), line.benchmark_name, state, run_id, rows,
        )
    )  # fmt: skip
    if line.origin == "imported":
        chart_caption(
            f"Imported from {line.imported_from}, {view.when(str(line.imported_at))}: its scores were made "
            "elsewhere, and nothing that is computed here is ever mixed with them."
        )
    if without := _without(run_id, line):
        chart_caption(without)
    for said in [*public.notes(record, str(line.benchmark)), *transformed.notes(record), *taught.notes(record)]:
        chart_caption(said)
    _links(run_id, line)
    _delete(run_id, line)
    _again(run_id, line)
    with fold("Everything that was recorded", "runs-record", ":material/data_object:") as box:
        if box.open:
            session = (record.get("sessions") or [{}])[-1]
            versions = session.get("versions") or {}
            made = [f"dtype {session.get('dtype', '–')}", f"device {session.get('device', '–')}"]
            made += [f"{name} {version}" for name, version in versions.items() if name in ("torch", "transformers")]
            chart_caption(", ".join(made))
            st.json(record, expanded=1)


def _judged(n_items: int, record: Mapping[str, Any], selection: str, model: str = "") -> str:
    """How many items have a verdict, and of how many where some lack one: their image could not be read, or they have
    none, which the run's kinds need. selection: which items were asked for (`view.selection`); of another system's
    predictions nobody asked for any.

    >>> _judged(40, {"n_selected": 40}, "all"), _judged(1, {}, "the first 1")
    ('40 items with a verdict; all', '1 item with a verdict; the first 1')
    >>> _judged(4430, {"n_selected": 4830}, "all"), _judged(35, {"n_selected": 40}, "the first 40")
    ('4,430 items with a verdict, of 4,830 that were asked for', '35 items with a verdict, of 40 that were asked for: the first 40')
    >>> _judged(1000, {"n_selected": 4830}, "all", "predictions:gpt-4v")
    '1,000 items with a verdict, of the 4,830 that the benchmark has'
    """  # noqa: E501 - what is said
    selected, judged = record.get("n_selected"), f"{count(n_items, 'item')} with a verdict"
    if not isinstance(selected, int) or selected <= n_items:
        return f"{judged}; {selection}"
    if model.startswith(PREDICTIONS) and selection == view.ALL:
        return f"{judged}, of the {selected:,} that the benchmark has"
    return f"{judged}, of {selected:,} that were asked for{'' if selection == 'all' else f': {selection}'}"


def _without(run_id: str, line: Any) -> str:
    """Of which subsets the run has judged some items or none, where the pages show it and it was asked for all; "" of
    any other, whose selection is said."""
    known = next((each for each in stored.chosen().values() if each.hash == line.benchmark), None)
    if known is None or known.runs.get(str(line.model)) != run_id or view.selection(line) != view.ALL:
        return ""
    rates = stored.headlines(known, "subset")
    return lacking(rates[rates["model"] == line.model], known.subsets)


def lacking(rates: pd.DataFrame, sizes: Mapping[str, int]) -> str:
    """The subsets of which a run has no verdict on some items, in a sentence; "" where there are none. rates: of the
    run, a row a subset, metric and kind (group, metric, n); sizes: subset -> how many items the benchmark has in it.

    >>> frame = pd.DataFrame({"group": ["count", "pool (100 images x 300 texts)"], "n": [4, 100]})
    >>> frame = frame.assign(metric=["group_score", "i2t_recall_at_1"])
    >>> lacking(frame, {"count": 4, "pool": 500, "size": 9})
    'Without a verdict: 400 of the 500 items of pool, whose pool it has scored in part (100 × 300); all of size.'
    """
    judged: dict[str, dict[str, int]] = {}
    pools: dict[str, str] = {}
    for group, metric, n in zip(rates["group"], rates["metric"], rates["n"], strict=True):
        name, part = split_part(str(group))
        of, protocol = judged.setdefault(name, {}), str(by_name(str(metric)).protocol)
        of[protocol] = max(of.get(protocol, 0), int(n))
        if part:
            pools[name] = f", whose pool it has scored in part ({part.removesuffix(' only')})"
    here = {name: sum(judged.get(name, {}).values()) for name in sizes}
    said = [
        f"{size - here[name]:,} of the {size:,} items of {title(name)}{pools.get(name, '')}"
        for name, size in sizes.items()
        if 0 < here[name] < size
    ]
    if none := [title(name) for name in sizes if not here[name]]:
        said.append(f"all of {listing(none, NAMED)}")
    return f"Without a verdict: {'; '.join(said)}." if said else ""


def _again(run_id: str, line: Any) -> None:
    """The command that makes it again, or goes on with it."""
    if str(line.model).startswith(PREDICTIONS):
        return
    run = stored.store().run(run_id)
    words, first = command_again.words(run), command_again.made_first(run)
    if not words:
        chart_caption("No command goes on with it here: the items that it is of are not kept here.")
        return
    beside = line.origin == "imported"
    label = "The command that computes it here, beside this one" if beside else "The command that goes on with it"
    with fold(label, "runs-again", ":material/terminal:") as box:
        if not box.open:  # the script that colours code would take 0.3 s of the page's first visit
            return
        lines = [jobs.command_line("perturb", first)] if first else []
        st.code("\n".join([*lines, jobs.command_line("run", words)]), language="bash", wrap_lines=True)


def _links(run_id: str, line: Any) -> None:
    known = [entry for entry in stored.chosen().values() if entry.hash == line.benchmark]
    if not known or line.model not in known[0].runs:
        chart_caption("It has no verdicts to show yet.")
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        next_step("Open its failures", "failures", benchmark=known[0].name, model=str(line.model))
        st.page_link(
            "pages/overview/page.py", label="Overview", icon=":material/grid_view:",
            query_params={"benchmark": known[0].name},
        )  # fmt: skip
    if known[0].runs[str(line.model)] != run_id:
        chart_caption(
            "The pages show another run of this model on this benchmark: one that was not imported, then one of the "
            "whole benchmark, then one without a limit, then a complete one, then the latest."
        )


def _delete(run_id: str, line: Any) -> None:
    gone_as = f"{line.model} on {line.benchmark_name}"
    found = imported.locate(run_id)
    shipped = found is None or paths.cache_dir() not in found[1].parents
    said = "Its scores; can be undone for 30 days."
    place: Path | None = next((root for root in paths.bundled_examples() if (root / "runs" / run_id).is_dir()), None)
    if line.origin == "shipped" and place is not None:
        page = "Robustness" if place == paths.bundled_editions_dir() else "Teach"
        said = f"Flipside's example: “Show the example” on {page} brings it back. Can be undone for 30 days."
    elif line.origin == "shipped":
        said = "What was added to it here; what ships stays. Can be undone for 30 days."
    named = f"{colours.label(str(line.model))} on {line.benchmark_name}"
    st.button(
        f"Delete run {run_id[:8]}: {plain(named)}", key=f"run-delete-{run_id}", icon=":material/delete:",
        disabled=shipped, type="tertiary", on_click=gone.delete, args=(run_id, gone_as),
        help="It ships with Flipside and cannot be deleted." if shipped else said,
    )  # fmt: skip
