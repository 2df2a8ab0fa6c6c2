"""Which models a page offers to teach, from their configs alone."""

from backend.errors import FlipsideError
from backend.kinds import Kind
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
        try:
            kind(spec)
            can.append(spec)
        except FlipsideError:
            cannot.append(spec)
    return can, cannot
