"""A link is taken over once; a click that arrives with an address from before is not taken for a link."""

import pytest
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.testing.v1 import AppTest

from pages.shared.frame import address
from pages.shared.frame.plain import plain


def page() -> None:
    import streamlit as st

    from pages.shared.frame import address

    address.begin(("colour", "size"))
    colours = ["red", "blue", "green"]
    st.selectbox("Colour", colours, key=address.option("colour", colours, "red"), index=address.index("colour"))
    if st.session_state.pop("breaks", False):
        st.stop()
    sizes = ["small", "large"]
    st.selectbox("Size", sizes, key=address.option("size", sizes, "small"), index=address.index("size"))
    st.button("Nothing")
    address.end()


def pages() -> None:
    """Two pages that have keys in common and mean different things by them."""
    import streamlit as st

    from pages.shared.frame import address

    if st.session_state.get("second"):
        address.begin(("model", "alpha", "subset", "text"))
        st.selectbox("Model", ["a", "b"], key=address.option("model", ["a", "b"], "a"), persist_state="session")
        st.slider("α", 0.0, 2.0, key=address.number("alpha", 0.0, 2.0, 1.0))
        st.multiselect("Subsets", ["x", "y"], key=address.options("subset", ["x", "y"]))
        st.text_input("Words", key=address.text("text"))
    else:
        address.begin(("model", "alpha", "subset"))
        st.selectbox("Model", ["a", "b"], key=address.option("model", ["a", "b"], "a"), persist_state="session")
        address.number("alpha", 0.0, 1.0, 0.0)
        address.note("alpha", st.session_state["alpha"], 0.0)
        st.selectbox("Subset", ["y", "x"], key=address.option("subset", ["y", "x"], "y"))
    address.end()


@pytest.fixture
def opened() -> AppTest:
    app = AppTest.from_function(page)
    app.query_params["colour"] = "blue"
    app.query_params["size"] = "large"
    return app.run()


def shown(app: AppTest) -> tuple[str, str]:
    return app.selectbox[0].value, app.selectbox[1].value


def go(app: AppTest, **said: str) -> AppTest:
    app.query_params.clear()
    for name, value in said.items():
        app.query_params[name] = value
    return app


def test_a_link_is_taken_over(opened):
    assert shown(opened) == ("blue", "large")
    assert opened.session_state["_address_written"] == {"colour": ["blue"], "size": ["large"]}


def test_a_click_with_the_address_from_before_counts(opened):
    opened.selectbox[0].select("green").run()
    assert opened.session_state["_address_written"] == {"colour": ["green"], "size": ["large"]}
    opened.selectbox[1].select("small")
    go(opened, colour="blue", size="large").run()  # the browser had not heard of green yet
    assert shown(opened) == ("green", "small")
    assert opened.session_state["_address_written"] == {"colour": ["green"]}


@pytest.mark.long
def test_a_click_during_the_first_run_counts(opened):
    app = AppTest.from_function(page)
    app.session_state["breaks"] = True
    go(app, colour="blue", size="large").run()
    app.selectbox[0].select("green")
    go(app, colour="blue", size="large").run()
    assert shown(app) == ("green", "large")


def test_another_event_at_once_changes_nothing_either(opened):
    opened.selectbox[0].select("green").run()
    go(opened, colour="blue", size="large")
    opened.button[0].click().run()
    assert shown(opened) == ("green", "large")


def test_a_step_back_later_is_followed(opened, monkeypatch):
    opened.selectbox[0].select("green").run()
    monkeypatch.setattr(address, "LATE", 0.0)
    go(opened, colour="blue", size="large").run()
    assert shown(opened) == ("blue", "large")


def test_a_step_back_that_a_browser_names_is_followed_at_once(opened, monkeypatch):
    opened.selectbox[0].select("green").run()
    monkeypatch.setattr(
        ScriptRunContext, "is_history_navigation", property(lambda _: True, lambda *_: None), raising=False
    )
    go(opened, colour="blue", size="large").run()
    assert shown(opened) == ("blue", "large")


@pytest.fixture
def stepping(monkeypatch):
    """From now on every run is one to which Back or Forward led."""

    def begin() -> None:
        always = property(lambda _: True, lambda *_: None)
        monkeypatch.setattr(ScriptRunContext, "is_history_navigation", always, raising=False)

    return begin


def test_back_from_the_first_choice_leads_to_the_defaults_and_forward_to_the_choice(stepping):
    app = AppTest.from_function(page).run()
    app.selectbox[0].select("green").run()
    app.selectbox[1].select("large").run()
    stepping()
    go(app).run()
    assert shown(app) == ("red", "small")
    go(app, colour="green", size="large").run()
    assert shown(app) == ("green", "large")


def test_an_empty_address_that_never_stood_for_the_defaults_says_nothing(stepping):
    """A choice that came along from another page is written at once: Back to what stood there before undoes nothing."""
    app = AppTest.from_function(page)
    app.session_state["colour"] = "blue"
    app.run()
    assert app.session_state["_address_written"] == {"colour": ["blue"]}
    stepping()
    go(app).run()
    assert shown(app) == ("blue", "small")
    assert not app.query_params  # written again, Back would never leave the page


def two_pages() -> None:
    """Two pages with a key of one name, and one that only the first has."""
    import streamlit as st

    from pages.shared.frame import address

    here = st.session_state.get("here", "one")
    address.arrive(here)
    address.begin(("colour", "size") if here == "one" else ("colour",))
    colours = ["red", "blue"]
    st.selectbox("Colour", colours, key=address.option("colour", colours, "red"), index=address.index("colour"))
    if here == "one":
        sizes = ["small", "large"]
        st.selectbox("Size", sizes, key=address.option("size", sizes, "small"), index=address.index("size"))
    address.end()


@pytest.mark.parametrize("is_step", [True, False])
def test_a_step_to_a_page_with_another_pages_address_says_nothing(stepping, is_step):
    """A browser that goes two steps back says the second page with the first one's address, and at once after that its
    own. The same address in a link is one."""
    app = AppTest.from_function(two_pages)
    go(app, colour="blue", size="large").run()
    app.session_state["here"] = "two"
    if is_step:
        stepping()
    app.run()  # with the first page's address
    assert app.selectbox[0].value == ("red" if is_step else "blue")
    assert bool(app.toast) is not is_step  # of a size, which the second page does not have
    assert "size" in app.query_params or not is_step  # nothing is written in a step: Forward would be lost
    go(app).run()
    assert app.selectbox[0].value == ("red" if is_step else "blue")
    assert not app.exception


def test_a_run_that_follows_a_step_by_itself_writes_nothing_and_a_choice_does(monkeypatch):
    """Try it runs twice where what stands below its bench has changed; the second run is no step any more."""
    app = AppTest.from_function(page)
    app.session_state["colour"] = "blue"
    app.run()
    with monkeypatch.context() as stepped:
        always = property(lambda _: True, lambda *_: None)
        stepped.setattr(ScriptRunContext, "is_history_navigation", always, raising=False)
        go(app).run()
    go(app).run()
    assert shown(app) == ("blue", "small")
    assert not app.query_params
    app.selectbox[1].select("large").run()
    assert dict(app.query_params) == {"colour": "blue", "size": "large"}


def test_a_click_with_the_empty_address_from_before_counts():
    app = AppTest.from_function(page).run()
    app.selectbox[0].select("green").run()
    app.selectbox[1].select("large")
    go(app).run()
    assert shown(app) == ("green", "large")


def test_another_link_is_followed_at_once(opened):
    go(opened, colour="green").run()
    assert shown(opened) == ("green", "small")


def test_a_link_that_names_defaults_stays_as_it_is(monkeypatch):
    """Written without them it would be a second entry in the history, and one step back would lead to the same page."""
    written = []
    kept = type(address.st.query_params).from_dict
    monkeypatch.setattr(
        type(address.st.query_params), "from_dict", lambda self, said: (written.append(dict(said)), kept(self, said))[1]
    )
    app = AppTest.from_function(page)
    go(app, colour="red", size="large").run()
    assert shown(app) == ("red", "large")
    assert written == []
    app.selectbox[0].select("green").run()
    app.selectbox[0].select("red").run()
    assert written == [{"colour": ["green"], "size": ["large"]}, {"size": ["large"]}]
    assert shown(app) == ("red", "large")


def test_a_widget_has_its_value_as_its_own_default_too(opened):
    """The state of a key travels in one message; a browser that was late for it falls back on the default."""
    assert [box.proto.default for box in opened.selectbox] == [1, 1]
    opened.selectbox[0].select("green").run()
    assert opened.selectbox[0].proto.default == 2


def turn(app: AppTest, second: bool) -> AppTest:
    app.session_state["second"] = second
    return go(app).run()


def test_a_value_of_another_page_never_filters_and_is_there_again_on_coming_back():
    app = go(AppTest.from_function(pages), model="b", alpha="0.3", subset="x").run()
    assert app.session_state["alpha"] == 0.3
    turn(app, second=True)
    assert not app.exception
    assert (app.selectbox[0].value, app.slider[0].value, app.multiselect[0].value) == ("b", 1.0, [])
    assert app.session_state["_address_written"] == {"model": ["b"]}
    app.slider[0].set_value(2.0)
    app.multiselect[0].select("y")
    app.text_input[0].set_value("left of")
    app.run()
    turn(app, second=False)
    assert (app.selectbox[0].value, app.session_state["alpha"], app.selectbox[1].value) == ("b", 0.3, "x")
    assert "text" not in app.session_state
    turn(app, second=True)
    assert (app.slider[0].value, app.multiselect[0].value, app.text_input[0].value) == (2.0, ["y"], "left of")


def test_a_link_to_another_page_replaces_what_was_put_aside():
    app = go(AppTest.from_function(pages), subset="x").run()
    turn(app, second=True)
    app.multiselect[0].select("y").run()
    turn(app, second=False)
    app.session_state["second"] = True
    go(app, alpha="0.5").run()
    assert (app.slider[0].value, app.multiselect[0].value) == (0.5, [])


def two() -> None:
    """A page with a lasso, and Failures, as app.py runs them."""
    import streamlit as st

    from pages.shared.frame import address

    page = st.session_state.get("at", "embeddings")
    address.arrive(page)
    address.begin(("part", "set") if page == "embeddings" else ("set", "show"))
    for key in ("part", "set") if page == "embeddings" else ("set", "show"):
        address.text(key)
    address.end()


def test_back_leads_to_what_stood_there_and_not_to_the_other_page_s_address():
    app = AppTest.from_function(two)
    app.query_params["part"], app.query_params["set"] = "relation", "abc"
    app.run()
    app.session_state["_address_left"] = {
        "embeddings": ({"set": ["abc"], "show": ["wrong"]}, {"part": ["relation"], "set": ["abc"]})
    }  # what `go` keeps
    app.session_state["at"] = "failures"
    go(app, set="abc", show="wrong").run()
    assert app.session_state["_address_written"] == {"set": ["abc"], "show": ["wrong"]}
    app.session_state["at"] = "embeddings"  # Back: Streamlit's step between, this page with the other one's address
    go(app, set="abc", show="wrong").run()
    assert app.session_state["_address_written"] == {"part": ["relation"], "set": ["abc"]}
    assert app.session_state["part"] == "relation"
    app.session_state["at"] = "failures"
    go(app, set="abc").run()
    app.session_state["at"] = "embeddings"
    go(app, set="other").run()
    assert app.session_state["_address_written"] == {"set": ["other"]}, "a link of its own is taken as it is"


@pytest.mark.parametrize(
    ("said", "named"),
    [
        ({"colour": "pink", "size": "large"}, "colour “pink”"),
        ({"colour": "<script>", "shape": "round"}, "“shape”, colour “<script>”"),
        ({"colour": "red", "size": "small"}, ""),
        ({"tour": "2", "embed": "true", "benchmark": "world", "utm_source": "mail", "fbclid": "1"}, ""),
    ],
)
def test_what_a_link_names_and_is_not_known_is_said_once(said, named):
    app = AppTest.from_function(page)
    for key, value in said.items():
        app.query_params[key] = value
    app.run()
    assert not app.exception
    told = [toast.value for toast in app.toast]
    if not named:
        assert not told
        return
    one = "that is no choice on this page and was" if "," not in named else "these are no choices on this page and were"
    instead = [f"{key} “{value}”" for key, value in (("colour", "red"),) if "colour" in named]
    shows = f" This page shows {', '.join(instead)}."  # nothing said what stood there instead
    assert told == [plain(f"The link asks for {named}: {one} left out.{shows}")]
    app.button[0].click().run()
    assert not app.toast


def implied() -> None:
    import streamlit as st

    from pages.shared.frame import address

    address.begin(("reason", "show"))
    if "right" in address.asked("reason"):
        address.imply("show", "right")
    st.multiselect("Reason", ["right", "wrong"], key=address.options("reason", ["right", "wrong"], str.lower))
    shows = ["wrong", "right", "all"]
    st.selectbox("Show", shows, key=address.option("show", shows, "wrong"), index=address.index("show"))
    address.end()


@pytest.mark.parametrize(
    ("said", "shown"),
    [({"reason": "RIGHT"}, "wrong"), ({"reason": "right"}, "right"), ({"reason": "right", "show": "all"}, "all")],
)
def test_a_link_may_mean_what_it_does_not_name(said, shown):
    app = AppTest.from_function(implied)
    for key, value in said.items():
        app.query_params[key] = value
    app.run()
    assert app.selectbox[0].value == shown
    assert app.multiselect[0].value == ["right"]
    app.selectbox[0].select("wrong").run()
    assert app.selectbox[0].value == "wrong"


def names() -> None:
    import streamlit as st

    from pages.shared.frame import address

    address.begin(("colour", "sizes", "text", "later"))
    st.selectbox("Colour", ["red", "blue"], key=address.option("colour", ["red", "blue"], "red"))
    address.options("sizes", ["small", "large"])
    address.text("text")
    address.end()
    st.session_state["found"] = address.named("colour", "sizes", "text", "later")
    try:
        address.named("odd")
    except ValueError as error:
        st.session_state["refused"] = str(error)


def test_a_link_can_name_defaults_which_the_address_leaves_out() -> None:
    app = AppTest.from_function(names).run()
    assert not app.exception
    assert dict(app.query_params) == {}
    assert app.session_state["found"] == {"colour": ["red"]}  # what says nothing, or is not placed, is left out
    assert "'odd'" in app.session_state["refused"]


def moving() -> None:
    import streamlit as st

    from pages.shared.frame import address

    address.begin(("model", "part"))
    st.selectbox("Model", ["a", "b"], key=address.option("model", ["a", "b"], "a"))
    first = st.session_state.get("first", "x")
    st.selectbox("Part", ["x", "y"], key=address.option("part", ["x", "y"], first, moves=True))
    address.end()


def said(app: AppTest) -> dict[str, str]:
    """Its address."""
    return {key: "".join(words) for key, words in app.query_params.items()}


def test_what_a_page_writes_names_a_default_that_moves_and_nothing_is_written_for_it_alone() -> None:
    """Failed before: what was sent while x was the default opened y once the data had another default."""
    app = AppTest.from_function(moving).run()
    assert said(app) == {}  # one more step, and Back would lead to where it is written again
    app.selectbox(key="model").set_value("b").run()
    assert said(app) == {"model": "b", "part": "x"}
    app.selectbox(key="model").set_value("a").run()
    assert said(app) == {"part": "x"}
    later = AppTest.from_function(moving)
    later.session_state["first"] = "y"
    later.query_params["part"] = "x"
    assert later.run().selectbox(key="part").value == "x"
    assert said(later) == {"part": "x"}
    typed = AppTest.from_function(moving)
    typed.query_params["model"] = "b"
    assert said(typed.run()) == {"model": "b"}  # a link that leaves it open stays as it is


def ranges() -> None:
    """A range slider whose bounds are those of the model that is looked at."""
    import streamlit as st

    from pages.shared.frame import address

    bounds = {"narrow": (-0.1, 0.06), "wide": (-1.0, 2.0), "part": (-0.05, 0.5), "other unit": (-30.0, 10.0)}
    address.begin(("model", "margin"))
    model = st.selectbox("Model", list(bounds), key=address.option("model", list(bounds), "narrow"), index=0)
    low, high = bounds[model]
    key = address.number("margin", low, high, (low, high), of=model == "other unit")
    st.slider("Margin", low, high, key=key, value=address.value("margin"), step=(high - low) / 200)
    address.end()


def chosen_range(app: AppTest, model: str) -> tuple[float, float]:
    app.selectbox(key="model").select(model).run()
    assert not app.exception
    return app.session_state["margin"]


def test_a_range_over_all_there_is_is_no_choice_when_its_bounds_change():
    app = AppTest.from_function(ranges).run()
    assert app.session_state["margin"] == (-0.1, 0.06)
    assert chosen_range(app, "wide") == (-1.0, 2.0)
    assert "margin" not in app.query_params
    assert chosen_range(app, "narrow") == (-0.1, 0.06)


def test_of_a_range_one_end_may_be_chosen_and_the_other_not():
    app = AppTest.from_function(ranges).run()
    app.slider(key="margin").set_range(-0.1, 0.0).run()
    assert chosen_range(app, "wide") == (-1.0, 0.0)
    assert app.query_params["margin"] == ["-1.0", "0.0"]
    assert chosen_range(app, "part") == (-0.05, 0.0)  # what lies outside holds nothing
    assert chosen_range(app, "other unit") == (-30.0, 10.0)
    assert chosen_range(app, "wide") == (-1.0, 2.0)


def test_the_end_of_a_slider_is_its_bound_but_for_rounding():
    app = AppTest.from_function(ranges).run()
    app.session_state["margin"] = (-0.1 + 1e-12, 0.06 - 1e-12)
    assert chosen_range(app, "narrow") == (-0.1, 0.06)
    assert "margin" not in app.query_params


def test_a_link_chooses_a_range_for_the_model_that_it_names():
    app = AppTest.from_function(ranges).run()
    app = go(app, model="other unit")
    app.query_params["margin"] = ["-20", "0"]
    app.run()
    assert app.session_state["margin"] == (-20.0, 0.0)
