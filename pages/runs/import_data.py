"""Runs: import a benchmark that lies in one of the owner's data folders."""

import pandas as pd
import streamlit as st
from markupsafe import Markup

from backend import benchmarks
from backend.benchmarks.base import Declaration
from backend.store import queries
from pages.runs import jobs as runs_jobs
from pages.runs import places as runs_places
from pages.runs import terminal
from pages.shared.data import stored
from pages.shared.drawing.numbers import count
from pages.shared.frame.header import chart_caption
from pages.shared.frame.style import show


def draw() -> None:
    """Choose and import; what it found stands in its row."""
    places = runs_places.found()
    if not places:
        runs_places.nothing_there()
    else:
        left, right = st.columns([5, 6], gap="large")
        with left:
            place = runs_places.choose("import-place", "Benchmark and folder", places)
            known = benchmarks.declaration(place.name)
            split = _split(known)
            words = [place.name, "--data", str(place.folder), *(["--split", split] if split else []), "--json"]
            if st.button("Import", type="primary", icon=":material/download_for_offline:", key="import-start"):
                runs_jobs.begin("import", words, f"Import {place.name} from {place.where}")
            _already(place.name)
        with right:
            show(declared(known))
        terminal.draw("import", words[:-1])
    st.button("Look through the folders again", icon=":material/refresh:", on_click=runs_places.look_again,
              type="tertiary", key="import-look")  # fmt: skip
    with st.expander("Which files each benchmark is known by", icon=":material/folder_open:", on_change="rerun") as box:
        if box.open:
            st.dataframe(_known_files(), hide_index=True, alt="Files of each benchmark", height=420)


def _split(known: Declaration) -> str:
    if not known.splits:
        return ""
    chosen = st.selectbox(
        "Split", list(known.splits), key=f"import-split-{known.name}", format_func=lambda s: f"{s}: {known.splits[s]}",
        index=list(known.splits).index(known.default_split) if known.default_split in known.splits else 0,
        persist_state="session",
    )  # fmt: skip
    return "" if chosen in (None, known.default_split) else str(chosen)


def _already(name: str) -> None:
    frame = queries.benchmarks(stored.store())
    mine = frame[frame["name"] == name]
    if len(mine):
        items = count(int(mine["n_items"].iloc[-1]), "item")
        chart_caption(f"{name} is here already, with {items}. Importing it again from the "
                      "same files changes nothing.")  # fmt: skip


def declared(known: Declaration) -> Markup:
    """What a benchmark declares about itself."""
    rows = {
        "what": known.title,
        "from": known.source,
        "licence": known.licence,
        "paper": known.citation,
        "files": known.wanted,
        "images": known.images,
        "judged as": ", ".join(dict.fromkeys(p.value for p in known.protocols.values())),
        "expected": count(sum(known.expected.values()), "item") if known.expected else "",
    }
    inner = Markup().join(Markup("<dt>{}</dt><dd>{}</dd>").format(k, v) for k, v in rows.items() if v)
    return Markup('<dl class="fs-declared">{}</dl>').format(inner)


def _known_files() -> pd.DataFrame:
    known = list(benchmarks.declarations())
    return pd.DataFrame(
        [{"benchmark": each.name, "what": each.title, "files": each.wanted or "none: it ships with Flipside",
          "images": each.images, "licence": each.licence} for each in known]
    )  # fmt: skip
