"""Flipside: where, why and how badly a vision-language model fails at composition.

    import flipside

    model = flipside.load("hf:openai/clip-vit-base-patch32")        # a model, by its spec
    items = flipside.load_benchmark("sugarcrepe", "~/data/sugarcrepe")   # a benchmark, read from its own files
    stored = flipside.open()                                        # everything computed so far, as pandas frames

This package is the launcher. The program itself is `backend/`, `pages/` and `app.py`: in a checkout they lie beside
this folder, in an installed copy in its folder `_tree`. Importing flipside makes the two names `backend` and `pages`
importable from there and loads nothing of them: no torch, no streamlit, no duckdb.
"""

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from backend import __version__ as __version__
    from backend import results as results
    from backend.benchmarks import load_benchmark as load_benchmark
    from backend.models import load as load
    from backend.results import open as open  # noqa: A004 - as in `flipside.open()`; here it is for type checkers only

_HERE = Path(__file__).resolve().parent
#: The folder of app.py, backend/ and pages/.
TREE = _HERE / "_tree" if (_HERE / "_tree").is_dir() else _HERE.parent
#: What this package makes importable from TREE. A whole entry of sys.path would offer everything else there, too.
ROOMS = ("backend", "pages")
#: Public name -> module and attribute; without an attribute it is the module itself.
_PUBLIC = {
    "__version__": "backend:__version__",
    "evaluate": "backend.evaluation:evaluate",
    "load": "backend.models:load",
    "load_benchmark": "backend.benchmarks:load_benchmark",
    "open": "backend.results:open",
    "results": "backend.results",
}


class _Rooms(MetaPathFinder):
    """A finder for sys.meta_path: `backend` and `pages` are those of TREE; every other name is somebody else's."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Where `backend` or `pages` is; None for all other names. Modules inside them are found as any other's are."""
        return PathFinder.find_spec(fullname, [str(TREE)]) if fullname in ROOMS else None


def _refuse_others() -> None:
    """ImportError where `backend` or `pages` means another package already: a process has only one of a name."""
    for name in ROOMS:
        known = sys.modules.get(name)
        if known is None:
            continue
        found = [Path(place).resolve() for place in getattr(known, "__path__", ())]
        if found != [TREE / name]:
            where = found[0] if found else getattr(known, "__file__", None) or "an unknown place"
            raise ImportError(
                f"flipside cannot be imported here: its package '{name}' would replace the one that was imported from "
                f"{where}; use flipside in a process of its own."
            )


_refuse_others()
sys.meta_path.insert(0, _Rooms())


def __getattr__(name: str) -> Any:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'flipside' has no attribute {name!r}; it has {', '.join(sorted(_PUBLIC))}")
    from backend.systems import refusal

    if said := refusal():
        raise ImportError(said)
    module, _, attribute = _PUBLIC[name].partition(":")
    found = importlib.import_module(module)
    return getattr(found, attribute) if attribute else found


def __dir__() -> list[str]:
    return sorted({*globals(), *_PUBLIC})
