"""The selection, asked of a model that has not seen it: a few items here and now, many by a job of their own."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from backend.errors import FlipsideError
from backend.items import Kind
from backend.live.jobs import jobs
from backend.live.scoring import few_items, pool
from backend.store import queries
from backend.store.catalog import catalog
from backend.store.catalog.picked_runs import picked_rates, picked_runs, picked_verdicts
from backend.store.failures import selections
from backend.store.rates.rates import headlines
from pages.failures import data as failures_data
from pages.failures import picked as failures_set
from pages.shared.data import model_choice, stored
from pages.shared.data.frames import lines_of
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import count, interval, score
from pages.shared.frame import toasts
from pages.shared.frame.header import chart_caption, section, trouble
from pages.shared.frame.plain import plain
from pages.shared.frame.tips import kind_name, metric_title

_LIVE = "_failures_live"


def draw(benchmark: stored.StoredBenchmark, ids: Sequence[str], total: int) -> None:
    """A popover that scores what is filtered with another model. benchmark: one, not all together. total: how
    many are filtered; ids: which, where the popover is open."""
    with st.popover(
        "Score with …", icon=":material/science:", key="score-with", on_change="rerun", disabled=not total
    ) as box:
        if not box.open:
            return
        if benchmark.parts:
            chart_caption("Choose one benchmark in the sidebar: a model is asked about the items of one at a time.")
            return
        spec, kinds = model_choice.choose(benchmark.models, "score-with-spec")
        n = len(ids)
        if n <= few_items.MOST:
            if st.button(f"Score these {count(n, 'item')} now", key="score-now", type="primary", disabled=not spec):
                _now(benchmark, ids, spec)
            chart_caption("In this process, shown below, not stored.")
            return
        if st.button(
            f"Start a run on {'this item' if n == 1 else f'these {n:,} items'}",
            key="score-job",
            type="primary",
            disabled=not spec,
        ):
            _job(benchmark, ids, spec, kinds)
        chart_caption(
            f"In a process of its own (Runs shows it); up to {few_items.MOST} items are scored at once here. The run "
            "is shown as “this selection” only, never among complete runs."
        )


def results(benchmark: stored.StoredBenchmark) -> None:
    """What other models make of this selection: live answers of this session, and runs of the picked set."""
    place = (benchmark.hash, str(st.session_state[failures_set.KEY]))
    live: dict[str, pd.DataFrame] = st.session_state.get(_LIVE, {}).get(place, {})
    picked = failures_set.named() if st.session_state[failures_set.KEY] else None
    runs = pd.DataFrame(columns=["run_id", "model", "complete"])
    if picked is not None and picked.benchmark == benchmark.hash:
        runs = picked_runs(stored.store(), benchmark.hash, picked.item_ids)
    if not live and runs.empty:
        return
    section("This selection, asked of other models", "limited to these items; no page counts it among complete runs")
    found = [(f"{colours.label(spec)} · live", frame) for spec, frame in live.items()]
    for line in lines_of(runs):
        word = "a run" if line.complete else "a run, not complete yet"
        found.append((f"{colours.label(line.model)} · {word}", picked_verdicts(stored.store(), line.run_id)))
    clusters = catalog.clusters(stored.store(), benchmark.hash)
    rates = pd.concat([picked_rates(frame, clusters).assign(model=name) for name, frame in found], ignore_index=True)
    shown = [metric in headlines(kind) for metric, kind in zip(rates["metric"], rates["kind"], strict=True)]
    st.dataframe(_said(rates[shown]), hide_index=True, width="content", alt="Rates of other models on this selection")
    with st.expander("Item by item", key="selection-items", on_change="rerun") as box:
        if box.open:
            st.dataframe(_wide(found), hide_index=True, alt="Verdict and margin of each model on each item")


def _said(rates: pd.DataFrame) -> pd.DataFrame:
    ci = [
        None if pd.isna(low) else (float(low), float(high))
        for low, high in zip(rates["low"], rates["high"], strict=True)
    ]
    values = [None if pd.isna(value) else float(value) for value in rates["value"]]
    said = [interval(value, int(n), each) for value, n, each in zip(values, rates["n"], ci, strict=True)]
    return pd.DataFrame(
        {"model": rates["model"], "scores": rates["kind"].map(kind_name), "metric": rates["metric"].map(metric_title),
         "right": said, "ties": rates["ties"]}
    )  # fmt: skip


def _wide(found: Sequence[tuple[str, pd.DataFrame]]) -> pd.DataFrame:
    lines = []
    for name, frame in found:
        for line in lines_of(frame):
            if line.metric not in headlines(line.kind):
                continue
            sign = "–" if pd.isna(line.correct) else "✓" if line.correct else "✗"
            said = f"{sign} {score(float(line.margin), signed=True)}"
            lines.append((line.item_id, metric_title(line.metric), f"{name} · {kind_name(line.kind)}", said))
    table = pd.DataFrame(lines, columns=["item", "metric", "who", "said"]).drop_duplicates(["item", "metric", "who"])
    return table.pivot(index=["item", "metric"], columns="who", values="said").reset_index()


def _now(benchmark: stored.StoredBenchmark, ids: Sequence[str], spec: str) -> None:
    details = failures_data.card_items(benchmark.hash, tuple(ids))
    bar = st.progress(0.0, "Loading the model (the first one also starts PyTorch) …")
    try:
        frame, left_out = few_items.score_items(
            pool.shared(), spec, [details[i] for i in ids if i in details],
            lambda k, n: bar.progress(k / n, f"Item {k + 1} of {n} …"),
        )  # fmt: skip
    except FlipsideError as error:
        trouble(str(error))
        return
    bar.empty()
    for why in left_out[:3]:
        st.caption(plain(why))
    if frame.empty:
        trouble("No item of this selection can be judged by itself: pools and class lists need a whole run (see Runs).")
        return
    kept = _keep(benchmark, ids)
    if kept:
        places: dict[tuple[str, str], dict[str, pd.DataFrame]] = st.session_state.setdefault(_LIVE, {})
        places.setdefault((benchmark.hash, kept), {})[spec] = frame
        st.rerun()


def _job(benchmark: stored.StoredBenchmark, ids: Sequence[str], spec: str, kinds: frozenset[str]) -> None:
    kept = _keep(benchmark, ids)
    if not kept:
        return
    table = queries.benchmarks(stored.store()).set_index("hash")
    data = str(table["data_dir"][benchmark.hash] or "")
    asked = [kind for kind in map(str, Kind) if kind in kinds and kind != Kind.PRIOR] or [str(Kind.PRIOR)]
    words = [
        "--model",
        spec,
        "--benchmark",
        benchmark.name.partition("@")[0],
        "--kinds",
        ",".join(asked),
        "--set",
        kept,
    ]
    words += ["--data", data] if data else []
    try:
        title = f"{colours.label(spec)} on {len(ids):,} picked items of {benchmark.name}"
        jobs.start_once("run", [*words, "--json"], title)
    except FlipsideError as error:
        trouble(str(error))
        return
    toasts.say("Started; Runs shows how far it is.", ":material/play_circle:")
    st.rerun()


def _keep(benchmark: stored.StoredBenchmark, ids: Sequence[str]) -> str:
    """The key of the set of these items, which is on from now: what comes of it is shown with it."""
    on = failures_set.named() if st.session_state[failures_set.KEY] else None
    try:
        key = (
            on.key
            if on and set(on.item_ids) == set(ids)
            else selections.keep(benchmark.hash, ids, "filtered in Failures").key
        )
    except FlipsideError as error:
        trouble(str(error))
        return ""
    st.session_state[failures_set.KEY] = key
    return key
