"""Which `py:` specs may run in this process. Code of one's own runs where its owner typed it, and nowhere else.

- In Python everything may run: whoever calls `load("py:...")` has written it.
- At the command line the specs that stand among the words typed may run (`called.typed`), and those on the owner's
  list.
- In the dashboard's process, and in processes that it starts (LISTED_ONLY in their environment), only what is on the
  owner's list: a spec may come from an address, a stored record, a bundle, a saved view or a queue file there.

The list is the environment that the owner gives at start: `FLIPSIDE_PY_MODELS` (specs separated by spaces, with quotes
around one that holds spaces; files by their full path) and what `FLIPSIDE_LIVE_MODELS` offers on the pages.
"""

import os
import re
import shlex
import sys
from pathlib import Path

from backend.called import words_typed
from backend.errors import UsageError
from backend.models.own.target import PREFIX, Target, beside, parse

ALLOWED = "FLIPSIDE_PY_MODELS"
#: Read by live/scoring/pool.py, too.
OFFERED = "FLIPSIDE_LIVE_MODELS"
#: Set in the environment of jobs and of other processes that pages start.
LISTED_ONLY = "FLIPSIDE_LISTED_ONLY"


def refuse(spec: str) -> None:
    """UsageError where this process may not run the code that a `py:` spec names. Runs and looks for nothing."""
    if is_listed(spec):
        return
    words = words_typed()
    if os.environ.get(LISTED_ONLY) or _is_dashboard():
        raise unlisted(spec)
    if words is not None and not any(_stands_in(spec, word) for word in words):
        raise UsageError(
            f"{spec}: code is run only where its spec was typed. This one came from elsewhere (a stored run or a "
            f"file): type it as the command's model, or list it before the command: {ALLOWED}={_listed_as(spec)}"
        )


def _listed_as(spec: str) -> str:
    """A spec as it is typed into the list, in a shell's quotes where it needs them; a file by its full path."""
    entry = shlex.quote(full := beside(spec.strip(), Path.cwd()))
    if entry == full:
        return entry
    return f'"{entry}"' if not set(entry) & set('"$`\\!') else shlex.quote(entry)


def refuse_unlisted(spec: str) -> None:
    """UsageError unless the owner has listed the spec: for whatever a browser user typed, or a page has read."""
    if not is_listed(spec):
        raise unlisted(spec)


def unlisted(spec: str) -> UsageError:
    """The refusal. It is the same whether or not there is such code."""
    said = spec.strip()[:200]
    return UsageError(
        f"{said}: pages run code of one's own only where the owner listed it when the dashboard was started, as in "
        f"{ALLOWED}='{said}' (files by their full path). In a terminal, flipside run takes it as it is."
    )


def is_listed(spec: str) -> bool:
    """Whether the owner's list has this very spec; of a file, by the same path however it is written."""
    wanted = _canonical(spec)
    return wanted is not None and wanted in {_canonical(entry) for entry in listed()}


def listed() -> list[str]:
    """The `py:` specs of the owner's list. UsageError for a list whose quotes do not match."""
    return [entry for entry in (*typed(), *offered()) if entry.startswith(PREFIX)]


def offered() -> list[str]:
    """The specs that the owner offers on the pages in place of the bundled models."""
    return os.environ.get(OFFERED, "").split()


def typed() -> list[str]:
    """The entries of ALLOWED. UsageError where their quotes do not match."""
    try:
        return shlex.split(os.environ.get(ALLOWED, ""))
    except ValueError as error:
        raise UsageError(
            f"{ALLOWED}: {error}. Separate specs by spaces, with quotes around one that has any."
        ) from None


def _canonical(spec: str) -> Target | None:
    """What a spec names, a file by its full path; None for a file that has none, and for what is no spec."""
    try:
        target = parse(spec.strip().removeprefix(PREFIX))
    except UsageError:
        return None
    if not target.is_file:
        return target
    path = Path(target.where)
    if target.where.startswith("~"):
        try:
            path = path.expanduser()
        except RuntimeError:  # nobody's home
            return None
    if not path.is_absolute():
        return None
    # Behind a link `..` leads elsewhere than it reads: such a path is what the system would open.
    where = os.path.realpath(path) if ".." in path.parts else os.path.normpath(path)
    return Target(where, target.name, target.argument)


def _stands_in(spec: str, word: str) -> bool:
    """Whether a word is the spec, or holds it as an option's value or an entry of a list.

    >>> [_stands_in("py:a.py:Net", w) for w in ("--model=py:a.py:Net", "noise:3,lm:py:a.py:Net", "py:a.py:Net2")]
    [True, True, False]
    >>> [_stands_in("py:a.py:Net", w) for w in ("a note on py:a.py:Net", "py:x/py:a.py:Net")]
    [False, False]
    """
    return re.search(rf"(?:^|^--?[\w-]+=|,)\s*(?:lm:)?{re.escape(spec.strip())}\s*(?:$|,)", word) is not None


def _is_dashboard() -> bool:
    """Whether Streamlit's server runs in this process. It is not imported for that."""
    module = sys.modules.get("streamlit.runtime")
    return module is not None and bool(module.exists())
