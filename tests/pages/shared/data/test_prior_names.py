"""Where P(t) comes from is named in words on every page: never by the key that the command line takes."""

import doctest
import re
from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from backend import prior_names
from tests.pages import results

Visit = Callable[..., AppTest]
RAW = re.compile(r"(?<![\w-])(?:lm:[\w./-]+:?[\w./-]+|images:\d+|noise:\d+)")
#: A command that one types names a source as the command line takes it.
COMMAND = re.compile(r"<code>.*?</code>|--prior \S+|lm:SPEC|\(or noise:3, or lm:bundled:lm\)", re.DOTALL)
SPEAKER = {"model": results.SPEAKER, "kind": "gen"}
LOOKS = {
    "overview": {},
    "failures": {**SPEAKER, "alpha": "0.5"},
    "equivariance": SPEAKER,
    "debias": {"model": results.SPEAKER, "alpha": "0.5"},
    "compare": {"a": f"gen {results.SPEAKER}", "b": f"gen-alpha {results.SPEAKER}", "alpha": "0.5"},
    "runs": {"tab": "computed"},
    "item": {"benchmark": "small", "item": "choice/1", **SPEAKER},
}


def read(page: AppTest) -> str:
    """What a person reads: HTML, captions, sidebar, what choices show, tables."""
    found = [str(part.proto.body) for part in page.get("html")]
    found += [part.value for part in (*page.caption, *page.markdown)]
    found += [option for box in (*page.selectbox, *page.multiselect) for option in box.options]
    found += [frame.value.to_string() for frame in page.dataframe]
    return COMMAND.sub("", " ".join(found).replace("\\", "").replace("\u2060", ""))


def test_names_by_example() -> None:
    found = doctest.testmod(prior_names)
    assert found.attempted > 2
    assert not found.failed


@pytest.mark.slow
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("name", LOOKS)
def test_no_page_shows_a_key(visit: Visit, name: str) -> None:
    page = visit(name, **LOOKS[name])
    assert not page.exception
    assert not RAW.findall(read(page))
