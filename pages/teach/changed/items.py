"""The items behind the flow: fixed, broken, wrong or right all along, and those of one way through it, as cards."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from backend.store.queries import Shared
from pages.compare import gallery as compare_gallery
from pages.compare.sides import Comparison
from pages.item import full
from pages.shared.data import stored
from pages.shared.data.frames import lines_of
from pages.shared.drawing import gallery
from pages.shared.drawing.numbers import count
from pages.shared.frame import address, to_failures
from pages.shared.frame.fold import unfold
from pages.shared.frame.header import chart_caption, empty
from pages.teach.changed import flow
from pages.teach.changed.choice import ANY, LAST, TWIN, Asked, Change

SHOWN = 8
#: The fold that they stand in.
FOLD = "teach-items"
#: Word of the gallery's choice in addresses -> the way of `flow.WHICH`.
WHICH = {"won": "fixed", "lost": "broke", "both": "both", "kept": "kept"}
#: Behind a count, of one and of several.
AMONG = {
    "won": ("fixed item", "fixed items"), "lost": ("broken item", "broken items"),
    "both": ("item wrong all along", "items wrong all along"),
    "kept": ("item right all along", "items right all along"),
}  # fmt: skip
WORDS = {"won": "✓ fixed", "lost": "✗ broken", "both": "wrong all along", "kept": "right all along"}


def place(links: pd.DataFrame) -> bool:
    """Put the gallery's two choices in place; whether any of them was chosen. links: of `flow.links`."""
    address.option("which", list(WHICH), "won")
    address.option("link", [ANY, *_identities(links)], ANY)
    _keep_together()
    return address.chosen_among(("which", "link")) > 0


def _identities(links: pd.DataFrame) -> list[str]:
    return [flow.identity(str(link.a), str(link.b), str(link.which)) for link in lines_of(links)]


def choose(identity: str) -> None:
    """Show the items of a way through the flow, or, where they are shown already, all again."""
    state = st.session_state
    which = next((key for key, of in WHICH.items() if identity.endswith(f":{of}")), None)
    if which is None:
        return
    if state.get("link") == identity:
        state["link"] = ANY
        return
    state["which"], state["link"] = which, identity
    unfold(FOLD)


def _keep_together() -> None:
    """A way of another outcome than the one that is shown falls: the outcome was chosen last."""
    state = st.session_state
    if state["link"] != ANY and not str(state["link"]).endswith(f":{WHICH[state['which']]}"):
        state["link"] = ANY


def next_step(
    benchmark: stored.StoredBenchmark, change: Change, asked: Asked, found: Shared, each: pd.DataFrame
) -> None:
    """The button to Failures with the items of the outcome and the band that are chosen; broken ones first."""
    which, link = str(st.session_state["which"]), str(st.session_state["link"])
    if link == ANY and address.chosen_among(("which",)) == 0 and (each["which"] == WHICH["lost"]).any():
        which = "lost"  # nothing is chosen: what was broken is what one has to see
    ids = _ordered(change, asked, found, each, which, link)[2]
    _to_failures(benchmark, change, asked, found, (which, link), ids, "changed-next")


def _ordered(
    change: Change, asked: Asked, found: Shared, each: pd.DataFrame, which: str, link: str
) -> tuple[tuple[Comparison, Shared], NDArray[np.intp], list[str]]:
    """(the sides as cards show them, the rows, their items) of an outcome and a band, the farthest apart first."""
    shown = _reordered(change, asked, found)
    order = compare_gallery.by_distance(shown[1], _rows(each, which, link))
    return shown, order, [str(i) for i in dict.fromkeys(found.frame["item_id"].to_numpy()[order])]


def draw(
    benchmark: stored.StoredBenchmark, change: Change, asked: Asked, found: Shared, each: pd.DataFrame,
    links: pd.DataFrame,
) -> Callable[[], None]:  # fmt: skip
    """The gallery with its two choices; what opens an item, to be called last. found: the verdicts; each: of
    `flow.ends`, the same rows; links: of `flow.links`, what became of them."""
    if asked.left == TWIN:
        chart_caption(
            f"Against {change.named[TWIN].label} “fixed” is: wrong after the plain training and right after this one; "
            "“broken” is the other way round. What an item was before either does not count here."
        )
    counts = {key: int((each["which"] == of).sum()) for key, of in WHICH.items()}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.segmented_control(
            "Show", list(WHICH), key=address.anew("which"), default=address.value("which"), required=True,
            format_func=lambda key: f"{WORDS[key]} · {counts[key]:,}", on_change=_keep_together,
        )  # fmt: skip
        which = str(st.session_state["which"])
        own = links[links["which"] == WHICH[which]].sort_values("n", ascending=False)
        said = {
            ident: flow.way_said(link, asked.parts) for ident, link in zip(_identities(own), lines_of(own), strict=True)
        }
        st.selectbox(
            "Of the flow", [ANY, *said], key=address.anew("link"), width=330,
            index=[ANY, *said].index(str(st.session_state["link"])) if st.session_state["link"] in said else 0,
            format_func=lambda ident: said.get(ident, f"every way · {counts[which]:,}"),
            help="The bands of the picture above. A click on a band chooses it here.",
        )  # fmt: skip
        link = str(st.session_state["link"])
        shown, order, ids = _ordered(change, asked, found, each, which, link)
        _to_failures(benchmark, change, asked, found, (which, link), ids, "changed-go")
    if not ids:
        empty(
            "No such item",
            "Choose another outcome under “Show”, or another group under “Where”, which stands under More.",
        )
        return lambda: None
    opened = gallery.draw(
        compare_gallery.cards(benchmark, shown[0], shown[1], order[:SHOWN].tolist()), "teach-cards", compact=True
    )
    rest = len(order) - SHOWN
    chart_caption(
        "Sorted by how far apart the two margins are, each in standard deviations of its own side."
        + (f" … and {count(rest, 'more verdict')}; open one and walk on with →, or see all in Failures." if rest > 0
           else "")
    )  # fmt: skip
    after = change.named[LAST]
    return lambda: full.open_dialog(benchmark, ids, opened, after.model, after.side.setting.kind) if opened else None


def _rows(each: pd.DataFrame, which: str, link: str) -> NDArray[np.bool_]:
    """Which verdicts are of an outcome, and of a way through the flow unless that is ANY."""
    keep = (each["which"] == WHICH[which]).to_numpy(dtype=bool)
    if link != ANY:
        keep = keep & np.array(
            [flow.identity(*way) == link for way in zip(each["a"], each["b"], each["which"], strict=True)], dtype=bool
        )
    return np.asarray(keep, dtype=np.bool_)


def _reordered(change: Change, asked: Asked, found: Shared) -> tuple[Comparison, Shared]:
    """The sides as cards show them: what after stands against, after, then what is left."""
    order = [asked.left, LAST, *(k for k in range(len(change.named)) if k not in (asked.left, LAST))]
    shown = Shared(found.frame, found.correct[:, order], found.margin[:, order], found.judged, found.elsewhere)
    return Comparison(tuple(change.named[k] for k in order), None, ()), shown


def _to_failures(
    benchmark: stored.StoredBenchmark, change: Change, asked: Asked, found: Shared, chosen: tuple[str, str],
    ids: Sequence[str], key: str,
) -> None:  # fmt: skip
    """The button to Failures: by its own filters where these can say it, else as a picked set. chosen: the outcome and
    the band."""
    if not ids:
        return
    which, link = chosen
    left, after = change.named[asked.left], change.named[LAST]
    pair = Comparison((left, after), None, tuple(benchmark.with_protocol(asked.protocol)))
    filters = None
    if link == ANY and which in ("won", "lost"):
        filters = compare_gallery.as_filter(benchmark, pair, found.elsewhere, which, "concept", asked.group)
    if link == ANY:
        way, what = WORDS[which].split(" ", 1)[-1], f"Open the {count(len(ids), *AMONG[which])}"
    else:
        way = link.partition(":")[0].replace("_", " ").replace(">", " → ")
        what = f"Open the {count(len(ids), 'item')} of this band"
    if not st.button(what, icon=":material/arrow_forward:", key=key, type="primary", help="In Failures."):
        return
    if filters is not None:
        address.go("pages/failures/page.py", dict(filters))
        return
    title = f"{left.label} → {after.label}: {way}" + ("" if asked.group == ANY else f", {asked.group}")
    to_failures.go(benchmark, ids, title, model=after.model, kind=after.side.setting.kind)
