"""How this program was started, and texts in which the commands that they suggest are written in that way.

Texts in the code say `flipside VERB …`; so do JSON documents and stored files. Whoever reads a text can paste what it
suggests only as the program can be started where they are: `flipside` is on the PATH where the project is installed,
and `.venv/bin/python -m backend` is what the README starts.
"""

import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

#: The installed command, and how the code spells it.
NAME = "flipside"
#: What follows it in a command. The table of verbs is in backend/cli.py, which a test holds against this.
VERBS = (
    "models", "benchmarks", "fetch", "import", "perturb", "granularity", "run", "report", "published",
    "add-predictions", "export", "import-results", "sql", "world", "doctor",
)  # fmt: skip
#: A command in a text: neither a part of another word or path, nor the name alone.
_COMMAND = re.compile(rf"(?<![\w./~\\-])(?:{NAME}|python -m backend) (?=(?:{'|'.join(VERBS)})(?![\w-]))")


#: The words of the command that runs now; None outside the command line.
_words: ContextVar[tuple[str, ...] | None] = ContextVar("words typed", default=None)


@contextmanager
def typed(words: Sequence[str]) -> Iterator[None]:
    """While it lasts, these are the words of the command line that runs (`words_typed`)."""
    token = _words.set(tuple(words))
    try:
        yield
    finally:
        _words.reset(token)


def words_typed() -> tuple[str, ...] | None:
    """The words behind `flipside` of the command that runs now; None where none does (Python, the dashboard)."""
    return _words.get()


def in_terminal() -> str:
    """The words that started this process: `flipside`, the path it was typed with where it is not on the PATH, or
    `.venv/bin/python -m backend` with the interpreter as typed; `flipside` where neither of the two was started."""
    started = Path(sys.argv[0])
    if started.parts[-2:] == ("backend", "__main__.py"):
        return f"{shlex.quote(sys.orig_argv[0])} -m backend"
    if started.stem == NAME and started.is_file():
        found = shutil.which(NAME)
        return NAME if found and Path(found).absolute() == started.absolute() else shlex.quote(sys.argv[0])
    return NAME


def on_pages() -> str:
    """What to type in the project's folder for a verb with the interpreter that shows the pages."""
    interpreter = Path(sys.executable)
    for root in (Path(__file__).absolute().parent.parent, Path(__file__).resolve().parent.parent):
        if interpreter.is_relative_to(root):
            return f"{shlex.quote(str(interpreter.relative_to(root)))} -m backend"
    # Elsewhere its path says something of the machine, and browsers are not always on it.
    return NAME if (interpreter.parent / NAME).is_file() else "python -m backend"


def pasteable(text: str, way: str | None = None) -> str:
    """A text whose commands begin with `way`, or as this process was started.

    >>> pasteable("none; `flipside perturb` makes some", ".venv/bin/python -m backend")
    'none; `.venv/bin/python -m backend perturb` makes some'
    >>> pasteable("flipside: .venv/bin/python -m backend run, of flipside runs", "flipside")
    'flipside: .venv/bin/python -m backend run, of flipside runs'
    """
    if NAME not in text and "python -m" not in text:
        return text
    words = f"{in_terminal() if way is None else way} "
    return _COMMAND.sub(lambda _: words, text)
