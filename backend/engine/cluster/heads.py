"""Which Ray cluster `--ray ADDRESS` means: what an address may be, where its head is, and what is asked of that before
Ray itself is, which asks for minutes, deaf to Ctrl-C, and prints lines of its own."""

import os
import re
import socket
import sys
from pathlib import Path
from typing import Any

from backend.errors import FlipsideError, UsageError

FORMS = (
    "auto (the cluster that this machine belongs to), HOST:PORT of its head, or local (a cluster of this machine "
    "alone, that ends with the command)"
)
AUTO, LOCAL = "auto", "local"
#: Seconds in which a head has to take a connection.
ANSWERS = 10.0
#: How a client of gRPC, which a head speaks, greets (HTTP/2: its preface and an empty frame of settings); the answer is
#: such a frame, too: 9 bytes before what it holds, the fourth its kind.
GREETING = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0))
_FRAME, _SETTINGS = 9, bytes((4, 0))
_HOST = re.compile(r"[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\]")


def refuse_address(address: str) -> None:
    """UsageError for what is no address that `connected` takes."""
    if address.startswith("ray://"):
        raise UsageError(
            f"--ray {address}: Ray's client is not used, for scores would pass through one more process. Start the "
            "command on a machine of the cluster with --ray auto, or through `ray job submit -- flipside run --ray "
            "auto …`."
        )
    if address not in (AUTO, LOCAL) and not _is_head(address):
        raise UsageError(f"--ray {address}: expected {FORMS}.")


def _is_head(address: str) -> bool:
    host, _, port = address.rpartition(":")
    return _HOST.fullmatch(host) is not None and port.isdecimal() and 0 < int(port) < 65536


def no_cluster(address: str, said: str) -> FlipsideError:
    """What is raised where none answers at an address. said: why, in a few words."""
    return FlipsideError(
        f"--ray {address}: no cluster answers ({said.rstrip('.')}). `ray start --head` begins one, `ray start "
        "--address HOST:PORT` adds a machine to it, `ray status` shows it."
    )


def head_of(address: str) -> str | None:
    """HOST:PORT of the head that an address of `refuse_address` leads to; None where one has to be found or begun."""
    head = address
    if address == AUTO:  # where Ray looks for it
        head = named()
        if head and not _is_head(head):
            raise UsageError(
                f"--ray {AUTO}: RAY_ADDRESS is {head!r}, and should be HOST:PORT of a cluster's head (of `ray start`, "
                "not of the dashboard or of Ray's client). Set it so, unset it, or name the head: --ray HOST:PORT."
            )
        if not head and (noted := current()).is_file():
            head = noted.read_text(encoding="utf-8", errors="replace").strip()
            if not _is_head(head):
                raise FlipsideError(
                    f"--ray {AUTO}: {noted} should hold HOST:PORT of the cluster that this machine belongs to, as `ray "
                    f"start` writes it; it holds {head[:40]!r}. Name the head (--ray HOST:PORT), or remove the file."
                )
    return None if address == LOCAL else head or None


def named() -> str:
    """What RAY_ADDRESS says that "auto" is; "" where it says nothing."""
    said = os.environ.get("RAY_ADDRESS", "").strip()
    return "" if said == AUTO else said


def current() -> Path:
    """The file in which `ray start` notes the address of the cluster that this machine belongs to."""
    places = ["RAY_TMPDIR", "TMPDIR"] if sys.platform.startswith("linux") else ["RAY_TMPDIR"]
    named = [os.environ[name] for name in places if name in os.environ]
    # What it holds is only connected to.
    return Path(named[0] if named else "/tmp", "ray", "ray_current_cluster")  # noqa: S108 - Ray's own place


def running_here(library: Any) -> str | None:
    """HOST:PORT of the one head that runs on this machine, None for none. FlipsideError for several of them."""
    # Nothing public looks for them; where another version lacks this, `init` looks itself.
    look = getattr(getattr(library._private, "services", None), "find_gcs_addresses", set)
    found = sorted(look())
    if len(found) > 1:
        raise FlipsideError(f"--ray {AUTO}: {len(found)} clusters run here. Name one: --ray {' or '.join(found)}.")
    return found[0] if found else None


def refuse_others(address: str, head: str | None) -> None:
    """FlipsideError where nobody listens at a head's address, or something else than a head does: Ray would ask again
    for minutes, deaf to Ctrl-C, and print lines of its own."""
    if head is None:
        return
    host, _, port = head.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=ANSWERS) as line:
            if "RAY_USE_TLS" in os.environ:  # then it is not greeted so
                return
            line.settimeout(ANSWERS)
            line.sendall(GREETING)
            answer = line.makefile("rb").read(_FRAME)
    except TimeoutError:
        raise no_cluster(address, f"{head}: what listens there says nothing") from None
    except (OSError, UnicodeError) as error:  # what is no name of a machine is refused before it is looked up
        raise no_cluster(address, f"{head}: {getattr(error, 'strerror', None) or error}") from None
    if answer[3:5] != _SETTINGS:
        raise no_cluster(address, f"{head}: something else than the head of a Ray cluster listens there")


def ask(library: Any, address: str, head: str | None) -> None:
    """FlipsideError where a head wants another token, or is none: Ray would ask again for 20 seconds and say that it is
    not there, or for minutes."""
    if head is None:
        return
    # What `ray health-check` asks; nothing that is public says why a head refuses. Where another version lacks it,
    # `init` says what it says.
    client = getattr(library._raylet, "InnerGcsClient", None)
    if client is None:
        return
    try:
        client.standalone(head, None, int(1000 * ANSWERS))
    except library.exceptions.AuthenticationError:
        raise FlipsideError(
            f"--ray {address}: the cluster at {head} takes work only with its token, which this process does not have. "
            "Set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN (or RAY_AUTH_TOKEN_PATH) as on its machines; one that a "
            "command with --ray local, or `flipside serve`, has begun is for that command alone."
        ) from None
    except library.exceptions.RayError as error:
        raise no_cluster(address, f"{head}: {error}") from None
