"""A backend that is stuck, or holds on to whoever asks: one deadline over the whole exchange, one thread that waits."""

import threading

import pytest

from backend.live.remote.client import UnreachableError
from backend.live.remote.state import Watch
from tests.dripping import PLACES, dripping
from tests.live.serving.standing import client, standing

SAID = r"gave no answer within 0\.3 s"


@pytest.mark.parametrize("place", PLACES)
def test_an_answer_held_up_anywhere_is_left_in_time(place):
    with dripping(place) as address, pytest.raises(UnreachableError, match=SAID):
        client(address).state(read=0.3)


@pytest.mark.parametrize("ask", [lambda asked: asked.open("fake:ok"), lambda asked: asked.ask(b"question")])
@pytest.mark.parametrize("place", ["header line", "body"])
def test_so_are_those_to_questions(ask, place):
    with dripping(place) as address, pytest.raises(UnreachableError, match=SAID):
        ask(client(address, read=0.3))


def test_a_question_that_is_not_taken_is_left_in_time(monkeypatch):
    """The other side reads no more than its buffers hold."""
    monkeypatch.setattr("tests.dripping.PLACES", {"silent": (b"", b"")})
    with dripping("silent") as address, pytest.raises(UnreachableError, match=SAID):
        client(address, read=0.3, connect=30.0).ask(bytes(50_000_000))


def test_a_kept_connection_is_ended_and_the_next_question_gets_its_own():
    with standing() as (address, _):
        asked = client(address)
        for _ in range(3):
            assert asked.state()["format"]
        with pytest.raises(UnreachableError, match="within 1e-09 s"):
            asked.state(read=1e-9)
        assert asked.state()["format"]


def test_one_thread_waits_for_a_backend_that_is_stuck(monkeypatch):
    asked, answers = [], threading.Event()

    def stuck(*_):
        asked.append(1)
        assert answers.wait(20)
        return {}

    stuck_client = client("http://127.0.0.1:9")
    monkeypatch.setattr(stuck_client, "state", stuck)
    watch = Watch(stuck_client, every=0.0)
    for _ in range(20):
        assert not watch.now(wait=0.01).answering
    assert len(asked) == 1
    answers.set()
    assert "does not say what it holds" in watch.now(wait=20).problem
    while len(asked) < 2:  # looked at anew, once nobody looks
        watch.now(wait=0.01)
