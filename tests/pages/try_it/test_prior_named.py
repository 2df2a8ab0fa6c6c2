"""Wherever a page takes a prior away, it says which one, and it is the default of every other output."""

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages import results

Visit = Callable[..., AppTest]
DEFAULT = f"lm:{results.BLIND}"
NAMED = f"the blind language model {results.BLIND}"


def captions(page: AppTest) -> str:
    return " ".join(caption.value for caption in page.caption).replace("\\", "").replace("\u2060", "")


@pytest.mark.long
@pytest.mark.usefixtures("small")
def test_failures_names_the_prior_that_alpha_takes_away(visit: Visit) -> None:
    page = visit("failures", model=results.SPEAKER, kind="gen", alpha="0.5")
    assert not page.exception
    assert f"P(t) from {NAMED}" in " ".join(str(part.proto.body) for part in page.get("html"))


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_compare_names_each_model_s_default_prior(visit: Visit) -> None:
    page = visit("compare", a=f"gen {results.SPEAKER}", b=f"gen-alpha {results.SPEAKER}", alpha="0.5")
    assert not page.exception
    assert f"P(t) from {NAMED}" in captions(page)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_debias_opens_with_the_default_prior(visit: Visit) -> None:
    page = visit("debias", model=results.SPEAKER)
    assert not page.exception
    assert page.selectbox(key="prior").value == DEFAULT
