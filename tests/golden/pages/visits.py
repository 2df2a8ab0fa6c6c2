"""Pages opened by their address, as a browser does, with everything noted that stands between a page and the outside.

No module of a page is imported here by its name, for those files move. What has to be wrapped is found by what it is:
the module that keeps a page's state in its address by its functions, pages by what app.py hands to `st.navigation`.
"""

import ast
import json
import linecache
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any
from urllib.parse import urlencode

import pytest
import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.state.query_params_proxy import QueryParamsProxy
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from backend.called import on_pages

ROOT = Path(__file__).resolve().parents[3]
APP = ROOT / "app.py"
#: The page of the bare address. All addresses of pages stand in shapes/pages-addresses.json.
FIRST = "overview"
#: Function that puts a value of an address in its place -> what the kept shapes call such a value; what says most
#: stands first.
SORTS = {"option": "one", "options": "many", "number": "numbers", "count": "count", "text": "words", "note": "note"}
#: So many options of a field are named.
MOST = 8
#: Folders whose Python files are no part of the dashboard.
ELSEWHERE = {"tests", "bench", "scripts", ".venv", "backend", "docs"}


@dataclass
class Seen:
    """What all visits so far have shown.

    titles: page -> its title; keys: page -> key -> sorts of value; asked: the same of `st.query_params` itself, keys of
    the visit's own address left out; options: page -> key -> what it may be; defaults: link -> key -> what it is where
    none is said; page, own, link: the page of the present visit, the keys of its address, and all of it;
    downloads: (file, line) of a call -> its (file name, MIME type, data); components, scripts: name -> (link,
    what each was given there), and its JavaScript.
    """

    titles: dict[str, str] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)
    keys: dict[str, dict[str, set[str]]] = field(default_factory=dict)
    options: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    defaults: dict[str, dict[str, str]] = field(default_factory=dict)
    downloads: dict[tuple[str, int], list[tuple[str, str, Any]]] = field(default_factory=dict)
    components: dict[str, list[tuple[str, Any]]] = field(default_factory=dict)
    scripts: dict[str, str] = field(default_factory=dict)
    page: str = ""
    own: frozenset[str] = frozenset()
    link: str = ""

    def key(self, key: str, sort: str) -> None:
        """A key that the page of this visit knows."""
        self.keys.setdefault(self.page, {}).setdefault(key, set()).add(sort)


SEEN = Seen()


def sources() -> Iterator[tuple[Path, ast.Module]]:
    """Every Python file of the dashboard, parsed."""
    for path in sorted(ROOT.rglob("*.py")):
        if path.relative_to(ROOT).parts[0] not in ELSEWHERE:
            yield path, ast.parse(path.read_text(encoding="utf-8"))


def address_module() -> ModuleType:
    """The module that keeps a page's state in its address: the one with these functions."""
    wanted = (*SORTS, "begin", "end", "carry", "arrive")
    found = [
        module for module in list(sys.modules.values())
        if str(getattr(module, "__file__", None) or "").startswith(str(ROOT))
        and all(callable(getattr(module, name, None)) for name in wanted)
    ]  # fmt: skip
    assert len({id(module) for module in found}) == 1, found
    return found[0]


@contextmanager
def noted() -> Iterator[None]:
    """While this lasts, what pages do is noted in SEEN. A first visit has loaded the pages' modules."""
    patch = pytest.MonkeyPatch()
    address = address_module()
    for name, sort in SORTS.items():
        patch.setattr(address, name, _placing(getattr(address, name), sort))
    begin, carry = address.begin, address.carry

    def begun(keys: Any) -> Any:
        for key in keys:
            SEEN.key(key, "")
        return begin(keys)

    def carried(more: Any) -> Any:
        for key in more:
            SEEN.key(key, "asked")
        return carry(more)

    patch.setattr(address, "begin", begun)
    patch.setattr(address, "carry", carried)
    for name, sort in (("__getitem__", "asked"), ("get_all", "asked for all")):
        patch.setattr(QueryParamsProxy, name, _asking(getattr(QueryParamsProxy, name), sort))
    button = DeltaGenerator.download_button
    patch.setattr(DeltaGenerator, "download_button", _taking(button))
    patch.setattr(st, "download_button", _taking(st.download_button))
    navigation = st.navigation

    def navigated(pages: Any, **more: Any) -> Any:
        for page in pages:
            SEEN.titles[page.url_path or FIRST] = page.title
            if page.visibility == "hidden":
                SEEN.hidden.add(page.url_path)
        return navigation(pages, **more)

    patch.setattr(st, "navigation", navigated)
    yield
    patch.undo()


def _placing(place: Callable[..., Any], sort: str) -> Callable[..., Any]:
    def placed(key: str, *args: Any, **named: Any) -> Any:
        SEEN.key(key, sort)
        found = place(key, *args, **named)
        if sort in ("one", "many"):
            known = SEEN.options.setdefault(SEEN.page, {}).setdefault(key, [])
            known += [text for option in args[0] if (text := str(option)) not in known]
        if sort in ("one", "numbers", "words"):
            default = "" if sort == "words" and not args else args[-1]
            SEEN.defaults.setdefault(SEEN.link, {}).setdefault(key, str(default))
        return found

    return placed


def _asking(ask: Callable[..., Any], sort: str) -> Callable[..., Any]:
    def asked(self: Any, key: str, *args: Any) -> Any:
        if key not in SEEN.own and not _listing(sys._getframe(1)):
            SEEN.key(key, sort)
        return ask(self, key, *args)

    return asked


def _listing(caller: FrameType | None) -> bool:
    """Whether a page only copies what its address says: a comprehension over all of its keys."""
    return caller is not None and " for " in linecache.getline(caller.f_code.co_filename, caller.f_lineno)


def _taking(draw: Callable[..., Any]) -> Callable[..., Any]:
    def taken(*args: Any, **named: Any) -> Any:
        caller = sys._getframe(1)
        while caller.f_code.co_name in ("wrapped_func", "taken"):  # Streamlit's own wrapping, and ours
            caller = caller.f_back or caller
        at = (caller.f_code.co_filename, caller.f_lineno)
        given = args[1:] if args and isinstance(args[0], DeltaGenerator) else args
        data = named.get("data", given[1] if len(given) > 1 else None)
        name = named.get("file_name", given[2] if len(given) > 2 else None)
        mime = named.get("mime", given[3] if len(given) > 3 else None)
        SEEN.downloads.setdefault(at, []).append((str(name), str(mime), data))
        return draw(*args, **named)

    return taken


def visit(page: str, /, **query: str | list[str]) -> AppTest:
    """Open a page by its address."""
    app = AppTest.from_file(str(APP), default_timeout=120)
    if page != FIRST:
        app._page_hash = calc_hash(page)  # as a browser asks for it; `switch_page` takes a file, and files move
    for key, value in query.items():
        app.query_params[key] = value
    SEEN.page, SEEN.own, SEEN.link = page, frozenset(query), link_of(page, query)
    return rerun(app)


def link_of(page: str, query: Mapping[str, str | Sequence[str]]) -> str:
    """The link that opens a page with this address."""
    said = urlencode(query, doseq=True, safe=":/,|~ ")
    return f"{'' if page == FIRST else page}{'?' if said else ''}{said}"


def rerun(app: AppTest) -> AppTest:
    """Run a visited page (again), and note what it drew."""
    app.run()
    assert not app.exception, [element.value for element in app.exception]
    for key, value in written(app).items():
        if key not in SEEN.own and value:
            SEEN.key(key, "written")
    for element in app.get("bidi_component"):
        said = element.proto.json or "null"
        SEEN.components.setdefault(element.proto.component_name, []).append((SEEN.link, json.loads(said)))
        SEEN.scripts[element.proto.component_name] = element.proto.js_content
    return app


def written(app: AppTest) -> dict[str, list[str]]:
    """What the page's address says after it was drawn."""
    return {k: [v] if isinstance(v, str) else list(v) for k, v in sorted(app.query_params.items())}


BACKSLASH = "\\"


def plain(html: str, most: int = 400) -> str:
    """The text of a piece of HTML; what is longer is cut, with its length said."""
    text = re.sub(r"<(style|script)\b.*?</\1>", " ", html, flags=re.S)
    text = re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", text)).replace("\u2060", "")).strip()
    text = text.replace(f"{on_pages()} ", "flipside ")  # as it is typed on this machine
    return text if len(text) <= most else f"{text[:most]} … ({len(text)} characters)"


def headings(app: AppTest) -> list[str]:
    """The page's own headings, in their order."""
    found = []
    for element in app.get("html"):
        found += [plain(text) for text in re.findall(r"<h[1-4][ >].*?</h[1-4]>", element.proto.body, flags=re.S)]
    return found


def fields(app: AppTest, as_shown: bool = False) -> list[str]:
    """`label: value` of every field, the sidebar's last. as_shown: with all that a list offers, in its words."""
    found = []
    for element in app:
        if element.type in ("selectbox", "multiselect", "button_group", "radio"):
            offered = [_option(each) for each in element.proto.options]
            more = [*offered[:MOST], f"… {len(offered)}"] if len(offered) > MOST else offered
            found.append(f"{element.label}: {element.value}" + (f" of {more}" if as_shown else ""))
        elif element.type in ("slider", "text_input", "text_area", "number_input", "toggle", "checkbox"):
            found.append(f"{element.label}: {element.value}")
        elif element.type == "pagination":
            found.append(f"page: {element.value}")
    return found


def _option(each: Any) -> str:
    return each if isinstance(each, str) else f"{each.content_icon} {each.content}".strip()


def text(app: AppTest) -> list[str]:
    """What is read on a page beside its fields, in its order: text, tables, what its components were given."""
    found = []
    for element in app:
        if element.type == "html":
            found.append(plain(element.proto.body))
        elif element.type in ("markdown", "caption", "info", "warning", "error", "success", "text", "code"):
            found.append(f"{element.type}: {plain(str(element.value)).replace(BACKSLASH, '')}")
        elif element.type == "bidi_component":
            found.append(f"{element.proto.component_name}: {_told(json.loads(element.proto.json or 'null'))}")
        elif element.type == "dataframe":
            rows = element.value
            first = rows.iloc[0].tolist() if len(rows) else []
            found.append(f"table of {len(rows)}: {list(map(str, rows.columns))}, first {plain(str(first))}")
        elif element.type == "page_link":
            found.append(f"link: {element.proto.label} → {element.proto.page}?{element.proto.query_string}")
    return [line for line in found if line]


def _told(data: Any) -> str:
    """The gist of a component's document: ids of cards, values of a heat map, else how many of what."""
    if not isinstance(data, dict):
        return str(data)
    if "cards" in data:
        return f"{len(data['cards'])} cards {[card['id'] for card in data['cards']]}"
    if "rows" in data and "columns" in data:
        values = [" ".join(cell["value"] if cell else "–" for cell in row["cells"]) for row in data["rows"]]
        return f"{[c['label'] for c in data['columns']]} {[r['label'] for r in data['rows']]} {values}"
    return plain(", ".join(f"{key} {_gist(value)}" for key, value in data.items()))


def _gist(value: Any) -> str:
    if isinstance(value, dict | list):
        return f"({len(value)})"
    return plain(str(value), 60) if not str(value).startswith("data:") else "data"
