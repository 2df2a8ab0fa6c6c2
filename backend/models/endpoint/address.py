"""`endpoint:http://127.0.0.1:8000/v1#model`: which server and which of its models, and who may name it.

At the command line the person is the owner, and any address goes. Typed by a browser user it could make this machine
fetch from its own network (SSRF), or send the owner's key to a stranger; see `refuse_from_browser`.
"""

import ipaddress
import os
import re
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from backend.errors import UsageError

#: The server's key is read from here at each request; it is never stored, printed or logged.
KEY = "FLIPSIDE_ENDPOINT_KEY"
#: OpenAI's own key is sent to OpenAI's own host, and to nobody else.
OPENAI_KEY, OPENAI_HOST = "OPENAI_API_KEY", "api.openai.com"
#: Space-separated addresses that browser users may name, whatever they point at.
ALLOWED = "FLIPSIDE_ENDPOINTS"
FORM = "write endpoint:<address>#<model>, as in endpoint:http://127.0.0.1:8000/v1#llava"
#: IPv4 inside IPv6, by which a private address could be reached under a public one.
NAT64 = ipaddress.ip_network("64:ff9b::/96")

#: A comma that was meant to separate two addresses.
_SEVERAL = re.compile(r",$|,https?:")

Resolve = Callable[[str, int], Sequence[str]]


@dataclass(frozen=True)
class Address:
    """base: scheme, host, port and path without a slash at the end. model: the name the server knows it by."""

    base: str
    model: str

    @property
    def host(self) -> str:
        return urlsplit(self.base).hostname or ""

    @property
    def key(self) -> str:
        """The key that this server gets, or an empty string."""
        own = os.environ.get(KEY, "")
        return own or (os.environ.get(OPENAI_KEY, "") if self.base.startswith(f"https://{OPENAI_HOST}/") else "")


def parse(name: str) -> Address:
    """The server and the model that a spec names. UsageError where it is no such address.

    >>> parse("http://127.0.0.1:8000/v1/#llava")
    Address(base='http://127.0.0.1:8000/v1', model='llava')
    """
    text, _, model = name.partition("#")
    shown = f"endpoint:{name[:120]}"
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise UsageError(f"{shown}: this is no web address; {FORM}.") from None
    if parts.username or parts.password:
        raise UsageError(f"endpoint:…@{parts.hostname}: keep keys out of addresses; put yours into {KEY}.")
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.query or port == 0:
        raise UsageError(f"{shown}: this is no http or https address; {FORM}.")
    if not model.strip():
        raise UsageError(
            f"{shown} names no model; {FORM}. The server lists its models under {text.rstrip('/')}/models."
        )
    return Address(text.rstrip("/"), model.strip())


def refuse_from_browser(name: str, resolve: Resolve | None = None) -> None:
    """UsageError unless a browser user may name this server: one that the owner lists in FLIPSIDE_ENDPOINTS, or a
    public https server on its usual port while no key is set that it would be sent.

    resolve: host and port to IP addresses; every one of them has to be public, or a name could hide a private one.
    That the name means something else a moment later is of no use: the certificate is checked against it.
    """
    address = parse(name)
    if address.base in listed():
        return
    parts = urlsplit(address.base)
    ask = f"ask the owner of this dashboard to list {address.base} in {ALLOWED}"
    if parts.scheme != "https" or parts.port not in (None, 443):
        raise UsageError(f"{address.base}: from the browser only public https servers can be used; {ask}.")
    if os.environ.get(KEY):
        raise UsageError(f"{address.base}: this dashboard has a key that must not go to any server; {ask}.")
    try:
        found = (resolve or _addresses)(address.host, 443)
    except OSError:
        raise UsageError(f"{address.base}: there is no host of that name.") from None
    if not found or not all(map(is_public, found)):
        raise UsageError(f"{address.base}: this is no public address; {ask}.")


def listed() -> list[str]:
    """The addresses that browser users may name, without a slash at their ends. UsageError for one that is none."""
    found = [entry.rstrip("/") for entry in os.environ.get(ALLOWED, "").split()]
    for entry in found:
        try:
            fine = parse(f"{entry}#any").base == entry and not _SEVERAL.search(entry)
        except UsageError:
            fine = False
        if not fine:
            shown = entry[:120] if "@" not in entry else f"…@{entry.rpartition('@')[2][:120]}"  # no key in a message
            raise UsageError(
                f"{ALLOWED} holds “{shown}”: expected addresses without a model, such as http://127.0.0.1:8000/v1, "
                "separated by spaces."
            )
    return found


def is_public(text: str) -> bool:
    """Whether an IP address is one of the open internet, and no other address in disguise.

    >>> [is_public(a) for a in ("1.1.1.1", "127.0.0.1", "169.254.169.254", "10.0.0.1", "::ffff:10.0.0.1", "::1")]
    [True, False, False, False, False, False]
    """
    try:
        found = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return False
    if isinstance(found, ipaddress.IPv6Address) and (
        found.ipv4_mapped or found.sixtofour or found.teredo or found in NAT64 or found.is_site_local
    ):
        return False
    return found.is_global and not found.is_multicast and not found.is_reserved


def _addresses(host: str, port: int) -> list[str]:
    return [str(entry[4][0]) for entry in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
