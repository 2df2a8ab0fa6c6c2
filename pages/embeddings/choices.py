"""The sidebar of Embeddings: which model and part, how it is laid out, and what the colours mean."""

from dataclasses import dataclass

import streamlit as st

from backend.live.maps.layouts import Layout
from backend.store.items.embeddings import ALL, parts
from backend.store.queries import Setting
from backend.taxonomy import title
from pages.embeddings import data
from pages.embeddings.view import COLOURINGS, offered
from pages.shared.data import stored
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import count
from pages.shared.frame import address
from pages.shared.frame.fold import more
from pages.shared.frame.sidebar import choose_kind, choose_model
from pages.shared.frame.tips import metric_tip, metric_title

KEYS = (
    "benchmark", "model", "part", "map", "neighbours", "tightness", "centred", "colour", "judge", "kind", "metric",
    "other", "pin", "set", "lasso",
)  # fmt: skip
NEIGHBOURS, TIGHTNESS = [5, 15, 50], [0.0, 0.1, 0.5]
NOBODY = "none"
#: Before a key: what stood there on the last run where nobody had chosen (see `_follow`).
_OWN = "_embeddings_own_"


@dataclass(frozen=True)
class Choices:
    """What the sidebar says. other: the model of a second map, or ""; judge, setting, metric: whose verdicts colour."""

    model: str
    part: str
    map: str
    layout: Layout
    colour: str
    judge: str
    setting: Setting
    metric: str
    other: str

    @property
    def whose(self) -> str:
        """Whose verdicts these are, where the maps are not of that model alone: its label; "" elsewhere, and where
        nobody has judged."""
        shown = {self.model, self.other} - {""}
        return colours.label(self.judge) if self.metric and shown != {self.judge} else ""


def choose(benchmark: stored.StoredBenchmark, models: list[str]) -> Choices:
    """Draw the sidebar: three controls, the rest under More."""
    with st.sidebar:
        model = choose_model(models)
        listed = parts(benchmark.protocols)
        first = data.first_part(benchmark, model)
        part = st.selectbox(
            "Subset", listed, key=address.option("part", listed, first, moves=True),
            index=address.index("part"), format_func=lambda p: _part_name(benchmark, p), persist_state="session",
            help="Shown first, of the subsets whose vectors came with the run, is the one on which even the best model "
            "here is worst. Vectors that no run has stored are computed when asked for.",
        ) or first  # fmt: skip
        by = offered(data.seen(benchmark, model, part))
        colour = st.selectbox(
            "Colour by", by, key=address.option("colour", by, "outcome"),
            index=address.index("colour"), format_func=COLOURINGS.__getitem__,
            help="Verdict: of a model on the item that an image or a caption belongs to, under the kind and metric "
            "under More.",
        ) or "outcome"  # fmt: skip
        with more("map", "neighbours", "tightness", "centred", "other", "judge", "kind", "metric"):
            view, layout = _map()
            others = [NOBODY, *(m for m in models if m != model)]
            names = colours.labels(models) | {NOBODY: "none"}
            other = st.selectbox(
                "Beside it", others, key=address.option("other", others, NOBODY),
                index=address.index("other"), format_func=names.__getitem__,
                help="A second model's map of the same images and captions, turned, mirrored and scaled onto the first "
                "(orthogonal Procrustes). What is picked in one lights up in both.",
            )  # fmt: skip
            judge, setting, metric = _judge(benchmark, model, part)
    second = "" if other in (None, NOBODY) else str(other)
    return Choices(model, part, view, layout, colour, judge, setting, metric, second)


def _map() -> tuple[str, Layout]:
    view = st.segmented_control(
        "Map", ["umap", "pca"], key=address.option("map", ["umap", "pca"], "umap"),
        default=address.value("map"), required=True,
        format_func={"umap": "UMAP", "pca": "PCA"}.__getitem__,
        help="UMAP keeps neighbourhoods and bends distances (McInnes, Healy, Melville 2018, arXiv 1802.03426). PCA "
        "is a straight view along the two directions of most variance: what both show can be trusted more.",
    )  # fmt: skip
    return view or "umap", _layout() if view == "umap" else Layout()


def _layout() -> Layout:
    left, right = st.columns(2)
    near = left.selectbox(
        "Neighbours", NEIGHBOURS, key=address.option("neighbours", NEIGHBOURS, 15), index=address.index("neighbours"),
        help="n_neighbors: how many points are a point's surroundings. Few show detail, many the whole.",
    )  # fmt: skip
    tight = right.selectbox(
        "Tightness", TIGHTNESS, key=address.option("tightness", TIGHTNESS, 0.1), index=address.index("tightness"),
        help="min_dist: how near points may lie together in the map.",
    )  # fmt: skip
    centred = st.selectbox(
        "Modality gap", ["kept", "taken out"], key=address.option("centred", ["kept", "taken out"], "kept"),
        index=address.index("centred"),
        help="Taken out: each modality's centroid is subtracted and vectors are normalised again before the map is "
        "made, so that images and captions can mix. Neighbours and numbers are never changed by it.",
    )  # fmt: skip
    return Layout(near, tight, centred == "taken out")


def _judge(benchmark: stored.StoredBenchmark, model: str, part: str) -> tuple[str, Setting, str]:
    known = data.judges(benchmark, part)
    if not known:
        return model, Setting("itc"), ""
    own = model if model in known else next(iter(known))
    _follow("judge", own)
    chosen = choose_model(list(known), "Verdicts of", "judge", own)
    setting = Setting(choose_kind(known[chosen]))
    listed = data.metrics(data.points(benchmark, part), benchmark.runs[chosen], setting)
    if not listed:
        return chosen, setting, ""
    _follow("metric", listed[0])
    metric = st.selectbox(
        "Metric", listed, key=address.option("metric", listed, listed[0]),
        index=address.index("metric"), format_func=metric_name,
        help="\n\n".join(metric_tip(name) for name in listed if not name.startswith(("headline", "recall"))) or
        "recall: an image is right if one of its captions is among the k nearest, a caption if its image is.",
    )  # fmt: skip
    return chosen, setting, metric or listed[0]


def _follow(key: str, own: str) -> None:
    """What nobody has chosen is the model's or the subset's own that is shown now, not that of the one before: whose
    verdicts, and by which metric. own: which that is."""
    state, before = st.session_state, _OWN + key
    if state.get(key) == state.get(before):
        state[key] = own
    state[before] = own


def metric_name(name: str) -> str:
    """What the points are judged by, in words.

    >>> metric_name("recall_at_1"), metric_name("headline")
    ('R@1, images and captions', "each protocol's own metric")
    """
    if name == "headline":
        return "each protocol's own metric"
    if name.startswith("recall_at_"):
        return f"R@{name.rpartition('_')[2]}, images and captions"
    return metric_title(name)


def _part_name(benchmark: stored.StoredBenchmark, part: str) -> str:
    if part == ALL:
        return "all subsets"
    return f"{title(part)} · {count(benchmark.subsets.get(part, 0), 'item')}"
