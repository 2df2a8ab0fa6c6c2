"""Runs, first tab: every run that there is, and where to look at it."""

from pathlib import Path
from typing import Any

import streamlit as st

from backend import paths
from backend.live.jobs import jobs
from backend.live.uploads import trash
from backend.store import queries
from backend.store.catalog import command_again, public, taught, transformed
from backend.store.exchange import imported
from pages.runs import trash as runs_trash
from pages.runs import view
from pages.shared.data import stored
from pages.shared.data.frames import lines_of
from pages.shared.drawing.numbers import count
from pages.shared.frame import brought_page
from pages.shared.frame.header import chart_caption, empty
from pages.shared.frame.hidden import hide
from pages.shared.frame.plain import plain
from pages.shared.frame.tips import kind_name
from pages.shared.server import mishaps

#: Rows beyond which the table scrolls.
MOST = 12
#: Damaged files that are listed.
PROBLEMS = 20


def draw() -> None:
    """The table of runs, and the selected one."""
    frame = queries.runs(stored.store())
    mishaps.set_aside()
    brought_page.skipped()
    _problems()
    if frame.empty:
        empty(
            "Nothing has been computed yet",
            "Open “Score a model” above, or type: python -m backend run --model bundled:clip --benchmark world --kinds "
            "itc,t2t",
        )
        return
    priors = {run_id: command_again.own_priors(stored.store().run(run_id).record) for run_id in frame["run_id"]}
    fetched = {spec: f"fetched: {source}" for spec, (_, source) in public.names(stored.store()).items()}
    table = view.runs_table(frame, priors, fetched)
    state = st.dataframe(
        table.drop(columns="run_id"), hide_index=True, on_select="rerun", selection_mode="single-row", key="runs-table",
        alt="Every run", height="auto" if len(table) <= MOST else 460,
        column_config={
            "when": st.column_config.DatetimeColumn("when (UTC)", format="D MMM YYYY, HH:mm", timezone="UTC"),
            "items": st.column_config.NumberColumn(format="localized", help="Items that have a verdict"),
            "kinds": st.column_config.TextColumn(help="How pairs are judged; see docs/methods.md"),
        },
    )  # fmt: skip
    chart_caption(
        f"{len(table):,} runs, the latest first. Select one to see how it was made and to open its pages. “In part”: "
        "it was stopped, or a kind failed; the same command goes on from there."
    )
    picked = state.selection.rows
    if picked and picked[0] < len(table):
        row = table.iloc[picked[0]]
        _one(str(row["run_id"]), lines_of(frame[frame["run_id"] == row["run_id"]])[0])


def _problems() -> None:
    """What was left out, each with its reason; what lies in this cache can be deleted here."""
    found = lines_of(queries.problems(stored.store()))
    if not found:
        return
    title = f"{count(len(found), 'damaged file')} left out of what is shown"
    with st.expander(title, icon=":material/warning:", expanded=True, key="runs-problems"):
        st.caption(
            "Restore them, or delete them and compute or import them again. A deletion can be undone for 30 days."
        )
        for number, line in enumerate(found[:PROBLEMS]):
            folder = imported.deletable(Path(str(line.path)))
            left, right = st.columns([8, 2], vertical_alignment="center")
            left.markdown(plain(hide(f"{view.place(str(line.path))}: {line.reason}")))
            if folder is not None:
                what = "run" if folder.parent.name == "runs" else "benchmark"
                right.button(
                    "Delete", key=f"problem-delete-{number}-{folder.name}", icon=":material/delete:",
                    on_click=runs_trash.delete, args=(trash.discard, what, folder.name, [folder]),
                )  # fmt: skip
        if len(found) > PROBLEMS:
            chart_caption(f"… and {len(found) - PROBLEMS:,} more; flipside doctor looks at all files.")


def _one(run_id: str, line: Any) -> None:
    record = stored.store().run(run_id).record
    with st.container(border=True):
        st.markdown(f"**{plain(str(line.model))}** on **{plain(str(line.benchmark_name))}** · run {plain(run_id)}")
        if line.origin == "imported":
            chart_caption(
                f"Imported from {line.imported_from}, {view.when(str(line.imported_at))}: its scores were made "
                "elsewhere, and nothing that is computed here is ever mixed with them."
            )
        for note in [*public.notes(record, str(line.benchmark)), *transformed.notes(record), *taught.notes(record)]:
            chart_caption(note)
        _links(run_id, line)
        _delete(run_id, line)
        session = (record.get("sessions") or [{}])[-1]
        said = [f"dtype {session.get('dtype', '–')}", f"device {session.get('device', '–')}"]
        versions = session.get("versions") or {}
        said += [f"{name} {version}" for name, version in versions.items() if name in ("torch", "transformers")]
        kinds = ", ".join(kind_name(kind) for kind in line.kinds)
        chart_caption(f"{view.selection(line)} items · {kinds} · {', '.join(said)}")
        if not str(line.model).startswith("predictions:"):
            here = (
                "computes it here, beside the imported one"
                if line.origin == "imported"
                else "computes it, or goes on with it"
            )
            if words := command_again.words(stored.store().run(run_id)):
                st.caption(f"The command that {here}:")
                st.code(jobs.command_line("run", words), language="bash", wrap_lines=True)
            else:
                st.caption("No command goes on with it here: the items that were picked for it are not kept here.")
        with st.expander("Everything that was recorded", icon=":material/data_object:", on_change="rerun") as box:
            if box.open:
                st.json(record, expanded=1)


def _links(run_id: str, line: Any) -> None:
    known = [entry for entry in stored.chosen().values() if entry.hash == line.benchmark]
    if not known or line.model not in known[0].runs:
        chart_caption("It has no verdicts to show yet.")
        return
    query = {"benchmark": known[0].name, "model": str(line.model)}
    with st.container(horizontal=True):
        st.page_link(
            "pages/failures/page.py", label="Its failures", icon=":material/error_outline:", query_params=query
        )
        st.page_link(
            "pages/overview/page.py", label="Overview of the benchmark", icon=":material/grid_view:",
            query_params={"benchmark": known[0].name},
        )  # fmt: skip
    if known[0].runs[str(line.model)] != run_id:
        chart_caption(
            "The pages show another run of this model on this benchmark. They take one that was not imported, then one "
            "of the whole benchmark, then one without a limit, then a complete one, then the latest."
        )


def _delete(run_id: str, line: Any) -> None:
    title = f"{line.model} on {line.benchmark_name}"
    found = imported.locate(run_id)
    shipped = found is None or paths.cache_dir() not in found[1].parents
    said = "Its scores; can be undone for 30 days."
    if line.origin == "shipped" and (paths.bundled_editions_dir() / "runs" / run_id).is_dir():
        said = "Flipside's example: “Show the example” on Robustness brings it back. Can be undone for 30 days."
    elif line.origin == "shipped":
        said = "What was added to it here; what ships stays. Can be undone for 30 days."
    st.button(
        "Delete this run", key=f"run-delete-{run_id}", icon=":material/delete:", disabled=shipped,
        on_click=runs_trash.delete, args=(trash.discard_run, run_id, title),
        help="It ships with Flipside and cannot be deleted." if shipped else said,
    )  # fmt: skip
