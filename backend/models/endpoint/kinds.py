"""Which score kinds come of a server's abilities, and what this process has found out."""

from backend.items import Kind
from backend.models.endpoint import address
from backend.models.endpoint.probe import Ability
from backend.models.spec import parse

#: What each server was found to give in this process, by spec.
_found: dict[str, frozenset[str]] = {}


def kinds_given(ability: Ability) -> frozenset[str]:
    """gen and prior (under images) from a prompt's log-probabilities, vqa from the likeliest first tokens, verdict from
    the answers themselves. A model that takes no images gives the prior of a blind one."""
    found: set[str] = set()
    if ability.caption is not None:
        found |= {Kind.GEN, Kind.PRIOR} if ability.sees else {Kind.PRIOR}
    if ability.top:
        found.add(Kind.VQA)
    if ability.chooses:
        found.add(Kind.VERDICT)
    return frozenset(found)


def remember(spec: str, kinds: frozenset[str]) -> None:
    """Keep what a server was found to give."""
    _found[spec] = kinds


def known_kinds(spec: str, possible: frozenset[str]) -> frozenset[str]:
    """What the server was found to give, or all that an endpoint may give before it was asked. Asks nothing itself: a
    server takes its time, and `load` says what it lacks. UsageError where the spec is no address."""
    address.parse(parse(spec).name)
    return _found.get(spec, possible)
