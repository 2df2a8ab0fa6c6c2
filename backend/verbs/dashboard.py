"""`flipside dashboard`: the pages, for the browsers of this computer."""

import os
import socket
import subprocess
import sys
from typing import Annotated

import typer

from backend import paths
from backend.errors import FlipsideError, UsageError
from backend.live.remote import address
from backend.models.own import permission
from backend.verbs.shared.output import note

#: What may be given to --port: those below belong to the system.
LOWEST, HIGHEST = 1024, 65535
#: Variables that name folders. They are made absolute: the server's working directory is the program's own folder.
FOLDERS = ("FLIPSIDE_CACHE", "FLIPSIDE_DATA", "FLIPSIDE_MODELS")


def command(
    port: Annotated[int, typer.Option("--port", metavar="N", help="From 1024 to 65535.")] = 8501,
) -> None:
    """Start the dashboard on this computer, and open it where there is a screen; Ctrl-C stops it."""
    _refuse(port)
    permission.listed()  # refuses a list whose quotes do not match
    address.configured()  # and a live backend that cannot be asked
    note(f"http://localhost:{port}   (Ctrl-C stops it)")
    environment = {**os.environ, **_absolute_folders()}
    if not os.environ.get("CI") and _has_screen():
        subprocess.Popen(
            paths.module_command("backend.verbs.shared.opening", str(port)),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
    # Streamlit reads .streamlit/config.toml of its working directory first; another project's would replace ours.
    os.chdir(paths.ROOT)
    os.execve(sys.executable, _server(port), environment)  # noqa: S606 - signals reach the server itself


def _server(port: int) -> list[str]:
    """The words that start the server. Headless: Streamlit would ask for an e-mail address before the first page."""
    return paths.module_command(
        "backend.verbs.shared.serving", "run", "app.py", "--server.port", str(port), "--server.address", "localhost",
        "--server.headless", "true", "--browser.gatherUsageStats", "false", "--global.developmentMode", "false",
    )  # fmt: skip


def _refuse(port: int) -> None:
    """UsageError for a port that nobody may choose; FlipsideError for one that is taken."""
    if not LOWEST <= port <= HIGHEST:
        raise UsageError(
            f"port {port} cannot be used; choose one from {LOWEST} to {HIGHEST}, for example {_typed(8600)}."
        )
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            other = port + 99 if port + 99 <= HIGHEST else 8600
            raise FlipsideError(
                f"port {port} is taken (is the dashboard running already? then open http://localhost:{port}). "
                f"Choose another: {_typed(other)}."
            ) from None


def _typed(port: int) -> str:
    """What to type for this port; in a checkout also as `make` has it."""
    return f"flipside dashboard --port {port}" + ("" if paths.INSTALLED else f", or make run PORT={port}")


def _absolute_folders() -> dict[str, str]:
    """FOLDERS as they are set here, each of their parts (separated as in PATH) as an absolute path."""
    return {
        name: os.pathsep.join(os.path.abspath(os.path.expanduser(part)) for part in given.split(os.pathsep) if part)  # noqa: PTH100, PTH111
        for name in FOLDERS
        if (given := os.environ.get(name, "").strip())
    }


def _has_screen() -> bool:
    return sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
