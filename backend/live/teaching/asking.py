"""Short questions to `flipside teach`, each answered in a process of its own: the estimate, and generated captions.

They wait for no job of the queue, for nothing is written but a file in a folder of theirs that is gone afterwards. What
was answered is kept by its words; of one session the question before is given up when it asks another. An estimate
takes every core for ten seconds, beside a person who clicks: what is asked in passing begins once it has stood for a
moment, and is given up once nobody looks any more.
"""

import atexit
import json
import os
import shutil
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from signal import SIGKILL
from subprocess import Popen
from typing import Any, Final

from backend import plain_json
from backend.errors import FlipsideError
from backend.live import supervisor
from backend.models.own import permission

#: Where a word stands for a file that is given, or for one that the question writes.
INPUT: Final = "{input}/"
OUTPUT: Final = "{output}/"
#: How their folders begin, and after how many seconds one is nobody's any more.
_FOLDER, _A_DAY = "flipside-asked-", 86_400
#: Answers that are kept, processes at a time, and the most bytes of an answer that are read.
KEPT, AT_ONCE, MOST = 64, 2, 64 * 1024 * 1024
#: Seconds without a look after which nobody waits for an estimate any more. A page looks every second; a tab that is
#: not in front is held to that by its browser.
LEFT: Final = 5.0


@dataclass(frozen=True)
class Answer:
    """seconds: since it was asked; waiting: for another one's end; problem: in one sentence, "" where all is well;
    document: the verb's JSON, None before it is there; written: what it wrote, by file name."""

    seconds: float
    waiting: bool = False
    problem: str = ""
    document: Mapping[str, Any] | None = None
    written: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        return self.document is not None or bool(self.problem)


@dataclass
class _Question:
    words: tuple[str, ...]
    inputs: Mapping[str, bytes]
    owner: str
    asked: float
    due: float
    looked: float
    passing: bool
    folder: Path | None = None
    process: "Popen[bytes] | None" = None
    started: str = ""
    answer: Answer | None = None


class Questions:
    """What is asked and answered in this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: OrderedDict[str, _Question] = OrderedDict()

    def look(
        self, words: Sequence[str], owner: str, inputs: Mapping[str, bytes] | None = None, *, after: float = 0.0,
        passing: bool = False,
    ) -> Answer:  # fmt: skip
        """How far the answer is; asks where nobody has. words: after `teach`, `{input}/NAME` for one of `inputs`,
        `{output}/NAME` for a file that it writes. owner: one of its questions is at work at a time. after: seconds
        before it begins, at the next look; passing: given up where nobody has looked for LEFT seconds."""
        key = _key(words, inputs)
        with self._lock:
            now = time.monotonic()
            for other, question in list(self._known.items()):
                _follow(question)
                if other != key and question.owner == owner and question.answer is None:
                    _give_up(question)
                    del self._known[other]
            asked = _Question(tuple(words), inputs or {}, owner, now, now + after, now, passing)
            found = self._known.setdefault(key, asked)
            found.looked = now
            self._known.move_to_end(key)
            self._advance()
            self._forget()
            return _so_far(found)

    def follow(self, words: Sequence[str], inputs: Mapping[str, bytes] | None = None) -> Answer | None:
        """How far the answer is to what has been asked already; None where it was given up. Asks nothing, so a part of
        a page that outlives its page for a moment does not take the place of what is asked there now."""
        with self._lock:
            found = self._known.get(_key(words, inputs))
            if found is None:
                return None
            found.looked = time.monotonic()
            self._advance()
            return _so_far(found)

    def give_up(self, owner: str) -> None:
        """Stop what an owner has asked and what is not answered yet: nobody waits for it any more."""
        with self._lock:
            for key, question in list(self._known.items()):
                _follow(question)
                if question.owner == owner and question.answer is None:
                    _give_up(question)
                    del self._known[key]
            self._advance()

    def close(self) -> None:
        """Stop everything that is not answered: the process ends, and nobody would remove what was written."""
        with self._lock:
            for question in self._known.values():
                if question.answer is None:
                    _give_up(question)
            self._known.clear()

    def again(self, problems_only: bool = True) -> None:
        """Forget answers, so that they are asked for anew: those that were problems, or all."""
        with self._lock:
            for key, question in list(self._known.items()):
                if question.answer is not None and (question.answer.problem or not problems_only):
                    del self._known[key]

    def _advance(self) -> None:
        self._leave()
        now = time.monotonic()
        working = sum(each.process is not None and each.answer is None for each in self._known.values())
        for question in self._known.values():
            if working < AT_ONCE and question.process is None and question.answer is None and now >= question.due:
                _begin(question)
                working += question.answer is None
                if question.passing and question.answer is None:
                    threading.Thread(target=self._watch, args=(question,), name="asked-in-passing", daemon=True).start()

    def _leave(self) -> None:
        """Take what has been answered; give up what was asked in passing and nobody has looked at for a while. The lock
        is held."""
        for key, question in list(self._known.items()):
            _follow(question)
            if question.passing and question.answer is None and time.monotonic() - question.looked > LEFT:
                _give_up(question)
                del self._known[key]

    def _watch(self, question: _Question) -> None:
        """Until a question is answered or given up, see whether somebody still looks."""
        while question.process is not None and question.process.poll() is None:
            time.sleep(LEFT / 5)
            with self._lock:
                self._leave()

    def _forget(self) -> None:
        over = [key for key, question in self._known.items() if question.answer is not None]
        for key in over[: max(0, len(over) - KEPT)]:
            del self._known[key]


def _so_far(question: _Question) -> Answer:
    now = time.monotonic()
    return question.answer or Answer(now - question.asked, waiting=question.process is None and now >= question.due)


def _key(words: Sequence[str], inputs: Mapping[str, bytes] | None) -> str:
    told = [*words, *(f"{name} {sha256(data).hexdigest()}" for name, data in (inputs or {}).items())]
    return sha256(json.dumps(told).encode()).hexdigest()


@cache
def shared() -> Questions:
    """Those of this process, which are given up with it (a server's: pages/shared/server/ending.py); what a killed one
    left a day ago goes, too."""
    found = Questions()
    atexit.register(found.close)
    for left in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*"):
        with suppress(OSError):
            if left.stat().st_mtime < time.time() - _A_DAY and left.stat().st_uid == os.getuid():
                shutil.rmtree(left, ignore_errors=True)
    return found


def _begin(question: _Question) -> None:
    try:
        folder = Path(tempfile.mkdtemp(prefix=_FOLDER))
        question.folder = folder
        for name, data in question.inputs.items():
            (folder / name).write_bytes(data)
        words = [word.replace(INPUT, f"{folder}/").replace(OUTPUT, f"{folder}/") for word in question.words]
        question.process = supervisor.start_group(
            "backend", ["teach", *words], folder / "stdout", folder / "stderr",
            {"PYTHONUNBUFFERED": "1", permission.LISTED_ONLY: "1"},
        )  # fmt: skip
        question.started = supervisor.start_of(question.process.pid)
    except OSError as error:
        question.answer = Answer(0.0, problem=f"It could not be asked for ({error.strerror}).")
        _clean(question)


def _follow(question: _Question) -> None:
    """Take the answer of a process that has ended."""
    process, folder = question.process, question.folder
    if process is None or folder is None or question.answer is not None or process.poll() is None:
        return
    seconds = time.monotonic() - question.asked
    try:
        question.answer = _answered(process.returncode, folder, question.words, seconds)
    except (OSError, ValueError, FlipsideError):
        question.answer = Answer(seconds, problem="Its answer could not be read. Ask again.")
    _clean(question)


def _answered(code: int, folder: Path, words: Sequence[str], seconds: float) -> Answer:
    if code != 0:
        said = (folder / "stderr").read_bytes()[-MOST:].decode("utf-8", "replace").splitlines()
        own = [line.removeprefix("flipside: ") for line in said if line.startswith("flipside: ")]
        ended = f"It ended with exit code {code} and said nothing."
        if code < 0:
            ended = f"It was killed (signal {-code}), most often because memory ran out."
            own = []
        return Answer(seconds, problem=(own[-1:] or [line for line in said if line.strip()][-1:] or [ended])[0])
    found = plain_json.loads((folder / "stdout").read_bytes()[:MOST])
    if not isinstance(found, dict):
        raise FlipsideError("no document")
    names = [word.removeprefix(OUTPUT) for word in words if word.startswith(OUTPUT)]
    return Answer(seconds, document=found, written={name: (folder / name).read_bytes() for name in names})


def _give_up(question: _Question) -> None:
    if question.process is not None:
        supervisor.stop(question.process.pid, question.started, SIGKILL)
        with suppress(Exception):
            question.process.wait(timeout=5)
    _clean(question)


def _clean(question: _Question) -> None:
    if question.folder is not None:
        shutil.rmtree(question.folder, ignore_errors=True)
    question.inputs = {}
