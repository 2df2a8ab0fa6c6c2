"""Try it without a browser: its empty states and errors before its answers."""

import json
import re
import sys
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from backend.images import open_image
from backend.live.playing.play import Play
from backend.live.scoring.examples import BY_NAME, EXAMPLES
from pages.try_it import below
from pages.try_it.state import Picture
from tests.pages.opening import APP, opened, unfolded


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    monkeypatch.setenv("FLIPSIDE_LIVE_MODELS", "fake:ok fake:ok/itc,t2t fake:raise")
    monkeypatch.setattr("pages.try_it.scores.loaded", lambda *_: False)  # by another test of this process, say
    linked = opened("try_it", 60)
    return linked.run()


def html(page: AppTest) -> str:
    return "".join(element.proto.body for element in page.get("html"))


def bench(page: AppTest) -> dict[str, Any]:
    """What the matrix draws: the data of its component."""
    (found,) = [e.proto.json for e in page.get("bidi_component") if e.proto.component_name == "flipside_bench"]
    return dict(json.loads(found))


def captions(page: AppTest) -> Any:
    """Its key says which version of the page it is, so it is found by its label."""
    return next(area for area in page.text_area if area.label.startswith("Captions"))


def judged_as(page: AppTest) -> Any:
    return next(control for control in page.segmented_control if control.label == "Judge as")


def score(page: AppTest) -> AppTest:
    return page.button(key="try-score").click().run()


def test_the_first_view_is_an_example_ready_to_score(page: AppTest) -> None:
    assert not page.exception
    assert captions(page).value == "\n".join(EXAMPLES[0].texts)
    assert "Ready to score" in html(page)
    assert not bench(page)["rows"]
    assert 'class="fs-panel' not in html(page)


@pytest.mark.long
def test_the_first_view_of_the_bundled_models_has_their_scores_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """They ship; nothing is loaded for them, whatever this process has loaded already."""
    monkeypatch.delenv("FLIPSIDE_LIVE_MODELS", raising=False)
    monkeypatch.setattr("pages.try_it.scores.loaded", lambda *_: False)
    page = opened("try_it", 60).run()
    assert not page.exception
    assert [row["name"] for row in bench(page)["rows"]] == [
        "clip", "clip-bag", "clip-young", "clip-relational", "captioner", "matcher", "matcher",
    ]  # fmt: skip
    assert "answers are right" in html(page)
    assert "ship with Flipside" in html(page)


@pytest.mark.slow
def test_the_first_view_needs_no_torch() -> None:
    """It comes from scores that ship; what the first change needs is imported behind it (test_libraries)."""
    import subprocess

    code = (
        "import os, sys; os.environ['FLIPSIDE_LIVE_MODELS'] = 'fake:ok bundled:clip'\n"
        "from backend.live.scoring import libraries\n"
        "libraries.bring = lambda specs, later: None\n"
        "from tests.pages.opening import opened\n"
        "assert not opened('try_it').run().exception\n"
        "sys.exit('torch' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=APP.parent, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]


def test_scores_of_every_model_and_the_failing_one_says_why(page: AppTest) -> None:
    score(page)
    assert not page.exception
    assert {row["spec"] for row in bench(page)["rows"]} == {"fake:ok", "fake:ok/itc,t2t"}
    assert "fails on purpose" in html(page)
    unfolded(page, "try-every-score")
    drawn = html(page)
    assert drawn.count('class="fs-panel"') == 3
    assert "fails on purpose" in drawn
    assert "fs-truth" in drawn
    assert "v2 text" in drawn


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.name)
def test_every_example_is_judged_as_it_says(page: AppTest, example) -> None:  # type: ignore[no-untyped-def]
    page.button(key=f"try-{example.name}").click().run()
    score(page)
    assert not page.exception
    assert judged_as(page).value == example.layout
    assert re.search(r"\d of \d+ answers (is|are) right", html(page))
    assert len(bench(page)["rows"][0]["cells"]) == len(example.images) * len(example.texts)


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("", "No caption yet"),
        ("a red circle and a blue star", "Which caption would each model give to which picture"),
    ],
)
def test_too_few_captions_are_an_empty_state(page: AppTest, typed: str, says: str) -> None:
    captions(page).set_value(typed).run()
    assert not page.exception
    assert says in html(page)


def test_one_image_and_one_caption_are_offered_foils(page: AppTest) -> None:
    page.button(key="try-prior-trap").click().run()
    captions(page).set_value("the scene has three red hearts").run()
    drawn = bench(page)
    assert {"count", "colour"} <= {each["group"] for each in drawn["foils"]}
    assert not drawn["rows"]
    assert [chip["text"] for each in drawn["foils"] for chip in each["chips"]].count(
        "the scene has two red hearts"
    ) == 1


def pictures(page: AppTest) -> list[str]:
    """Sources of the pictures that are drawn."""
    found = [e.proto.json for e in page.get("bidi_component") if e.proto.component_name == "flipside_picture"]
    return [each["source"] for drawn in found for each in json.loads(drawn)["pictures"]]


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("a\n" + "x" * 50_000, "50,000 characters"),
        ("\n".join("abcdefghijklmnopq"), "17 captions are too many"),
        ("a\n\x07", "Caption 2 is empty"),
    ],
)
def test_bad_captions_get_one_sentence(page: AppTest, typed: str, says: str) -> None:
    before = pictures(page)
    assert before
    captions(page).set_value(typed).run()
    assert not page.exception
    assert [says in error.value for error in page.error] == [True]
    assert pictures(page) == before, "the caption alone is complained about"
    page.button(key="try-count").click().run()
    assert not page.error


def test_markup_in_a_caption_is_escaped(page: AppTest) -> None:
    captions(page).set_value("<script>alert(1)</script>\n<b>bold</b>").run()
    score(page)
    assert not page.exception
    assert "<script>" not in html(page)
    assert bench(page)["captions"][0]["text"] == "<script>alert(1)</script>"  # text, which the script sets as text
    unfolded(page, "try-every-score")
    assert "<script>" not in html(page)
    assert "&lt;script&gt;" in html(page)


def test_duplicates_and_unknown_words_are_remarked(page: AppTest) -> None:
    captions(page).set_value("a red star\na red star").run()
    assert any("are the same" in info.value for info in page.info)


def test_no_image_and_no_model_say_what_to_do(page: AppTest) -> None:
    page.multiselect[0].set_value([]).run()
    assert "No model chosen" in html(page)
    page.button(key="try-own-inputs").click().run()
    captions(page).set_value("a\nb").run()
    assert "No image yet" in html(page)


def add(page: AppTest, spec: str) -> AppTest:
    page.text_input(key="try-spec").set_value(spec)
    return next(button for button in page.button if button.label == "Add").click().run()


def test_a_model_of_ones_own_brings_its_kinds_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLIPSIDE_LIVE_MODELS", "fake:ok/itc,t2t")
    page = opened("try_it", 60).run()
    assert set(page.button_group[-1].value) == {"itc", "t2t"}
    add(page, "fake:ok/vqa")
    assert "fake:ok/vqa" in page.multiselect[0].value
    assert set(page.button_group[-1].value) == {"itc", "t2t", "vqa"}


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("endpoint:http://127.0.0.1:8000/v1#llava", "only public https servers"),
        ("hf:/no/such/folder", "model folders are those below"),
        ("hf:/etc", "model folders are those below"),
        ("nonsense", "nonsense"),
    ],
)
def test_a_model_that_cannot_be_added_gets_one_sentence(page: AppTest, spec: str, says: str) -> None:
    offered = list(page.multiselect[0].options)
    add(page, spec)
    assert not page.exception
    assert [says in error.value for error in page.error] == [True]
    assert list(page.multiselect[0].options) == offered


def test_a_link_reopens_what_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLIPSIDE_LIVE_MODELS", "fake:ok")
    linked = opened("try_it", 60)
    linked.query_params["i"] = "world:3.crbpGW"
    linked.query_params["t"] = ["a red circle", "a blue circle", "a red square"]
    linked.query_params["as"] = "choice"
    linked.run()
    assert not linked.exception
    assert captions(linked).value == "a red circle\na blue circle\na red square"
    assert judged_as(linked).value == "choice"


def test_a_link_to_an_example_that_is_gone_says_what_stands_there_instead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLIPSIDE_LIVE_MODELS", "fake:ok")
    page = opened("try_it")
    page.query_params["example"] = "gone"
    page.run()
    assert not page.exception
    assert any("asks for the example “gone”" in error.value for error in page.error)


def test_a_link_with_more_images_than_fit_says_how_many_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Failed before: twelve were named, eight shown, and nothing said."""
    monkeypatch.setenv("FLIPSIDE_LIVE_MODELS", "fake:ok")
    linked = opened("try_it", 60)
    linked.query_params["i"] = [f"world:{n:x}.crbpGW" for n in range(12)]
    linked.query_params["t"] = ["a red circle", "a blue circle"]
    linked.run()
    assert not linked.exception
    assert len(linked.session_state.try_images) == 8
    said = "The link names 12 images; this page takes 8, so the last 4 are left out."
    assert said in [each.value for each in linked.info]
    linked.button(key="try-count").click().run()
    assert said not in [each.value for each in linked.info]


@pytest.mark.parametrize("images", [[], ["own"]])
def test_captions_of_a_picture_of_ones_own_are_not_judged_by_an_example(
    monkeypatch: pytest.MonkeyPatch, images: list[str]
) -> None:
    """Failed before: a reload set the first example's pictures under them, and judged them by it."""
    monkeypatch.setenv("FLIPSIDE_LIVE_MODELS", "fake:ok")
    linked = opened("try_it", 60)
    linked.query_params["i"] = images
    linked.query_params["t"] = ["a red circle", "a blue circle"]
    linked.run()
    assert not linked.exception
    assert linked.session_state.try_images == images
    assert "No image yet" in html(linked)
    assert ["drop it again" in error.value for error in linked.error] == [True] * len(images)
    assert list(linked.query_params.get("i", "").split()) == images


def test_a_picture_of_ones_own_that_is_gone_brings_no_captions_and_keeps_how_it_is_judged(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Failed before: the first example's captions stood there; a choice became a free grid."""
    monkeypatch.setenv("FLIPSIDE_LIVE_MODELS", "fake:ok")
    linked = opened("try_it", 60)
    linked.query_params["i"] = "own"
    linked.query_params["as"] = "choice"
    linked.run()
    assert captions(linked).value == ""
    captions(linked).set_value("a red circle\na blue circle").run()
    assert not linked.exception
    assert linked.session_state.try_as == "choice"


@pytest.mark.parametrize("address", ["/etc/passwd", "upload:../../x", "upload:" + "0" * 64, "world:nonsense"])
def test_a_senseless_image_in_a_link_is_one_sentence(monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("FLIPSIDE_LIVE_MODELS", "fake:ok")
    linked = opened("try_it", 60)
    linked.query_params["i"] = address
    linked.run()
    assert not linked.exception
    assert len(linked.error) == 1
    assert "passwd" not in linked.error[0].value


@pytest.mark.long
def test_the_prior_of_the_first_view_is_the_one_default(monkeypatch: pytest.MonkeyPatch) -> None:
    """Failed before: “3 noise images” stood there although a blind model ships."""
    monkeypatch.delenv("FLIPSIDE_LIVE_MODELS", raising=False)
    linked = opened("try_it", 60)
    linked.run()
    assert not linked.exception
    (box,) = [box for box in linked.selectbox if box.key == "try-prior"]
    assert box.value == "lm:bundled:lm"
    assert box.options == ["bundled:lm (blind)", "8 scenes of the world", "3 noise images"]


def test_a_bundled_prior_beside_photographs_is_said(page: AppTest) -> None:
    """A blind model that knows only the drawn world weighs real captions badly: the page says what to do."""
    from pages.try_it import scores

    (said,) = scores.remarks([], ["a dog in a park"], ["fake:ok"], "lm:bundled:lm")
    assert "choose a language prior that is not bundled" in said
    assert scores.remarks([], ["a dog in a park"], ["fake:ok"], "images:8") == []


def why(page: AppTest) -> list[str]:
    """The captions that “Why” can be asked about."""
    (field,) = [box for box in page.selectbox if box.label == "Caption"]
    return list(field.options)


@pytest.mark.parametrize(
    ("edit", "judged"),
    [
        (lambda texts: (texts[0].replace("the scene has", "there are"), texts[1]), True),
        (lambda texts: (texts[1], texts[0]), False),
        (lambda texts: (texts[0], "my own words about it"), False),
    ],
    ids=["same meaning", "truth and foil change places", "nobody knows"],
)
def test_what_stands_below_is_about_the_edited_captions(page: AppTest, edit: Any, judged: bool) -> None:
    """“Why”, and every score, kept the words of before the edit."""
    page.button(key="try-prior-trap").click().run()
    unfolded(score(page), "try-every-score")
    texts = captions(page).value.split("\n")
    assert "get it right" in html(page)
    assert below.EDITED not in html(page)
    now = edit(texts)
    page.session_state["try_play"] = {"texts": list(now), "covers": {}, "told": {}}
    page.run()
    assert not page.exception
    assert bench(page)["edited"]
    assert [each.partition(" · ")[2] for each in why(page)] == list(now)
    assert all(text in html(page) for text in now)
    assert ("get it right" in html(page)) == judged
    assert below.EDITED in html(page)
    assert (below.NO_VERDICT in html(page)) != judged
    page.session_state["try_play"] = {"texts": None, "covers": {}, "told": {}}
    page.run()
    assert [each.partition(" · ")[2] for each in why(page)] == texts


def test_a_covered_picture_is_what_why_looks_at() -> None:
    example = BY_NAME["prior-trap"]
    texts, shown = example.texts, [Picture(open_image(example.images[0]), example.images[0], example.images[0], "")]
    play = Play(texts, {0: (0, 0, 40, 40)})
    (now,), layout = below.as_now(shown, texts, "choice", play)
    assert now.image.tobytes() != shown[0].image.tobytes()
    assert now.key != shown[0].key
    assert layout == "grid", "whether it still shows what a caption says is not known"
    assert below.as_now(shown, texts, "choice", Play(texts)) == ([*shown], "choice")
