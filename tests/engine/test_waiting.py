"""A wait is told once, on standard error, and not where something else shows it."""

import io
import threading
from types import SimpleNamespace

import pytest

from backend.engine.reporting import waiting
from backend.engine.reporting.progress import shown
from backend.engine.reporting.waiting import VARIABLE
from backend.verbs.shared.scanning import scanning


class Told(io.StringIO):
    """A standard error that says when a line came."""

    def __init__(self) -> None:
        super().__init__()
        self.came = threading.Event()

    def write(self, text: str) -> int:
        n = super().write(text)
        self.came.set()
        return n


def timers() -> list[threading.Timer]:
    """Those that may still tell something."""
    return [t for t in threading.enumerate() if isinstance(t, threading.Timer) and not t.finished.is_set()]


@pytest.fixture
def told(monkeypatch) -> Told:
    """Standard error, with waits told at once."""
    monkeypatch.setattr(waiting, "AFTER", 0.0)
    monkeypatch.delenv(VARIABLE, raising=False)
    stream = Told()
    monkeypatch.setattr(waiting, "sys", SimpleNamespace(stderr=stream))  # pytest puts its own back for the call
    return stream


@pytest.mark.parametrize("wait", [scanning, shown, waiting.waiting])
def test_a_long_wait_is_told_once_while_it_lasts(told, wait):
    with wait("reading world"):
        assert told.came.wait(60)
    assert told.getvalue() == "reading world …\n"


@pytest.mark.parametrize("wait", [scanning, shown])
def test_json_and_the_dashboard_are_told_nothing(told, monkeypatch, wait):
    with waiting.at_work(["run", "--json"]), wait("reading world", quiet=True):
        assert not timers()
    monkeypatch.setenv(VARIABLE, "json")
    with waiting.at_work(["run"]), wait("reading world"):
        assert not timers()
    assert told.getvalue() == ""


def test_a_verb_is_told_from_before_it_is_imported(told):
    with waiting.at_work(["report", "--model", "x"]):
        assert told.came.wait(60)
    assert told.getvalue() == "report: at work …\n"


def test_what_is_told_nearer_takes_the_place_of_the_verb(told, monkeypatch):
    monkeypatch.setattr(waiting, "AFTER", 3600.0)
    with waiting.at_work(["import", "world"]):
        monkeypatch.setattr(waiting, "AFTER", 0.0)
        with scanning("reading world"):
            assert told.came.wait(60)
        assert not timers()
    assert told.getvalue() == "reading world …\n"


def test_a_short_wait_says_nothing(told, monkeypatch):
    monkeypatch.setattr(waiting, "AFTER", 3600.0)
    with waiting.at_work(["import", "world"]), scanning("reading world"):
        pass
    assert told.getvalue() == ""
    assert not timers()


@pytest.mark.parametrize(
    "asked",
    [["import", "world"], ["granularity", "world", "--subset", "choice"]],
)
def test_verbs_say_what_they_are_doing(told, monkeypatch, capsys, asked):
    from backend.cli import main

    begun = waiting._Wait

    class AtOnce(begun):  # type: ignore[misc, valid-type]
        """Told before its work begins, so that nothing hangs on how fast this machine is."""

        def __init__(self, title: str) -> None:
            super().__init__(title)
            self._timer.join()

    monkeypatch.setattr(waiting, "_Wait", AtOnce)
    assert main(asked) == 0
    first, second = told.getvalue().splitlines()[:2]
    assert first == f"{asked[0]}: at work …"
    assert second in ("reading world …", "measuring world …")
    assert "…" not in capsys.readouterr().out


def test_names_stand_in_lines_and_bars_as_they_are(monkeypatch):
    """rich makes a picture of `:one:` and style of `[first]`."""
    from rich.console import Console

    from backend.engine.reporting import progress
    from backend.engine.reporting.summary import Progress

    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(progress, "INTERVAL", 0.0)
    for is_terminal in (False, True):
        out = io.StringIO()
        console = Console(file=out, force_terminal=is_terminal, width=200, color_system=None)
        with shown("m on custom:one: [first]", console=console) as tell:
            tell(Progress(1, 2, 1.0))
        assert "m on custom:one: [first]" in out.getvalue()
