"""What a file imports of its neighbours has to be them, as they are now.

Python keeps one module of a name in a process. So a second folder's `helper` would be the first one's, and a helper
that was edited stays as it was when it was imported: scores would be stored under code that did not make them.
"""

import hashlib
import sys
from collections.abc import Iterable
from pathlib import Path

from backend.errors import UsageError
from backend.models.own import identity

#: The content of each imported file when it was first seen in this process, as sha256.
_first: dict[Path, str] = {}


def refuse_others(target: object, file: Path | None, sources: Iterable[Path]) -> None:
    """UsageError where an import finds another folder's module than the one beside the file, and where an imported
    module was edited since it was imported.

    file: the one that a spec names by its path, which is executed anew when it has changed; None for a module.
    sources: what it is made of, as `identity.sources` says.
    """
    for path in sources:
        if file is not None:
            for name in identity.imported_names(path):
                _refuse_another(target, file.parent, name)
        if path != file:
            _refuse_edited(target, path)


def _refuse_another(target: object, folder: Path, name: str) -> None:
    beside = next((each for each in (folder / f"{name}.py", folder / name / "__init__.py") if each.is_file()), None)
    used = identity.place_of(name) if beside is not None else None
    if beside is None or used is None or used.resolve() == beside.resolve() or not identity.is_own_file(used):
        return
    raise UsageError(
        f"{target}: it imports {name}, which is {used} in this process, and not {beside}: Python keeps one module of a "
        "name. Use it in a process of its own, or rename one of the two."
    )


def _refuse_edited(target: object, path: Path) -> None:
    if not any(getattr(module, "__file__", None) == str(path) for module in [*sys.modules.values()]):
        return  # imported later, as it is then
    now = hashlib.sha256(path.read_bytes()).hexdigest()
    if _first.setdefault(path, now) != now:
        raise UsageError(
            f"{target}: {path} was edited after it had been imported, and Python goes on with what it was. Start "
            "Python (or the dashboard) anew."
        )
