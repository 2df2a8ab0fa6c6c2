"""What the ledger and the flow lack, and the jobs that bring it: scored in processes of their own, by one button."""

import shlex
from collections.abc import Sequence
from typing import Final

import streamlit as st
from markupsafe import Markup

from backend.called import on_pages
from backend.errors import FlipsideError
from backend.kinds import SIMILARITIES
from backend.live.jobs import jobs
from backend.protocols import Protocol
from backend.store.compare.ledger import Missing
from pages.runs import style, watched
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import listing
from pages.shared.frame.header import trouble
from pages.shared.frame.hidden import hide
from pages.shared.frame.style import show
from pages.teach.changed import data
from pages.teach.changed.choice import Change

#: Begins the titles of this view's jobs, so that they are found again.
MARK: Final = "Teach, what changed: "


def draw(change: Change, rows_have: Sequence[str]) -> None:
    """What is not measured, with its jobs, and how those go. rows_have: the protocols that the ledger has rows of."""
    style.apply()
    models = tuple(entry.model for entry in change.named)
    missing = data.missing(models, change.kind) if change.kind in SIMILARITIES else []
    for benchmark, title, found in told(missing):
        _offer(benchmark, title, found, change.kind)
    if str(Protocol.CLASSIFY) not in rows_have and not any(of.protocol == Protocol.CLASSIFY for of in missing):
        names = shlex.quote(",".join(models))
        show(
            Markup(
                '<p class="tc-lacking"><b>Zero-shot classification: not measured.</b> {} <code>{}</code></p>'
            ).format(
                "No folder of images by class has been scored here. One folder a class is enough:",
                hide(f"{on_pages()} run --model {names} --benchmark folder --data DIR --kinds {change.kind}"),
            )
        )
    watched.watch(MARK)


def told(missing: Sequence[Missing]) -> list[tuple[str, str, list[Missing]]]:
    """What is missing in groups that one button brings: (benchmark, what, one of each model), in their order. Of what a
    model lacks on a benchmark the longest command brings all.

    >>> words = ("--model", "m", "--benchmark", "w", "--kinds", "itc")
    >>> each = [Missing("w", "m", "retrieval", "retrieval", words), Missing("w", "m", "reasons of choices", "", words)]
    >>> [(name, what, len(of)) for name, what, of in told(each)]
    [('w', 'retrieval and reasons of choices', 1)]
    """
    of_model: dict[tuple[str, str], list[Missing]] = {}
    for each in missing:
        of_model.setdefault((each.benchmark, each.model), []).append(each)
    groups: dict[tuple[str, str], list[Missing]] = {}
    for (benchmark, _), lacks in of_model.items():
        what = listing([each.what for each in lacks], 6)
        groups.setdefault((benchmark, what), []).append(max(lacks, key=lambda each: len(each.words)))
    return [(benchmark, what, found) for (benchmark, what), found in groups.items()]


def _offer(benchmark: str, what: str, found: Sequence[Missing], kind: str) -> None:
    """One line with its button; without one where it is being scored, or where no command can."""
    names = colours.labels([each.model for each in found])
    busy = {job.arguments for job in watched.mine(MARK) if not job.is_over}
    wanted = [each for each in found if each.words and (*each.words, "--json") not in busy]
    with st.container(border=True, key=f"changed-lacking-{benchmark}-{what}"):
        show(
            Markup('<p class="tc-lacking"><b>{} of {}: not measured</b> for {}.</p>').format(
                what[:1].upper() + what[1:], benchmark, listing([names[each.model] for each in found])
            )
        )
        if not wanted:
            show(
                Markup('<p class="tc-lacking">{}</p>').format("It is being scored." if busy else "No command here can.")
            )
            return
        with st.container(horizontal=True, vertical_alignment="center"):
            many = "a job" if len(wanted) == 1 else f"{len(wanted)} jobs, one after another"
            if st.button(f"Score it ({many})", icon=":material/play_arrow:", key=f"changed-score-{benchmark}-{what}"):
                begin(wanted, kind)
            typed = " && ".join(shlex.join(["flipside", "run", *each.words]) for each in wanted)
            show(Markup('<p class="tc-lacking"><code>{}</code></p>').format(hide(typed)))


def begin(wanted: Sequence[Missing], kind: str) -> None:
    """Queue a run for each; what a run has already it does not score again."""
    for each in wanted:
        name = colours.label(each.model)
        try:
            jobs.start_once("run", [*each.words, "--json"], f"{MARK}{name} on {each.benchmark}, {kind}")
        except FlipsideError as error:
            trouble(str(error))
            return
    st.rerun()
