"""Whether the owner's lists of models (`permission.py`) hold specs: asked before a server starts or a command works."""

from backend.errors import UsageError
from backend.models.own import permission
from backend.models.own.target import parse as parse_target
from backend.models.registry import kinds_of
from backend.models.spec import parse


def check() -> None:
    """UsageError where a list holds what is no spec of a model. Loads nothing, and looks for no file but those of the
    bundled models."""
    for spec in permission.typed():
        if not spec.startswith(permission.PREFIX):
            raise UsageError(
                f"{permission.ALLOWED} holds “{spec[:200]}”: expected specs of code, as in py:/my/models.py:Net."
            )
        _look(permission.ALLOWED, spec)
    for spec in permission.offered():
        _look(permission.OFFERED, spec)


def _look(variable: str, spec: str) -> None:
    try:
        if parse(spec).prefix in ("bundled", "fake"):
            kinds_of(spec)
        elif spec.startswith(permission.PREFIX):
            parse_target(spec.removeprefix(permission.PREFIX))
    except UsageError as error:
        raise UsageError(f"{variable}: {error}") from None
