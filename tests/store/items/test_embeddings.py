"""Points of a part and the vectors that a run stored for them, each against the items themselves."""

import json
from dataclasses import replace

import numpy as np
import pytest

from backend.store.build.reader import open_store
from backend.store.items import embeddings
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


def one_by_one(store, benchmark, part, most):
    """What `points` gives, from all items, each by itself."""
    rows = store.cursor().execute(
        """SELECT item_no, item_id, subset, protocol, texts, image_keys, image_uris, truth,
            array_to_string(concepts, '|') FROM items
        WHERE benchmark = $1 AND ($2 = 'all' OR subset = $2) AND protocol <> 'classify' ORDER BY item_no""",
        [benchmark, part],
    ).fetchall()  # fmt: skip
    before, first_text = dict.fromkeys({row[2] for row in rows}, 0), []
    for row in rows:
        first_text.append(before[row[2]])
        before[row[2]] += len(row[4])
    sizes = np.array([len(row[4]) + len(row[5]) for row in rows])
    chosen = np.arange(len(rows))
    if sizes.sum() > most:
        order = np.random.default_rng(0).permutation(len(rows))
        chosen = np.sort(order[np.cumsum(sizes[order]) <= most])
    frame, found, together = [], {}, []
    for at in chosen:
        number, item_id, subset, protocol, texts, keys, uris, truth, concept = rows[at]
        first, truth, known = len(frame), json.loads(truth), (number, item_id, subset, protocol, concept)
        for index, (key, uri) in enumerate(zip(keys, uris, strict=True)):
            own = next((texts[t] for i, t in truth if i == index and t < len(texts)), "")
            found.setdefault(("image", key), (own, uri))
            frame.append((*known, "image", index, -1, ("image", key)))
        for index, text in enumerate(texts):
            found.setdefault(("text", text), (text, ""))
            query = first_text[at] + index if protocol == "retrieval" else -1
            frame.append((*known, "text", index, query, ("text", text)))
        together += [[first + i, first + len(keys) + t] for i, t in truth if i < len(keys) and t < len(texts)]
    contents = sorted(found, key=lambda content: content[0] != "image")
    frame = [(*row[:-1], contents.index(row[-1])) for row in frame]
    return frame, [(content[0], *found[content], content[1]) for content in contents], together, len(chosen), len(rows)


@pytest.mark.parametrize("most", [embeddings.MOST, 60, 7, 0])
def test_points_are_what_all_items_give_one_by_one(asked, patchy, most, flipside_cache):
    items = writer.items(5)
    odd = [
        replace(item, item_id=f"{item.item_id}-odd", truth=truth, texts=item.texts[:n])
        for item, truth, n in zip(
            [item for item in items if item.subset in ("attribute", "retrieval")],
            [((1, 0), (0, 0), (0, 1)), (), ((0, 7),), ((0, 1), (1, 1))], [2, 2, 1, 2], strict=False,
        )
    ]  # fmt: skip
    writer.write_run(flipside_cache, [*odd, *items], "4" * 16, ["itc"])
    for store in (asked, patchy, open_store(follow=False)):
        benchmark, protocols = store.cursor().execute("SELECT hash, protocols FROM benchmarks").fetchone()
        for part in embeddings.parts(json.loads(protocols)):
            found = embeddings.points(store, benchmark, part, most)
            frame, contents, together, n_items, n_all = one_by_one(store, benchmark, part, most)
            names = ["item_no", "item_id", "subset", "protocol", "concept", "modality", "index", "query", "content"]
            assert list(found.frame) == names
            assert list(found.frame.itertuples(index=False, name=None)) == frame
            assert list(found.contents) == ["modality", "label", "uri", "key"]
            assert list(found.contents.itertuples(index=False, name=None)) == contents
            assert found.together.tolist() == together
            assert (found.n_items, found.n_all) == (n_items, n_all)


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
