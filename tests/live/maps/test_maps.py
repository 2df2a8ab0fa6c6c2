"""Vectors and maps on disk: keys, files, the process that makes them; UMAP; embedding against stored scores."""

import errno
import os
import time
from dataclasses import asdict, replace
from types import SimpleNamespace

import numpy as np
import pytest

from backend.engine.storage import files
from backend.errors import FlipsideError, UsageError
from backend.live.maps import layouts, maps, worker
from backend.live.maps.layouts import Layout
from backend.live.maps.maps import Wanted
from backend.models import load


def blobs(n=80, d=12, seed=0):
    """Unit vectors in four groups, alternately of both modalities."""
    rng = np.random.default_rng(seed)
    rows = 3 * np.eye(d)[np.arange(n) % 4] + 0.5 * rng.normal(size=(n, d))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def quiet(*_):
    """Nobody listens."""


def test_a_key_is_made_of_all_that_decides_a_map(monkeypatch):
    vectors, layout = blobs(), Layout()
    first = layouts.key(vectors, 40, layout)
    assert layouts.key(vectors.copy(), 40, Layout()) == first
    moved = vectors.copy()
    moved[3, 2] += 0.01
    others = [
        layouts.key(moved, 40, layout), layouts.key(vectors, 41, layout), layouts.key(vectors[:, :-1], 40, layout),
        *(layouts.key(vectors, 40, Layout(**change))
          for change in ({"neighbours": 5}, {"tightness": 0.5}, {"centred": True}, {"seed": 1})),
    ]  # fmt: skip
    monkeypatch.setattr(layouts, "_library", lambda: "9.9")
    others.append(layouts.key(vectors, 40, layout))
    assert len({first, *others}) == 1 + len(others)


def test_centring_takes_the_gap_out():
    vectors = blobs()
    vectors[:40] += 0.8
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    moved = layouts.centred(vectors, 40)
    np.testing.assert_allclose(np.linalg.norm(moved, axis=1), 1, atol=1e-6)
    before, after = (np.linalg.norm(v[:40].mean(0) - v[40:].mean(0)) for v in (vectors, moved))
    assert after < 0.1 * before


def test_a_kept_map_is_read_and_a_damaged_one_is_none(flipside_cache):
    places = np.random.default_rng(0).normal(size=(5, 2)).astype(np.float32)
    maps.write_arrays(maps.map_path("abc"), places=places)
    found = maps.read_map("abc", 5)
    assert found is not None
    np.testing.assert_array_equal(found, places)
    assert maps.read_map("abc", 6) is None
    assert maps.read_map("other", 5) is None
    maps.map_path("abc").write_bytes(maps.map_path("abc").read_bytes()[:60])
    assert maps.read_map("abc", 5) is None


def test_only_kept_vectors_and_runs_that_ship_can_be_there(flipside_cache):
    run = SimpleNamespace(run_id="a" * 16, origin="computed")
    assert not maps.can_be_there(run)
    assert maps.can_be_there(SimpleNamespace(run_id="a" * 16, origin="shipped"))
    wanted = maps.Wanted(run.run_id, "m", "", "", (), ("one",))
    maps.write_arrays(wanted.path, vectors=np.ones((1, 2), np.float32))
    assert maps.can_be_there(run)
    assert not maps.can_be_there(SimpleNamespace(run_id="b" * 16, origin="imported"))


def test_the_oldest_maps_make_room(flipside_cache, monkeypatch):
    monkeypatch.setattr(maps, "KEPT", 2)
    for age, name in ((30, "a"), (20, "b"), (10, "c")):
        maps.write_arrays(maps.map_path(name), places=np.zeros((1, 2), np.float32))
        then = time.time() - age
        os.utime(maps.map_path(name), (then, then))
    maps.write_arrays(maps.map_path("d"), places=np.zeros((1, 2), np.float32))
    assert sorted(path.stem for path in maps.map_path("d").parent.glob("*.npz")) == ["c", "d"]


def test_a_process_that_nobody_could_find_again_is_ended(flipside_cache, monkeypatch):
    """Failed before: on a full disk it worked on, and the page began another one."""
    ended = []

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(maps.supervisor, "start", lambda *_: (4321, "then"))
    monkeypatch.setattr(maps.supervisor, "write", full)
    monkeypatch.setattr(maps.supervisor, "stop", lambda *process: ended.append(process))
    monkeypatch.setattr(maps.working_ahead, "mind", lambda *_: pytest.fail("minded"))
    with pytest.raises(OSError, match="No space"):
        maps.start(np.ones((2, 3), np.float32), 1, None, None, in_passing=True)
    assert ended == [(4321, "then")]


@pytest.mark.long
def test_nobody_asked_is_no_problem_and_a_dead_process_is(flipside_cache):
    assert maps.state("0" * 20) == maps.State(False)
    place = maps.folder() / "work" / "dead"
    place.mkdir(parents=True)
    (place / maps.PROCESS).write_text('{"pid": 999999999, "started": "never"}')
    assert "ended without a word" in maps.state("dead").problem
    (place / maps.PROGRESS).write_text('{"stage": "Done", "share": 1.0, "seconds": 2.0, "done": true}')
    assert maps.state("dead").problem == ""
    maps.stop("dead")
    assert not place.exists()


def test_the_seconds_go_on_while_a_process_tells_nothing(flipside_cache, monkeypatch):
    """Failed before: “0 s” stood there for the minute in which UMAP compiles itself."""
    monkeypatch.setattr(maps.supervisor, "is_alive", lambda *process: True)
    place = maps.folder() / "work" / "silent"
    place.mkdir(parents=True)
    (place / maps.PROCESS).write_text('{"pid": 7, "started": "then"}')
    (place / maps.PROGRESS).write_text('{"stage": "Preparing", "share": null, "seconds": 0.4, "done": false}')
    then = time.time() - 42
    os.utime(place / maps.PROCESS, (then, then))
    state = maps.state("silent")
    assert state.running
    assert 42 <= state.seconds < 60
    (place / maps.PROGRESS).write_text('{"stage": "Done", "share": 1.0, "seconds": 42.0, "done": true}')
    assert not maps.state("silent").running, "what was asked for is there, though the process takes seconds to end"


def test_what_a_stage_took_is_told_apart_from_the_waiting_before_it(tmp_path, monkeypatch):
    """In seconds of a clock: loading until 30, then captions, then images."""
    told = [(2, "load", None), (30, "captions", 0.0), (34, "captions", 0.5), (38, "images", 0.0), (44, "images", 0.25)]
    clock = [0.0]
    said = []
    monkeypatch.setattr(worker.time, "monotonic", lambda: clock[0])
    monkeypatch.setattr(worker.files, "read_json", lambda _: {})
    monkeypatch.setattr(worker.files, "replace_json", lambda _, one: said.append((one["stage"], one["of_stage"])))

    def work(place, request, tell):
        for now, stage, share in told:
            clock[0] = float(now)
            tell(stage, share)

    monkeypatch.setattr(worker, "_work", work)
    assert worker.main(tmp_path) == 0
    assert said[:5] == [("load", 0.0), ("captions", 0.0), ("captions", 4.0), ("images", 0.0), ("images", 6.0)]


def test_too_few_points_are_refused_before_umap_is_loaded():
    with pytest.raises(UsageError, match="12 different images"):
        layouts.umap(blobs(8), 4, Layout())


@pytest.mark.slow
def test_umap_keeps_neighbourhoods_and_a_seed_is_a_map(flipside_cache):
    from sklearn.manifold import trustworthiness

    vectors, heard = blobs(), []
    first = layouts.umap(vectors, 40, Layout(), heard.append)
    assert first.shape == (80, 2)
    assert not np.allclose(first, layouts.umap(vectors, 40, Layout(seed=1)))
    assert trustworthiness(vectors, first, n_neighbors=10, metric="cosine") > 0.9
    assert heard[-1] == 1.0
    assert heard == sorted(heard)
    # What a request for it keeps is the same map; numba has compiled by now, so not in a process of its own.
    place = flipside_cache / "request"
    place.mkdir()
    np.save(place / maps.VECTORS, vectors.astype(np.float16))
    files.replace_json(place / maps.REQUEST, {"n_images": 40, "layout": asdict(Layout()), "wanted": None})
    assert worker.main(place) == 0
    kept = maps.read_map(layouts.key(vectors, 40, Layout()), 80)
    np.testing.assert_array_equal(kept, first)


def test_captions_that_were_embedded_alone_are_not_embedded_again(flipside_cache):
    texts = ("a star", "two rings")
    alone = Wanted("1" * 16, "fake:ok", "", "", (), texts)
    width = load("fake:ok").encode_texts(texts).shape[1]
    kept = np.eye(2, width, dtype=np.float16)  # no vectors of these texts: one sees where they are from
    maps.write_arrays(alone.path, vectors=kept)
    found = worker.embed(replace(alone, uris=("world:9.cgbsrX.tbbsTZ",)), quiet)
    np.testing.assert_array_equal(found[1:], kept)
    assert found.shape == (3, width)


@pytest.mark.slow
def test_a_process_embeds_and_one_that_fails_says_why(flipside_cache):
    texts = ("a star", "two rings", "a disc")
    wanted = Wanted("1" * 16, "fake:ok", "", "", ("world:9.cgbsrX.tbbsTZ",), texts)
    work = maps.start(None, 1, None, wanted)
    assert maps.start(None, 1, None, wanted) == work  # asked twice, done once
    assert _ended(work).problem == ""
    found = maps.read_vectors(wanted)
    assert found is not None
    np.testing.assert_allclose(found[1:], load("fake:ok").encode_texts(texts), atol=1e-3)
    nobody = Wanted("1" * 16, "bundled:nobody", "", "", (), texts)
    assert "no bundled model 'nobody'" in _ended(maps.start(None, 0, None, nobody)).problem


def _ended(work):
    until = time.monotonic() + 100
    while (state := maps.state(work)).running:
        assert time.monotonic() < until, state
        time.sleep(0.2)
    return state


@pytest.mark.slow
def test_embedding_gives_the_scores_of_the_shipped_run(flipside_cache):
    from backend.store import queries
    from backend.store.build.reader import open_store
    from backend.store.items import embeddings

    store = open_store(follow=False)
    benchmark = str(queries.benchmarks(store)["hash"].iloc[0])
    models = queries.models(store, benchmark).set_index("model")
    run = str(models.loc["bundled:clip", "run_id"])
    described = store.run(run).record["model"]
    of = embeddings.points(store, benchmark, "attribute", most=40)
    images = of.contents["modality"] == "image"
    uris, texts = tuple(of.contents.loc[images, "uri"]), tuple(of.contents.loc[~images, "label"])
    wanted = Wanted(run, "bundled:clip", described["weights_sha256"], described["dtype"], uris, texts)
    vectors = worker.embed(wanted, quiet).astype(np.float64)
    scores = store.cursor().execute(
        """SELECT item_no, image_index, text_index, value FROM scores
        WHERE run_id = ? AND part = 'itc' AND item_no IN (SELECT unnest(?))""",
        [run, of.frame["item_no"].unique().tolist()],
    ).fetchall()  # fmt: skip
    assert len(scores) == 4 * of.n_items
    at = of.frame.set_index(["item_no", "modality", "index"])["content"]
    for item, image, text, value in scores:
        assert vectors[at[item, "image", image]] @ vectors[at[item, "text", text]] == pytest.approx(value, abs=1e-3)

    with pytest.raises(FlipsideError, match="weights here are not those"):
        worker.embed(Wanted(run, "bundled:clip", "f" * 64, "float32", (), texts), quiet)
    with pytest.raises(FlipsideError, match="no vectors"):
        worker.embed(Wanted(run, "bundled:captioner", "", "", (), texts), quiet)
    gone = worker.embed(Wanted(run, "bundled:clip", "", "float32", ("/nowhere.png", uris[0]), texts), quiet)
    known, n_images = worker.known(gone, 2)
    assert (len(known), n_images) == (1 + len(texts), 1)
    np.testing.assert_allclose(known[0], vectors[0], atol=1e-3)
    alone = worker.embed(Wanted(run, "bundled:sentence", "", "", uris, texts), quiet)
    assert np.isnan(alone[: len(uris)]).all()
    assert np.isfinite(alone[len(uris) :]).all()


def test_a_map_that_ships_is_found_by_what_is_on_it(tmp_path, monkeypatch):
    monkeypatch.setattr("backend.paths.BUNDLED", tmp_path)
    wanted = Wanted("1" * 16, "m", "w", "float32", ("u", "v"), ("one", "two", "three"))
    assert maps.read_shipped(wanted, Layout()) is None
    places = np.random.default_rng(0).normal(size=(5, 2))
    path = maps.write_shipped(wanted, Layout(), places)
    assert tmp_path in path.parents
    found = maps.read_shipped(wanted, Layout())
    # the same picture, moved and scaled: distances keep their proportions to one step of a screen
    apart = [np.linalg.norm(p[:, None] - p[None], axis=2) for p in (places, found)]
    np.testing.assert_allclose(apart[0] / apart[0].max(), apart[1] / apart[1].max(), atol=1e-4)
    assert maps.read_shipped(wanted, Layout(neighbours=5)) is None
    other = Wanted("1" * 16, "m", "w", "float32", ("u", "v"), ("one", "two", "other"))
    assert maps.read_shipped(other, Layout()) is None


def test_what_ships_is_the_map_of_what_is_shown_first(flipside_cache):
    from backend.store.build.reader import open_store
    from backend.store.enrichment.worst import plain_rates, worst_part
    from backend.store.items import embeddings

    store = open_store(follow=False, wait=True)
    cursor = store.cursor()
    benchmark = str(cursor.execute("SELECT hash FROM benchmarks WHERE name = 'world'").fetchone()[0])
    protocols = dict(
        cursor.execute("SELECT DISTINCT subset, protocol FROM items WHERE benchmark = ?", [benchmark]).fetchall()
    )
    runs = dict(cursor.execute("SELECT model, run_id FROM runs WHERE benchmark = ?", [benchmark]).fetchall())
    part = worst_part(plain_rates(store, benchmark), list(runs), protocols)
    assert part == "attribute"
    of = embeddings.points(store, benchmark, part).contents
    sizes = 0
    for model in ("clip", "clip-relational", "clip-bag", "clip-young", "matcher"):
        run = store.run(runs[f"bundled:{model}"])
        wanted = maps.wanted_of(run, f"bundled:{model}", of)
        places = maps.read_shipped(wanted, Layout())
        assert places is not None
        assert places.shape == (len(of), 2)
        assert np.isfinite(places).all()
        sizes += maps.shipped_path(wanted, Layout()).stat().st_size
    assert sizes < 50_000
