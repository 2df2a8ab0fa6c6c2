"""Whether somebody waits for a page, in any session of this server; and what is left for when nobody does: processes
that work ahead stand still meanwhile, garbage is searched for and more is asked ahead afterwards.

Streamlit searches for garbage at the end of every run, before the last of what the run has drawn is on its way to the
browser: 20 to 50 ms of a click in which no thread gets on (`runner.postScriptGC`, off in .streamlit/config.toml).
"""

import threading
import time
from typing import Final

from streamlit.runtime.scriptrunner import ScriptRunner
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData

from backend import garbage
from backend.live import working_ahead

#: So long after a run the browser is still at work on what it has drawn, and the next click may come (seconds).
QUIET: Final = 1.0
#: What works ahead stands still no longer than this at a time, and goes on as long: a page may wait for it (seconds).
LONGEST: Final = 2.0
#: So long after a run of a whole page the browser is told nothing of a part that is drawn next (seconds; see `_apart`).
GAP: Final = 0.3
#: Garbage is searched for so long after a first run at the latest, however many follow (seconds).
LATEST: Final = 20.0

_lock = threading.Condition()
_running = 0
#: When the last run ended, and when what works ahead was last told to stand still and to go on.
_ended = _held = _gone_on = float("-inf")
_watching = False
#: Session -> when its last run of a whole page ended, the oldest first; of so many at most.
_over: dict[str, float] = {}
MOST: Final = 500


def keep() -> None:
    """From now on, around every run of a page or of a part of one that somebody asked for. Called once, as the server
    imports app.py; Streamlit has no other place for what surrounds a run of a part."""
    run_script = ScriptRunner._run_script

    def told(self: ScriptRunner, rerun_data: RerunData) -> None:
        _apart(self._session_id, rerun_data)
        if rerun_data.is_auto_rerun:  # a page looks for news by itself: nobody waits for that
            run_script(self, rerun_data)
            return
        begin()
        try:
            run_script(self, rerun_data)
        finally:
            if not rerun_data.fragment_id_queue:
                _over[self._session_id] = time.monotonic()
            end()

    ScriptRunner._run_script = told  # type: ignore[method-assign]


def _apart(session: str, rerun_data: RerunData) -> None:
    """Keep what a part of a page draws away from the end of the whole page's run before it, in the same session.

    Where a press in a part has waited for that run, both come to a busy browser at once, and the part found no place
    there: "Bad delta path index", and a page that is dead (Streamlit 1.67; what seems to happen is that the browser
    takes away what is stale after it has heard of the next run, by whose number all of the page is). Of six presses on
    Try it at three times the load a machine bears four ended so, with this none of six.
    """
    if rerun_data.fragment_id_queue and (rest := _over.pop(session, 0.0) + GAP - time.monotonic()) > 0:
        time.sleep(rest)
    while len(_over) > MOST:
        _over.pop(next(iter(_over)), None)


def begin() -> None:
    """A run begins."""
    global _running, _held, _watching
    now = time.monotonic()
    with _lock:
        _running += 1
        if _held <= _gone_on <= now - LONGEST:
            _held = now
            working_ahead.hold()
        if _watching:
            return
        _watching = True
    # A daemon: a server that ends waits for no search, and ends what stands still.
    threading.Thread(target=_watch, name="after the runs", daemon=True).start()


def end() -> None:
    """It ends."""
    global _running, _ended
    with _lock:
        _running -= 1
        _ended = time.monotonic()
        _lock.notify_all()


def quiet(patience: float) -> bool:
    """Wait until nobody waits for a page, at most so many seconds; whether that was so."""
    until = time.monotonic() + patience
    with _lock:
        while (left := _until_quiet()) > 0 and time.monotonic() < until:
            _lock.wait(min(left, max(0.0, until - time.monotonic())))
        return left <= 0


def _until_quiet() -> float:
    """Seconds until it is quiet unless something begins; a run under way ends at no known time."""
    return LONGEST if _running else _ended + QUIET - time.monotonic()


def _watch() -> None:
    """Until it has been quiet once: let what stands still go on, and search for garbage."""
    global _gone_on, _watching
    began = time.monotonic()
    while True:
        with _lock:
            left = _until_quiet()
            if left > 0:
                _lock.wait(min(left, 0.1) if _held > _gone_on else left)
            now = time.monotonic()
            is_quiet = _until_quiet() <= 0
            if _held > _gone_on and (is_quiet or now - _held > LONGEST):
                _gone_on = now
                working_ahead.go_on()
            is_late = now - began > LATEST
            if is_quiet:
                _watching = False
        if is_quiet or is_late:
            garbage.search()
            began = now
        if is_quiet:
            return
