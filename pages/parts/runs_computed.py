"""Runs, first tab: every run that there is, and where to look at it."""

from typing import Any

import streamlit as st

from backend import paths
from backend.live import jobs
from backend.store import queries
from pages.parts import runs_view, stored
from pages.parts.frames import lines_of
from pages.parts.header import chart_caption, empty
from pages.parts.tips import kind_name


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
    table = runs_view.runs_table(frame, bundled)
    state = st.dataframe(
        table.drop(columns="run_id"), hide_index=True, on_select="rerun", selection_mode="single-row", key="runs-table",
        alt="Every run", height=min(38 + 35 * len(table), 460),
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
        session = (record.get("sessions") or [{}])[-1]
        said = [f"dtype {session.get('dtype', '–')}", f"device {session.get('device', '–')}"]
        versions = session.get("versions") or {}
        said += [f"{name} {version}" for name, version in versions.items() if name in ("torch", "transformers")]
        kinds = ", ".join(kind_name(kind) for kind in line.kinds)
        chart_caption(f"{runs_view.selection(line)} items · {kinds} · {', '.join(said)}")
        kinds_asked = [*line.kinds, *(["prior"] if len(line.priors) and "prior" not in line.kinds else [])]
        if not str(line.model).startswith("predictions:") and kinds_asked:
            st.caption("The command that computes it, or goes on with it:")
            st.code(jobs.command_line("run", _arguments(line, record, kinds_asked)), language="bash", wrap_lines=True)
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


def _arguments(line: Any, record: dict[str, Any], kinds: list[str]) -> list[str]:
    whole = {name: getattr(line, name) for name in ("limit", "sample", "seed")}
    numbers = {name: int(value) if value == value and value is not None else None for name, value in whole.items()}
    return runs_view.run_arguments(
        str(line.model), str(line.benchmark_name).partition(":")[0], kinds,
        data=str((record.get("benchmark") or {}).get("data_dir") or ""),
        priors=[str(name) for name in line.priors],
        limit=numbers["limit"], sample=numbers["sample"], seed=numbers["seed"] or 0,
        split=line.split if isinstance(line.split, str) else "",
        subsets=line.subset.split(",") if isinstance(line.subset, str) and line.subset else (),
    )[:-1]  # fmt: skip
