"""How this program was started, and texts in which the commands that they suggest are written in that way.

Texts in the code say `flipside VERB …`; so do JSON documents and stored files. Whoever reads a text can paste what it
suggests only as the program can be started where they are: `flipside` is on the PATH where the project is installed;
in a checkout `make setup` puts it into `.venv/bin`, and `python -m backend` needs neither.
"""

import re
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from backend.paths import INSTALLED, ROOT

#: The installed command, and how the code spells it.
NAME = "flipside"
#: The packages that can be started with `python -m`.
MODULES = ("backend", NAME)
#: What follows it in a command. The table of verbs is in backend/cli.py, which a test holds against this.
VERBS = (
    "models", "benchmarks", "fetch", "import", "perturb", "granularity", "run", "study", "teach", "report", "table",
    "compare", "failures", "runs", "published", "add-predictions", "export", "import-results", "publish", "sql",
    "world", "doctor", "dashboard", "serve",
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
    """How to start this program again: `flipside`, or its path as typed where it is not on the PATH; for a process that
    was started as a module, the `flipside` beside its interpreter, else that module with the interpreter as typed."""
    started = Path(sys.argv[0])
    if started.name == "__main__.py" and started.parent.name in MODULES:
        return _beside(sys.orig_argv[0]) or f"{shlex.quote(sys.orig_argv[0])} -m {started.parent.name}"
    if started.stem == NAME and started.is_file():
        found = shutil.which(NAME)
        return NAME if found and Path(found).absolute() == started.absolute() else shlex.quote(sys.argv[0])
    return NAME


def _beside(interpreter: str) -> str | None:
    """The installed command beside an interpreter, as this was typed: its name alone where the PATH leads to it; None
    where there is none."""
    found = interpreter if "/" in interpreter else shutil.which(interpreter)
    script = Path(found).with_name(NAME) if found else None
    if script is None or not script.is_file():
        return None
    first = shutil.which(NAME)
    return NAME if first and Path(first).absolute() == script.absolute() else shlex.quote(str(script))


def on_pages() -> str:
    """What to type for a verb with the interpreter that shows the pages; of a checkout in the project's folder."""
    interpreter = Path(sys.executable)
    installed = interpreter.with_name(NAME)
    for root in (Path(__file__).absolute().parent.parent, Path(__file__).resolve().parent.parent):
        if interpreter.is_relative_to(root):
            if installed.is_file():
                return shlex.quote(str(installed.relative_to(root)))
            return f"{shlex.quote(str(interpreter.relative_to(root)))} -m backend"
    # Elsewhere its path says something of the machine, and browsers are not always on it.
    return NAME if installed.is_file() else f"python -m {NAME if INSTALLED else 'backend'}"


#: A page of the docs in a text, named as in the repository.
_DOCS = re.compile(r"(?<![\w./-])(?=docs/[\w/-]+\.md)")


def findable(text: str, tree: Path | None = None) -> str:
    """A text for the terminal whose pages of the docs are named by their path below `tree`; an installed copy names its
    own, in a checkout they stand as they are.

    >>> findable("refused (docs/security.md)", Path("/x"))
    'refused (/x/docs/security.md)'
    >>> findable("refused (docs/security.md)")
    'refused (docs/security.md)'
    """
    below = tree if tree is not None else ROOT if INSTALLED else None
    return text if below is None or "docs/" not in text else _DOCS.sub(lambda _: f"{below}/", text)


def pasteable(text: str, way: str | None = None) -> str:
    """A text whose commands begin with `way`, or as this process was started (then for the terminal: see `findable`).

    >>> pasteable("none; `flipside perturb` makes some", ".venv/bin/python -m backend")
    'none; `.venv/bin/python -m backend perturb` makes some'
    >>> pasteable("flipside: .venv/bin/python -m backend run, of flipside runs", "flipside")
    'flipside: .venv/bin/python -m backend run, of flipside runs'
    """
    if way is None:
        text = findable(text)
    if NAME not in text and "python -m" not in text:
        return text
    words = f"{in_terminal() if way is None else way} "
    return _COMMAND.sub(lambda _: words, text)
