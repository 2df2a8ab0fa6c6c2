"""What is taught, with which data, by which recipe, for how long: the form, as a wish."""

from dataclasses import dataclass

import streamlit as st

from backend import benchmarks
from backend.errors import FlipsideError
from backend.items import Protocol
from backend.live.teaching import teachable
from backend.live.teaching.words import Wish
from backend.teach.training.recipes import RECIPES
from backend.world.quads import CONCEPTS
from pages.runs import subjects
from pages.shared.drawing import colours
from pages.shared.drawing.numbers import count, listing
from pages.shared.frame import address
from pages.shared.frame.fold import fold, has_been_opened, unfold
from pages.shared.frame.header import chart_caption, trouble
from pages.shared.frame.tips import kind_name
from pages.teach.train import bounded, recipe

#: The address keys of what stands in the fold.
FOLDED = ("teach_batch", "teach_rank", "teach_rate", "teach_seed")
KEYS = ("teach", "teach_on", "teach_pairs", "teach_concepts", "teach_by", "teach_steps", *FOLDED)
#: What the address calls the two sources of data, and what the page does.
FRESH, KNOWN = "fresh", "benchmark"
SOURCES = {FRESH: "Fresh pairs", KNOWN: "A benchmark"}
PAIRS, STEPS, CONCEPT = 300, 100, ["attribute"]
BATCH, RANK, RATE, SEED = 16, 4, 1e-4, 0
#: The fold of what few change.
MORE = "teach-more"


@dataclass(frozen=True)
class Chosen:
    """wish: None where something is missing, which the page has said. kind: the score that is taught; label: of the
    model; data: what is trained on, for people."""

    wish: Wish | None
    kind: str
    label: str
    data: str


def draw() -> Chosen:
    """The form."""
    with st.container(key="teach-choices"):
        model, data, how = st.columns([1, 1.15, 1.25], gap="large")
    with how:
        names = list(RECIPES)
        name = recipe.choose(address.option("teach_by", names, "eqsim"), address.index("teach_by"))
    with model:
        spec, kind, label = _model()
        steps = bounded.whole(
            "Steps", 1, 100_000, STEPS, key="teach_steps", step=50, placed=True,
            tip="Every step sees one batch. Held-out pairs are judged about eight times on the way.",
        )  # fmt: skip
    with data:
        source = st.segmented_control(
            "Data", list(SOURCES), persist_state="session", key=address.option("teach_on", list(SOURCES), FRESH),
            default=address.value("teach_on"), required=True, format_func=SOURCES.__getitem__,
            help="Minimal pairs of the bundled world, drawn for this training alone, or the items of a benchmark that "
            "is known here.",
        )  # fmt: skip
        material = _fresh() if source == FRESH else _benchmark()
    with how:
        recipe.explain(name)
    more = _more(name, kind)
    if not spec or material is None or steps is None or more is None:
        return Chosen(None, kind, label, "")
    said = material.pop("said")
    wish = Wish(model=spec, recipe=name, steps=steps, **material, **more)  # type: ignore[arg-type]
    return Chosen(wish, kind, label, str(said))


def _model() -> tuple[str, str, str]:
    """(spec, the score that is taught, its label); no spec where there is none that can be taught."""
    can, cannot = teachable.offered()
    held = st.session_state.get("teach")
    listed = colours.order(can)
    listed += [held] if isinstance(held, str) and held and held not in listed else []
    names = colours.labels([*can, *cannot])
    if not listed:
        listed = ["bundled:clip"]
    spec = st.selectbox(
        "Model", listed, key=address.option("teach", listed, listed[0]), index=address.index("teach"),
        accept_new_options=True, persist_state="session", format_func=lambda s: names.get(s, s),
        help="A model that is offered, or type the spec of your own: `hf:openai/clip-vit-base-patch32`, "
        "`openclip:ViT-B-32/none` (random weights), or a prefix before the path of a folder below `$FLIPSIDE_MODELS` "
        "(`models` in the cache). CLIP-like dual encoders and BLIP’s matching heads can be taught.",
    )  # fmt: skip
    spec = (spec or "").strip()
    label = names.get(spec) or colours.label(spec)
    try:
        kind = teachable.kind(spec) if spec else ""
    except FlipsideError as error:
        trouble(str(error))
        return "", "itc", label
    if kind:
        said = f"What learns is its {kind_name(kind)} ({kind})."
        if cannot:
            said += f" Not taught here: {listing([names[s] for s in colours.order(cannot)], 8)}, which give no "
            said += "cosine or matching score of a family that is taught."
        chart_caption(said)
    return spec, kind, label


def _fresh() -> dict[str, object] | None:
    n = bounded.whole(
        "Minimal pairs", 4, 100_000, PAIRS, key="teach_pairs", step=100, placed=True,
        tip="Two scenes that differ in one thing, with a caption each. Drawn anew from the seed.",
    )  # fmt: skip
    listed = list(CONCEPTS)
    is_new = "teach_concepts" not in st.session_state
    address.options("teach_concepts", listed)
    held = st.session_state["teach_concepts"] or (CONCEPT if is_new else [])
    address.note("teach_concepts", held, CONCEPT)
    concepts = st.pills(
        "Concepts", listed, selection_mode="multi", key="teach_concepts", default=held, wrap=True,
        persist_state="session", help="What the two of a pair differ in; taken in turn.",
    )  # fmt: skip
    if not concepts:
        trouble("Choose at least one concept that the pairs differ in.")
    if not concepts or n is None:
        return None
    known = benchmarks.declaration("world").protocols
    judged = [c for c in concepts if known.get(c) == Protocol.QUAD]
    by = f"Judged by up to 200 of the world’s own pairs of {listing(judged)}." if judged else (
        f"The world has no test pairs of {listing(list(concepts))}, so nothing is judged meanwhile."
    )  # fmt: skip
    chart_caption(
        f"{by} They come from other scenes than the fresh ones, so results on world are not marked “trained on”."
    )
    return {
        "fresh": n, "concepts": tuple(c for c in listed if c in concepts), "held_out": 0.2 if judged else 0.0,
        "said": f"{count(n, 'pair')} of {listing(list(concepts))}",
    }  # fmt: skip


def _benchmark() -> dict[str, object] | None:
    subject = subjects.choose("teach-benchmark")
    parts = [p for p, protocol in benchmarks.declaration(subject.name).protocols.items() if protocol in _PAIRED]
    subsets = st.multiselect(
        "Subset", parts, key=f"teach-subsets-{subject.label}", placeholder="all of them", persist_state="session",
        help="Own images and captions: make them a benchmark on Runs, “Own data”, and choose it here.",
    ) if len(parts) > 1 else []  # fmt: skip
    with st.container(horizontal=True):
        most = bounded.whole(
            "Items at most", 0, 1_000_000, 1000, step=500, key="teach-items", width=130,
            tip="By the seed; 0 takes all.",
        )  # fmt: skip
        held = bounded.whole(
            "Held out, %", 0, 80, 20, step=5, key="teach-held-out", width=130,
            tip="Of the items, to judge by: images and groups are never on both sides. 0 judges nothing.",
        )  # fmt: skip
    chart_caption(
        f"From then on every page marks this model’s results on {subject.name} as “trained on”, those of the held-out "
        "items too."
    )
    if most is None or held is None:
        return None
    return {
        "benchmark": subject.name, "data": subject.data, "subsets": tuple(subsets), "sample": most or None,
        "held_out": held / 100, "said": f"{subject.label}{', ' + ', '.join(subsets) if subsets else ''}",
    }  # fmt: skip


_PAIRED = (Protocol.QUAD, Protocol.CHOICE, Protocol.TRIPLET, Protocol.RETRIEVAL)


def _more(name: str, kind: str) -> dict[str, object] | None:
    """Batch, rank, learning rate, seed, and the recipe's numbers; None where one of them is outside its bounds. Until
    the fold is opened they are as they ship and none is drawn: ten fields take as long as all others of the form."""
    if any(address.asked(key) for key in FOLDED):
        unfold(MORE)
    with fold("More: batch, rank, learning rate, seed, numbers of the recipe", MORE, ":material/tune:") as box:
        if not has_been_opened(MORE):
            return {"numbers": {}, "batch": BATCH, "rank": RANK, "learning_rate": RATE, "seed": SEED}
        columns = st.columns(4)
        with columns[0]:
            batch = bounded.whole(
                "Batch", 2, 4096, BATCH, key="teach_batch", placed=True,
                tip="Pairs of an image and a caption in a step.",
            )  # fmt: skip
        with columns[1]:
            rank = bounded.whole(
                "Rank of the adapters", 0, 512, RANK, key="teach_rank", placed=True,
                tip="4 in the SVLC paper; 0 trains all weights.",
            )  # fmt: skip
        with columns[2]:
            rate = bounded.real(
                "Learning rate", 1e-7, 1.0, RATE, step=1e-5, key="teach_rate", placed=True, tip="At its highest."
            )
        with columns[3]:
            seed = bounded.whole(
                "Seed", 0, 999_999_999, SEED, key="teach_seed", placed=True,
                tip="Of data, batches, adapters and what is held out.",
            )  # fmt: skip
        with st.container(horizontal=True, vertical_alignment="bottom"):
            numbers = recipe.numbers(name, kind)
        chart_caption(recipe.LORA)
    if batch is None or rank is None or rate is None or seed is None:
        if not box.open:
            trouble("A number under “More” is outside its bounds: open it.")
        return None
    return {"numbers": numbers, "batch": batch, "rank": rank, "learning_rate": rate, "seed": seed}
