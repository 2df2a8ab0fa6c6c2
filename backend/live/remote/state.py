"""Whether the live backend answers, and what it holds, in a sentence; looked at in the background."""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any, Final

from backend.errors import FlipsideError
from backend.kinds import Kind
from backend.live.remote.address import configured
from backend.live.remote.client import Client

#: Seconds after which what is known is looked at again, and those that a first look may take.
EVERY, FIRST = 5.0, 2.0
#: Models that are named in a sentence.
NAMED: Final = 12


@dataclass(frozen=True)
class State:
    """since: when it began to answer, or not to, as seen from here. problem: why it does not. offered: spec to kinds.
    loaded: specs in its memory. used, budget: bytes that they take, and may take."""

    base: str
    answering: bool
    since: datetime
    problem: str = ""
    version: str = ""
    offered: Mapping[str, frozenset[str]] = field(default_factory=dict)
    loaded: tuple[str, ...] = ()
    used: int = 0
    budget: int = 0

    def sentence(self) -> str:
        """For people: one or two sentences."""
        if not self.answering:
            why = self.problem.removeprefix(self.base).strip() or "does not answer."
            return f"Live scores: {self.base} has not answered since {self.since:%H:%M}. It {why}"
        n = len(self.loaded)
        held = f"{n} model{'' if n == 1 else 's'} loaded of {len(self.offered)}"
        return f"Scored at {self.base}: answering, {held}, {_size(self.used)} of {_size(self.budget)}."


def _size(n: int) -> str:
    return f"{n / 1e6:.0f} MB" if n < 1e9 else f"{n / 1e9:.1f} GB"


def read(base: str, said: Mapping[str, Any], since: datetime) -> State:
    """What a backend's own words say. FlipsideError for what are none."""
    models, memory = said.get("models"), said.get("memory")
    try:
        offered = {
            str(one["spec"]): frozenset(Kind(kind) for kind in one["kinds"] if kind in set(Kind))
            for one in models  # type: ignore[union-attr]
        }
        loaded = tuple(str(one["spec"]) for one in models if one["loaded"] is True)  # type: ignore[union-attr]
        used, budget = int(memory["used"]), int(memory["budget"])  # type: ignore[index]
    except (TypeError, KeyError, ValueError):
        raise FlipsideError(f"{base} does not say what it holds: it is no live backend of this Flipside.") from None
    return State(base, True, since, version=str(said.get("version"))[:40], offered=offered, loaded=loaded, used=used,
                 budget=budget)  # fmt: skip


class Watch:
    """One backend, watched for all sessions of this process."""

    def __init__(self, client: Client, every: float = EVERY) -> None:
        self.client, self.every = client, every
        self._lock = threading.Lock()
        self._looked = threading.Event()
        self._begun = -every - 1.0
        self._looking = False
        self._state: State | None = None

    def now(self, wait: float = FIRST) -> State:
        """What is known; looked at anew in the background where that is old and nobody is looking yet. wait: seconds
        for the very first look."""
        with self._lock:
            is_due = not self._looking and time.monotonic() - self._begun >= self.every
            if is_due:
                self._begun, self._looking = time.monotonic(), True
        if is_due:
            threading.Thread(target=self._look_once, name="live backend", daemon=True).start()
        self._looked.wait(wait)
        state = self._state
        return state or State(self.client.backend.base, False, datetime.now().astimezone(), "has not answered yet.")

    def _look_once(self) -> None:
        try:
            self.look()
        finally:
            with self._lock:
                self._looking = False

    def look(self) -> State:
        """Ask the backend, and keep what it says."""
        base, now, before = self.client.backend.base, datetime.now().astimezone(), self._state
        try:
            found = read(base, self.client.state(), now)
        except FlipsideError as error:
            known = before.offered if before else {}  # what was offered is asked for again
            found = State(base, False, now, str(error), offered=known)
        if before is not None and before.answering == found.answering:
            found = State(**{**vars(found), "since": before.since})
        self._state = found
        self._looked.set()
        return found


@cache
def client() -> Client | None:
    """The backend of this process, as the environment has it at the first call. UsageError for what cannot be one."""
    backend = configured()
    return None if backend is None else Client(backend)


@cache
def _watch() -> Watch | None:
    found = client()
    return None if found is None else Watch(found)


def current(wait: float = FIRST) -> State | None:
    """How the backend of this process is; None where models are asked in this process. UsageError as of `client`."""
    found = _watch()
    return None if found is None else found.now(wait)


def refuse_unoffered(spec: str, state: State) -> None:
    """FlipsideError where a backend that answers does not offer a model."""
    if state.answering and spec not in state.offered:
        raise FlipsideError(unoffered(spec, tuple(state.offered), state.base))


def unoffered(spec: str, offered: tuple[str, ...], where: str) -> str:
    """The sentence for a model that a backend does not offer."""
    named = ", ".join(offered[:NAMED]) + (" and others" if len(offered) > NAMED else "")
    return (
        f"{spec[:100]} is not offered by {where}; it offers {named}. Its owner adds one with flipside serve --models "
        f"{spec[:100]}."
    )
