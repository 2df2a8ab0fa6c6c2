"""Runs, Add: the models that a row is scored by: which are offered first, how long it takes, and the jobs."""

from collections.abc import Collection, Mapping, Sequence
from itertools import product

import streamlit as st
from markupsafe import Markup

from backend.errors import FlipsideError
from backend.kinds import IMAGE_KINDS, Kind, that_apply, usual
from backend.live.jobs import jobs
from backend.live.scoring import pool
from pages.runs import view
from pages.runs.add import estimate
from pages.runs.add.states import Row, Subject
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import count
from pages.shared.frame import toasts
from pages.shared.frame.header import chart_caption, trouble
from pages.shared.frame.plain import plain
from pages.shared.frame.style import show

HELP = (
    "One model for each way of judging is chosen for you; add others, or type the spec of your own, such as "
    "hf:openai/clip-vit-base-patch32. Each is scored on all items by all kinds that it gives and such items have, but "
    "the language prior."
)


def first(offered: Mapping[str, frozenset[str]], with_pictures: bool) -> list[str]:
    """The models that are chosen for one: in the order offered, each that judges in a way that none before it does.
    offered: model -> what it gives; with_pictures: whether there are pictures to judge by.

    >>> first({"a": frozenset({"itc", "t2t"}), "b": frozenset({"itc"}), "c": frozenset({"itc", "itm"})}, True)
    ['a', 'c']
    >>> first({"a": frozenset({"itc"}), "b": frozenset({"t2t"}), "c": frozenset({"prior"})}, False)
    ['b', 'c']
    """
    found: list[str] = []
    ways: set[str] = set()
    for model, gives in offered.items():
        new = {str(kind) for kind in gives if (Kind(kind) in IMAGE_KINDS) == with_pictures} - ways
        if new:
            found.append(model)
            ways |= new
    return found


def draw(sort: str, row: Row, main: bool) -> None:
    """Models, the button, and how long it takes. sort: of the row; main: whether this is the row's next step."""
    on = "it" if len(row.subjects) == 1 else f"all {len(row.subjects)}"
    has_pictures = any(subject.n_images for subject in row.subjects)
    offered = {spec: gives for spec, gives in models().items() if kinds_on(gives, row.subjects)}
    done = set(row.models)
    rest = {model: gives for model, gives in offered.items() if model not in done}
    left, right = st.columns([5, 3], vertical_alignment="center", gap="small")
    names = colours.labels(offered)
    with left:
        chosen: list[str] = st.multiselect(
            "Models", list(offered), default=first(rest, has_pictures) if main else [],
            key=f"runs-models-{sort}-{row.key}", format_func=lambda spec: names.get(spec, spec),
            accept_new_options=True, placeholder="Choose models",
            label_visibility="collapsed", help=HELP,
        )  # fmt: skip
    try:
        given = {spec: offered.get(spec) or pool.kinds(spec) for spec in map(str.strip, chosen)}
    except FlipsideError as error:
        trouble(str(error))
        return
    asked = [(spec, kinds_on(gives, row.subjects)) for spec, gives in given.items()]
    if without := [spec for spec, kinds in asked if not kinds]:
        trouble(f"{without[0]} gives {', '.join(usual(given[without[0]]))}, which no item of {row.title} has.")
        return
    with right:
        pressed = st.button(
            f"Score {count(len(asked), 'model')} on {on}", key=f"runs-score-{sort}-{row.key}", disabled=not asked,
            type="primary" if main else "secondary", icon=":material/play_arrow:", width="stretch",
        )  # fmt: skip
    if pressed:  # said before the jobs are begun, which takes seconds on a busy machine
        n_jobs = sum(bool(that_apply(kinds, each.protocols)) for each in row.subjects for _, kinds in asked)
        show(waiting(f"Starting {count(n_jobs, 'job')} …"))
        start(asked, row.subjects)
    elif asked:
        slower = estimate.busy()
        paces = {spec: _pace(spec) for spec, _ in asked}
        found = estimate.seconds(asked, row.subjects, paces, jobs.at_once(), slower)
        chart_caption(
            f"{estimate.words(found, slower).capitalize()}; all items{by(asked)}. The progress stays in this row."
        )


def kinds_on(gives: Collection[str], subjects: Sequence[Subject]) -> list[str]:
    """By what a model is scored on some benchmarks: the usual of what it gives, as far as items there have it."""
    asked = usual(gives)
    found = {kind for subject in subjects for kind in that_apply(asked, subject.protocols, gives)}
    return [kind for kind in asked if kind in found]


def by(asked: Sequence[tuple[str, Sequence[str]]]) -> str:
    """By what each model is scored, those by the same kinds together.

    >>> by([("bundled:clip", ["itc"]), ("bundled:matcher", ["itc", "itm"]), ("bundled:clip-bag", ["itc"])])
    ': clip and clip-bag by itc; matcher by itc, itm'
    >>> by([("bundled:clip", ["itc", "t2t"])])
    ', by itc, t2t'
    """
    together: dict[str, list[str]] = {}
    for spec, kinds in asked:
        together.setdefault(", ".join(kinds), []).append(colours.label(spec))
    if len(together) == 1:
        return f", by {next(iter(together))}"
    return ": " + "; ".join(f"{' and '.join(names)} by {kinds}" for kinds, names in together.items())


def waiting(said: str) -> Markup:
    """A line with a bar that tells no share, where a row's progress will stand."""
    return Markup(
        '<div class="runs-progress" role="status"><span class="runs-bar runs-begins"><i></i></span><small>{}</small>'
        "</div>"
    ).format(said)


def start(asked: Sequence[tuple[str, Sequence[str]]], subjects: Sequence[Subject]) -> None:
    """Queue a job for each model on each benchmark and draw the page anew."""
    try:
        for subject, (spec, every) in product(subjects, asked):
            if kinds := that_apply(every, subject.protocols):
                words = view.run_arguments(spec, subject.name, kinds, data=subject.data)
                jobs.start_once("run", words, f"{colours.label(spec)} on {subject.name}: {', '.join(kinds)}")
    except FlipsideError as error:
        trouble(str(error))
        return
    names = ", ".join(colours.label(spec) for spec, _ in asked)
    toasts.say(f"{plain(names)}: scoring", ":material/play_circle:")
    st.rerun()


def models() -> dict[str, frozenset[str]]:
    """The models that are offered -> what they give; those that cannot be read are left out."""
    return _gives(tuple(colours.order(pool.available())))


@st.cache_data(ttl=60, max_entries=8, show_spinner=False)
def _gives(specs: tuple[str, ...]) -> dict[str, frozenset[str]]:
    found = {}
    for spec in specs:
        try:
            found[spec] = pool.kinds(spec)
        except FlipsideError:
            continue
    return found


def _pace(model: str) -> float | None:
    """Scores a second by the records of the model's runs here."""

    def make() -> float | None:
        from backend.store import queries

        frame = queries.runs(stored.store())
        mine = frame.loc[frame["model"] == model, "run_id"]
        return estimate.pace(stored.store().run(str(run_id)).record for run_id in mine)

    return stored.store().cached(("runs page", "pace", model), make)
