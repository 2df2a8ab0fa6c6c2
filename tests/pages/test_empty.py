"""Caches that hold little or nothing: every page opens, and where it has nothing to show it says what to do next."""

import re
from collections.abc import Callable, Sequence
from html import unescape
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from backend.items import Item, Protocol
from scripts.screenshots import pages
from tests.pages import results
from tests.pages.opening import unfolded
from tests.store.writer import write_run

#: Not from `app` itself: whoever imports it starts the server's work, an import of what ships into the cache among it.
FILES = [*(name for name, _ in pages()), "item"]
#: What a next step names: a command, a page, a control, or what to press.
STEP = re.compile(
    r"(flipside|python -m backend) (run|perturb)|Drop files|Upload|Put a |Runs|[Cc]hoose (another|one)|"
    r"Press |Open one|Open “|in the sidebar|Make a folder|can embed .* now"
)


def triplets() -> list[Item]:
    return [item for item in results.world() if item.protocol == Protocol.TRIPLET]


def nothing(root: Path) -> None:
    assert not list(root.glob("runs/*"))


def predictions(root: Path) -> None:
    write_run(root, results.world(), "1" * 16, ["itc"], model="predictions:sys", seed=1, name="small")


def texts_only(root: Path) -> None:
    write_run(root, triplets(), "1" * 16, ["t2t"], model="fake:words", seed=1, name="small")


def blind(root: Path) -> None:
    write_run(root, results.world(), "1" * 16, ["prior@self"], model="fake:lm", seed=1, name="small")


#: Who has nothing to show where, and so has to say what to do; `INSTEAD` has the pages that do so without a sentence.
LACKS: dict[Callable[[Path], None], Sequence[str]] = {
    nothing: tuple(name for name in FILES if name not in ("try_it", "atlas")),
    predictions: ("overview", "debias", "embeddings", "compare", "teach", "item"),
    texts_only: ("equivariance", "debias", "embeddings", "compare", "teach", "item"),
    blind: ("overview", "equivariance", "debias", "embeddings", "compare", "teach", "item"),
}
#: What the next step is on pages that have something to show all the same, or a button in place of the sentence.
INSTEAD: dict[str, Callable[[AppTest], bool]] = {
    "try_it": lambda opened: any(button.key == "try-score" for button in opened.button),
    "atlas": lambda opened: any("fetch" in button.label for button in opened.button),
}
#: Every view of a page that has several.
VIEWS = {
    "robustness": ("flips", "brittle", "granularity", "finer", "edits"),
    "runs": ("computed", "score", "import", "perturb", "own", "predictions", "bundle"),
}


def said(opened: AppTest) -> list[str]:
    """The sentences of the empty states."""
    html = "".join(str(part.proto.body) for part in opened.get("html"))
    found = re.findall(r'<div class="fs-empty".*?</strong><p>(.*?)</p>', html, flags=re.DOTALL)
    return [unescape(text) for text in found]


def check(opened: AppTest, lacks: bool) -> None:
    assert not opened.exception
    assert not opened.error
    sentences = said(opened)
    assert not lacks or sentences
    for sentence in sentences:
        assert STEP.search(sentence), sentence


@pytest.mark.slow
@pytest.mark.parametrize("held", LACKS, ids=lambda held: held.__name__)
def test_every_page_opens_and_says_what_to_do_next(held, flipside_cache, nothing_shipped, visit):
    held(flipside_cache)
    for name in FILES:
        opened = visit(name)
        if name == "overview":
            unfolded(opened, "overview-thresholds", "overview-blind")
        check(opened, name in LACKS[held])
        if name in INSTEAD:
            assert INSTEAD[name](opened), name


@pytest.mark.slow
@pytest.mark.parametrize("held", LACKS, ids=lambda held: held.__name__)
@pytest.mark.parametrize("name", VIEWS)
def test_every_view_opens(held, name, flipside_cache, nothing_shipped, visit):
    held(flipside_cache)
    for view in VIEWS[name]:
        check(visit(name, tab=view), lacks=False)


@pytest.mark.slow
@pytest.mark.parametrize("held", [predictions, texts_only, blind], ids=lambda held: held.__name__)
def test_an_item_opens(held, flipside_cache, nothing_shipped, visit):
    held(flipside_cache)
    protocols = {item.protocol: item.item_id for item in (triplets() if held is texts_only else results.world())}
    for item_id in protocols.values():
        opened = visit("item", benchmark="small", item=item_id)
        assert not opened.exception
        assert not opened.error
        assert item_id in "".join(str(part.proto.body) for part in opened.get("html"))
