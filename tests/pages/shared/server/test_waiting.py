"""While somebody waits for a page nothing else takes the processor: what works ahead stands still, and garbage is
searched for, and more asked, once nobody does."""

import gc
import threading
import time
import tomllib
import weakref
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from streamlit import config
from streamlit.runtime.scriptrunner import RerunData, ScriptRunner

from backend.live import working_ahead
from pages.shared.server import waiting


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the processes that work ahead are told, in its order; a second takes 20 ms."""
    said: list[str] = []
    monkeypatch.setattr(working_ahead, "hold", lambda: said.append("hold"))
    monkeypatch.setattr(working_ahead, "go_on", lambda: said.append("go on"))
    for name in ("_ended", "_held", "_gone_on"):
        monkeypatch.setattr(waiting, name, float("-inf"))
    monkeypatch.setattr(waiting, "_running", 0)
    monkeypatch.setattr(waiting, "_watching", False)
    for name in ("QUIET", "LONGEST", "LATEST"):
        monkeypatch.setattr(waiting, name, getattr(waiting, name) / 50)
    return said


def until(met: Callable[[], bool]) -> bool:
    """Whether it came about, within some seconds."""
    end = time.monotonic() + 20
    while not met() and time.monotonic() < end:
        time.sleep(0.005)
    return met()


class Ring:
    """Garbage as soon as nobody has it: it has itself."""

    def __init__(self) -> None:
        self.own = self


def test_garbage_goes_once_nobody_waits_and_what_stands_still_goes_on(told):
    gc.disable()
    try:
        gone = weakref.ref(Ring())
        waiting.begin()
        assert told == ["hold"]
        assert not waiting.quiet(0.0)
        waiting.end()
        assert until(lambda: gone() is None)
    finally:
        gc.enable()
    assert told == ["hold", "go on"]
    assert until(lambda: not waiting._watching)
    assert waiting.quiet(0.0)


def test_two_sessions_are_quiet_when_both_are(told, monkeypatch):
    monkeypatch.setattr(waiting, "QUIET", 0.0)
    waiting.begin()
    waiting.begin()
    waiting.end()
    assert not waiting.quiet(0.0)
    waiting.end()
    assert waiting.quiet(20.0)
    assert until(lambda: not waiting._watching)


def test_what_works_ahead_goes_on_beneath_a_long_run_which_may_wait_for_it(told):
    waiting.begin()
    assert until(lambda: told == ["hold", "go on"])
    assert not waiting.quiet(0.0)
    waiting.end()
    assert until(lambda: not waiting._watching)
    assert told == ["hold", "go on"]


def test_it_goes_on_as_long_as_it_stood_still(told, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(waiting, "time", SimpleNamespace(monotonic=lambda: now[0]))
    monkeypatch.setattr(waiting, "_watching", True)  # nobody watches: the times are set here
    waiting.begin()
    waiting.begin()
    assert told == ["hold"]
    waiting._gone_on = now[0] = 102.0
    waiting.begin()
    assert told == ["hold"]
    now[0] += waiting.LONGEST
    waiting.begin()
    assert told == ["hold", "hold"]


def test_garbage_goes_however_many_runs_follow_each_other(told):
    gc.disable()
    try:
        gone = weakref.ref(Ring())
        waiting.begin()  # which never ends
        assert until(lambda: gone() is None)
    finally:
        gc.enable()
        waiting.end()
    assert until(lambda: not waiting._watching)


def runner(session: str = "one") -> ScriptRunner:
    """Of a session, without its thread."""
    found = object.__new__(ScriptRunner)
    found._session_id = session
    return found


def test_a_part_that_waited_for_the_page_is_kept_away_from_the_pages_end(told, monkeypatch):
    """Failed before: the press that waits in a fragment came to the browser with the end of the run of the whole page,
    and its part had no place there ("Bad delta path index")."""
    now, slept = [50.0], []
    monkeypatch.setattr(waiting, "time", SimpleNamespace(monotonic=lambda: now[0], sleep=slept.append))
    monkeypatch.setattr(waiting, "_watching", True)
    monkeypatch.setattr(waiting, "_over", {})
    monkeypatch.setattr(ScriptRunner, "_run_script", lambda *_: None)
    waiting.keep()
    part = RerunData(fragment_id_queue=["bench"])
    ScriptRunner._run_script(runner(), RerunData())
    ScriptRunner._run_script(runner("two"), part)
    assert not slept, "another session's"
    now[0] += waiting.GAP / 4
    ScriptRunner._run_script(runner(), part)
    assert slept == [pytest.approx(0.75 * waiting.GAP)]
    ScriptRunner._run_script(runner(), part)
    assert len(slept) == 1, "a part after a part"
    ScriptRunner._run_script(runner(), RerunData())
    now[0] += 2 * waiting.GAP
    ScriptRunner._run_script(runner(), part)
    ScriptRunner._run_script(runner(), RerunData())
    assert len(slept) == 1
    monkeypatch.setattr(waiting, "MOST", 3)
    for number in range(9):
        ScriptRunner._run_script(runner(str(number)), RerunData())
    assert len(waiting._over) <= 4


def test_every_run_of_a_page_or_of_a_part_is_known_also_one_that_fails(told, monkeypatch):
    seen = []

    def run(_: object, rerun_data: object) -> None:
        seen.append((rerun_data, waiting._running))
        raise ValueError("what the page raised")

    monkeypatch.setattr(ScriptRunner, "_run_script", run)
    waiting.keep()
    with pytest.raises(ValueError, match="what the page raised"):
        ScriptRunner._run_script(runner(), asked := RerunData())
    assert seen == [(asked, 1)]
    assert waiting._running == 0
    assert until(lambda: not waiting._watching)


def test_a_page_that_looks_for_news_by_itself_is_nobody_who_waits(told, monkeypatch):
    seen = []
    monkeypatch.setattr(ScriptRunner, "_run_script", lambda *_: seen.append(waiting._running))
    waiting.keep()
    ScriptRunner._run_script(runner(), RerunData(fragment_id="news", is_auto_rerun=True))
    assert seen == [0]
    assert not told


def test_whoever_waits_for_quiet_is_told_when_it_comes(told):
    waiting.begin()
    found: list[bool] = []
    thread = threading.Thread(target=lambda: found.append(waiting.quiet(60.0)))
    thread.start()
    waiting.end()
    thread.join(20)
    assert found == [True]
    assert until(lambda: not waiting._watching)


def test_streamlit_itself_does_not_search_at_the_end_of_a_run():
    assert "runner.postScriptGC" in config.get_config_options(force_reparse=False)
    ours = tomllib.loads(Path(__file__).parents[4].joinpath(".streamlit/config.toml").read_text(encoding="utf-8"))
    assert ours["runner"]["postScriptGC"] is False
