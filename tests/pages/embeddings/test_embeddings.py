"""The Embeddings page: what its view models make of points, and its states without a browser."""

from base64 import b64decode
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from backend.live.maps import maps
from backend.live.maps.layouts import Layout
from backend.metrics import projection
from backend.store.failures import selections
from backend.store.items.embeddings import Points
from backend.store.scores.setting import Setting
from pages.embeddings import data as embeddings_data
from pages.embeddings import picked, view
from pages.embeddings.choices import Choices
from pages.embeddings.data import Space
from pages.shared.data import stored
from tests.pages import results
from tests.pages.opening import unfolded
from tests.store.writer import write_run

Visit = Callable[..., AppTest]


def html(page: AppTest) -> str:
    return "".join(element.proto.body for element in page.get("html"))


def points() -> Points:
    """Two items that share a caption: contents are image a, image b, the shared caption, two more captions."""
    rows = [
        (0, "s/1", "image", 0, 0), (0, "s/1", "text", 0, 2), (0, "s/1", "text", 1, 3),
        (1, "s/2", "image", 0, 1), (1, "s/2", "text", 0, 2), (1, "s/2", "text", 1, 4),
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["item_no", "item_id", "modality", "index", "content"])
    frame = frame.assign(subset="s", protocol="choice", concept=["colour"] * 3 + ["count"] * 3, query=-1)
    contents = pd.DataFrame(
        {
            "modality": ["image"] * 2 + ["text"] * 3,
            "label": ["one", "one", "one", "two", "<b>"],
            "uri": ["u", "v"] + [""] * 3,
        }
    )
    return Points(frame, contents, np.array([[0, 1], [3, 4]]), 2, 2)


def verdicts(first: bool | None, second: bool | None, reason: str = "") -> pd.DataFrame:
    return pd.DataFrame(
        {"correct": pd.array([first] * 3 + [second] * 3, dtype="boolean"), "reason": [reason] * 3 + [""] * 3}
    )


def names(classes: view.Classes) -> list[str]:
    return [classes.legend[code]["name"] for code in classes.code]


def test_a_content_of_right_and_wrong_items_is_both() -> None:
    found = names(view.by_outcome(points(), verdicts(True, False)))
    assert found == ["right ✓", "wrong ✗", "right in some items ◐", "right ✓", "wrong ✗"]
    found = names(view.by_outcome(points(), verdicts(False, None)))
    assert found == ["wrong ✗", "no verdict", "right in some items ◐", "wrong ✗", "no verdict"]
    found = names(view.by_reason(points(), verdicts(False, False, "outvoted_by_image")))
    assert found == ["outvoted by the image", "not measured", "several", "outvoted by the image", "not measured"]
    reasons = view.by_reason(points(), verdicts(True, False, "right"))
    own = {entry["name"]: (entry["colour"], entry["solid"]) for entry in reasons.legend}
    assert own["right"] == (view.RIGHT, False)
    assert own["not measured"] == (view.QUIET, False)
    assert set(names(view.by_reason(points(), verdicts(False, None)))) == {"not measured", "no verdict", "several"}


@pytest.mark.parametrize(
    ("metric", "wrong_by", "carried"),
    [
        ("recall_at_1", "i2t_recall_at_1", {"metric": "i2t_recall_at_1", "show": "wrong"}),
        ("recall_at_1", "t2i_recall_at_1", {"metric": "t2i_recall_at_1", "show": "wrong"}),
        ("recall_at_1", "", {"metric": "i2t_recall_at_1"}),
        ("headline", "accuracy", {"show": "wrong"}),
        ("headline", "t2i_recall_at_1", {"metric": "t2i_recall_at_1", "show": "wrong"}),
        ("text_score", "text_score", {"metric": "text_score", "show": "wrong"}),
    ],
)
def test_failures_judges_a_lasso_as_the_map_does(monkeypatch, metric, wrong_by, carried) -> None:
    monkeypatch.setattr(picked, "verdicts", lambda of, run, setting, name: verdicts(name != wrong_by, True))
    choice = Choices("m", "s", "umap", "", "outcome", "m", Setting("itc"), metric, "")
    benchmark = type("Benchmark", (), {"runs": {"m": "1" * 16}})()
    ((found, wrong),) = picked.filters(benchmark, points(), ["s/1"], choice)
    assert found == {"model": "m", "kind": "itc", **carried}
    assert wrong == (["s/1"] if wrong_by else [])
    ((right, none),) = picked.filters(benchmark, points(), ["s/2"], choice)
    assert "show" not in right
    assert none == []


def test_what_is_wrong_both_ways_is_opened_each_way(monkeypatch) -> None:
    """Of 22 that the map counted wrong a button led to 7, by one direction, and nothing to the other 15."""
    monkeypatch.setattr(picked, "verdicts", lambda of, run, setting, name: verdicts(False, True))
    choice = Choices("m", "s", "umap", "", "outcome", "m", Setting("itc"), "recall_at_1", "")
    benchmark = type("Benchmark", (), {"runs": {"m": "1" * 16}})()
    ways = picked.filters(benchmark, points(), ["s/1", "s/2"], choice)
    assert [(where["metric"], where["show"], wrong) for where, wrong in ways] == [
        ("i2t_recall_at_1", "wrong", ["s/1"]), ("t2i_recall_at_1", "wrong", ["s/1"]),
    ]  # fmt: skip


def test_protocols_that_failures_judges_at_once_share_a_button(monkeypatch) -> None:
    """Failures takes each protocol's own metric by itself: three buttons led to one list, three numbers on them."""
    wrong = {"accuracy": True, "text_score": True, "t2i_recall_at_1": True}
    monkeypatch.setattr(picked, "verdicts", lambda of, run, setting, name: verdicts(name not in wrong, True))
    choice = Choices("m", "s", "umap", "", "outcome", "m", Setting("itc"), "headline", "")
    benchmark = type("Benchmark", (), {"runs": {"m": "1" * 16}})()
    ways = picked.filters(benchmark, points(), ["s/1"], choice)
    assert [(where.get("metric"), wrong) for where, wrong in ways] == [(None, ["s/1"]), ("t2i_recall_at_1", ["s/1"])]


def test_a_legend_counts_contents_and_tells_classes_apart_without_colour() -> None:
    legend = view.by_outcome(points(), verdicts(True, True)).legend
    assert {entry["name"]: entry["n"] for entry in legend if entry["n"]} == {"right ✓": 5}
    solid = {entry["name"]: entry["solid"] for entry in legend}
    assert solid["wrong ✗"]
    assert not solid["right ✓"]


def test_rare_words_share_a_class() -> None:
    of = points()
    words = list(of.frame["concept"])
    assert names(view.by_words(of, words)) == ["colour", "count", "several", "colour", "count"]
    many = [f"word {k}" for k in range(30)]
    one_each = Points(
        pd.DataFrame({"content": range(30), "modality": "text"}), pd.DataFrame({"modality": ["text"] * 30}),
        np.zeros((0, 2), dtype=np.intp), 30, 30,
    )  # fmt: skip
    classes = view.by_words(one_each, many)
    assert names(classes).count("other") == 30 - len(view.PALETTE)
    assert max(classes.code) < 24  # what the shader's palette holds


def test_only_colourings_that_tell_dots_apart_are_offered() -> None:
    """Failed before: concept and subset, with one of each, gave one colour."""
    of = points()
    assert view.offered(of) == ["outcome", "concept", "modality", "reason"]
    pool = of.frame.assign(concept="colour", subset=["s"] * 3 + ["t"] * 3, protocol="retrieval")
    assert view.offered(replace(of, frame=pool)) == ["outcome", "modality", "part"]


def test_captions_alone_tell_where_wrong_items_lie(
    monkeypatch: pytest.MonkeyPatch, flipside_cache: Path
) -> None:  # fmt: skip
    """Failed before: all images were embedded as well before the line was told."""
    of = points()
    asked = maps.Wanted("r", "m", "", "", ("u", "v"), ("one", "two", "<b>"))
    monkeypatch.setattr(embeddings_data, "wanted", lambda *_: asked)
    monkeypatch.setattr(embeddings_data, "seen", lambda *_: of)
    benchmark = type("Benchmark", (), {"runs": {"m": "r"}})()
    assert embeddings_data.captions(benchmark, "m", "s") is None
    rows = np.eye(3, dtype=np.float16)
    maps.write_arrays(embeddings_data.wanted_captions(benchmark, "m", "s").path, vectors=rows)
    found = embeddings_data.captions(benchmark, "m", "s")
    np.testing.assert_array_equal(found.vectors, np.concatenate([np.zeros((2, 3)), np.eye(3)]))
    assert maps.read_vectors(asked) is None


def test_pins_and_lassos_go_through_an_address() -> None:
    of = points()
    for content in range(5):
        assert view.content_of(of, view.pin_of(of, content)) == content
    for bad in ("", "text", "text:0", "text:9:s/1", "image:x:s/2", "text:0:no/such"):
        assert view.content_of(of, bad) is None
    assert view.items_of(of, [2]) == ["s/1", "s/2"]
    assert view.contents_of(of, ["s/2"]) == [1, 2, 4]


def test_what_is_sent_says_what_belongs_together() -> None:
    of = points()
    classes = view.by_modality(of)
    near = np.array([[1, 2], [0, 2], [3, 0], [2, 0], [3, 1]])
    panel = view.panel("", "a map", np.zeros((5, 2), np.uint16), classes.code, near, near / 10)
    data = view.shared(of, classes.legend, [panel], lit="")
    assert (data["n"], data["images"], data["texts"]) == (5, 2, 3)
    assert data["own"] == [[0, 2], [1, 2]]
    assert (data["items"][2], data["more"][2]) == ("s/1", 1)
    assert np.frombuffer(b64decode(panel["near"]), "<i4").tolist() == near.ravel().tolist()
    assert np.frombuffer(b64decode(panel["cosine"]), "<i2")[0] == 1000


def test_maps_in_one_frame_keep_their_shape() -> None:
    rng = np.random.default_rng(0)
    first, second = rng.normal(size=(9, 2)), 2 * rng.normal(size=(9, 2))
    framed = [one.astype(float) for one in view.framed([first, second])]
    scale = np.ptp(framed[1][:, 0]) / np.ptp(second[:, 0])
    for mine, theirs in zip(framed, (first, second), strict=True):
        np.testing.assert_allclose(mine - mine[0], scale * (theirs - theirs[0]), atol=2)
    assert projection.laid_over(framed[0], first).disparity < 1e-6


def test_neighbours_are_the_nearest_of_each_modality() -> None:
    rng = np.random.default_rng(4)
    vectors = rng.normal(size=(5, 6)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    space = Space("m", "r", points(), vectors, False, 0)
    rows, cosines = embeddings_data.neighbours_of(space, np.arange(5), k=2)
    full = vectors @ vectors.T
    for content in range(5):
        own = [k for k in (range(2) if content < 2 else range(2, 5)) if k != content]
        other = list(range(2, 5)) if content < 2 else [0, 1]
        for at, pool in ((0, own), (2, other)):
            expected = sorted(pool, key=lambda k: -full[content, k])[:2]
            assert [k for k in rows[content, at : at + 2] if k >= 0] == expected
            np.testing.assert_allclose(cosines[content, at : at + len(expected)], full[content, expected], atol=1e-6)


def test_common_contents_are_found_by_what_they_are() -> None:
    of = points()
    texts = of.having(np.array([False, False, True, True, True]))
    mine, theirs = view.common(of, texts)
    assert mine.tolist() == [2, 3, 4]
    assert theirs.tolist() == [0, 1, 2]
    empty = of.having(np.zeros(5, dtype=bool))
    assert [len(rows) for rows in view.common(of, empty)] == [0, 0]


def test_densities_are_shares_of_each_group() -> None:
    rows = view.densities({"a": np.array([0.0, 0.5, 1.0]), "b": np.array([1.0]), "c": np.zeros(0)}, bins=4)
    for group, n in (("a", 3), ("b", 1)):
        assert sum(row["share"] for row in rows if row["group"] == group) == pytest.approx(1)
        assert {row["n"] for row in rows if row["group"] == group} == {n}
    assert view.densities({"c": np.zeros(0)}) == []


@pytest.mark.usefixtures("nothing_shipped")
def test_an_empty_store_says_what_to_do(visit: Visit) -> None:
    page = visit("embeddings")
    assert not page.exception
    assert "Nothing has been computed yet" in html(page)


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_shipped")
def test_models_without_vectors_are_named(flipside_cache: Path, visit: Visit) -> None:
    items = results.world()
    write_run(flipside_cache, items, "3" * 16, ["gen"], model=results.SPEAKER, name="small")
    write_run(flipside_cache, items, "5" * 16, ["itm"], model="predictions:other", name="small")
    page = visit("embeddings", benchmark="small")
    assert not page.exception
    assert "No model here has embeddings" in html(page)
    assert "Predictions (other)" in html(page)


@pytest.mark.slow
@pytest.mark.usefixtures("nothing_shipped")
def test_of_many_models_without_vectors_a_few_are_named_as_elsewhere(
    flipside_cache: Path, visit: Visit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two systems of one name are told apart by their source, and fifty names are no sentence."""
    called = {"predictions:a-x": ("x", "Here"), "predictions:b-x": ("x", "There")}
    monkeypatch.setattr("backend.store.catalog.public.names", lambda store: called)
    items = results.world()[:30]
    for number, name in enumerate(["a-x", "b-x", "c", "d", "e", "f"]):
        write_run(flipside_cache, items, f"{number}" * 16, ["itm"], model=f"predictions:{name}", name="small")
    page = visit("embeddings", benchmark="small")
    assert not page.exception
    assert "Predictions (x (Here), x (There), c, d and 2 more) are" in html(page)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_pool_is_shown_at_once_and_umap_is_offered(visit: Visit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.getloadavg", lambda: (0.0, 0.0, 0.0))
    page = visit("embeddings", benchmark="small", model=results.STRONG)
    assert not page.exception
    assert "Wrong items" in html(page)
    assert [b.label for b in page.button if b.label.startswith("Compute the UMAP")] == [
        "Compute the UMAP of fake\\:strong"
    ]
    assert "Shown is PCA: no UMAP of these dots by fake:strong is kept yet; it takes about 25 s." in html(page)
    bad = visit(
        "embeddings", benchmark="small", part="<b>", map="x", neighbours="-1", pin="text:0:<script>", set="no",
        lasso="<script>",
    )  # fmt: skip
    assert not bad.exception
    assert "<script>" not in html(bad)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_what_is_folded_is_there(visit: Visit) -> None:
    page = unfolded(
        visit("embeddings", benchmark="small", model=results.STRONG, part="retrieval", map="pca"),
        "embeddings-gap", "embeddings-method",
    )  # fmt: skip
    assert not page.exception
    said = html(page)
    assert "PCA: the two axes carry" in said
    assert "Fisher’s exact test" in said
    table = said.partition('fs-gaps">')[2]
    assert "strong" in table
    assert "weak" in table


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_part_without_vectors_is_offered(visit: Visit) -> None:
    page = visit("embeddings", benchmark="small", model=results.STRONG, part="relation")
    assert not page.exception
    assert "fake:strong has not embedded this subset yet" in html(page)
    assert [b.label for b in page.button if b.label.startswith("Embed them")] == ["Embed them with fake\\:strong"]
    assert "The modality gap" not in html(page)


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_verdicts_are_those_of_the_model_that_is_shown_unless_others_are_chosen(visit: Visit) -> None:
    page = visit("embeddings", benchmark="small", model=results.STRONG, part="retrieval", map="pca")
    assert page.selectbox(key="judge").value == results.STRONG
    page.selectbox(key="model").set_value(results.WEAK).run()
    assert not page.exception
    assert page.selectbox(key="judge").value == results.WEAK
    assert "judge" not in page.query_params
    followed = html(page)
    assert "verdicts of" not in followed.lower()
    fresh = visit("embeddings", benchmark="small", model=results.WEAK, part="retrieval", map="pca")
    assert fresh.selectbox(key="judge").value == results.WEAK
    assert sentence(html(fresh)) == sentence(followed)

    page.selectbox(key="judge").set_value(results.STRONG).run()
    assert page.query_params["judge"] in (results.STRONG, [results.STRONG])
    assert sentence(html(page)).startswith("By the verdicts of fake:strong, ")
    page.selectbox(key="part").set_value("relation").run()  # a judge that was chosen stays
    assert page.selectbox(key="judge").value == results.STRONG


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_metric_that_nobody_has_chosen_is_the_subset_s_own(visit: Visit) -> None:
    """Failed before: choosing all subsets said “Set under More: metric”, and the address named the subset's before."""
    page = visit("embeddings", benchmark="small", model=results.STRONG, part="retrieval", map="pca")
    before = page.selectbox(key="metric").value
    page.selectbox(key="part").set_value("all").run()
    assert not page.exception
    own = page.selectbox(key="metric").options
    assert len(own) > 1
    assert page.selectbox(key="metric").value != before
    assert "metric" not in page.query_params
    page.selectbox(key="metric").set_value(before).run()
    assert page.query_params["metric"] in (before, [before])
    page.selectbox(key="part").set_value("relation").run()
    assert "metric" not in page.query_params  # it has no such metric
    link = visit("embeddings", benchmark="small", model=results.STRONG, part="all", map="pca", metric=before)
    assert link.selectbox(key="metric").value == before, "a link's own stays"


@pytest.mark.slow
@pytest.mark.usefixtures("small")
def test_a_pick_falls_with_a_word_where_the_map_is_another_one(visit: Visit) -> None:
    """Failed before: clump 3 of one map was read as clump 3 of the next one, which nobody had picked."""
    page = visit("embeddings", benchmark="small", model=results.STRONG, part="retrieval", map="pca", lasso="c0")
    assert page.session_state["lasso"] == "c0"  # a link names the map that it is of
    page.selectbox(key="model").set_value(results.WEAK).run()
    assert page.session_state["lasso"] == ""
    assert "lasso" not in page.query_params
    assert [toast.value.replace("\\", "") for toast in page.toast] == [
        "What was picked on the map of fake:strong, retrieval is picked no more: this is the map of fake:weak, "
        "retrieval."
    ]

    benchmark = stored.chosen()["small"]
    elsewhere = embeddings_data.points(benchmark, "relation").frame["item_id"].tolist()[:3]
    key = selections.keep(benchmark.hash, elsewhere, "a clump").key
    link = visit(
        "embeddings", benchmark="small", model=results.STRONG, part="retrieval", map="pca", lasso="c0", set=key
    )
    assert not link.exception
    assert (link.session_state["lasso"], link.session_state["set"]) == ("", "")
    assert ["nothing is picked" in toast.value for toast in link.toast] == [True]
    gone = visit("embeddings", benchmark="small", model=results.STRONG, part="retrieval", map="pca", set="abcdef012345")
    assert ["not kept here" in toast.value for toast in gone.toast] == [True]


def sentence(said: str) -> str:
    """The page's one line of what is seen."""
    return said.partition('class="fs-seen">')[2].partition("</p>")[0]


def test_another_s_verdicts_are_named_wherever_they_are_told() -> None:
    own = Choices("fake:a", "s", "umap", Layout(), "outcome", "fake:a", Setting("itc"), "accuracy", "")
    assert own.whose == ""
    assert replace(own, judge="fake:b").whose == "fake:b"
    assert replace(own, other="fake:b").whose == "fake:a"  # both maps are coloured by one's verdicts
    assert replace(own, judge="fake:b", metric="").whose == ""
    sent = view.shared(points(), [], [], whose="verdicts of b")
    assert sent["whose"] == "verdicts of b"
