"""Libraries come in the background, once, and a model that is loaded meanwhile waits for them."""

import gc
import threading

import pytest

from backend.live.scoring import libraries
from backend.live.scoring.pool import Pool
from backend.models import load


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(libraries, "_begun", set())


def test_one_model_of_each_small_family_is_loaded_and_let_go_of_once(monkeypatch):
    asked, searched = [], []
    monkeypatch.setattr(libraries, "load", lambda spec: (asked.append(spec), searched.append(gc.isenabled())))
    before = gc.get_freeze_count()
    there = [[] for _ in range(1000)]
    thread = libraries.bring(["bundled:clip", "bundled:clip-bag", "bundled:lm", "fake:ok", "hf:no/such"])
    assert thread is not None
    thread.join(60)
    assert asked == ["bundled:clip", "bundled:lm"]
    assert searched == [False, False], "no page waits while Python looks for garbage among what is being imported"
    assert gc.isenabled()
    assert gc.get_freeze_count() - before >= len(there), "nor is it searched after every click from then on"
    assert libraries.bring(["bundled:clip", "fake:ok"]) is None


def test_a_model_waits_until_nothing_is_imported_any_more(monkeypatch):
    entered, go, loaded = threading.Event(), threading.Event(), threading.Event()
    monkeypatch.setattr(libraries, "load", lambda _: entered.set() or go.wait(20))
    thread = libraries.bring(["bundled:clip"])
    assert entered.wait(60)

    def use() -> None:
        with Pool(loader=load).share("fake:ok"):
            loaded.set()

    asks = threading.Thread(target=use)
    asks.start()
    assert not loaded.wait(0.2)
    go.set()
    assert loaded.wait(20)
    asks.join()
    assert thread is not None
    thread.join(20)


def test_what_is_put_off_comes_at_once_where_somebody_waits_for_a_model(monkeypatch):
    asked = []
    monkeypatch.setattr(libraries, "load", asked.append)
    thread = libraries.bring(["bundled:clip"], 3600.0)
    assert thread is not None
    assert asked == []
    libraries.wait()
    thread.join(60)
    assert asked == ["bundled:clip"]
