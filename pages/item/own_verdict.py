"""A verdict of one's own on an item: three buttons, or keys 1, 2 and 3; kept at once, taken away by the same one."""

import streamlit as st

from backend.errors import FlipsideError
from backend.store.failures import own_verdicts
from pages.shared.frame import toasts
from pages.shared.frame.header import trouble
from pages.shared.frame.plain import plain

_HELP = "What you say of the item itself. It is kept here, without a name, and counts in no model's rate.\n\n"


def draw(benchmark: str, item_id: str) -> None:
    """The buttons. benchmark: its hash."""
    key = f"verdict-{benchmark}-{item_id}"
    try:
        found = own_verdicts.of_item(benchmark, item_id)
    except FlipsideError as error:
        trouble(str(error))
        return
    words = list(own_verdicts.VERDICTS)
    now = found.verdict if found and found.verdict in words else ""
    st.session_state[key] = now or None
    st.segmented_control(
        "Your verdict on the item", words, key=key, on_change=_keep, args=(benchmark, item_id, key, now),
        format_func={word: f"{k} · {own_verdicts.title(word)}" for k, word in enumerate(words, 1)}.__getitem__,
        help=_HELP + "\n\n".join(f"**{plain(name)}**: {plain(what)}" for name, what in own_verdicts.VERDICTS.values()),
    )  # fmt: skip


def _keep(benchmark: str, item_id: str, key: str, seen: str) -> None:
    """seen: the verdict that the buttons showed when they were pressed."""
    word = str(st.session_state[key] or "")
    try:
        own_verdicts.give(benchmark, item_id, word, seen)
    except FlipsideError as error:
        toasts.say(plain(str(error)), ":material/error_outline:")
        return
    toasts.say(f"Judged: {own_verdicts.title(word)}" if word else "Verdict taken away", ":material/gavel:")
