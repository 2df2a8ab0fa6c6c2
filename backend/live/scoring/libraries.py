"""The libraries behind models, imported while nobody waits for them: they take ten times as long as the weights."""

import importlib
import logging
import threading
from collections.abc import Sequence

from backend.garbage import importing
from backend.models import load
from backend.models.registry import find
from backend.models.spec import parse

log = logging.getLogger(__name__)
#: Held while they are imported: two threads that import packages of circular imports at once can see half of one.
_at_work = threading.Lock()
_begun: set[str] = set()
#: A model is asked for: nothing is put off any longer.
_needed = threading.Event()
#: Models of a few megabytes, so that one of each family may be loaded for nothing.
SMALL = "bundled:"


def bring(specs: Sequence[str], later: float = 0.0) -> threading.Thread | None:
    """Import what these models need, in the background, once a process. None where that has begun already. What goes
    wrong is said where a model is loaded. later: seconds to let pass before, unless somebody waits for a model."""
    new = [spec for spec in specs if spec not in _begun]
    _begun.update(new)
    if not new:
        return None
    _needed.clear()
    thread = threading.Thread(target=_import, args=(new, later), name="libraries")
    thread.start()
    return thread


def wait() -> None:
    """Until nothing is being imported, nor about to be."""
    _needed.set()
    with _at_work:
        pass


def _import(specs: Sequence[str], later: float) -> None:
    seen: set[str] = set()
    with _at_work:
        _needed.wait(later)
        with importing():
            for spec in specs:
                try:
                    family, _, _ = find(parse(spec))
                    importlib.import_module(family.target.partition(":")[0])
                    if spec.startswith(SMALL) and family.name not in seen:
                        load(spec)  # libraries import most of themselves only now; the model is let go of
                    seen.add(family.name)
                except Exception as error:  # noqa: BLE001 - nobody has asked for it yet
                    log.info("not imported for %s: %s", spec, error)
