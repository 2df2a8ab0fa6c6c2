"""Starts the dashboard: page list and theme, nothing else. Run it with `streamlit run app.py`."""

from functools import partial
from pathlib import Path

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from backend import garbage, plugins

#: Folder in pages/, title, icon, address.
PAGES = (
    ("overview", "Overview", ":material/grid_view:", "overview"),
    ("try_it", "Try it", ":material/science:", "try-it"),
    ("failures", "Failures", ":material/error_outline:", "failures"),
    ("equivariance", "Equivariance", ":material/compare_arrows:", "equivariance"),
    ("debias", "Debias", ":material/tune:", "debias"),
    ("robustness", "Robustness", ":material/shield:", "robustness"),
    ("embeddings", "Embeddings", ":material/scatter_plot:", "embeddings"),
    ("compare", "Compare", ":material/balance:", "compare"),
    ("atlas", "Atlas", ":material/public:", "atlas"),
    ("teach", "Teach", ":material/school:", "teach"),
    ("runs", "Runs", ":material/play_circle:", "runs"),
)
#: Reached by links only: one item in full, one model in full.
HIDDEN = (
    ("item", "Item", ":material/crop_square:", "item"),
    ("model", "Model", ":material/smart_toy:", "model"),
)
HERE = Path(__file__).parent


def draw() -> None:
    """One run of a session's script."""
    from pages.shared.frame import address as address_of_page
    from pages.shared.frame import beginning, brought_page, style, toasts
    from pages.shared.frame import title as title_of_page
    from pages.shared.frame.document import listener
    from pages.shared.offers import new_results
    from pages.shared.server import astray

    st.set_page_config(
        page_title=title_of_page.now(), page_icon=str(HERE / "pages/shared/frame/mark.svg"), layout="wide"
    )
    style.apply()
    listener.apply()
    toasts.draw()
    st.logo(HERE / "pages/shared/frame/logo.svg", size="large", icon_image=HERE / "pages/shared/frame/mark.svg")
    present = [page for page in PAGES if (HERE / f"pages/{page[0]}/page.py").exists()]
    listed = [
        st.Page(HERE / f"pages/{folder}/page.py", title=title, icon=icon, url_path=address, default=not i)
        for i, (folder, title, icon, address) in enumerate(present)
    ]
    brought = plugins.PAGES.names()
    listed += [
        st.Page(partial(brought_page.draw, name), title=brought_page.title(name), icon=":material/extension:",
                url_path=name.replace("_", "-"))
        for name in brought
    ]  # fmt: skip
    hidden = [
        st.Page(HERE / f"pages/{folder}/page.py", title=title, icon=icon, url_path=address, visibility="hidden")
        for folder, title, icon, address in HIDDEN
    ]
    lost = st.Page(partial(astray.draw, listed), title="Not found", url_path=astray.NOWHERE, visibility="hidden")
    chosen = st.navigation([*listed, *hidden, lost])
    address_of_page.arrive(chosen.url_path or PAGES[0][-1])
    title_of_page.begin(chosen.title)
    with new_results.watched():
        beginning.run(chosen)


if __name__ == "__main__":
    draw()
else:
    from pages.embeddings import prepared as embeddings_prepared
    from pages.overview import first_picture
    from pages.robustness import prepared
    from pages.shared.server import (
        astray,
        ending,
        front_door,
        manifests,
        mishaps,
        presses,
        thumbnail_route,
        waiting,
        warm,
    )

    garbage.few_arenas()
    manifests.ask_few()
    # The server imports this file once; each session runs it. Until a first session has called st.navigation, Streamlit
    # would list the files in pages/ by their own names, and a link to try-it would open "Page not found".
    PagesManager.uses_pages_directory = False
    addresses = [page[-1] for page in (*PAGES, *HIDDEN)]
    addresses += [name.replace("_", "-") for name in plugins.PAGES.names()]
    routes = [thumbnail_route.route(), astray.route(addresses[0], addresses[1:])]
    app = st.App(
        __file__, routes=routes, middleware=[front_door.middleware()], on_script_error=mishaps.said,
        lifespan=ending.lifespan,
    )  # fmt: skip
    presses.keep()
    waiting.keep()

    def work_ahead(shown: str) -> None:
        """One process after the other, each of which gives way to all else. shown: the first page's benchmark."""
        prepared.begin()
        embeddings_prepared.begin(shown)

    warm.begin(first_picture.PAGE, first_picture.wait, work_ahead)
