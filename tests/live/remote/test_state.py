"""How a backend is, in a sentence; and what pages and pool make of it."""

from datetime import UTC, datetime

import pytest

from backend.errors import FlipsideError, UsageError
from backend.live.remote import address, here, state
from backend.live.remote.state import State, Watch, read
from backend.live.scoring import pool
from backend.verbs.checking import checks
from tests.live.serving.standing import TOKEN, answering, client, standing

SINCE = datetime(2026, 11, 27, 12, 3, tzinfo=UTC)
SAID = {
    "version": "0.1.0", "memory": {"used": 61_000_000, "budget": 4_000_000_000},
    "models": [{"spec": "a", "kinds": ["itc", "new"], "loaded": True}, {"spec": "b", "kinds": [], "loaded": False}],
}  # fmt: skip


@pytest.fixture
def at(monkeypatch):
    """Set the environment to an address; all that is kept of the one before is forgotten."""

    def forget() -> None:
        for kept in (state.client, state._watch, pool.shared):
            kept.cache_clear()

    def put(base: str, **more: str) -> None:
        forget()
        for name, value in {address.ADDRESS: base, address.TOKEN: TOKEN, **more}.items():
            monkeypatch.setenv(name, value)

    yield put
    forget()


def test_the_sentences():
    found = read("http://x", SAID, SINCE)
    assert found.sentence() == "Scored at http://x: answering, 1 model loaded of 2, 61 MB of 4.0 GB."
    assert found.offered == {"a": frozenset({"itc"}), "b": frozenset()}
    down = State("http://x", False, SINCE, "http://x does not answer (no route to it): start it.")
    assert down.sentence() == (
        "Live scores: http://x has not answered since 12:03. It does not answer (no route to it): start it."
    )


@pytest.mark.parametrize("changed", [{"models": None}, {"models": [{}]}, {"memory": {}}, {"memory": {"used": "x"}}])
def test_words_of_another_form_are_a_sentence(changed):
    with pytest.raises(FlipsideError, match="does not say what it holds"):
        read("http://x", {**SAID, **changed}, SINCE)


def test_a_watch_says_since_when_and_keeps_what_was_offered(monkeypatch):
    monkeypatch.setattr("backend.live.remote.client.REST", 0.0)
    with answering(200, b"") as (base, _):
        pass
    watch = Watch(client(base), every=3600)
    first = watch.now(wait=20)
    assert (first.answering, first.offered) == (False, {})
    assert "connection refused" in first.problem
    assert watch.look().since == first.since
    with standing(port=int(base.rpartition(":")[2])):
        up = watch.look()
        assert up.answering
        assert up.since > first.since
        assert "fake:ok" in up.offered
        assert watch.now() is up  # not old yet, so nobody is asked
    down = watch.look()
    assert (down.answering, down.offered) == (False, up.offered)
    assert TOKEN not in down.sentence() + repr(down)


def test_without_a_backend_models_are_asked_here(monkeypatch):
    monkeypatch.delenv(address.ADDRESS, raising=False)
    assert here.sentence() == ("", True)
    assert here.offered() == []
    assert pool.offered() == pool.available()
    assert checks.live_backend().status == "ok"


def test_the_pool_and_the_pages_take_what_the_backend_offers(at, monkeypatch):
    monkeypatch.delenv(pool.VARIABLE, raising=False)
    with standing() as (base, _):
        at(base)
        assert pool.offered()[-5:] == ["fake:ok", "fake:pairwise", "fake:raise", "fake:nan", "fake:ok/itc,t2t"]
        assert pool.kinds("fake:ok/itc,t2t") == {"itc", "t2t"}
        with pool.shared().share("fake:ok") as model:
            assert model.model.family == "remote"
        with pytest.raises(FlipsideError, match="bundled:clip is not offered by http"):
            pool.shared().share("bundled:clip").__enter__()
        said, answers = here.sentence()
        assert answers
        assert said.startswith(f"Scored at {base}: answering")
        assert checks.live_backend().status == "ok"
        monkeypatch.setenv(pool.VARIABLE, "fake:ok")
        assert pool.offered() == ["fake:ok"]  # the owner wants no others


def test_one_that_cannot_be_asked_is_said_and_breaks_nothing(at, monkeypatch):
    monkeypatch.setenv(pool.VARIABLE, "fake:ok")
    at("http://10.9.9.9:8700")
    said, answers = here.sentence()
    assert not answers
    assert "without TLS" in said
    assert pool.kinds("fake:ok") >= {"itc"}
    with pytest.raises(UsageError, match="without TLS"):
        pool.shared().share("fake:ok").__enter__()
    assert checks.live_backend().status == "failed"
    with answering(200, b"") as (base, _):
        pass
    at(base)
    found = checks.live_backend()
    assert (found.status, TOKEN in found.detail) == ("failed", False)
    assert "connection refused" in found.detail


def test_doctor_names_another_version(at, monkeypatch):
    monkeypatch.setattr("backend.live.serving.service.__version__", "9.9")
    with standing() as (base, _):
        at(base)
        found = checks.live_backend()
        assert found.status == "note"
        assert "It runs Flipside 9.9" in found.detail
