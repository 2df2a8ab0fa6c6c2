"""Pages that other installed packages bring (docs/plugins.md), each loaded when it is opened."""

import streamlit as st

from backend import plugins
from pages.shared.frame.header import trouble
from pages.shared.frame.plain import plain


def title(name: str) -> str:
    """What the sidebar calls it.

    >>> title("cat_counter")
    'Cat counter'
    """
    said = name.replace("_", " ").replace("-", " ").strip()
    return said[:1].upper() + said[1:]


def draw(name: str) -> None:
    """The page of that name; where it cannot be loaded, or raises, a sentence in its place. Other pages go on."""
    try:
        plugins.PAGES.load(name)()
    except plugins.PluginError as error:
        trouble(str(error))
    except (Exception, SystemExit) as error:  # noqa: BLE001 - code of strangers may raise anything; Streamlit's own signals are none
        trouble(str(plugins.PAGES.blamed(name, error)))
    package = plugins.PAGES.packages().get(name)
    if package:
        st.caption(f"This page comes from the package {plain(package)}.")


def skipped() -> None:
    """What of other packages this dashboard has left out so far, a line each."""
    for said in plugins.troubles():
        st.warning(plain(f"Skipped: {said}"), icon=":material/extension_off:")
