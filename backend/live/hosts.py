"""Whom the dashboard's server answers, and who may frame its pages, as the owner says it.

`FLIPSIDE_HOSTS`: names, separated by commas or spaces, each with or without a port, under which a proxy serves the
dashboard. `FLIPSIDE_FRAME_ANCESTORS`: origins that may show it in a frame; `none`, as without it, for no site, `*` for
any. What it does with them: pages/shared/server/front_door.py.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from backend.errors import UsageError

HOSTS: Final = "FLIPSIDE_HOSTS"
ANCESTORS: Final = "FLIPSIDE_FRAME_ANCESTORS"
#: This machine by its own names: another site's page may resolve its own name to 127.0.0.1, but not these.
LOCAL: Final = ("localhost", "127.0.0.1", "[::1]")
_HOST: Final = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?)(?::([0-9]{1,5}))?")
#: Words of the directive that may be written with or without its quotes.
_WORDS: Final = {"self": "'self'", "'self'": "'self'", "none": "'none'", "'none'": "'none'"}
NONE: Final = "'none'"
#: Sources that every site is one of.
_ANY: Final = ("*", "http://*", "https://*")
_SOURCE: Final = re.compile(r"'self'|\*|https?://[A-Za-z0-9.*_\[\]-][A-Za-z0-9.*_:\[\]-]*")


@dataclass(frozen=True)
class Address:
    """A host as browsers write it, lower-cased, IPv6 in brackets. port: None where it is the scheme's own."""

    name: str
    port: int | None = None


@dataclass(frozen=True)
class Rules:
    """Whom the server answers. hosts: names that the owner gave; ancestors: what may frame it, as CSP sources."""

    hosts: frozenset[Address] = frozenset()
    ancestors: tuple[str, ...] = ()

    def given(self, host: Address) -> bool:
        """Whether the owner named this host; a name without a port stands for all ports."""
        return host in self.hosts or Address(host.name) in self.hosts

    def knows(self, host: Address) -> bool:
        """Whether this is the server's own name, by what the Host header says."""
        return host.name in LOCAL or self.given(host)


def rules(environment: Mapping[str, str] | None = None) -> Rules:
    """What the owner allowed. Raises UsageError for a value that is no host or no origin."""
    given = os.environ if environment is None else environment
    hosts = set()
    for word in _words(given.get(HOSTS, "")):
        host = address(word)
        if host is None:
            raise UsageError(
                f"{HOSTS} holds “{word}”, which is no host name; for example: {HOSTS}=flipside.example.org"
            )
        hosts.add(host)
    ancestors = tuple(_WORDS.get(word.lower(), word) for word in _words(given.get(ANCESTORS, "")))
    if NONE in ancestors and set(ancestors) != {NONE}:
        raise UsageError(
            f"{ANCESTORS} holds “none” beside others; say none alone, or name the sites that may frame it."
        )
    if NONE in ancestors:  # what is sent where nothing is said: the page itself may frame its own parts
        ancestors = ()
    for word in ancestors:
        if not _SOURCE.fullmatch(word):
            raise UsageError(
                f"{ANCESTORS} holds “{word}”, which is no origin; for example: {ANCESTORS}=https://example.org"
            )
    return Rules(frozenset(hosts), ancestors)


def remark(found: Rules) -> str:
    """What an owner should know of what is allowed, a sentence; "" for nothing.

    >>> remark(Rules(ancestors=("https://example.org",)))
    ''
    >>> remark(Rules(ancestors=("*",)))[:61]
    'FLIPSIDE_FRAME_ANCESTORS holds *: every site may show this da'
    """
    everywhere = next((word for word in found.ancestors if word in _ANY), "")
    if not everywhere:
        return ""
    return (
        f"{ANCESTORS} holds {everywhere}: every site may show this dashboard in a frame and lead people to click its "
        f"buttons there. Name those that may instead, for example: {ANCESTORS}=https://example.org"
    )


def address(text: str) -> Address | None:
    """`name`, `name:port` or `[ipv6]:port`; None for anything else, user names and paths among it.

    >>> address("LOCALHOST:8501"), address("a@b"), address("localhost:99999")
    (Address(name='localhost', port=8501), None, None)
    """
    found = _HOST.fullmatch(text.lower())
    if found is None or int(found[2] or 0) > 65535:
        return None
    return Address(found[1], int(found[2]) if found[2] else None)


def _words(text: str) -> list[str]:
    return text.replace(",", " ").split()
