"""Finding and importing code of the user's own; whatever goes wrong with it is one sentence that names the file.

Folders are appended to `sys.path`, never put first: a `json.py` beside a model does not stand in for the library's.
What the code prints goes to standard error, so that `--json` stays one document.
"""

import contextlib
import hashlib
import importlib
import importlib.util
import sys
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from backend.errors import FlipsideError, UsageError
from backend.models.own.target import Target

#: Imported files by path and content: a file that was edited is imported anew.
_files: dict[tuple[str, str], ModuleType] = {}


def find(target: Target) -> tuple[Any, Path | None]:
    """The object that a spec names, and the file of its module (None for one that has none, built in).

    UsageError where there is no such file, module or object; FlipsideError where importing it fails.
    """
    module, file = _file(target) if target.is_file else _module(target)
    found: Any = module
    for part in target.name.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise UsageError(f"{target}: {file or target.where} defines no {target.name}.{_defines(module)}") from None
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise failed(target, f"looking for {target.name}", error, file) from error
    return found, file


@contextlib.contextmanager
def quietly() -> Iterator[None]:
    """What is printed goes to standard error."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


@contextlib.contextmanager
def answering(target: object, doing: str, file: Path | None) -> Iterator[None]:
    """What the user's code raises in the block becomes a sentence (`failed`); Ctrl-C and our own errors stay."""
    try:
        yield
    except (FlipsideError, KeyboardInterrupt):
        raise
    except BaseException as error:
        raise failed(target, doing, error, file) from error


def failed(target: object, doing: str, error: BaseException, file: Path | None) -> FlipsideError:
    """The sentence for what the user's code raised, with the line of its file."""
    if isinstance(error, SystemExit):
        said = f"ended the program ({_quoted(error)})" if error.code not in (None, 0) else "ended the program"
    else:
        said = f"raised {_quoted(error)}"
    at = _place(error, file)
    return FlipsideError(f"{target}: {doing} {said}{f', at {at}' if at else ''}. Mend that, and try again.")


def _file(target: Target) -> tuple[ModuleType, Path]:
    path = Path(target.where)
    if target.where.startswith("~"):
        with contextlib.suppress(RuntimeError):  # nobody's home: there is no such file
            path = path.expanduser()
    path = path.absolute()
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        hint = " Write / between folders." if "\\" in target.where else ""
        raise UsageError(f"{target}: there is no file {path}.{hint}") from None
    except (OSError, ValueError) as error:
        said = error.strerror if isinstance(error, OSError) else str(error)
        raise UsageError(f"{target}: {path} cannot be read ({said}); name a Python file.") from None
    key = (str(path), hashlib.sha256(data).hexdigest())
    if key not in _files:
        _append(path.parent)
        _files[key] = _executed(target, path, data)
    return _files[key], path


def _executed(target: Target, path: Path, data: bytes) -> ModuleType:
    name = f"flipside_py_{hashlib.sha256(str(path).encode()).hexdigest()[:12]}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None:
        raise UsageError(f"{target}: {path} is no Python file.")
    module = importlib.util.module_from_spec(spec)
    before = sys.modules.get(name)
    sys.modules[name] = module  # dataclasses and pickles look their module up
    try:
        with quietly():
            exec(compile(data, str(path), "exec", dont_inherit=True), module.__dict__)  # noqa: S102 - what it is for
    except BaseException as error:
        if before is None:
            del sys.modules[name]
        else:
            sys.modules[name] = before
        if isinstance(error, KeyboardInterrupt):
            raise
        raise _import_failed(target, error, path) from error
    return module


def _module(target: Target) -> tuple[ModuleType, Path | None]:
    folder = Path.cwd()
    _append(folder)
    try:
        with quietly():
            module = importlib.import_module(target.where)
    except ModuleNotFoundError as error:
        if error.name and (target.where == error.name or target.where.startswith(f"{error.name}.")):
            raise UsageError(
                f"{target}: there is no module {error.name}, neither installed nor below {folder}. Start in the folder "
                "that holds it, or name its file: py:path/to/file.py:Class."
            ) from None
        raise _import_failed(target, error, None) from error
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise _import_failed(target, error, None) from error
    file = getattr(module, "__file__", None)
    return module, Path(file) if isinstance(file, str) else None


def _import_failed(target: Target, error: BaseException, path: Path | None) -> FlipsideError:
    if isinstance(error, SyntaxError):
        where = f"{error.filename or path}, line {error.lineno}"
        return FlipsideError(f"{target}: {where}: this is no Python ({error.msg}). Mend the line, and try again.")
    if isinstance(error, ImportError) and "relative import" in str(error):
        return UsageError(
            f"{target}: {path} imports from its own package, which a file by itself has not; start in the folder above "
            "the package, and write py:package.module:Class."
        )
    return failed(target, f"importing {path or target.where}", error, path)


def _append(folder: Path) -> None:
    if str(folder) not in sys.path and not (folder == Path.cwd() and "" in sys.path):
        sys.path.append(str(folder))
        importlib.invalidate_caches()


def _defines(module: ModuleType) -> str:
    """Names to choose from: classes and functions that were written in the module."""
    own = [
        name
        for name, value in vars(module).items()
        if not name.startswith("_") and callable(value) and getattr(value, "__module__", None) == module.__name__
    ]
    return f" It defines {', '.join(own[:12])}." if own else " It defines no class and no function."


def _quoted(error: BaseException) -> str:
    try:
        said = " ".join(str(error).split())[:200].rstrip(".")
    except Exception:  # noqa: BLE001 - an error of the user's own may not be able to say itself
        said = ""
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _place(error: BaseException, file: Path | None) -> str:
    """The last line of the user's file that the error passed through; else where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if file is not None and frame.filename == str(file)]
    foreign = [frame for frame in frames if not frame.filename.startswith(("<", str(Path(__file__).parent)))]
    found = (own or foreign)[-1:]
    return f"{found[0].filename}, line {found[0].lineno}" if found else ""
