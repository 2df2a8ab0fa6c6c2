"""Robustness: make editions of a benchmark and score models on them, by one button, as two steps of jobs."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any, Final

import streamlit as st
from markupsafe import Markup

from backend import perturb
from backend.benchmarks.items_folder.folder import own_names
from backend.benchmarks.items_folder.kept import EDITED
from backend.errors import FlipsideError
from backend.kinds import PAIR_KINDS
from backend.live.jobs import jobs
from backend.live.jobs.record import Job
from backend.paths import bundled_editions_dir
from backend.perturb import Effect
from backend.store.build import importer
from backend.store.examples import example, shown_once
from pages.robustness import data, offered, prepared
from pages.runs import style, subjects, view, watched
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import count
from pages.shared.frame.header import chart_caption, section, trouble
from pages.shared.frame.plain import plain
from pages.shared.frame.style import show
from pages.shared.server import warm

FIRST: Final = ("character_swap", "synonym_adjective", "distraction", "shuffle_all_words")
#: Scores a second on two slow cores, measured, for the estimate.
A_SECOND: Final = 150
#: Begins the titles of this page's jobs, so that they are found again.
MARK: Final = "Robustness: "
_PLAN = "_robustness_plan"


def draw(benchmark: stored.StoredBenchmark, first: bool = False) -> None:
    """The form, and what is being computed. first: whether the page has nothing else to show yet."""
    style.apply()
    able = offered.able(benchmark)
    if first:
        section("Try it now", "edits captions and scores them in a process of its own" if able else "")
    has_example = False
    if benchmark.name.partition("@")[0] == "world":
        has_example = _example()
    subject = next((s for s in subjects.subjects() if s.name == benchmark.name.partition("@")[0]), None)
    if first:
        button = "Edit some of its captions and score a model on them by one button; the matrix appears here by itself."
        show(
            Markup(
                '<p class="fs-caption">No model has been scored on an edited version of this benchmark yet.{}</p>'
            ).format(f" {button}" if able else "")
        )
    if subject is None:
        chart_caption(
            "The original files of this benchmark lie in no data folder. Put them into one, or use the Runs page."
        )
        return
    if not able:
        offered.answered_elsewhere(benchmark)
        return
    kinds, models, size = _form(benchmark, able, first)
    if kinds and models:
        n = size * len(kinds) * len(models)
        wait = view.duration(6 + 12 * len(models) + n * 6 / A_SECOND)
        ready = st.button(
            "Edit and score", type="primary" if first and not has_example else "secondary",
            icon=":material/auto_fix_high:", key="robust-start",
        )  # fmt: skip
        which = offered.sized(size, benchmark.n_items)
        chart_caption(
            f"{count(len(kinds), 'edit')} of {which}, {count(len(models), 'model')}: about {wait} on two slow cores. "
            "Each new edition gets an unused seed, so nothing is replaced."
        )
        if ready:
            start(benchmark, subject, kinds, models, size)


def show_example(benchmark: stored.StoredBenchmark) -> bool:
    """Take the example over unasked where this benchmark has nothing of its own to show and nobody has seen it yet, and
    wait for it where somebody else is taking it over (another session, another dashboard); whether the page has more to
    show now."""
    place = bundled_editions_dir()
    known = example.known(place)
    if (
        benchmark.name.partition("@")[0] != "world"
        or known is None
        or not (known.here or shown_once.is_new(place, known))
    ):
        return False
    try:
        with st.spinner("Reading the results that come with Flipside …", show_time=True):
            store = stored.store()  # asked once: it would look for names that come with the answers
            if not known.here:
                prepared.give_way()
            if known.here or not shown_once.take_ahead(place):
                if not known.here:
                    shown_once.take_over(place)
                importer.refresh(wait=True)  # another process, or a thread of this one, may be at it
            store.move_on()
            prepared.hand_over(store)
            warm.again()
    except FlipsideError as error:
        trouble(str(error))
        return False
    return not data.pairs(benchmark.hash).empty


def _example() -> bool:
    """The example that ships, until it is taken over; whether it is offered."""
    known = example.known(bundled_editions_dir())
    if known is None or known.here:
        return False
    names = ", ".join(plain(name) for name in colours.labels(known.models).values())
    with st.container(border=True):
        st.markdown(
            f"**Computed already:** {names} on {len(known.benchmarks)} editions of up to {known.items} items. "
            "They come with Flipside; nothing is scored again."
        )
        if st.button("Show the example", type="primary", icon=":material/visibility:", key="robust-example"):
            with st.spinner("Taking over the example …", show_time=True):
                prepared.give_way()
                shown_once.take_over(bundled_editions_dir())
                importer.refresh(wait=True)
                stored.store().move_on()
                warm.again()
            st.rerun()
    return True


def _form(benchmark: stored.StoredBenchmark, able: list[str], first: bool) -> tuple[list[str], list[str], int]:
    known = {kind.name: kind for kind in perturb.everything() if not kind.needs}
    signs = {Effect.PRESERVING: "keeps the meaning", Effect.CHANGING: "changes it"}
    kinds = st.multiselect(
        "Edits", list(known), default=list(FIRST) if first else [], key="robust-kinds",
        format_func=lambda n: f"{known[n].title} ({signs[known[n].effect]})", placeholder="choose some",
            help="An edit that keeps the meaning should leave a right verdict right; one that changes it should not.",
    )  # fmt: skip
    left, right = st.columns([3, 1], gap="medium")
    names = colours.labels(able)
    with left:
        models = st.multiselect(
            "Models", able, default=able[:1], key="robust-models", format_func=names.__getitem__,
            help="Models that have been scored on the original captions: only then is there something to compare.",
        )  # fmt: skip
    with right:
        known_sizes, total = offered.sizes(benchmark.n_items), benchmark.n_items
        at = min(offered.FEW, known_sizes[-1])
        size = st.selectbox(
            "Items", known_sizes, index=known_sizes.index(at), key=f"robust-size-{len(known_sizes)}-{at}",
            format_func=lambda n: f"all {n:,}" if n >= total else f"{n:,}",
        ) or at  # fmt: skip
    return kinds, models, int(size)


def free_seed(parent: str, taken: Sequence[str]) -> int:
    """The lowest seed from 1 on under which no edition of a benchmark is known, so that `parent~*@seed` means the new
    ones and nothing is replaced.

    >>> free_seed("world", ["world~negation", "world~negation@1", "world~tense@3"])
    2
    """
    used = {name.rpartition("@")[2] for name in taken if name.startswith(f"{parent}{EDITED}")}
    return next(seed for seed in range(1, len(used) + 2) if str(seed) not in used)


def start(
    benchmark: stored.StoredBenchmark, subject: subjects.Subject, kinds: Sequence[str], models: Sequence[str], size: int
) -> None:
    """Begin the first step; the second follows when its editions are there."""
    taken = [*own_names(), *data.all_editions()["name"]]
    seed = free_seed(subject.name, taken)
    words = ["--benchmark", *subject.words, "--kinds", ",".join(kinds), "--seed", str(seed)]
    words += ["--sample", str(size)] if size < benchmark.n_items else []
    titles = ", ".join(perturb.get(kind).title.lower() for kind in kinds)
    try:
        job = jobs.start(
            "perturb", [*words, "--json"], f"{MARK}edit {count(size, 'item')} of {subject.label}: {titles}"
        )
    except FlipsideError as error:
        trouble(str(error))
        return
    scored = {model: [k for k in benchmark.kinds[model] if k in PAIR_KINDS] for model in models}
    st.session_state[_PLAN] = {
        "job": job.job_id, "editions": f"{subject.name}{EDITED}*@{seed}",
        "models": {model: found or benchmark.kinds[model] for model, found in scored.items()},
    }  # fmt: skip
    st.rerun()


def working() -> bool:
    """Whether something is being edited or scored for this page, or will be."""
    return _PLAN in st.session_state or watched.working(MARK)


def watch() -> None:
    """How the page's own jobs go."""
    watched.watch(MARK, _go_on, waits=_PLAN in st.session_state)


def _go_on() -> None:
    """Start the second step of this session's plan once the first is over."""
    plan: dict[str, Any] | None = st.session_state.get(_PLAN)
    if plan is None:
        return
    made = next((job for job in watched.mine(MARK) if job.job_id == plan["job"]), None)
    if made is None or made.is_over:
        del st.session_state[_PLAN]
        _score(plan, made)


def _score(plan: dict[str, Any], made: Job | None) -> None:
    """Queue a run of each model on the editions that were made. An edit that applied nowhere has none."""
    if made is None or not any(fnmatchcase(name, plan["editions"]) for name in own_names()):
        return
    for model, kinds in plan["models"].items():
        words = view.run_arguments(model, plan["editions"], kinds)
        try:
            jobs.start_once("run", words, f"{MARK}{colours.label(model)} on {plan['editions']}: {', '.join(kinds)}")
        except FlipsideError as error:
            trouble(str(error))
            return
