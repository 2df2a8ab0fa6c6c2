"""`flipside serve`: models that dashboards of other machines ask, on Ray Serve."""

import os
from typing import Annotated

import typer

from backend.environment import bytes_of
from backend.errors import UsageError
from backend.live.remote import address
from backend.live.scoring.budget import VARIABLE, budget
from backend.models import kinds_of
from backend.verbs.models import bundled_specs
from backend.verbs.shared.output import note

LOWEST, HIGHEST = 1024, 65535
OPTION = "--limit"


def command(
    models: Annotated[
        str, typer.Option("--models", metavar="A,B", help="Specs offered besides the bundled models.")
    ] = "",
    port: Annotated[int, typer.Option("--port", metavar="N", help="From 1024 to 65535.")] = 8700,
    host: Annotated[
        str, typer.Option("--host", help="Where to listen; other than 127.0.0.1 a proxy with TLS belongs before it.")
    ] = "127.0.0.1",
    memory: Annotated[
        str, typer.Option("--memory", metavar="SIZE", help="For all models together, as 4GB. Default: half of it.")
    ] = "",
    limit: Annotated[
        str, typer.Option(OPTION, metavar="SIZE", help="The largest question that is taken. Default: 200MB.")
    ] = "",
    ray: Annotated[
        str, typer.Option("--ray", metavar="ADDRESS", help="Where: local, auto, or HOST:PORT of a cluster's head.")
    ] = "local",
) -> None:
    """Score for dashboards elsewhere (FLIPSIDE_BACKEND); needs FLIPSIDE_BACKEND_TOKEN, and ends by Ctrl-C."""
    from backend.engine.cluster.heads import refuse_address
    from backend.live.serving.running import How, run

    if not LOWEST <= port <= HIGHEST:
        raise UsageError(f"port {port} cannot be used; choose one from {LOWEST} to {HIGHEST}.")
    token = address.token(os.environ)
    refuse_address(ray)
    # What is started from here on asks no backend, and does not know the token.
    for name in (address.TOKEN, address.ADDRESS):
        os.environ.pop(name, None)
    offered = _offered(models)
    most = address.limit({OPTION: limit}, OPTION) if limit.strip() else address.limit(os.environ)
    held = bytes_of(memory, "--memory") if memory else budget() if os.environ.get(VARIABLE) else None
    shown = f"http://{f'[{host}]' if ':' in host else host}:{port}"

    def ready() -> None:
        note(f"{shown}   {len(offered)} models are offered   (Ctrl-C stops it)")
        if not address.is_loopback(host):
            note("Without TLS everybody on the way reads the token: let only a proxy with https reach this port.")

    note("starting Ray Serve …")
    run(How(offered, host, port, most, held, ray), token, ready)
    note("stopped.")


def _offered(models: str) -> list[str]:
    """The specs, each looked at. UsageError or FlipsideError for one that there is not."""
    named = [spec.strip() for spec in models.split(",") if spec.strip()]
    for spec in named:
        kinds_of(spec)
    return list(dict.fromkeys([*bundled_specs(), *named]))
