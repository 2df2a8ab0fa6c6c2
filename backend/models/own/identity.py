"""What scores of the user's own code are known by: its source files and its parameters.

Where the parameters are not known, the weights are *unknown*: each load counts as another model, so that no score is
taken from, or added to, what an earlier load left behind.
"""

import ast
import hashlib
import importlib.util
import inspect
import re
import secrets
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

import numpy as np

from backend import paths
from backend.errors import UsageError

#: What a record says where the parameters are not known.
UNKNOWN = (
    "unknown: the code has neither state_dict() nor weights_id, so these scores are never taken for another run, and "
    "the run is never gone on with"
)
NO_SOURCE = (
    "unknown: the code has no source file that could be read, so these scores are never taken for another run, and the "
    "run is never gone on with"
)
#: Folders of installed packages, wherever they lie: a user's own, the system's below a virtual environment.
_INSTALLED = frozenset({"site-packages", "dist-packages"})
#: A state that holds something else than tensors, arrays, numbers and words cannot be compared.
_PLAIN = (str, bytes, bool, int, float, type(None))


def identified(thing: Any, sources: Iterable[Path], *more: str) -> tuple[str | None, str]:
    """(sha256 or None, why it is unknown or "") of an object of the user's own.

    sources: the files it is made of; none makes it unknown. more: what else decides its scores (its name, an argument).
    Of the object: `weights_id`, a string that stands for its parameters, else `state_dict()`. UsageError for a
    `weights_id` that is no string.
    """
    files = sorted(sources)
    parameters = parameters_of(thing)
    if parameters is None:
        return None, UNKNOWN
    if not files:
        return None, NO_SOURCE
    digest = hashlib.sha256()
    for part in (*more, *(hashlib.sha256(file.read_bytes()).hexdigest() for file in files), parameters):
        digest.update(f"{len(part)}:{part};".encode())
    return digest.hexdigest(), ""


def unknown(loaded: Any, why: str) -> dict[str, str]:
    """What a record says of unknown weights: why, and a word that is different for every model that was loaded."""
    word = vars(loaded).setdefault("_unknown_weights", secrets.token_hex(8))
    return {"weights": why, "weights_unknown": word}


def parameters_of(thing: Any) -> str | None:
    """A word for an object's parameters; None where it says nothing of them."""
    if (name := weights_id(thing, type(thing).__name__)) is not None:
        return f"weights_id {name}"
    state = getattr(thing, "state_dict", None)
    if not callable(state) or inspect.isclass(thing):
        return None
    found = state()
    return state_sha256(found) if isinstance(found, Mapping) else None


def weights_id(thing: Any, spec: str) -> str | None:
    """An object's own word for its weights; None where it has none. UsageError for what is no string."""
    name = getattr(thing, "weights_id", None)
    if name is not None and (not isinstance(name, str) or not name):
        raise UsageError(
            f"{spec}: its weights_id is {type(name).__name__}, not a string that names the weights; write one, or "
            "leave it out."
        )
    return name


def says_its_weights(thing: Any) -> bool:
    """Whether an object has a `weights_id` or a `state_dict` of its own."""
    return getattr(thing, "weights_id", None) is not None or callable(getattr(thing, "state_dict", None))


def state_sha256(state: Mapping[str, Any]) -> str | None:
    """sha256 over names, dtypes, shapes and bytes of a state_dict, in name order; None where something in it is no
    tensor, array, number or word."""
    digest = hashlib.sha256()
    for name, value in sorted(state.items(), key=lambda entry: str(entry[0])):
        tensor = bytes_of(value)
        if tensor is None:
            return None
        said, data = tensor
        digest.update(f"{name}|{said}|{len(data)};".encode())
        digest.update(data)
    return f"state_dict {digest.hexdigest()}"


def bytes_of(value: Any) -> tuple[str, bytes] | None:
    """("dtype shape", bytes) of one entry of a state_dict; None of what has none that could be read."""
    if callable(getattr(value, "detach", None)):
        torch = sys.modules["torch"]
        try:
            flat = value.detach().cpu().contiguous().reshape(-1)
            data = flat.view(torch.uint8).numpy() if len(flat) else np.zeros(0, np.uint8)
        except (RuntimeError, TypeError, NotImplementedError):  # sparse, quantised or without values (meta)
            return None
        return f"{value.dtype} {tuple(value.shape)}", data.tobytes()
    if isinstance(value, np.ndarray) and value.dtype != object:
        return f"{value.dtype} {value.shape}", np.ascontiguousarray(value).tobytes()
    if isinstance(value, _PLAIN):
        return type(value).__name__, repr(value).encode()
    return None


def source_of(thing: Any) -> Path | None:
    """The file in which an object's class (or a function) was written; None where it has none: typed in a console."""
    try:
        file = inspect.getsourcefile(thing if inspect.isclass(thing) or inspect.isroutine(thing) else type(thing))
    except TypeError:
        return None
    path = Path(file) if file else None
    return path if path is not None and path.is_file() else None


def sources_of(thing: Any) -> list[Path]:
    """The source files of an object's class."""
    file = source_of(thing)
    return sources(file, type(thing).__module__) if file is not None else []


def sources(file: Path, module: str = "") -> list[Path]:
    """A source file and what it imports of the user's own, and what that imports: files that belong neither to
    Python, nor to an installed package (but its own), nor to Flipside. Read from the import statements, so that the
    answer is the same whatever has been imported already.

    module: the file's dotted name, where it was imported by one.
    """
    found: dict[Path, None] = {}
    waiting = [(file, module)]
    while waiting:
        path, name = waiting.pop()
        if path in found or not path.is_file():
            continue
        found[path] = None
        for other in _imports(path, name):
            top, place = place_of(other.partition(".")[0]), None
            if top is not None and (is_own_file(top) or _same_package(top, file)):
                place = place_of(other)
            if place is not None:
                waiting.append((place, other))
    return list(found)


def imported_names(path: Path) -> list[str]:
    """The first names of the modules that a file may import, as in `package` of `import package.module`."""
    return [name for name in _imports(path, "") if "." not in name]


def _imports(path: Path, module: str) -> list[str]:
    """The dotted names of modules that a file may import. module: its own name, for relative imports."""
    try:
        tree = ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        return []
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    found: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            names = [base, *(f"{base}.{alias.name}" for alias in node.names)] if base else []
        else:
            continue
        for name in names:
            parts = name.split(".")
            found |= {".".join(parts[: k + 1]): None for k in range(len(parts))}
    return list(found)


def place_of(name: str) -> Path | None:
    """The file of a module as Python would import it now, the folder of a package without a file; None for one that is
    built in, or is none. Nothing is imported for that."""
    if name.partition(".")[0] in sys.stdlib_module_names:
        return None
    file, folders = _found(name)
    if file is not None:
        return Path(file) if file.endswith(".py") else None
    return Path(folders[0]) if folders else None


def _found(name: str) -> tuple[str | None, list[str]]:
    """The file of a module, and the folders in which those of a package lie."""
    module = sys.modules.get(name)
    if module is not None:
        file = getattr(module, "__file__", None)
        return file if isinstance(file, str) else None, list(getattr(module, "__path__", ()))
    parent = name.rpartition(".")[0]
    above = _found(parent)[1] if parent else []
    if parent and not above:
        return None, []
    try:  # `find_spec` of importlib.util would import what is above a dotted name
        spec = PathFinder.find_spec(name, above) if parent else importlib.util.find_spec(name)
    except (ImportError, AttributeError, ValueError):
        return None, []
    if spec is None:
        return None, []
    return spec.origin if spec.has_location else None, list(spec.submodule_search_locations or ())


def is_own_file(path: Path) -> bool:
    """Whether a file belongs neither to Python, nor to an installed package, nor to Flipside."""
    return not _INSTALLED & set(path.parts) and not any(path.is_relative_to(folder) for folder in _foreign())


def _same_package(path: Path, file: Path) -> bool:
    """Whether both lie in one package: the topmost folder with an `__init__.py` above the first."""
    top = file.parent
    if not (top / "__init__.py").is_file():
        return False
    while (top.parent / "__init__.py").is_file():
        top = top.parent
    return path.is_relative_to(top)


@cache
def _foreign() -> tuple[Path, ...]:
    """Where the library's, installed packages' and Flipside's own modules lie."""
    names = ("stdlib", "platstdlib", "purelib", "platlib")
    return (*(Path(sysconfig.get_paths()[name]) for name in names), paths.ROOT / "backend", paths.ROOT / "pages")


def is_own_class(kind: type) -> bool:
    """Whether a class is written in a file of the user's own."""
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    return isinstance(file, str) and file.endswith(".py") and is_own_file(Path(file))


def class_name(thing: Any) -> str:
    """A short name for records: letters of the class's own name."""
    named: Any = thing if inspect.isroutine(thing) else type(thing)
    return re.sub(r"[^\w.]", "", str(getattr(named, "__qualname__", "function")))[:80]
