"""Starting the processes of one training, and their end: `flipside teach --processes N`. No torch in here.

Each is the same command again, told its place by the variables that `accelerate launch` and `torchrun` set, too. The
first one (rank 0) speaks for all: what it prints is printed, and its exit code is the command's. The others are
listened to only where one of them fails first.
"""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

from backend.engine.interrupt import SIGNALS
from backend.engine.reporting.waiting import waiting
from backend.errors import FlipsideError, UsageError
from backend.paths import module_command

#: The folder where the processes that were started here find each other; not set by other launchers.
STORE: Final = "FLIPSIDE_TEACH_STORE"
#: Exit code of a process that fails because another one is gone.
LOST: Final = 75
MOST: Final = 64
#: Seconds between two looks, and those that the others get to end by themselves once one has failed.
_LOOK, _GRACE = 0.05, 10.0


@dataclass(frozen=True)
class Place:
    """Which process of how many this is; local: on this machine."""

    rank: int
    size: int
    local: int
    local_size: int


def place(environment: Mapping[str, str] = os.environ) -> Place | None:
    """The place that a launcher gave this process; None where it is the only one.

    >>> place({"RANK": "1", "WORLD_SIZE": "2", "LOCAL_RANK": "1"})
    Place(rank=1, size=2, local=1, local_size=2)
    """
    try:
        rank, size, local = (int(environment[name]) for name in ("RANK", "WORLD_SIZE", "LOCAL_RANK"))
        local_size = int(environment.get("LOCAL_WORLD_SIZE", size))
    except (KeyError, ValueError):
        return None
    return Place(rank, size, local, local_size) if 0 <= rank < size and size > 1 else None


def refuse(processes: int | None, here: Place | None) -> None:
    """UsageError for a number of processes that there cannot be, or that a launcher has set otherwise."""
    if processes is not None and not 1 <= processes <= MOST:
        raise UsageError(f"--processes {processes}: from 1 to {MOST}, one for each GPU.")
    if here is not None and processes not in (None, here.size):
        raise UsageError(f"--processes {processes}: a launcher has started {here.size}. Leave the option out.")


def launch(processes: int, words: Sequence[str]) -> int:
    """Run the command of these words by so many processes; its exit code. FlipsideError where one of them fails that
    does not speak for all. Ctrl-C and SIGTERM go to the first, which finishes its step; the others follow it."""
    folder = tempfile.TemporaryDirectory(prefix="flipside-teach-")
    with waiting("", quiet=True), folder as store, _started(processes, words, Path(store)) as children:
        failed = _ended(children)
        if failed is None:
            return 0
        code = children[failed].process.returncode
        if failed == 0 and code > 0 and code != LOST:
            return int(code)  # it has said why
        raise FlipsideError(_why(failed, code, children))


@dataclass
class _Child:
    process: "subprocess.Popen[bytes]"
    said: IO[bytes] | None


@contextmanager
def _started(processes: int, words: Sequence[str], store: Path) -> Iterator[list[_Child]]:
    """The processes, in process groups of their own, so that a terminal's Ctrl-C reaches them through us alone. Each
    ends when its standard input does, and so with us, however we end."""
    threads = str(max(1, (os.cpu_count() or 1) // processes))
    children: list[_Child] = []
    try:
        with _forwarded(children):
            for rank in range(processes):
                said = None if rank == 0 else tempfile.TemporaryFile()  # noqa: SIM115 - closed below
                environment = {
                    "RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": processes, "LOCAL_WORLD_SIZE": processes,
                    STORE: store,
                }  # fmt: skip
                process = subprocess.Popen(
                    module_command("backend", *words), stdin=subprocess.PIPE, process_group=0,
                    stdout=None if rank == 0 else subprocess.DEVNULL, stderr=said,
                    env={"OMP_NUM_THREADS": threads, **os.environ, **{k: str(v) for k, v in environment.items()}},
                )  # fmt: skip
                children.append(_Child(process, said))
            yield children
    finally:
        for child in children:
            with suppress(ProcessLookupError):
                child.process.kill()
            child.process.wait()
            if child.process.stdin is not None:
                child.process.stdin.close()
            if child.said is not None:
                child.said.close()


@contextmanager
def _forwarded(children: Sequence[_Child]) -> Iterator[None]:
    """Pass both signals on to the first process."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def forward(number: int, _: object) -> None:
        if children and children[0].process.poll() is None:
            children[0].process.send_signal(number)

    before = {number: signal.getsignal(number) for number in SIGNALS}
    for number, handler in before.items():
        if handler != signal.SIG_IGN:
            signal.signal(number, forward)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)


def _ended(children: Sequence[_Child]) -> int | None:
    """Wait for all; the one whose failure is the others', None where none failed. Once one has failed the others get
    _GRACE seconds, for the first may have a sentence to say, and are killed then."""
    failed_at: float | None = None
    while (codes := [child.process.poll() for child in children]).count(None):
        if failed_at is None and any(codes):
            failed_at = time.monotonic()
        if failed_at is not None and time.monotonic() - failed_at > _GRACE:
            break
        time.sleep(_LOOK)
    ours = [rank for rank, code in enumerate(codes) if code not in (None, 0, LOST)]
    return next(iter(ours), next((rank for rank, code in enumerate(codes) if code == LOST), None))


def _why(rank: int, code: int, children: Sequence[_Child]) -> str:
    """What became of a process: its own sentence, or the signal that killed it."""
    said = children[rank].said
    lines: list[str] = []
    if said is not None:
        said.seek(0)
        lines = said.read().decode(errors="replace").splitlines()
    own = [line.removeprefix("flipside: ") for line in lines if line.startswith("flipside: ")]
    if code < 0:
        killed = "was killed, most often because memory ran out," if code == -signal.SIGKILL else "was ended"
        reason = f"{killed} by signal {-code}"
    else:
        reason = f"ended: {own[-1] if own else f'exit code {code}'}"
    return (
        f"process {rank + 1} of {len(children)} {reason.rstrip('.')}. So the others were ended, too; the last "
        "checkpoint is intact, and the same command goes on from it."
    )


def end_with_launcher() -> None:
    """In a process that `launch` started: end at once where the launcher is gone, however it went."""

    def wait() -> None:
        with suppress(OSError):
            while os.read(0, 1):
                pass
        os._exit(LOST)

    if STORE in os.environ and sys.stdin is not None:
        threading.Thread(target=wait, daemon=True, name="flipside-teach-launcher").start()
