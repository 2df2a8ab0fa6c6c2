"""Which model the page is about, and one clear sentence where there is nothing to show of it."""

from collections.abc import Mapping

import streamlit as st
from markupsafe import Markup

from backend.store.catalog import public, taught
from backend.store.catalog.systems import BUNDLED
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import count, listing
from pages.shared.frame import address, model_link
from pages.shared.frame.header import empty
from pages.shared.frame.hidden import hide
from pages.shared.frame.plain import plain
from pages.shared.frame.sidebar import choose_model
from pages.shared.frame.style import show

#: So many models are offered where the one that is asked for is not here.
OFFERED = 12
#: The longest name of a model that is repeated in a sentence.
_LONGEST = 80


def choose(benchmark: stored.StoredBenchmark) -> str | None:
    """The model of the address, or another one that is chosen in the sidebar; None, after saying what to do, where it
    has no run on the benchmark."""
    asked = address.asked("model")
    held = st.session_state.get("model")
    wanted = asked[0] if asked else held if isinstance(held, str) else ""
    if wanted and wanted not in benchmark.runs:
        address.text("model")
        address.end()
        _nowhere(wanted, benchmark)
        return None
    with st.sidebar:
        return choose_model(benchmark.models)


def _nowhere(wanted: str, benchmark: stored.StoredBenchmark) -> None:
    """What is said of a model without a run on the benchmark, with the ways on."""
    elsewhere = {name: each for name, each in stored.chosen().items() if wanted in each.runs}
    title, next_step = sentences(wanted, benchmark, elsewhere)
    empty(title, next_step)
    here = [] if elsewhere else benchmark.models[:OFFERED]
    for model, name in [*((wanted, name) for name in elsewhere), *((model, benchmark.name) for model in here)]:
        label = colours.labels(benchmark.models)[model] if model in benchmark.runs else colours.label(model)
        # No link: one from a page to itself leaves the browser's address as it was.
        st.button(
            f"{plain(label)} on {plain(name)}", icon=":material/arrow_forward:", key=f"model-go-{name}-{model}",
            type="tertiary", on_click=_go, args=(model, name),
        )  # fmt: skip


def _go(model: str, benchmark: str) -> None:
    st.session_state["model"], st.session_state["benchmark"] = model, benchmark


def sentences(
    wanted: str, benchmark: stored.StoredBenchmark, elsewhere: Mapping[str, stored.StoredBenchmark]
) -> tuple[str, str]:
    """What is missing, and what to do. elsewhere: benchmarks on which the model has runs.

    >>> here = stored.StoredBenchmark("world", "", {}, {}, {"bundled:clip": "r"}, {}, {})
    >>> sentences("fake:x", here, {})[1]
    'No stored run is of a model of this spec. world has runs of 1 model: clip.'
    >>> sentences("fake:x", here, {"own": here})[0]
    'fake:x has no run on world'
    """
    name = colours.label(wanted)[:_LONGEST]
    if elsewhere:
        where = listing(list(elsewhere), 4)
        return f"{name} has no run on {benchmark.name}", f"It has runs on {where}: open it there, or score it on Runs."
    names = colours.labels(benchmark.models)
    known = f"{count(len(names), 'model')}: {listing([names[model] for model in benchmark.models], 6)}"
    return (
        f"No model “{wanted[:_LONGEST]}” is known here",
        f"No stored run is of a model of this spec. {benchmark.name} has runs of {known}.",
    )


def head(benchmark: stored.StoredBenchmark, model: str) -> None:
    """The model's name, what it is in one line, and what has to be known of its results here."""
    names = colours.labels(benchmark.models)
    line = model_link.described([model])[model]
    said = Markup(" ").join(Markup("<li>{}</li>").format(hide(each)) for each in notes(benchmark, model))
    show(
        Markup('<div class="md-head"><p class="md-name">{}<b>{}</b> <span>{}</span></p>{}{}</div>').format(
            colours.dot(model),
            names[model],
            " · ".join(filter(None, (model if model != names[model] else "", f"on {benchmark.name}"))),
            Markup("<p>{}</p>").format(_sentence(line)) if line else "",
            Markup("<ul>{}</ul>").format(said) if said else "",
        )
    )


def notes(benchmark: stored.StoredBenchmark, model: str) -> list[str]:
    """Sentences that stand wherever this model's results on this benchmark do: taught on its items, imported, not
    whole, fetched from a public place."""
    record = stored.store().run(benchmark.runs[model]).record
    said = [*taught.notes(record), *public.notes(record, benchmark.hash)]
    if model in benchmark.imported:
        said.append(f"Imported, not computed here: {benchmark.imported[model]}.")
    if model in benchmark.partial:
        said.append(
            f"Its run of {benchmark.partial[model]} is not complete: what rates it has are of what it has judged so "
            "far, and Runs says how it goes on."
            if model in benchmark.unfinished
            else f"Its run covers {benchmark.partial[model]} only: its rates are of these."
        )
    return said


def _sentence(text: str) -> str:
    """A line with a full stop, its first letter large unless it is a model's name."""
    named = text.partition(" ")[0].strip(",") in BUNDLED
    return (text if named else text[:1].upper() + text[1:]) + "."
