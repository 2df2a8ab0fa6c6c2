"""Runs: score a model on a benchmark."""

import re

import streamlit as st

from backend import benchmarks
from backend.errors import FlipsideError
from backend.items import Kind
from backend.kinds import that_apply
from backend.live.scoring import pool
from backend.store.build.stored_run import rank
from pages.runs import jobs as runs_jobs
from pages.runs import subjects, terminal, view
from pages.runs.subjects import Subject
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import count
from pages.shared.frame.fold import more, set_under_more
from pages.shared.frame.header import chart_caption, trouble
from pages.shared.frame.tips import kind_name, kinds_help

ALL, FIRST, RANDOM = "all items", "the first", "a random sample of"
PRIORS = {
    "noise:3": "3 noise images",
    "images:20": "20 of the benchmark's images",
    "lm:bundled:lm": "blind model lm",
    "self": "the blind model itself",
}


def draw() -> None:
    """The form, and the command line that it stands for."""
    left, right = st.columns(2, gap="large")
    with left:
        spec, gives = _model()
    with right:
        subject = subjects.choose("score-benchmark")
    with left:
        kinds, priors = _kinds(spec, gives, subject) if gives else ([], [])
    with more(key="more-runs-score"):
        one, two = st.columns(2, gap="large")
        with one:
            limit, sample, seed = _how_many()
        with two:
            subsets = _subsets(subject)
            split = _split(subject)
    set_under_more(_said(limit, sample, seed, subsets, split))
    if not gives or not kinds:
        return
    words = view.run_arguments(
        spec, subject.name, kinds, data=subject.data, priors=priors, limit=limit, sample=sample, seed=seed, split=split,
        subsets=subsets,
    )  # fmt: skip
    if st.button("Start", type="primary", icon=":material/play_arrow:", key="score-start"):
        runs_jobs.begin("run", words, f"{colours.label(spec)} on {subject.label}: {', '.join(kinds)}")
    note = "What is computed already is not computed again; another kind extends the same run."
    terminal.draw("run", words[:-1], note)


def afresh(model: str, benchmark: str) -> None:
    """Let the form stand for all of a benchmark (its label) with a model, whatever was chosen in it before."""
    state = st.session_state
    for key in [key for key in state if str(key).startswith(("score-subsets-", "score-split-"))]:
        del state[key]
    state.update({"score-model": model, "score-benchmark": benchmark, "score-how": ALL})


def _said(limit: int | None, sample: int | None, seed: int, subsets: list[str], split: str) -> str:
    """What is set under More, in words, for what cannot be seen must not decide unseen; "" where all is scored.

    >>> _said(None, 200, 0, ["color"], ""), _said(None, None, 0, [], "")
    ('a random sample of 200, subset color', '')
    """
    found = [f"{FIRST} {count(limit, 'item')}"] if limit else []
    found += [f"{RANDOM} {sample:,}" + (f" (seed {seed})" if seed else "")] if sample else []
    found += [f"subset {', '.join(subsets)}"] if subsets else []
    return ", ".join([*found, *([f"split {split}"] if split else [])])


def _model() -> tuple[str, frozenset[str]]:
    offered = colours.order(pool.available())
    names = colours.labels(offered)
    spec = st.selectbox(
        "Model", offered, key="score-model", accept_new_options=True, persist_state="session",
        format_func=lambda s: names.get(s, s),
        help="A bundled model, or type the spec of your own: `hf:openai/clip-vit-base-patch32`, "
        "`openclip:ViT-B-32/laion2b_s34b_b79k`, `st:` for a text encoder, `lm:` for a blind language model, "
        "`endpoint:https://host/v1#model` for a server, or a prefix before the path of a folder below "
        "`$FLIPSIDE_MODELS` (`models` in the cache).",
    )  # fmt: skip
    spec = (spec or "").strip()
    if not spec:
        chart_caption("Choose a model, or type the spec of your own.")
        return "", frozenset()
    try:
        with st.spinner("Reading its configuration …", show_time=True):
            return spec, pool.kinds(spec)
    except FlipsideError as error:
        trouble(str(error))
        return spec, frozenset()


def _kinds(spec: str, gives: frozenset[str], subject: Subject) -> tuple[list[str], list[str]]:
    blind = Kind.PRIOR in gives and Kind.GEN not in gives
    listed = [k for k in map(str, Kind) if k in gives or (k == Kind.PRIOR and Kind.GEN in gives)]
    given, listed = listed, that_apply(listed, subjects.protocols(subject), gives)
    if not listed:
        chart_caption(f"The model gives {', '.join(given)} alone, which no item of {subject.label} has.")
        return [], []
    kinds = st.pills(
        "Score kinds", listed, selection_mode="multi", default=[k for k in listed if k != Kind.PRIOR or blind],
        format_func=lambda k: f"{kind_name(k)} ({k})", key=f"score-kinds-{spec}-{'-'.join(listed)}",
        persist_state="session", help=kinds_help(listed),
    )  # fmt: skip
    if not kinds:
        chart_caption("Choose at least one score kind.")
    if Kind.PRIOR not in kinds:
        return list(kinds), []
    sources = ["self"] if blind else sources_for(subject.name)
    priors = st.multiselect(
        "Language prior P(t) from", sources, default=sources[:1], key=f"score-priors-{sources[0]}",
        format_func=PRIORS.__getitem__, persist_state="session",
        help="Several can be kept; the Debias page compares them.",
    )  # fmt: skip
    return list(kinds), priors


def sources_for(benchmark: str) -> list[str]:
    """Prior sources to compute, the chosen one first, as every page takes them (`StoredRun.default_prior`). The blind
    model that ships has read the drawn world only, so it is no first choice for other people's captions.

    >>> sources_for("world~typos@4"), sources_for("winoground")
    (['lm:bundled:lm', 'images:20', 'noise:3'], ['images:20', 'noise:3', 'lm:bundled:lm'])
    """
    drawn = re.match(r"world\b", benchmark) is not None
    known = sorted((source for source in PRIORS if source != "self"), key=rank)
    return known if drawn else [*known[1:], known[0]]


def _subsets(subject: Subject) -> list[str]:
    parts = list(benchmarks.declaration(subject.name).protocols)
    if len(parts) < 2:
        return []
    return st.multiselect(
        "Subset", parts, key=f"score-subsets-{subject.label}", placeholder="all of them",
        persist_state="session", help="Only these subsets of the benchmark.",
    )  # fmt: skip


def _split(subject: Subject) -> str:
    known = benchmarks.declaration(subject.name)
    if not known.splits:
        return ""
    chosen = st.selectbox(
        "Split", list(known.splits), key=f"score-split-{subject.name}",
        index=list(known.splits).index(known.default_split) if known.default_split in known.splits else 0,
        format_func=lambda s: f"{s}: {known.splits[s]}", persist_state="session",
    )  # fmt: skip
    return "" if chosen in (None, known.default_split) else str(chosen)


def _how_many() -> tuple[int | None, int | None, int]:
    how = st.segmented_control(
        "Which items",
        [ALL, FIRST, RANDOM],
        default=ALL,
        key="score-how",
        persist_state="session",
        required=True,
        help="The first items of the benchmark, or a sample drawn by a seed, give a first look; rates then stand "
        "for those items only.",
    )
    if how == ALL:
        return None, None, 0
    left, right = st.columns(2)
    with left:
        n = st.number_input("Items", 1, 10_000_000, 200, key="score-n", persist_state="session")
    if how == FIRST:
        return n, None, 0
    with right:
        seed = st.number_input(
            "Seed", 0, 2**31, 0, key="score-seed", persist_state="session", help="Equal seeds choose equal items."
        )
    return None, n, seed
