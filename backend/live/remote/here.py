"""The live backend of this process, as the pool and the pages use it: all of it nothing where the owner set none."""

import os

from backend.errors import FlipsideError
from backend.live.remote.address import ADDRESS
from backend.models import Model

# The library for HTTP is imported only where a backend is set.


def is_set() -> bool:
    """Whether the owner has set a backend, be it a usable one or not."""
    return bool(os.environ.get(ADDRESS, "").strip())


def loaded(spec: str) -> Model:
    """A model behind the backend. FlipsideError where that does not offer it, or does not answer."""
    from backend.live.remote import state
    from backend.live.remote.model import RemoteModel

    client = state.client()
    if client is None:
        raise FlipsideError(f"{ADDRESS} is not set any more: start the dashboard again.")
    return RemoteModel(client, spec)


def refuse(spec: str) -> None:
    """FlipsideError for a model that the backend is known not to offer. What it does offer is its owner's to say."""
    from backend.live.remote import state

    known = state.current()
    if known is not None:
        state.refuse_unoffered(spec, known)


def offered() -> list[str]:
    """What the backend offers, as far as it has answered."""
    if not is_set():
        return []
    from backend.live.remote import state

    try:
        known = state.current()
    except FlipsideError:  # it is said where a model is asked for
        return []
    return list(known.offered) if known else []


def kinds(spec: str) -> frozenset[str] | None:
    """What a model there gives; None where the backend has not said so."""
    from backend.live.remote import state

    try:
        known = state.current()
    except FlipsideError:
        return None
    return known.offered.get(spec) if known else None


def sentence() -> tuple[str, bool]:
    """How the backend is, and whether it answers; ("", True) where none is set."""
    if not is_set():
        return "", True
    from backend.live.remote import state

    try:
        known = state.current()
    except FlipsideError as error:
        return str(error), False
    return (known.sentence(), known.answering) if known else ("", True)
