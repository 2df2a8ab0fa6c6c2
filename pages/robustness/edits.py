"""Robustness: what each edit does to captions, at once and without any model."""

from itertools import islice

import streamlit as st
from markupsafe import Markup

from backend import perturb
from backend.errors import FlipsideError
from backend.perturb import Effect, Perturbation
from pages.robustness import data
from pages.robustness.view import PAPERS
from pages.runs.perturb import example
from pages.shared.data import stored
from pages.shared.frame import address
from pages.shared.frame.header import chart_caption, section, trouble
from pages.shared.frame.style import show

#: Examples of an edit of a benchmark's captions.
EXAMPLES = 4
EVERY = "all that apply"


def draw(benchmark: stored.StoredBenchmark) -> None:
    """A caption of one's own under every edit, or a benchmark's captions under one."""
    section("See what an edit does", "rules only, no model; the same seed gives the same edit everywhere")
    kinds = {kind.name: kind for kind in perturb.everything() if not kind.needs}
    texts = data.examples(benchmark.hash)
    left, middle, right = st.columns([5, 3, 1], gap="medium", vertical_alignment="bottom")
    with left:
        own = st.text_input(
            "A caption", key=address.text("caption"), value=address.value("caption"), max_chars=200,
            placeholder="type one, or leave this empty for captions of the benchmark",
        )  # fmt: skip
    with middle:
        options = [EVERY, *kinds]
        name = st.selectbox(
            "Edit", options, key=address.option("edit", options, EVERY), index=address.index("edit"),
            format_func=lambda n: kinds[n].title if n in kinds else n,
            help="Rules that keep the meaning, or change it; each card names the paper an edit is from.",
        ) or EVERY  # fmt: skip
    with right:
        seed = st.number_input(
            "Seed",
            0,
            9999,
            key=address.number("seed", 0, 9999, 0),
            value=address.value("seed"),
            help="Which words a rule picks: the same seed gives the same edit everywhere.",
        )
    captions = [own.strip()] if own and own.strip() else texts
    chosen = list(kinds.values()) if name == EVERY else [kinds[name]]
    for effect, title in (
        (Effect.PRESERVING, "Keeps the meaning: a right verdict should stay right"),
        (Effect.CHANGING, "Destroys order or meaning: the edit should lose"),
    ):
        own_kinds = [kind for kind in chosen if kind.effect is effect]
        drawn = {kind.title: panel(kind, captions, int(seed), 1 if name == EVERY else EXAMPLES) for kind in own_kinds}
        if any(drawn.values()):
            show(
                Markup('<p class="fs-model">{}</p><div class="fs-sides">{}</div>').format(
                    title, Markup().join(drawn.values())
                )
            )
        lacking = ", ".join(title for title, html in drawn.items() if not html)
        if lacking:
            chart_caption(f"Nothing to edit here for: {lacking}.")
    asking = sum(bool(kind.needs) for kind in perturb.everything())
    chart_caption(
        f"{asking} more edits ask a model: masked words and sentences of the same meaning. They are made under Runs, "
        "Perturb, or with `flipside perturb`; docs/perturbations.md shows all of them."
    )


def panel(kind: Perturbation, captions: list[str], seed: int, examples: int) -> Markup:
    """HTML: an edit of the first captions that it applies to; empty where it applies to none."""
    found: list[Markup] = []
    edits = zip(captions, perturb.apply_many(kind, captions, seed), strict=True)
    try:
        found += islice((example(text, edit) for text, edit in edits if edit is not None), examples)
    except FlipsideError as error:  # the rule of another package
        trouble(str(error))
    if not found:
        return Markup()
    paper = PAPERS.get(kind.paper, kind.paper)
    return Markup(
        '<div class="fs-panel"><div class="fs-model">{}<small>{}</small></div><p class="fs-caption">{}</p>{}</div>'
    ).format(kind.title, paper, kind.what, Markup().join(found))
