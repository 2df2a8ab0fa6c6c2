"""What a training is going to need, asked in a process of its own, and the button that starts it."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import streamlit as st
from markupsafe import Markup

from backend.errors import FlipsideError
from backend.live.jobs import jobs
from backend.live.jobs.record import QUEUED
from backend.live.teaching import asking, trainings, words
from backend.live.teaching.captions import FILE
from backend.live.teaching.words import Wish
from backend.live.uploads.model_folders import taught_dir
from pages.runs.view import duration
from pages.shared.drawing.numbers import count
from pages.shared.frame import news, toasts
from pages.shared.frame.header import chart_caption, trouble
from pages.shared.frame.plain import plain
from pages.shared.frame.style import show
from pages.teach.train import session
from pages.teach.train.form import Chosen

#: Seconds between two looks at an estimate.
LOOK = 1.0
#: The training that a session has just started, so that it is the one that is shown.
STARTED = "_teach_started"
#: The field of the name, and what was proposed for it last: a name that somebody typed stays.
_NAME, _PROPOSED = "teach-name", "_teach_proposed"


@dataclass(frozen=True)
class Needs:
    """numbers: trained; step: seconds of one; judging: seconds of judging the held-out items once; memory, disk, free:
    bytes; examples, quads, held_out: counts; skipped: reason -> items that give nothing."""

    numbers: int
    step: float
    memory: int
    disk: int
    free: int
    examples: int
    quads: int
    held_out: int
    skipped: Mapping[str, int]
    judging: float = 0.0

    def seconds(self, steps: int) -> float:
        """Of a training of so many steps, its judging with it.

        >>> Needs(1, 0.5, 0, 0, 0, 0, 0, 200, {}, 2.0).seconds(100)  # 8 times, and at the beginning
        66.0
        """
        return self.step * steps + self.judging * (_times(steps) if self.held_out else 0)


def _times(steps: int) -> int:
    """How often held-out items are judged."""
    return steps // words.every(steps) + 1


def needs_of(document: Mapping[str, Any]) -> Needs | None:
    """From the answer of `teach --dry-run --json` for words.MEASURED steps; None where it is no such answer."""
    try:
        told = document["estimate"]
        return Needs(
            numbers=int(told["numbers"]),
            step=float(told["seconds"]) / words.MEASURED,
            memory=int(told["memory"]),
            disk=int(told["disk"]),
            free=int(told["free"]),
            examples=int(document["examples"]),
            quads=int(document["quads"]),
            held_out=int(document["held_out"]),
            skipped={str(reason): int(n) for reason, n in document["skipped"].items()},
            judging=float(told.get("judging", 0.0)),
        )
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def place() -> Path:
    """Where a training that is only measured would go: `--out` may name it, and no training is there."""
    folder = taught_dir().resolve()
    with suppress(OSError):  # the verb says what keeps it from being made
        folder.mkdir(parents=True, exist_ok=True)
    return folder / "estimate"


def draw(chosen: Chosen, captions: bytes) -> None:
    """The estimate, the name, and Start, which waits for no estimate: only a bad one keeps it back."""
    wish = chosen.wish
    if wish is None:
        st.button("Start", icon=":material/play_arrow:", key="teach-not-yet", disabled=True)
        return
    given = {FILE: captions} if captions else {}
    asked = wish.training(place(), f"{asking.INPUT}{FILE}" if captions else "",
                          steps=words.MEASURED)  # fmt: skip
    command = [*asked[:-1], "--dry-run", "--json"]
    done = _estimate(command, given, wish.steps)
    _start(chosen, captions, ready=done)


def _estimate(command: list[str], given: Mapping[str, bytes], steps: int) -> bool:
    """The estimate, or how long it has been asked for; whether nothing speaks against the training so far. While a
    training works it is measured only where it is asked for: on the same cores both would be slower, and what is
    measured wrong."""
    if asking.shared().follow(command, given) is None and any(each.is_active for each in trainings.listing()):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            chart_caption("Not measured while a training works: both would be slower, and the estimate too high.")
            if st.button("Measure all the same", key="teach-measure", icon=":material/speed:", type="tertiary"):
                asking.shared().look(command, _asker(), given, passing=True)
                st.rerun()
            return True
    answer = asking.shared().look(command, _asker(), given, after=LOOK, passing=True)
    if not answer.is_over:

        @st.fragment(run_every=LOOK)
        def waiting() -> None:
            now = asking.shared().follow(command, given)
            if now is None or now.is_over:  # given up in a tab that was asleep, or answered
                news.draw_anew()
            now = now or answer
            doing = "Waits for another estimate" if now.waiting else "Loading the model and measuring its first batch"
            show(Markup('<p class="tr-facts tr-wait">{} … {:.0f} s</p>').format(doing, now.seconds))

        waiting()
        return True
    found = needs_of(answer.document or {})
    if answer.problem or found is None:
        with st.container(horizontal=True, vertical_alignment="center"):
            trouble(answer.problem or "The estimate could not be read.")
            if st.button("Ask again", key="teach-ask-again", icon=":material/refresh:"):
                asking.shared().again()
                st.rerun()
        return False
    show(facts(found, steps))
    for reason, n in found.skipped.items():
        chart_caption(f"{count(n, 'item')} left out: {reason}.")
    if found.disk > found.free:
        trouble(f"It needs {_bytes(found.disk)} of disk and {_bytes(found.free)} are free: free some first.")
        return False
    return True


def _asker() -> str:
    """Whose question an estimate is."""
    return f"estimate {session.key()}"


def facts(found: Needs, steps: int) -> Markup:
    """The estimate as a row of numbers."""
    judged = f"and judging {found.held_out:,} held-out items about {_times(steps)} times"
    cells = (
        (duration(found.seconds(steps)), "of steps, " + (judged if found.held_out else "nothing is judged meanwhile")),
        (_bytes(found.memory), "of memory at its peak"),
        (_bytes(found.disk), f"of disk; {_bytes(found.free)} are free"),
        (f"{found.examples:,}", f"examples, of which {2 * found.quads:,} are halves of minimal pairs"),
        (f"{found.numbers:,}", "numbers are trained"),
    )
    return Markup('<p class="tr-facts">{}</p>').format(
        Markup().join(Markup("<span><b>{}</b> {}</span>").format(value, what) for value, what in cells)
    )


def _bytes(n: int) -> str:
    """Bytes as people say them.

    >>> _bytes(7_147_012), _bytes(998_000_000_000), _bytes(1_200_000_000)
    ('7 MB', '998 GB', '1.2 GB')
    """
    if n < 1e9:
        return f"{n / 1e6:,.0f} MB"
    return f"{n / 1e9:,.1f} GB" if n < 1e10 else f"{n / 1e9:,.0f} GB"


def _start(chosen: Chosen, captions: bytes, ready: bool) -> None:
    wish = chosen.wish
    if wish is None:
        return
    proposed = trainings.free_name(f"{_plain(chosen.label)}-{wish.recipe}-{wish.steps}")
    compare = wish.recipe != trainings.BASELINE
    there = trainings.baseline_for(wish, captions) if compare else None
    if st.session_state.get(_NAME, "") in ("", st.session_state.get(_PROPOSED)):
        st.session_state[_NAME] = proposed
    st.session_state[_PROPOSED] = proposed
    left, middle, right = st.columns([2, 2.6, 1], vertical_alignment="bottom")
    with left:
        name = st.text_input(
            "Name", key=_NAME, max_chars=60, live=True,
            help=f"Of the training, its series and its model: {words.NAME_HAS}.",
        ).strip()  # fmt: skip
    with middle:
        if there is not None:
            begun = "has been started already" if there.is_active else "is here already"
            chart_caption(f"Its baseline {begun}: {there.name}, the same batches by the retrieval loss alone.")
        also = compare and there is None and st.checkbox(
            "And the baseline beside it", True, key="teach-baseline",
            help="The retrieval loss alone, with equal steps and batches: a gain is the method’s only against that. It "
            "waits in the queue and runs after this one; its curves stand behind these in grey.",
        )  # fmt: skip
    refused = _refused(name)
    pressed = right.button(
        "Start",
        type="primary",
        icon=":material/play_arrow:",
        key="teach-start",
        disabled=not ready or bool(refused),
        width="stretch",
    )
    if refused:
        trouble(refused)
    with st.expander("The same in a terminal", icon=":material/terminal:", on_change="rerun", key="teach-words") as box:
        if box.open:
            st.code("\n".join(typed(wish, name, bool(captions), bool(also))), language="bash", wrap_lines=True)
    if pressed:
        _begin(chosen, name, captions, bool(also))


def typed(wish: Wish, name: str, has_captions: bool, also: bool) -> list[str]:
    """The commands of what Start queues, a line each: the training and, where it is wanted, its baseline."""
    name = name or "taught"
    both = [(wish, name), *([_beside(wish, name)] if also else [])]
    return [jobs.command_line("teach", each.training(Path(to), FILE if has_captions else "")[:-1]) for each, to in both]


def _beside(wish: Wish, name: str) -> tuple[Wish, str]:
    """The baseline of a training, and its name."""
    plain_wish = replace(wish, recipe=trainings.BASELINE, numbers={})
    return plain_wish, trainings.free_name(f"{name[:50]}-{trainings.BASELINE}")


def _refused(name: str) -> str:
    """Why a name is none, in a sentence; "" for one that can be taken."""
    try:
        trainings.refuse_name(name)
    except FlipsideError as error:
        return str(error)
    return ""


def _begin(chosen: Chosen, name: str, captions: bytes, also: bool) -> None:
    """Start the training and, where it is wanted, its baseline behind it."""
    wish = chosen.wish
    if wish is None:
        return
    said = f"{chosen.label} on {chosen.data}, {wish.steps:,} steps"
    asking.shared().give_up(_asker())  # what measures would slow what trains
    try:
        job = trainings.start(wish, name, f"Teach by {wish.recipe}: {said}", captions)
        if also:
            plain_wish, other = _beside(wish, name)
            trainings.start(plain_wish, other, f"Teach by {trainings.BASELINE}: {said}", captions)
    except FlipsideError as error:
        trouble(str(error))
        return
    st.session_state[STARTED] = st.session_state[_PROPOSED] = name  # the next one is proposed a name anew
    toasts.say(f"{plain(name)}: {'in the queue' if job.state == QUEUED else 'started'}", ":material/play_circle:")
    st.rerun()


def _plain(label: str) -> str:
    """A model's label as part of a name.

    >>> _plain("a/b c")
    'a-b-c'
    """
    return "".join(c if c.isascii() and (c.isalnum() or c in "._-") else "-" for c in label).strip("-.") or "model"
