"""Which models a page offers to teach, from their configs alone."""

from functools import cache

from backend.errors import FlipsideError
from backend.kinds import Kind
from backend.live.remote import here as remote
from backend.live.scoring import pool
from backend.teach import families


def kind(spec: str) -> str:
    """The score that is taught of a model: "itm" of a matching head, else "itc". UsageError for one that cannot be
    taught or that a browser user may not name, FlipsideError where there is no such model."""
    gives = pool.kinds(spec)
    name = families.family(spec)
    return str(Kind.ITM if name == "matcher" and Kind.ITM in gives else Kind.ITC)


def offered() -> tuple[list[str], list[str]]:
    """(models that are offered and can be taught, those that cannot). One that cannot be read is among the latter."""
    can: list[str] = []
    cannot: list[str] = []
    for spec in pool.available():
        # A live backend may say otherwise the next time; what ships stays as it is while the program runs.
        ask = _of_shipped if spec.startswith("bundled:") and not remote.is_set() else _can_be_taught
        (can if ask(spec) else cannot).append(spec)
    return can, cannot


def _can_be_taught(spec: str) -> bool:
    try:
        kind(spec)
    except FlipsideError:
        return False
    return True


#: Its config is read, by the tests of every family, once: a page asks at each run.
_of_shipped = cache(_can_be_taught)
