"""Points of a part, the vectors that a run stored for them, and verdicts, each against the items themselves."""

from dataclasses import replace

import numpy as np
import pytest

from backend.store.build.reader import open_store
from backend.store.items import embeddings
from backend.store.scores import outcomes
from backend.store.scores.setting import Setting
from tests.store import conftest, writer


@pytest.fixture
def benchmark(asked):
    row = asked.cursor().execute("SELECT hash FROM benchmarks").fetchone()
    return str(row[0])


def test_every_image_and_text_of_a_part_is_a_point(asked, benchmark):
    found = embeddings.points(asked, benchmark, "choice")
    items = [item for item in writer.items() if item.subset == "choice"]
    expected = [
        (item.item_id, modality, index, name)
        for item in items
        for modality, names in (("image", [i.key for i in item.images]), ("text", item.texts))
        for index, name in enumerate(names)
    ]
    frame = found.frame
    assert list(zip(frame["item_id"], frame["modality"], frame["index"], strict=True)) == [e[:3] for e in expected]
    labels = found.contents["label"].to_numpy()[frame["content"]]
    assert [label for label, e in zip(labels, expected, strict=True) if e[1] == "text"] == [
        e[3] for e in expected if e[1] == "text"
    ]
    uris = found.contents["uri"].to_numpy()[frame["content"]]
    assert all(uri.endswith(e[3]) for uri, e in zip(uris, expected, strict=True) if e[1] == "image")
    pairs = {(frame["item_id"][i], frame["index"][i], frame["index"][t]) for i, t in found.together}
    assert pairs == {(item.item_id, i, t) for item in items for i, t in item.truth}
    assert (frame.loc[found.together[:, 0], "modality"] == "image").all()
    assert (frame.loc[found.together[:, 1], "modality"] == "text").all()


def test_what_occurs_twice_has_one_place(flipside_cache):
    items = writer.items(4)
    twins = [replace(item, item_id=f"{item.item_id}-again") for item in items if item.subset == "choice"]
    writer.write_run(flipside_cache, [*items, *twins], "4" * 16, ["itc"])
    store = open_store(follow=False)
    benchmark = str(store.cursor().execute("SELECT hash FROM benchmarks").fetchone()[0])
    whole = embeddings.points(store, benchmark, embeddings.ALL)
    assert len(whole.frame) == sum(len(item.images) + len(item.texts) for item in [*items, *twins])
    kinds = whole.contents["modality"].tolist()
    assert kinds.count("text") == len({text for item in items for text in item.texts})
    assert kinds.count("image") == len({image.key for item in items for image in item.images})
    assert kinds == sorted(kinds)  # images first
    for twin in twins:
        both = [whole.frame[whole.frame["item_id"] == i] for i in (twin.item_id, twin.item_id.removesuffix("-again"))]
        assert both[0]["content"].tolist() == both[1]["content"].tolist()


def test_a_sample_keeps_items_whole_and_is_seeded(asked, benchmark):
    some = embeddings.points(asked, benchmark, embeddings.ALL, most=60)
    again = embeddings.points(asked, benchmark, embeddings.ALL, most=60)
    assert 0 < len(some.frame) <= 60
    assert some.frame.equals(again.frame)
    sizes = {item.item_id: len(item.images) + len(item.texts) for item in writer.items()}
    assert some.frame.groupby("item_id").size().to_dict() == {i: sizes[i] for i in some.frame["item_id"].unique()}
    assert (some.n_items, some.n_all) == (some.frame["item_id"].nunique(), len(sizes))


def test_stored_vectors_are_the_shards_rows_normalised(asked, benchmark):
    of = embeddings.points(asked, benchmark, "retrieval")
    found = embeddings.stored_vectors(asked, conftest.ONE, of)
    assert found is not None
    rows = asked.cursor().execute(
        'SELECT part, item_no, "index", vector FROM embeddings WHERE run_id = ?', [conftest.ONE]
    ).fetchall()  # fmt: skip
    assert len(rows) == len(of.frame)
    frame = of.frame.set_index(["modality", "item_no", "index"])["content"]
    for part, item_no, index, vector in rows:
        unit = np.array(vector) / np.linalg.norm(vector)
        np.testing.assert_allclose(found[frame[part.partition(":")[2], item_no, index]], unit, atol=1e-6)


def test_a_part_without_shards_has_no_vectors(asked, benchmark):
    quads = embeddings.points(asked, benchmark, "attribute")
    assert embeddings.stored_vectors(asked, conftest.ONE, quads) is None
    whole = embeddings.points(asked, benchmark, embeddings.ALL)
    found = embeddings.stored_vectors(asked, conftest.ONE, whole)
    assert found is not None
    pooled = set(whole.frame.loc[whole.frame["protocol"] == "retrieval", "content"])
    assert set(np.flatnonzero(np.isfinite(found).all(axis=1))) == pooled


@pytest.mark.parametrize(("part", "metric"), [("attribute", "text_score"), ("choice", "accuracy")])
def test_points_get_their_items_verdict(asked, benchmark, part, metric):
    of = embeddings.points(asked, benchmark, part)
    found = embeddings.verdicts(asked, conftest.ONE, Setting("itc"), metric, of)
    frame = outcomes.compute(asked, conftest.ONE, Setting("itc"))
    by_item = frame[frame["metric"] == metric].set_index("item_id")
    assert found["correct"].tolist() == [by_item.loc[i, "correct"] for i in of.frame["item_id"]]
    np.testing.assert_allclose(found["margin"], [by_item.loc[i, "margin"] for i in of.frame["item_id"]])
    assert {True, False} == set(found["correct"])


def test_captions_of_a_pool_are_judged_as_queries(asked, benchmark):
    of = embeddings.points(asked, benchmark, "retrieval")
    found = embeddings.verdicts(asked, conftest.ONE, Setting("itc"), "recall_at_1", of)
    vectors = embeddings.stored_vectors(asked, conftest.ONE, of)
    assert vectors is not None
    images = (of.contents["modality"] == "image").to_numpy()
    own = {(int(i), int(t)) for i, t in of.frame["content"].to_numpy()[of.together]}
    scores = vectors[images] @ vectors[~images].T
    n_images = int(images.sum())
    for line, correct in zip(of.frame.itertuples(), found["correct"], strict=True):
        if line.modality == "image":
            best = (line.content, n_images + int(scores[line.content].argmax()))
        else:
            best = (int(scores[:, line.content - n_images].argmax()), line.content)
        assert correct == (best in own)


def test_what_can_be_asked_depends_on_the_part(asked):
    setting = Setting("itc")
    assert embeddings.metrics(asked, conftest.ONE, setting, ["attribute"])[0] == "group_score"
    assert embeddings.metrics(asked, conftest.ONE, setting, ["retrieval"])[0] == "recall_at_1"
    assert embeddings.metrics(asked, conftest.ONE, setting, ["attribute", "choice"])[0] == "headline"
    assert embeddings.metrics(asked, conftest.BLIND, setting, ["attribute"]) == []
    assert embeddings.parts({"c": "classify"}) == []


def test_points_without_some_contents_keep_their_pairs(asked, benchmark):
    of = embeddings.points(asked, benchmark, "attribute")
    keep = np.ones(len(of.contents), dtype=bool)
    keep[0] = False  # an image
    less = of.having(keep)
    assert len(less.contents) == len(of.contents) - 1
    before = {(of.contents["label"][c], *pair) for c, pair in _pairs(of) if c != 0}
    assert {(less.contents["label"][c], *pair) for c, pair in _pairs(less)} == before


def _pairs(of):
    frame = of.frame
    return [(frame["content"][i], (frame["item_id"][i], frame["index"][i], frame["index"][t])) for i, t in of.together]


def test_judges_are_runs_with_verdicts_on_the_part(asked, benchmark):
    on_pool, on_triplets = (embeddings.judges(asked, benchmark, part) for part in ("retrieval", "triplet"))
    assert on_pool == {conftest.ONE: ["itc"], conftest.TWO: ["itc"]}
    assert on_triplets[conftest.ONE] == ["gen", "itc", "itm", "t2t"]


def test_vectors_of_every_part_are_stored_by_a_run_and_found_again(tmp_path, flipside_cache):
    from backend.engine.runner import run
    from backend.models import load
    from tests.engine.samples import mixed

    benchmark = mixed(tmp_path / "p", 5)
    done = run("fake:ok", benchmark, ["itc"])
    store = open_store(follow=False)
    name = str(store.cursor().execute("SELECT hash FROM benchmarks").fetchone()[0])
    model = load("fake:ok")
    assert embeddings.subsets_with_vectors(store, done.run_id) == {"tri", "quad", "choice", "pool"}
    for part in ("quad", "tri", "choice", "pool", embeddings.ALL):
        of = embeddings.points(store, name, part)
        found = embeddings.stored_vectors(store, done.run_id, of)
        assert found is not None
        assert np.isfinite(found).all()  # a caption that stands with another item is found, too
        texts = (of.contents["modality"] == "text").to_numpy()
        own = model.encode_texts(of.contents.loc[texts, "label"].tolist())
        np.testing.assert_allclose(found[texts], own, atol=1e-3)
    quads = embeddings.points(store, name, "quad")
    found = embeddings.stored_vectors(store, done.run_id, quads)
    content = quads.frame.set_index(["item_no", "modality", "index"])["content"]
    scored = store.cursor().execute(
        "SELECT item_no, image_index, text_index, value FROM scores WHERE run_id = ? AND part = 'itc'", [done.run_id]
    ).fetchall()  # fmt: skip
    cosines = [(found[content[n, "image", i]] @ found[content[n, "text", t]], v) for n, i, t, v in scored
               if n in set(quads.frame["item_no"])]  # fmt: skip
    assert len(cosines) == 5 * 4
    np.testing.assert_allclose(*zip(*cosines, strict=True), atol=1e-3)
