"""Runs, Add: the one question, “What do you have?”, as tiles."""

from dataclasses import dataclass

import streamlit as st
from markupsafe import Markup

from pages.shared.frame.style import show


@dataclass(frozen=True)
class Tile:
    """A thing that one may have. name: in addresses; short: its name where a form is open; title: what one has; needs,
    gets: what it takes, and what one has then; icon: of Material Symbols; part: the module with its form."""

    name: str
    short: str
    title: str
    needs: str
    gets: str
    icon: str
    part: str


TILES = (
    Tile(
        "own", "Own data", "My own pictures and captions", "A table, or a zip with pictures",
        "a benchmark of your own, to score", "add_photo_alternate", "own",
    ),
    Tile(
        "import", "Benchmark", "A benchmark’s files", "Its original files, in a data folder",
        "its items on every page, to score", "folder_open", "import_data",
    ),
    Tile(
        "score", "Model", "A model to score", "A bundled model, or the name of yours",
        "a verdict on every item", "play_circle", "start",
    ),
    Tile(
        "predictions", "Predictions", "Predictions made elsewhere", "Scores or answers in a file",
        "a model like any other, to compare", "playlist_add", "predictions",
    ),
    Tile(
        "bundle", "Bundle", "A results bundle", "A zip that another machine exported",
        "its run, here as it was there", "inventory_2", "bundle",
    ),
    Tile(
        "perturb", "Edits", "Edits of captions", "A benchmark that is here",
        "typos, swaps, shuffles of it, to score", "auto_fix_high", "perturb",
    ),
    Tile(
        "real", "Real results", "Real published results", "A network, or a folder of the files",
        "CLIP, BLIP, GPT-4V and people, item by item", "public", "real",
    ),
)  # fmt: skip
BY_NAME = {tile.name: tile for tile in TILES}


def draw(chosen: str) -> None:
    """All tiles; names alone while one of them is open. chosen: its name, "" for none."""
    grid = st.grid(len(TILES), min_column_width=105, gap="small") if chosen else st.grid(
        4, min_column_width=210, gap="small"
    )  # fmt: skip
    for tile in TILES:
        look = "small" if chosen else "large"
        look += "-on" if tile.name == chosen else ""
        with grid.cell(), st.container(key=f"runs-tile-{look}-{tile.name}", gap=None):
            st.button(
                tile.short if chosen else tile.title, key=f"runs-add-{tile.name}", icon=f":material/{tile.icon}:",
                type="tertiary", on_click=choose, args=("add" if tile.name == chosen else tile.name,),
                help=f"{tile.title}. {tile.needs}: {tile.gets}." if chosen else None,
            )  # fmt: skip
            if not chosen:
                show(Markup('<p class="runs-needs">{}<br><b>→</b> {}</p>').format(tile.needs, tile.gets))


def choose(name: str) -> None:
    """A button's callback: open a form, or close it (“add”)."""
    st.session_state["tab"] = name
