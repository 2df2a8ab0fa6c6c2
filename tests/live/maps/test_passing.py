"""What a page begins by itself takes turns, leaves a core to the page, and ends once nobody looks."""

import os
import time
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
import torch

from backend.engine.storage import files
from backend.live.maps import maps, passing, worker
from backend.live.maps.maps import Wanted
from backend.models import load

WANTED = Wanted("1" * 16, "fake:ok", "", "", ("world:9.cgbsrX.tbbsTZ",), ("a star", "two rings"))


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    n = torch.get_num_threads()
    yield
    torch.set_num_threads(n)


def request(name: str, wanted: Wanted = WANTED, in_passing: bool = True) -> Path:
    place = maps.folder() / "work" / name
    place.mkdir(parents=True)
    files.replace_json(place / maps.REQUEST, {"n_images": 1, "layout": None, "wanted": asdict(wanted)})
    if in_passing:
        passing.begin(place)
    return place


def seen_ago(place: Path, seconds: float) -> None:
    then = time.time() - seconds
    os.utime(place / passing.LOOKED, (then, then))


@pytest.mark.usefixtures("flipside_cache")
def test_it_is_given_up_once_nobody_looks_and_asked_for_again_by_whoever_comes_back() -> None:
    place = request("left")
    seen_ago(place, passing.LEFT + 1)
    assert worker.main(place) == 0
    assert not WANTED.path.exists()
    (place / maps.PROCESS).write_text('{"pid": 999999999, "started": "never"}')
    state = maps.state("left")
    assert (state.running, state.problem) == (False, ""), "so the page begins it anew"
    maps.look("left")
    assert worker.main(place) == 0
    assert maps.read_vectors(WANTED) is not None


@pytest.mark.usefixtures("flipside_cache")
def test_what_a_button_was_pressed_for_goes_on_without_a_look() -> None:
    place = request("pressed", in_passing=False)
    assert worker.main(place) == 0
    assert maps.read_vectors(WANTED) is not None
    assert not (place / passing.LOOKED).exists()
    maps.look("pressed")
    assert not (place / passing.LOOKED).exists(), "a look makes nothing of it that could be given up"


@pytest.mark.usefixtures("flipside_cache")
def test_one_waits_for_the_other_and_gives_up_where_it_is_left_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = request("first"), request("second")
    monkeypatch.setattr(passing.time, "sleep", lambda _: seen_ago(second, passing.LEFT + 1))
    with passing.turn(first, lambda: pytest.fail("it has nobody to wait for")):
        assert worker.main(second) == 0
        assert files.read_json(second / maps.PROGRESS)["stage"].startswith("Given up")
        assert not WANTED.path.exists()
    maps.look("second")
    assert worker.main(second) == 0, "the turn is free again"
    assert maps.read_vectors(WANTED) is not None


@pytest.mark.usefixtures("flipside_cache")
def test_a_core_is_left_to_the_page() -> None:
    torch.set_num_threads(4)
    with passing.turn(request("pressed", in_passing=False), lambda: None):
        assert torch.get_num_threads() == 4
    with passing.turn(request("passing"), lambda: None):
        assert torch.get_num_threads() == 3
    torch.set_num_threads(1)
    with passing.turn(request("alone"), lambda: None):
        assert torch.get_num_threads() == 1


@pytest.mark.slow
@pytest.mark.usefixtures("flipside_cache")
def test_a_process_that_is_looked_at_comes_to_its_end() -> None:
    work = maps.start(None, 1, None, WANTED, in_passing=True)
    until = time.monotonic() + 100
    while (state := maps.look(work)).running:
        assert time.monotonic() < until, state
        time.sleep(0.2)
    assert state.problem == ""
    found = maps.read_vectors(WANTED)
    assert found is not None
    assert abs(found[1:] - load("fake:ok").encode_texts(WANTED.texts)).max() < 1e-3
