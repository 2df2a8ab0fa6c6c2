"""The α that was taken along from Debias: every page that shows verdicts of generation scores judges by it.

A page puts `KEYS` among its own, and after `address.begin` calls `begin`; it asks `setting` how a model is to be
judged, and draws the `chip`, which says what is judged so, leads to Debias and gives everything back to α = 0. What is
taken along holds for the whole session and stands in the address of each such page, so that a link opens the same.

Debias and Compare have keys of these names that mean something of their own: there only `taken` is read.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from backend.kinds import Kind
from backend.prior_names import prior_name
from backend.store.queries import Setting
from backend.store.scores.setting import Norm
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.frame import address
from pages.shared.frame.plain import plain
from pages.shared.frame.style import sheet

CSS = Path(__file__).with_name("alpha.css")
#: In the address of every page that judges by it.
KEYS = ("alpha", "prior", "norm")
#: How far α goes, as on Debias.
MOST = 2.0
#: Norm -> what is said of it; the usual one goes without saying.
_NORMS = {"token": "", "sum": ", sums", "paper-score": ", paper score"}
_TAKEN, _ON, _SEEDED = "_alpha_taken", "_alpha_on", "_alpha_seeded"


@dataclass(frozen=True)
class Taken:
    """What is taken away: α of log P(t). prior: its source, "" for each model's default one; norm: see `Setting`."""

    alpha: float
    prior: str = ""
    norm: Norm = "token"

    def said(self) -> str:
        """In words.

        >>> Taken(0.87, "lm:bundled:lm").said(), Taken(1.0, "", "sum").said()
        ('α = 0.87, P(t) from the blind language model bundled:lm', 'α = 1, P(t) from each model’s default, sums')
        """
        source = prior_name(self.prior) if self.prior else "each model’s default"
        return f"α = {number(self.alpha)}, P(t) from {source}{_NORMS[self.norm]}"


def number(alpha: float) -> str:
    """An α as it is read: three decimals at most.

    >>> number(0.8694), number(1.0)
    ('0.869', '1')
    """
    return f"{round(alpha, 3):g}"


def taken() -> Taken | None:
    """What is taken along now; None where generation scores are judged as scored, and outside a session."""
    if get_script_run_ctx(suppress_warning=True) is None:  # asked ahead of whoever comes
        return None
    found: Taken | None = st.session_state.get(_TAKEN)
    return found


def take(found: Taken | None) -> None:
    """Take an α along, or (None, or α = 0) give it back; in a callback, or before the page is run again."""
    st.session_state[_TAKEN] = found if found and found.alpha else None
    st.session_state.pop(_ON, None)  # the page's own values follow


def along() -> dict[str, str]:
    """What is taken along as an address says it, for one that is opened in a session of its own; {} for nothing."""
    now = taken()
    if now is None:
        return {}
    said = {"alpha": str(now.alpha), "prior": now.prior, "norm": now.norm if now.norm != "token" else ""}
    return {key: value for key, value in said.items() if value}


def begin() -> None:
    """Bring the address and what is taken along together; after `address.begin`, before anything asks `setting`.

    A link that names an α is followed; one that names none, such as those from page to page and the sidebar's list of
    pages, leaves it as it is.
    """
    state = st.session_state
    arrived = state.get(_ON) != address.page()
    state[_ON] = address.page()
    named = any(address.asked(key) for key in KEYS)
    if not named and (arrived or "alpha" not in state):
        now = taken() or Taken(0.0)
        state["alpha"], state["prior"], state["norm"] = now.alpha, now.prior, now.norm
    address.number("alpha", 0.0, MOST, 0.0)
    address.text("prior")
    address.option("norm", get_args(Norm), "token")
    found = Taken(float(state["alpha"]), str(state["prior"]), state["norm"])
    state[_TAKEN] = found if found.alpha else None


def setting(benchmark: stored.StoredBenchmark, model: str, kind: str) -> Setting:
    """How a model's scores of a kind are judged: under what is taken along where it can be, which takes generation
    scores and this P(t), else as scored."""
    now, sources = taken(), benchmark.priors.get(model, [])
    if now is None or kind != Kind.GEN:
        return Setting(kind)
    prior = now.prior or next(iter(sources), "")
    return Setting(kind, now.alpha, prior, now.norm) if prior in sources else Setting(kind)


def seed(low: float, high: float, sources: Sequence[str] | None = None) -> bool:
    """On a page with values of its own under KEYS, before they are placed: they begin as what is taken along, until
    something else is chosen there or a link names it; whether they do so now. sources: the priors of the model that the
    page is about, which then begins so only if the prior is among them; None where it is about several models."""
    state, now = st.session_state, taken()
    seeded = state.setdefault(_SEEDED, {})
    known, seeded[address.page()] = seeded.get(address.page()) == now, now
    fits = now is not None and (sources is None or (now.prior or sources[0]) in sources)
    if now is None or not fits or (known and "alpha" in state) or any(address.asked(key) for key in KEYS):
        return False
    state["alpha"] = min(max(now.alpha, low), high)
    if now.prior:
        state["prior"] = now.prior
    state["norm"] = now.norm
    return True


def judged(benchmark: stored.StoredBenchmark) -> tuple[tuple[str, Setting], ...]:
    """(model, setting) of every model of a benchmark whose generation scores are judged so: for `under`."""
    if taken() is None:
        return ()
    found = ((model, setting(benchmark, model, Kind.GEN)) for model in benchmark.models if Kind.GEN in
             benchmark.kinds[model])  # fmt: skip
    return tuple((model, of) for model, of in found if of.alpha)


def applies(benchmark: stored.StoredBenchmark, model: str, kind: str) -> bool:
    """Whether what is taken along changes how a model's scores of a kind are judged, of several benchmarks on any."""
    return any(bool(setting(each, model, kind).alpha) for each in benchmark.parts or (benchmark,))


def said(of: Setting) -> str:
    """A setting as a finding names it, behind the kind; "" as scored.

    >>> said(Setting("gen", 0.87, "images:20")), said(Setting("itc"))
    (', α = 0.87, P(t) from 20 sampled images', '')
    """
    return f", {Taken(of.alpha, of.prior or '', of.norm).said()}" if of.alpha else ""


def unused(why: str) -> None:
    """On a page that cannot judge by what is taken along: that it does not, and why; nothing where nothing is."""
    now = taken()
    if now is not None:
        _draw(now, False, f"not used here: {why}", {"alpha": repr(now.alpha), "prior": now.prior, "norm": now.norm})


def chip(benchmark: stored.StoredBenchmark, shown: Iterable[tuple[str, str]], note: str = "") -> None:
    """What is taken along, at the head of a page; nothing where nothing is. shown: (model, kind) of what the page
    judges; note: what else is to be known of it on this page, one sentence."""
    now = taken()
    if now is None:
        return
    pairs = list(dict.fromkeys(shown))
    so = [model for model, kind in pairs if applies(benchmark, model, kind)]
    names = colours.labels(benchmark.models)
    used = ", ".join(names[model] for model in dict.fromkeys(so))
    if not so:
        speaks = any(kind == Kind.GEN for _, kind in pairs)
        why = "this P(t) is stored for no model here" if speaks else "no generation scores are shown"
        used = f"not used here: {why}"
    where = {
        "benchmark": "" if benchmark.parts else benchmark.name, "model": so[0] if so else "",
        "alpha": repr(now.alpha), "prior": now.prior, "norm": now.norm,
    }  # fmt: skip
    _draw(now, bool(so), used, where, note)


def _draw(now: Taken, so: bool, used: str, where: dict[str, str], note: str = "") -> None:
    """so: whether anything on the page is judged by it; used: for which models, or why for none; where: on Debias."""
    sheet(CSS)
    where = {key: value for key, value in {**where, "wide": "True" if now.alpha > 1 else ""}.items() if value}
    with st.container(key="fs-alpha" if so else "fs-alpha-unused", horizontal=True, vertical_alignment="center"):
        st.page_link(
            "pages/debias/page.py", label=f"**α = {number(now.alpha)}** · {plain(used)}",
            icon=":material/tune:", query_params=where,
            help=plain(
                f"Generation scores are judged by log P(t | i) − α · log P(t): {now.said()}. Opens Debias. {note}"
            ),
        )  # fmt: skip
        st.button(
            "×", key="alpha-back", type="tertiary", on_click=take, args=(None,),
            help="Judge generation scores as scored again (α = 0), on every page.",
        )  # fmt: skip
