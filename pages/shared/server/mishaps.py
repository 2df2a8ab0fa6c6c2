"""What goes wrong on any page and is no fault of the program: a full disk, a damaged database. One sentence each."""

import streamlit as st

from backend.durable import unwritable
from backend.paths import cache_dir
from pages.shared.frame.header import trouble
from pages.shared.frame.hidden import hide
from pages.shared.frame.plain import plain


def said(error: BaseException) -> bool:
    """Called by the server with whatever a page or a button's callback raised; True where it was told here."""
    if kept := unwritable(error, cache_dir()):
        trouble(hide(kept))
        return True
    from backend.store.build import importer  # here, and below: the server answers before DuckDB is imported

    if importer.is_damaged(error):
        importer.rebuild()
        trouble("The database was damaged; it was set aside and rebuilt from shards. Reload this page.")
        return True
    return False


def set_aside() -> None:
    """The damaged files that lie in the cache, on the page where one looks after it."""
    from backend.store.build import damage

    for path in damage.known():
        st.warning(plain(hide(damage.told(path))), icon=":material/healing:")
