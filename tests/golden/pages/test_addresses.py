"""Addresses of pages: every page's own, every key that one reads or writes, what a key may be, and other spellings."""

import ast
import asyncio
import json
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from streamlit.util import calc_hash

from tests.golden.kept import FOLDER, check_shape, check_value
from tests.golden.pages import journeys, visits
from tests.golden.pages.visits import FIRST, SEEN, SORTS

#: Keys whose options come from the results: what may be said there is no promise of the code.
OF_DATA = {
    "benchmark", "of", "model", "a", "b", "more", "judge", "other", "before", "after", "series", "planes", "subset",
    "concept", "perturbation", "diagnosis", "tag", "category", "group", "part", "part_a", "part_b", "set_a", "set_b",
    "cell", "reason", "run", "prior", "stratum", "kind", "series_kind", "score", "metric", "judged", "edit",
}  # fmt: skip
#: Spellings that people type, of old file names and of mistakes.
TYPED = (
    "/", "/overview", "/overview/", "/Overview?by=concept", "/index.html", "/try-it", "/try_it", "/Try-It/",
    "/try it", "/TRY_IT.py?mode=rank&q=a+red+star", "/FAILURES?model=bundled:captioner&subset=count&subset=size",
    "/failures/", "/failures.html", "/item/?item=count%2F7", "/Item", "/not-found?address=x", "/nonsense",
    "/failures/world", "/fialures%3Cb%3E", "/static/x.js", "/media/x.png", "/thumbnails/0123", "/_stcore/health",
    "/a.png",
)  # fmt: skip


@pytest.fixture
def known(example: Path, tmp_path: Path) -> dict[str, dict[str, set[str]]]:
    """Page -> key -> sorts of its value, after all that a page can draw has been drawn."""
    assert example.is_dir()
    for page in journeys.FIRST_VIEWS:
        journeys.first_view(page)
    journeys.further()
    if "many" not in SEEN.keys["failures"]["of"]:
        journeys.two_benchmarks(tmp_path)
    return SEEN.keys


@pytest.mark.slow
def test_every_page_and_key(known: dict[str, dict[str, set[str]]]) -> None:
    """A key stays, and so does the sort of its value: one option, many, words, a number or two, asked for by itself."""
    order = (*SORTS.values(), "asked for all", "asked", "written", "")
    found = {
        page: {key: next(sort for sort in order if sort in sorts) for key, sorts in sorted(known[page].items())}
        for page in SEEN.titles
    }
    assert not [(page, key) for page in found for key, sort in found[page].items() if sort in ("", "written")]
    check_shape("pages-addresses", found)
    check_value("pages-titles", {page: SEEN.titles[page] for page in found})
    assert set(found) == set(journeys.FIRST_VIEWS), "a page without a first view in journeys.py"


@pytest.mark.slow
@pytest.mark.usefixtures("known")
def test_what_a_key_may_say() -> None:
    """Options that the code offers stay; those of the results, and what a link means that says nothing, are values."""
    offered = {
        page: {key: dict.fromkeys(options, "option") for key, options in sorted(keys.items()) if key not in OF_DATA}
        for page, keys in SEEN.options.items()
    }
    check_shape("pages-options", {page: offered[page] for page in SEEN.titles if offered.get(page)})
    defaults: dict[str, dict[str, str]] = {}
    for page, query in (*journeys.FIRST_VIEWS.items(), *journeys.FURTHER):
        for key, value in SEEN.defaults.get(visits.link_of(page, query), {}).items():
            defaults.setdefault(page, {}).setdefault(key, value)
    check_value("pages-defaults", {page: dict(sorted(keys.items())) for page, keys in defaults.items()})


@pytest.mark.slow
def test_no_key_in_the_code_was_missed(known: dict[str, dict[str, set[str]]]) -> None:
    """Each key that is written out in the code, as a page's, has been seen at work on some page.

    With what the visits find (every `begin` of every page names its keys, and each must be put in its place on some
    visit) this makes the list whole: a key that no visit met would have to stand in the code without its name.
    """
    seen = {key for keys in known.values() for key in keys}
    name = visits.address_module().__name__.rpartition(".")[2]
    stated, constants = [], {}
    for path, tree in visits.sources():
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
                constants |= {(path, t.id): node.value.value for t in node.targets if isinstance(t, ast.Name)}
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
                continue
            of, what = ast.unparse(node.func.value), node.func.attr
            if (of.rpartition(".")[2] == name and what in SORTS) or (
                "query_params" in text and what in ("get", "get_all") and of in ("st.query_params", "address")
            ):
                stated += _literals(node.args[0], path, constants)
    assert len(set(stated)) > 40
    assert sorted(set(stated) - seen - {""}) == []


def _literals(node: ast.expr, path: Path, constants: dict[tuple[Path, str], Any]) -> list[str]:
    if isinstance(node, ast.Name):
        value = constants.get((path, node.id))
        return [value] if isinstance(value, str) else []
    return [node.value] if isinstance(node, ast.Constant) and isinstance(node.value, str) else []


@pytest.mark.slow
def test_links_between_pages_name_keys_that_are_there(known: dict[str, dict[str, set[str]]]) -> None:
    """Also the guided visit's: each of its steps is a link of several keys."""
    tour = {step: journeys.toured(page, step) for page, step in journeys.TOUR}
    pages = [*(journeys.first_view(page) for page in journeys.FIRST_VIEWS), *tour.values()]
    hashes = {calc_hash(page): page for page in SEEN.titles}
    links = {
        (hashes[link.proto.page_script_hash], key.partition("=")[0])
        for page in pages for link in page.get("page_link") for key in link.proto.query_string.split("&") if key
    }  # fmt: skip
    assert {page for page, _ in links} >= {"compare"}
    assert [link for link in links if link[1] not in known[link[0]]] == []
    check_value("pages-tour", {step: visits.written(page) for step, page in tour.items()})


def redirected(typed: str) -> str:
    """Where a browser is sent from an address; "" where Streamlit answers it."""
    (module,) = {
        each.__file__: each for each in list(sys.modules.values())  # of ours: some modules have any attribute
        if str(getattr(each, "__file__", None) or "").startswith(str(visits.ROOT / "pages"))
        and hasattr(each, "belongs") and hasattr(each, "NOWHERE")
    }.values()  # fmt: skip
    addresses = [page for page in SEEN.titles if page not in (FIRST, module.NOWHERE)]
    route = module.route(FIRST, addresses)
    path, _, query = typed.partition("?")
    scope = {
        "type": "http", "method": "GET", "path": unquote(path), "query_string": query.encode(),
        "headers": [(b"accept", b"text/html"), (b"host", b"localhost")], "scheme": "http", "server": ("localhost", 80),
        "root_path": "",
    }  # fmt: skip
    if not route.matches(scope)[0].value:
        return ""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    async def receive() -> Any:
        return {"type": "http.request"}

    asyncio.run(route.handle(scope | route.matches(scope)[1], receive, send))
    return f"{sent[0]['status']} {dict(sent[0]['headers'])[b'location'].decode()}"


@pytest.mark.long
def test_other_spellings() -> None:
    visits.visit("not-found")
    check_value("pages-spellings", {typed: redirected(typed) for typed in TYPED})


@pytest.mark.slow
def test_every_kept_key_is_written_in_the_code() -> None:
    """Quick, and rough: a key that is renamed stands nowhere any more."""
    kept = json.loads((FOLDER / "shapes" / "pages-addresses.json").read_text(encoding="utf-8"))
    stated = {
        node.value
        for _, tree in visits.sources()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    missing = {page: sorted(set(keys) - stated) for page, keys in kept.items()}
    assert not any(missing.values()), missing
    visits.visit("not-found")
    assert set(kept) == set(SEEN.titles), "run `make golden`; the keys of a page that is gone are deleted by hand"


def test_kept_files_name_no_place_of_this_machine() -> None:
    """Nor the cache's folder, nor who runs it."""
    places = (
        str(visits.ROOT),
        "/tmp/",  # noqa: S108
        "/home/",
        "/root/",
        "/work/",
        "/Users/",
        "C:\\\\",
    )
    found = [
        (path.name, place)
        for path in (*FOLDER.rglob("shapes/**/*"), *FOLDER.rglob("values/**/*"))
        if path.is_file()
        for place in places
        if place in path.read_text(encoding="utf-8")
    ]
    assert found == []
