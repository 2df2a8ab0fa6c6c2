"""The α that is taken along: it follows through the pages, stands in their addresses, and is given back at once."""

import pytest
from streamlit.testing.v1 import AppTest

from backend.store.queries import Setting
from pages.shared.data.stored import StoredBenchmark
from pages.shared.frame import alpha
from pages.shared.frame.alpha import Taken


def pages() -> None:
    """Two pages that judge by it, the second with a slider of its own, and one with an α that means something else."""
    import streamlit as st

    from pages.shared.frame import address, alpha

    at = st.session_state.get("at", "first")
    if at == "own":
        address.begin(("alpha", "prior", "own"))
        st.slider("own", 0.0, 1.0, key=address.number("alpha", 0.0, 1.0, 0.0))
        st.button("take", on_click=alpha.take, args=(alpha.Taken(0.25, "noise:2", "sum"),))
    else:
        address.begin((at, *alpha.KEYS))
        alpha.begin()
        if at == "second":
            st.slider("α", 0.0, 2.0, key="alpha")
        st.button("back", on_click=alpha.take, args=(None,))
    address.end()


def at(app: AppTest, page: str, **link: str) -> AppTest:
    app.session_state["at"] = page
    app.query_params.clear()
    for key, value in link.items():
        app.query_params[key] = value
    return app.run()


def taken(app: AppTest) -> Taken | None:
    found = app.session_state.get("_alpha_taken", None)
    return found and Taken(found.alpha, found.prior, found.norm)


def address_of(app: AppTest) -> dict[str, list[str]]:
    return dict(app.session_state["_address_written"])


def test_what_is_taken_along_follows_and_stands_in_every_address():
    app = at(AppTest.from_function(pages), "own", alpha="0.9")
    assert taken(app) is None  # that page's own α is its own
    app.button[0].click().run()
    named = {"alpha": ["0.25"], "prior": ["noise:2"], "norm": ["sum"]}
    for page in ("first", "second", "first"):
        assert address_of(at(app, page)) == named
        assert taken(app) == Taken(0.25, "noise:2", "sum")
    assert address_of(at(app, "own")) == {"alpha": ["0.9"]}


def test_a_link_opens_the_same_on_any_page_and_keeps_it():
    for page in ("first", "second"):
        app = at(AppTest.from_function(pages), page, alpha="0.5", prior="noise:2")
        assert taken(app) == Taken(0.5, "noise:2")
        assert address_of(app) == {"alpha": ["0.5"], "prior": ["noise:2"]}
    assert taken(at(app, "first", first="x")) == Taken(0.5, "noise:2")  # a click on another page names no α
    assert address_of(app)["alpha"] == ["0.5"]


def test_a_link_without_it_leaves_it_as_it_is():
    app = at(AppTest.from_function(pages), "second", alpha="0.5")
    app.session_state["_address_had"] = []  # long ago
    assert taken(at(app, "second", second="x")) == Taken(0.5)
    assert app.slider[0].value == 0.5
    assert taken(at(app, "first", alpha="0")) is None  # it can name none at all


def test_a_slider_of_a_page_is_the_same_choice():
    app = at(AppTest.from_function(pages), "second")
    app.slider[0].set_value(1.5).run()
    assert taken(app) == Taken(1.5)
    assert address_of(at(app, "first"))["alpha"] == ["1.5"]
    at(app, "second")
    assert app.slider[0].value == 1.5
    app.slider[0].set_value(0.0).run()
    assert taken(app) is None
    assert address_of(at(app, "first")) == {}


def test_it_is_given_back_everywhere():
    app = at(AppTest.from_function(pages), "second", alpha="0.5")
    app.button[0].click().run()
    assert taken(app) is None
    assert app.slider[0].value == 0.0
    assert address_of(app) == {}
    assert address_of(at(app, "first")) == {}


def page_of_its_own() -> None:
    """As Compare: an α and a prior of its own, which begin with what is taken along."""
    import streamlit as st

    from pages.shared.frame import address, alpha

    address.begin(("alpha", "prior", "norm"))
    alpha.seed(0.01, 2.0)
    st.slider("α", 0.01, 2.0, key=address.number("alpha", 0.01, 2.0, 1.0))
    address.option("prior", ["auto", "noise:2"], "auto")
    address.option("norm", ["token", "sum"], "token")
    address.end()


def test_a_page_with_an_alpha_of_its_own_begins_with_it():
    app = AppTest.from_function(page_of_its_own)
    app.session_state["_alpha_taken"] = Taken(0.25, "noise:2")
    app.run()
    assert app.slider[0].value == 0.25
    assert address_of(app) == {"alpha": ["0.25"], "prior": ["noise:2"]}
    app.slider[0].set_value(0.5).run()
    assert app.slider[0].value == 0.5
    app = AppTest.from_function(page_of_its_own)
    app.session_state["_alpha_taken"] = Taken(0.25, "noise:2")
    app.query_params["alpha"] = "1.5"
    assert app.run().slider[0].value == 1.5  # a link is followed
    app = AppTest.from_function(page_of_its_own)
    app.session_state["_alpha_taken"] = Taken(0.25, "noise:2", "sum")
    assert address_of(app.run()) == {"alpha": ["0.25"], "prior": ["noise:2"], "norm": ["sum"]}


def page_of_one_model() -> None:
    """As Debias: about one model, in any normalisation; each link to it without an α begins anew."""
    import streamlit as st

    from pages.shared.frame import address, alpha

    address.begin(("at", "alpha", "prior", "norm"))
    alpha.seed(0.0, 2.0, ["images:3", "noise:2"])
    st.slider("α", 0.0, 2.0, key=address.number("alpha", 0.0, 2.0, 0.0))
    address.option("prior", ["images:3", "noise:2"], "images:3")
    address.option("norm", ["token", "sum"], "token")
    address.text("at")
    address.end()


def test_a_page_of_one_model_begins_with_it_where_the_model_can():
    app = AppTest.from_function(page_of_one_model)
    app.session_state["_alpha_taken"] = Taken(0.25, "noise:2", "sum")
    app.run()
    assert address_of(app) == {"alpha": ["0.25"], "prior": ["noise:2"], "norm": ["sum"]}
    app.slider[0].set_value(0.0).run()
    assert app.slider[0].value == 0.0
    app.query_params.clear()
    app.query_params["at"] = "x"  # a link that names no α, such as those from page to page
    assert app.run().slider[0].value == 0.25
    app.session_state["_alpha_taken"] = Taken(0.5, "lm:other")  # which this model does not have
    assert app.run().slider[0].value == 0.25
    app.session_state["_alpha_taken"] = Taken(0.75)  # each model's own
    assert app.run().slider[0].value == 0.75


@pytest.mark.parametrize("said", ["nan", "1e9", "x", "-3", "inf"])
def test_odd_numbers_of_a_link_are_brought_inside_the_bounds(said: str):
    found = taken(at(AppTest.from_function(pages), "first", alpha=said))
    assert found is None or found.alpha == alpha.MOST


def test_only_generation_scores_with_this_prior_are_judged_so(monkeypatch: pytest.MonkeyPatch):
    benchmark = StoredBenchmark(
        "b", "", {}, {}, {"speaks": "1", "other": "2"}, {"speaks": ["gen", "itc"], "other": ["gen"]},
        {"speaks": ["lm:a", "noise:2"], "other": ["noise:2"]},
    )  # fmt: skip
    monkeypatch.setattr(alpha, "taken", lambda: Taken(0.5, "lm:a", "sum"))
    assert alpha.setting(benchmark, "speaks", "gen") == Setting("gen", 0.5, "lm:a", "sum")
    assert alpha.setting(benchmark, "speaks", "itc") == Setting("itc")
    assert alpha.setting(benchmark, "other", "gen") == Setting("gen")
    assert alpha.setting(benchmark, "not here", "gen") == Setting("gen")
    monkeypatch.setattr(alpha, "taken", lambda: Taken(0.5))
    assert alpha.setting(benchmark, "other", "gen") == Setting("gen", 0.5, "noise:2")


def test_outside_a_session_nothing_is_taken_along():
    """As where a page's answers are asked ahead, by a thread that no session has."""
    assert alpha.taken() is None
