"""Runs, first tab: every run that there is, and where to look at it."""

from typing import Any

import streamlit as st

from backend import paths
from backend.live import jobs, trash
from backend.store import queries
from pages.parts import runs_trash, runs_view, stored
from pages.parts.frames import lines_of
from pages.parts.header import chart_caption, empty
from pages.parts.tips import kind_name

#: Rows beyond which the table scrolls.
MOST = 12


def draw() -> None:
    """The table of runs, and the selected one."""
    frame = queries.runs(stored.store())
    _problems()
    if frame.empty:
        empty(
            "Nothing has been computed yet",
            "Open “Score a model” above, or type: python -m backend run --model bundled:clip --benchmark world --kinds "
            "itc,t2t",
        )
        return
    folder = paths.bundled_runs_dir() / "runs"
    bundled = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    priors = {run_id: runs_view.own_priors(queries.record(stored.store(), run_id)) for run_id in frame["run_id"]}
    table = runs_view.runs_table(frame, bundled, priors)
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
    found = queries.problems(stored.store())
    if len(found):
        st.warning(
            f"{len(found):,} damaged files were left out of what is shown. The first: {found['path'].iloc[0]}: "
            f"{found['reason'].iloc[0]}. Restore them, or delete their folders and compute them again.",
            icon=":material/warning:",
        )


def _one(run_id: str, line: Any) -> None:
    record = queries.record(stored.store(), run_id)
    with st.container(border=True):
        st.markdown(f"**{line.model}** on **{line.benchmark_name}** · run `{run_id}`")
        _links(run_id, line)
        _delete(run_id, line)
        session = (record.get("sessions") or [{}])[-1]
        said = [f"dtype {session.get('dtype', '–')}", f"device {session.get('device', '–')}"]
        versions = session.get("versions") or {}
        said += [f"{name} {version}" for name, version in versions.items() if name in ("torch", "transformers")]
        kinds = ", ".join(kind_name(kind) for kind in line.kinds)
        chart_caption(f"{runs_view.selection(line)} items · {kinds} · {', '.join(said)}")
        if not str(line.model).startswith("predictions:"):
            st.caption("The command that computes it, or goes on with it:")
            words = runs_view.arguments_of(line, record)
            st.code(jobs.command_line("run", words), language="bash", wrap_lines=True)
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
        st.page_link("pages/failures.py", label="Its failures", icon=":material/error_outline:", query_params=query)
        st.page_link(
            "pages/overview.py", label="Overview of the benchmark", icon=":material/grid_view:",
            query_params={"benchmark": known[0].name},
        )  # fmt: skip
    if known[0].runs[str(line.model)] != run_id:
        chart_caption("The pages show another run of this model on this benchmark: a larger or a later one.")


def _delete(run_id: str, line: Any) -> None:
    title = f"{line.model} on {line.benchmark_name}"
    shipped = not (paths.runs_dir() / run_id).is_dir()
    st.button(
        "Delete this run", key=f"run-delete-{run_id}", icon=":material/delete:", disabled=shipped,
        on_click=runs_trash.delete, args=(trash.discard_run, run_id, title),
        help="It ships with Flipside and cannot be deleted." if shipped else "Its scores; can be undone for 30 days.",
    )  # fmt: skip
