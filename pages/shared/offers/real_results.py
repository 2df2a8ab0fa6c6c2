"""The card that offers public results of real models: size, source, licence, what one will see, and one click."""

from collections.abc import Collection, Sequence

import streamlit as st
from rich.filesize import decimal

from backend.errors import FlipsideError
from backend.live import real_results
from backend.live.jobs import jobs, output
from backend.live.jobs.record import QUEUED, Job
from backend.live.real_results import Offer
from pages.shared.data import stored
from pages.shared.drawing.numbers import count
from pages.shared.frame import address, news, toasts
from pages.shared.frame.header import chart_caption, trouble
from pages.shared.frame.plain import plain
from pages.shared.offers import results_choice

#: Seconds between two looks while results are being fetched.
LOOK = 2.0
_WATCHED = "_real_results_job"
#: Set once they have come, until Overview has opened one of the benchmarks.
_CAME = "_real_results_came"


def draw_card(models: list[str], shown: str) -> bool:
    """On Overview: the card, while no real model is here; afterwards the way to what has come, while another benchmark
    is shown. models: that have runs here. shown: the benchmark's name. False where nothing was drawn."""
    offers = real_results.offers(models)
    missing = [offer for offer in offers if not offer.here]
    if watched():
        return True
    there = [offer.benchmark for offer in offers if offer.here and offer.benchmark in stored.chosen()]
    if st.session_state.pop(_CAME, False) and there:
        address.go("pages/overview/page.py", {"benchmark": there[0]})
    if any(offer.here and offer.models for offer in offers):
        return _elsewhere(there, shown)  # what has not come stands on Runs
    failed({offer.name for offer in offers if offer.here})
    total = decimal(sum(offer.size for offer in missing))
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="real-results-card"):
        st.markdown(
            f"**See real models here: CLIP, BLIP, UNITER, GPT-4V and people, item by item.** {total}, "
            "verified, then runs like any other."
        )
        with st.popover("Choose, with sizes and terms", icon=":material/cloud_download:", key="real-results-terms"):
            _choose(missing)
    return True


def _choose(missing: Sequence[Offer]) -> None:
    """What to fetch, and the button, which stays in sight."""
    names = results_choice.draw(missing)
    with st.container(key="real-results-act"):
        agree(names, results_choice.label(missing, names), "chosen")


def watched() -> bool:
    """Draw what goes on while results are being fetched; False where none are."""
    if real_results.working() is None and not st.session_state.get(_WATCHED):
        return False
    st.fragment(_watch, run_every=LOOK)()
    return True


def _elsewhere(there: list[str], shown: str) -> bool:
    """The benchmarks with real models, where none of them is the one that is shown; False where there are none."""
    if not there or shown in there or shown == stored.EVERYTHING:
        return False
    with st.container(border=True, horizontal=True, vertical_alignment="center", key="real-results-came"):
        st.markdown(":material/check_circle: Real models are here, too:")
        for name in there:
            label = f"{plain(name)} · {count(len(stored.chosen()[name].models), 'model')}"
            if st.button(label, key=f"real-results-open-{name}", icon=":material/grid_view:", type="tertiary"):
                address.go("pages/overview/page.py", {"benchmark": name})
    return True


def failed(here: Collection[str]) -> None:
    """Why the last fetch brought nothing, and how it is done without a network; nothing where what it was to bring has
    come by another way. here: names of the packages that are."""
    ended = real_results.last()
    if ended is None or not ended.exit_code:
        return
    asked = real_results.asked(ended)
    if asked and asked <= set(here):
        return
    trouble(
        f"The last fetch of real results brought nothing: {output.reason(ended)} Runs shows what it said. If this "
        "machine has no network, take the files out of a folder: flipside fetch results --from DIR"
    )


def describe(offer: Offer) -> None:
    """Size, source, licence and terms of a package, and what one will see."""
    st.markdown(f"**{plain(offer.title)}**")
    st.markdown(f"You will see: {plain(offer.see)}")
    chart_caption(
        f"{count(offer.n_files, 'file')}, {decimal(offer.size)}, from {', '.join(offer.sources)}. "
        f"Licence: {offer.licence}. {' '.join(offer.terms)}"
    )


def agree(names: list[str], label: str, key: str) -> None:
    """The button that agrees to the terms beside it and starts the job; key: one of the page's own."""
    if st.button(
        label, type="primary", icon=":material/download:", key=f"real-results-{key}", disabled=not names
    ):  # fmt: skip
        try:
            job = real_results.begin(names)
        except FlipsideError as error:
            trouble(str(error))
            return
        st.session_state[_WATCHED] = job.job_id
        waits = job.state == QUEUED
        toasts.say(f"Real results: {'in the queue' if waits else 'on their way'}", ":material/cloud_download:")
        st.rerun()


def _watch() -> None:
    """What the job is at; once it is over, the whole page is drawn anew with what it brought."""
    job = real_results.working()
    if job is not None:
        st.session_state[_WATCHED] = job.job_id
        with st.container(border=True, horizontal=True, vertical_alignment="center", key="real-results-working"):
            st.markdown(f":material/hourglass_top: {_at(job)}")
            st.button(
                "Do not fetch", key="real-results-stop", type="tertiary", icon=":material/close:", on_click=_stop,
                args=(job.job_id,), disabled=job.is_cancelling,
            )  # fmt: skip
            st.page_link("pages/runs/page.py", label="Watch on Runs", icon=":material/monitor_heart:")
        return
    st.session_state[_WATCHED] = ""
    ended = real_results.last()
    if ended is not None and ended.exit_code:
        toasts.say("Not all real results came: Runs says which and why", ":material/error_outline:")
    st.session_state[_CAME] = True  # with nothing here, nothing is opened
    stored.store().refresh()
    news.draw_anew()


def _stop(job_id: str) -> None:
    """A button's callback: what has come stays, what has not is not fetched."""
    try:
        jobs.cancel(job_id)
    except FlipsideError as error:
        toasts.say(plain(str(error)), ":material/error_outline:")


def _at(job: Job) -> str:
    """What a fetch that is not over is doing."""
    if job.state == QUEUED:
        return "Real results wait in the queue until another job has ended."
    return "Real results are being fetched and imported."


def command(names: list[str]) -> str:
    """What to type for the same."""
    return jobs.command_line(real_results.VERB, [word for word in real_results.words(names) if word != "--json"])


def _look(offer: Offer) -> None:
    """The way to what a package has brought: rates, a benchmark's models, or its items where nobody has a run."""
    to = {"benchmark": offer.benchmark}
    if not offer.benchmark:
        st.page_link("pages/atlas/page.py", label="Look at it on Atlas", icon=":material/public:")
    elif offer.benchmark in stored.chosen():
        st.page_link(
            "pages/overview/page.py", label="Look at it on Overview", icon=":material/grid_view:", query_params=to
        )
    elif offer.benchmark in stored.unscored():
        st.page_link(
            "pages/failures/page.py", label="Look at its items", icon=":material/list:", query_params=to
        )  # fmt: skip


def draw_all(models: list[str]) -> None:
    """On Runs: every package with its state. models: that have runs here."""
    offers = real_results.offers(models)
    busy = real_results.working()
    missing = [offer.name for offer in offers if not offer.here]
    if missing and not busy:
        with st.container(border=True, key="real-results-offers"):
            _choose([offer for offer in offers if not offer.here])
    for offer in offers if busy else [each for each in offers if each.here]:
        with st.container(border=True, key=f"real-results-offer-{offer.name}"):
            describe(offer)
            if offer.here:
                chart_caption("It is here. Run again, the command below compares its files and changes nothing.")
                _look(offer)
    if busy:
        chart_caption(f"{_at(busy)} It stands among the jobs above.")
    st.code(command(missing or [offer.name for offer in offers]), language="bash", wrap_lines=True)
    chart_caption(
        "Without a network: the same command with --from DIR takes the files out of a folder, by their sha256."
    )
