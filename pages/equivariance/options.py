"""What Equivariance can be asked: the sidebar, and every control of the page put in its place before anything is drawn.

All keys are placed here because the page's parts are fragments: each writes the whole address when it reruns alone.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from backend.kinds import PAIR_KINDS, Kind
from backend.metrics.close_pairs import K
from backend.metrics.eqsim import SETTINGS
from backend.taxonomy import title
from pages.equivariance.parts import WORST
from pages.equivariance.pick import PARTS
from pages.item import opened
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.frame import address
from pages.shared.frame.fold import more
from pages.shared.frame.sidebar import choose_model
from pages.shared.frame.tips import kind_name, kind_unit, kinds_help

KEYS = ("benchmark", "kind", "category", "scale", "signed", "rows", "model", "planes", "worst", "picked", "k",
        "worst_pair", opened.KEY)  # fmt: skip
ALL = "all"
CONCEPT = "concept:"
KINDS = tuple(map(str, PAIR_KINDS))
SCALES = {"raw": "as scored", "softmax-cells": "softmax over the four cells", "softmax-pool": "softmax over all quads"}
ROWS = ("models", "subsets", "concepts")
#: So many planes stand side by side.
PLANES = 4
Plane = tuple[str, str]
WORST_PAIR = "group_margin"


@dataclass(frozen=True)
class Options:
    """What was chosen. able: models with scores of `kind`; planes: (model, kind) side by side, the first in focus."""

    kind: str
    category: str
    scale: str
    absolute: bool
    rows: str
    able: tuple[str, ...]
    model: str
    planes: tuple[Plane, ...]

    @property
    def unit(self) -> str:
        """Of scores of the kind; of several models all units that there are."""
        return " or ".join(dict.fromkeys(self.unit_of(self.kind, model) for model in self.able or ("",)))

    def unit_of(self, kind: str, model: str) -> str:
        """Of a model's scores of a kind, after the normalisation."""
        if kind == Kind.SCORE:  # nobody said what it is measured in
            return "standard deviations"
        return kind_unit(kind, model) if self.scale == "raw" else "share"

    @property
    def asks_violins(self) -> bool:
        """Whether a link names something of the violins, so that they stand open."""
        state = st.session_state
        return bool(state["signed"] != "signed" or state["rows"] != ROWS[0])

    @property
    def asks_pairs(self) -> bool:
        """The same of the close pairs."""
        state = st.session_state
        return bool(state["k"] != K or state["worst_pair"] != WORST_PAIR)

    @property
    def said(self) -> str:
        """The normalisation in words."""
        if self.kind == Kind.SCORE:
            return "divided by the standard deviation of all scores, whose unit was not stated"
        return SCALES[self.scale] if self.scale != "raw" else f"as scored ({self.unit})"

    def rescaled(self, kind: str) -> tuple[str, ...]:
        """How scores of a kind were normalised, in words; () as they were scored."""
        return () if self.scale == "raw" or kind == Kind.SCORE else (SCALES[self.scale],)

    @property
    def quads(self) -> str:
        """Which quads are shown, for a sentence."""
        return "all quads" if self.category == ALL else f"the quads of {title(self.category.removeprefix(CONCEPT))}"

    @property
    def where(self) -> str:
        """The category in words."""
        return "all quads" if self.category == ALL else said_of(self.category, "concept ")


def said_of(category: str, before: str = "concept: ") -> str:
    """A category in words.

    >>> said_of("swap_att"), said_of("concept:fill")
    ('swap att', 'concept: fill')
    """
    return (before if category.startswith(CONCEPT) else "") + title(category.removeprefix(CONCEPT))


def choose(
    benchmark: stored.StoredBenchmark, quads: Sequence[str], concepts: Sequence[str], kinds: Sequence[str]
) -> Options:
    """The sidebar. quads: subsets of quads; concepts: of their items; kinds: that some model has."""
    categories = [ALL, *quads, *(CONCEPT + name for name in concepts)]
    pairs = [(m, k) for m in benchmark.models for k in KINDS if k in benchmark.kinds[m]]
    names = colours.labels(benchmark.models)
    with st.sidebar:
        kind = st.selectbox(
            "Score kind", kinds, key=address.option("kind", kinds, kinds[0]),
            index=address.index("kind"), help=kinds_help(kinds),
            persist_state="session", format_func=lambda k: f"{kind_name(k)} ({k})",
        ) or kinds[0]  # fmt: skip
        category = st.selectbox(
            "Subset or concept", categories, key=address.option("category", categories, ALL),
            index=address.index("category"), format_func=said_of,
            help="All quads, those of one subset, or those of one concept: rates and deviations are of these only.",
        ) or ALL  # fmt: skip
        able = [m for m in benchmark.models if kind in benchmark.kinds[m]]
        model = choose_model(able, "Model in focus")
    with st.sidebar, more("scale", "planes"):
        scale = st.selectbox(
            "Scores", SETTINGS, key=address.option("scale", SETTINGS, SETTINGS[0]),
            index=address.index("scale"), format_func=SCALES.__getitem__,
            help="Softmax over one row or column would make one side of v2 vanish identically, so it is not offered.",
        ) or SETTINGS[0]  # fmt: skip
        listed = [f"{m}|{k}" for m, k in pairs]
        chosen = st.multiselect(
            "Planes side by side", listed, key=address.options("planes", listed),
            default=address.value("planes"), max_selections=PLANES,
            format_func=lambda pair: f"{names[pair.rpartition('|')[0]]} · {kind_name(pair.rpartition('|')[2])}",
            placeholder="the model, and one for each kind",
            help="Which models and score kinds EqSim’s planes show. Left empty: the model in focus, and beside it "
            "one model for each other kind that has been scored.",
        )  # fmt: skip
    for key, offered, default in (
        ("signed", ["signed", "absolute"], "signed"), ("rows", list(ROWS), ROWS[0]),
        ("worst", [*WORST, *PARTS], "v2_text"), ("worst_pair", list(WORST), WORST_PAIR),
    ):  # fmt: skip
        address.option(key, offered, default)
    address.text("picked")
    opened.place(benchmark)
    address.number("k", 1, 20, K)
    picked = [tuple(pair.rpartition("|")[::2]) for pair in chosen]
    state = st.session_state
    return Options(
        kind, category, scale, state["signed"] == "absolute", str(state["rows"]), tuple(able), model,
        tuple((m, k) for m, k in picked) or automatic(model, kind, pairs),
    )  # fmt: skip


def automatic(model: str, kind: str, pairs: Sequence[Plane]) -> tuple[Plane, ...]:
    """The model in focus under the chosen kind, then one plane for each other kind: its own where it has that kind.

    >>> automatic("a", "itc", [("a", "itc"), ("b", "itc"), ("b", "itm"), ("a", "gen"), ("c", "gen")])
    (('a', 'itc'), ('b', 'itm'), ('a', 'gen'))
    """
    found = [(model, kind)]
    for other in KINDS:
        having = [m for m, k in pairs if k == other]
        if other != kind and having:
            found.append((model if model in having else having[0], other))
    return tuple(found[:PLANES])
