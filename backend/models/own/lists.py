"""Whether the owner's lists of models (`permission.py`) hold specs: asked before a server starts or a command works."""

import re

from backend.errors import UsageError
from backend.models.own import permission
from backend.models.own.target import PREFIX
from backend.models.own.target import parse as parse_target
from backend.models.registry import kinds_of
from backend.models.spec import PREFIXES, parse

#: A comma that was meant to separate two specs: at the end of one, or before another one's beginning.
_SEVERAL = re.compile(rf",$|,(?:{'|'.join(PREFIXES)}):")


def check() -> None:
    """UsageError where a list holds what is no spec of a model. Loads nothing, and looks for no file but those of the
    bundled models."""
    for variable, specs in ((permission.ALLOWED, permission.typed()), (permission.OFFERED, permission.offered())):
        for spec in specs:
            if _SEVERAL.search(spec):
                raise _separated(variable, spec)
    for spec in permission.typed():
        if not spec.startswith(PREFIX):
            if "," in spec:
                raise _separated(permission.ALLOWED, spec)
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
        elif spec.startswith(PREFIX):
            _refuse_relative(spec)
    except UsageError as error:
        if "," in spec:
            raise _separated(variable, spec) from None
        raise UsageError(f"{variable}: {error}") from None


def _refuse_relative(spec: str) -> None:
    """UsageError for code that is no spec, or in a file that is named by a relative path: it is never listed."""
    target = parse_target(spec.removeprefix(PREFIX))
    if target.is_file and not target.where.startswith(("/", "~")):
        raise UsageError(
            f"“{spec[:200]}” names a file by a relative path, which would be another file in another folder: write "
            "its full path, as in py:/my/models.py:Net."
        )


def _separated(variable: str, spec: str) -> UsageError:
    """The refusal of what is no spec and holds a comma."""
    example = "py:/my/models.py:Net py:/my/models.py:Other" if variable == permission.ALLOWED else (
        "bundled:clip bundled:matcher"
    )  # fmt: skip
    return UsageError(
        f"{variable} holds “{spec[:200]}”: expected specs separated by spaces, as in {variable}='{example}'."
    )
