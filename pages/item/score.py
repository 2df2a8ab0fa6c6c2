"""One item, asked of a model that has not seen it: scored here and now, shown beside the stored scores, not kept."""

from collections.abc import Sequence

import streamlit as st

from backend.live.scoring import few_items, judging, pool
from backend.live.scoring.scoring import ModelScores
from backend.store.queries import ItemDetail
from pages.shared.data import model_choice
from pages.shared.drawing import colours
from pages.shared.drawing.thumbnails import source
from pages.shared.frame.header import chart_caption, trouble
from pages.shared.frame.plain import plain
from pages.try_it import results

_KEPT = "_item_scores"


def draw(detail: ItemDetail, seen: Sequence[str]) -> None:
    """An expander with the model, the button and what came of it."""
    with st.expander("Ask another model", icon=":material/science:", key="ask-model", on_change="rerun") as box:
        if not box.open:
            return
        with st.container(horizontal=True, vertical_alignment="bottom"):
            spec, _ = model_choice.choose(seen, "ask-model-spec")
            asked = st.button("Score this item", icon=":material/play_arrow:", key="ask-model-go", disabled=not spec)
        place = (detail.benchmark, detail.item_id)
        kept: dict[tuple[tuple[str, str], str], ModelScores] = st.session_state.setdefault(_KEPT, {})
        if asked:
            with st.spinner(
                f"Scoring with {plain(colours.label(spec))} (the first one also starts PyTorch) …", show_time=True
            ):
                found = few_items.ask(pool.shared(), spec, detail.image_uris, detail.texts)
            if found.problem:
                trouble(found.problem)
            else:
                while len(kept) >= 20:
                    kept.pop(next(iter(kept)))
                kept[place, spec] = found
        own = [scores for (where, _), scores in kept.items() if where == place]
        if not own:
            chart_caption("Scores come from the model itself, here and now. They are shown beside the stored ones.")
            return
        layout = detail.protocol if detail.protocol in judging.NAMES else judging.GRID
        kinds = sorted({kind for scores in own for kind in scores.matrices} | {"t2t"})
        thumbs = [source(uri) for uri in detail.image_uris]
        results.cards(own, layout, kinds, detail.texts, thumbs, colours.of_models(s.spec for s in own))
        chart_caption("Asked in this session; nothing of it is stored or counted in any rate.")
