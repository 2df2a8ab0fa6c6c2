"""Runs: make perturbed editions of a benchmark, with a look at what they do to its captions."""

from itertools import islice

import streamlit as st
from markupsafe import Markup, escape

from backend import perturb
from backend.errors import FlipsideError
from backend.live.scoring import pool
from backend.perturb import Edit, Effect, Perturbation
from pages.runs import jobs as runs_jobs
from pages.runs import subjects, terminal
from pages.runs.subjects import Subject
from pages.shared.frame.fold import more, set_under_more
from pages.shared.frame.header import chart_caption, section, trouble
from pages.shared.frame.style import show

#: Examples of each perturbation that are shown.
EXAMPLES = 3
PAPERS = {"brittleness": "brittleness paper", "ours": "ours", "ARO": "ARO", "SVLC": "SVLC paper"}
TEXTS = {"all": "all captions", "truth": "true ones only", "foils": "false ones only"}
#: What proposes -> (option, label, an example of a spec).
PROPOSERS = {
    "fill-mask": ("--fill-mask", "Masked language model", "lm:bert-base-uncased"),
    "analogy": ("--proposer", "Model that rewrites", "endpoint:https://host/v1#model"),
}


def draw() -> None:
    """Choose what is done to which captions, look at it, start."""
    left, right = st.columns([5, 3], gap="large")
    with left:
        chosen = _kinds()
    with right:
        subject = subjects.choose("perturb-benchmark")
        with more(key="more-runs-perturb"):
            options = _options()
        set_under_more(_said())
    if not chosen:
        chart_caption(
            "No perturbation chosen. Choose one or several above; their effect on this benchmark's captions is shown "
            "here before anything is made."
        )
        return
    try:
        options += _proposers(chosen)
        words = ["--benchmark", *subject.words, "--kinds", ",".join(kind.name for kind in chosen), *options, "--json"]
        _start(subject, chosen, words)
        _preview(subject, chosen, int(st.session_state.get("perturb-seed") or 0))
    except FlipsideError as error:
        trouble(str(error))


def _kinds() -> list[Perturbation]:
    known = perturb.everything()
    groups = {
        "Keep the meaning: a right verdict should stay right": [
            k for k in known if k.effect is Effect.PRESERVING and not k.needs
        ],
        "Change the meaning or destroy it: the edit should lose": [
            k for k in known if k.effect is Effect.CHANGING and not k.needs
        ],
        "Proposed by a model that you name": [k for k in known if k.needs],
    }
    found: list[Perturbation] = []
    for number, (label, kinds) in enumerate(groups.items()):
        if kinds:
            found += st.pills(
                label, kinds, selection_mode="multi", wrap=True, key=f"perturb-kinds-{number}",
                format_func=lambda k: k.title, persist_state="session",
                help="\n\n".join(f"**{k.title}**: {k.what} ({PAPERS.get(k.paper, k.paper)})" for k in kinds),
            )  # fmt: skip
    return found


def _options() -> list[str]:
    texts = st.selectbox(
        "Which captions", list(TEXTS), key="perturb-texts", format_func=TEXTS.__getitem__, persist_state="session"
    ) or "all"  # fmt: skip
    one, two = st.columns(2)
    with one:
        seed = st.number_input(
            "Seed", 0, 2**31, 0, key="perturb-seed", persist_state="session",
            help="Which of the possible edits is made.",
        )  # fmt: skip
    with two:
        seeds = st.number_input(
            "Editions of each", 1, 100, 1, key="perturb-seeds", persist_state="session",
            help="Seed, seed + 1, …: with eight or more, near misses can be told from failures.",
        )  # fmt: skip
    words = ["--seed", str(seed)] if seed else []
    words += ["--seeds", str(seeds)] if seeds > 1 else []
    return words + (["--texts", texts] if texts != "all" else [])


def _said() -> str:
    """What `_options` is set to, in words; "" where nothing is. They stay while another form is open."""
    state = st.session_state
    texts, seed, seeds = state.get("perturb-texts"), state.get("perturb-seed") or 0, state.get("perturb-seeds") or 1
    found = [TEXTS[texts]] if texts in TEXTS and texts != "all" else []
    found += [f"seed {seed}"] if seed else []
    return ", ".join(found + ([f"{seeds} editions of each"] if seeds > 1 else []))


def _proposers(chosen: list[Perturbation]) -> list[str]:
    """The models that the chosen perturbations need. Raises UsageError for one that a browser user may not name."""
    words: list[str] = []
    for need in dict.fromkeys(kind.needs for kind in chosen if kind.needs):
        option, label, example = PROPOSERS[need]
        spec = (st.text_input(label, key=f"perturb-{need}", placeholder=example, persist_state="session") or "").strip()
        if spec:
            pool.guard(spec)
            words += [option, spec]
    return words


def _start(subject: Subject, chosen: list[Perturbation], words: list[str]) -> None:
    lacking = [k.title for k in chosen if k.needs and PROPOSERS[k.needs][0] not in words]
    names = ", ".join(kind.title for kind in chosen)
    if st.button(
        "Make the editions", type="primary", icon=":material/auto_fix_high:", key="perturb-start",
        disabled=bool(lacking),
    ):  # fmt: skip
        runs_jobs.begin("perturb", words, f"Perturb {subject.label}: {names}")
    if lacking:
        chart_caption(f"{', '.join(lacking)}: name the model that proposes, above.")
    chart_caption(
        "Each edition becomes a benchmark of its own, with a name like world~character_swap, and records which item "
        "each of its items was made from. Score it in its row, below."
    )
    terminal.draw("perturb", words[:-1])


def _preview(subject: Subject, chosen: list[Perturbation], seed: int) -> None:
    texts = subjects.captions(subject.name, subject.data)
    section("Before and after", f"on the first {len(texts)} different captions of {subject.label}")
    for kind in chosen:
        if kind.needs:
            continue
        edits = [(text, edit) for text, edit in zip(texts, perturb.apply_many(kind, texts, seed), strict=True) if edit]
        concepts = f" · touches {', '.join(kind.concepts)}" if kind.concepts else ""
        where = f", {kind.where}" if kind.where else ""
        show(
            Markup(
                '<div class="fs-panel"><div class="fs-model">{title}<small>{effect} · '
                "{what} · edits {n} of {total}"
                "</small></div>{examples}"
                "{none}</div>"
            ).format(
                title=kind.title,
                effect=kind.effect,
                what=PAPERS.get(kind.paper, kind.paper) + where + concepts,
                n=len(edits),
                total=len(texts),
                examples=Markup().join(example(text, edit) for text, edit in islice(edits, EXAMPLES)),
                none="" if edits else Markup("<p>None of these captions has anything that it could edit.</p>"),
            )
        )


def example(text: str, edit: Edit) -> Markup:
    """A caption before and after its edit, what changed set off.

    >>> from backend.perturb import apply
    >>> example("A red car.", apply("negative_colour", "A red car.", 0)).count("fs-diff")
    2
    """
    return Markup(
        '<p class="fs-before"><span class="fs-role">before</span>{}<br><span class="fs-role">after</span>{}</p>'
    ).format(_marked(text, edit.before), _marked(edit.text, edit.spans))


def _marked(text: str, spans: tuple[tuple[int, int], ...]) -> Markup:
    parts, at = [], 0
    for start, end in spans:
        parts.append(escape(text[at:start]))
        parts.append(Markup('<mark class="fs-diff">{}</mark>').format(text[start:end]) if end > start else Markup())
        at = end
    return Markup().join(parts) + escape(text[at:])
