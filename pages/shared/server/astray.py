"""Addresses that no page has: another spelling of a page's leads to it, any other to a page that says so, with links.

Streamlit matches a page's address letter by letter, knows its first page by the bare address only, and opens it for
every other address, with a dialog that says "Page not found".
"""

from collections.abc import Collection, Sequence
from difflib import get_close_matches
from urllib.parse import quote

import streamlit as st
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Match, Route
from starlette.types import Scope
from streamlit.navigation.page import Page

from pages.shared.frame.header import page_header

#: The address of the page that says so, and the key that holds the address asked for.
NOWHERE, ASKED = "not-found", "address"
#: Addresses of Streamlit's server and ours that are no pages.
SERVED = frozenset({"static", "media", "component", "app", "thumbnails", "oauth2callback"})


def belongs(path: str, first: str, others: Collection[str]) -> str | None:
    """Where a path leads: None to where it says, else the address of a page, "" for the first one.

    path: of an address, with its slashes; first: the name of the page at the bare address; others: of all others.

    >>> others = {"try-it", "failures"}
    >>> [belongs(path, "overview", others) for path in ("/", "/try-it", "/try-it/", "/static/x.js", "/a.png")]
    [None, None, None, None, None]
    >>> [belongs(path, "overview", others) for path in ("/Overview/", "/TRY_IT", "/try_it.py", "/index.html")]
    ['', 'try-it', 'try-it', '']
    >>> [belongs(path, "overview", others) for path in ("/nonsense", "/failures/world")]
    ['not-found', 'not-found']
    """
    parts = [part for part in path.split("/") if part]
    if not parts or parts[0] in SERVED or any(part.startswith(("_", ".")) for part in parts):
        return None
    if len(parts) == 1:
        if parts[0] in others or parts[0] == NOWHERE:
            return None
        tidy = parts[0].casefold().removesuffix(".html").removesuffix(".py").replace("_", "-").replace(" ", "-")
        if tidy in (first, "index"):
            return ""
        if tidy in others:
            return tidy
    return None if "." in parts[-1] else NOWHERE


class _Elsewhere(Route):
    """A route for those addresses alone that belong elsewhere, so that Streamlit answers all others."""

    def __init__(self, first: str, others: Collection[str]) -> None:
        self.first, self.others = first, others
        super().__init__("/{path:path}", self.answer, methods=["GET"])

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        if scope["type"] != "http" or self._leads(scope) is None or not _is_page(scope):
            return Match.NONE, {}
        return super().matches(scope)

    def _leads(self, scope: Scope) -> str | None:
        return belongs(_path(scope), self.first, self.others)

    def answer(self, request: Request) -> Response:
        found = self._leads(request.scope) or ""
        asked = f"{ASKED}={quote(_path(request.scope).strip('/')[:200])}"
        query = asked if found == NOWHERE else request.url.query
        return RedirectResponse(f"{_base()}/{found}{'?' if query else ''}{query}", 307)


def route(first: str, others: Collection[str]) -> Route:
    """What app.py hands to the server (see `belongs`)."""
    return _Elsewhere(first, others)


def draw(pages: Sequence[Page]) -> None:
    """The page that says that there is none, with a link to every page, the likeliest first."""
    asked = str(st.query_params.get(ASKED) or "")[:200]
    at = f"There is no page at “/{asked}”" if asked else "There is no page here"
    page_header("Not found", at, "Nothing is lost: what was computed is on the pages below. Which one did you want?")
    names = [page.url_path or page.title.casefold() for page in pages]
    near = get_close_matches(asked.casefold().partition("/")[0].replace("_", "-"), names, n=3, cutoff=0.5)
    for _, page in sorted(zip(names, pages, strict=True), key=lambda pair: pair[0] not in near):
        st.page_link(page, label=page.title, icon=page.icon)


def _is_page(scope: Scope) -> bool:
    """Whether a browser asks for a page, not for a picture or data."""
    return any(name == b"accept" and b"text/html" in value for name, value in scope["headers"])


def _base() -> str:
    base = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{base}" if base else ""


def _path(scope: Scope) -> str:
    """The path below the dashboard's own address."""
    path = str(scope["path"])
    return path.removeprefix(_base()) if path.startswith(f"{_base()}/") else path
