"""Which model folders a browser user may name: those that the owner laid out or has used, never any path of the disk.

Allowed are folders below `$FLIPSIDE_MODELS` (several are separated as in PATH; `models/` in the cache where it is not
set) and below the Hugging Face hub's own cache, models that pages taught (`taught/` in the cache), and folders of
models that were scored at the command line. The answer to all others is the same whether or not they are there.
"""

import os
import re
from pathlib import Path
from typing import Final

from backend import paths
from backend.engine.storage import files, shards
from backend.errors import FlipsideError, UsageError
from backend.models import folders, kinds_of
from backend.models.spec import Spec, parse

VARIABLE: Final = "FLIPSIDE_MODELS"
#: What is said where a folder may not be named, and on the pages where models are typed.
HOW: Final = (
    f"in the browser, model folders are those below ${VARIABLE} (“models” in the cache folder where that is not set), "
    "those in the Hugging Face cache, and those scored before at the command line. Put the folder there, or score it "
    "once with: flipside run"
)
#: Prefixes after which a folder may stand.
_LOCAL: Final = ("hf", "openclip", "st", "lm")
#: A name of the hub, which no path looks like but one relative to where the server was started.
_HUB: Final = re.compile(r"[A-Za-z0-9][\w.-]*(/[A-Za-z0-9][\w.-]*)?(@[\w.-]+)?")
_WEIGHTS: Final = (".pt", ".pth", ".bin", ".ckpt", ".safetensors", ".npz")
#: Of a training's folder: the finished model; in it what says that it is whole, and what open_clip's models have.
_MERGED, _WHOLE, _OPENCLIP = "merged", "teach.json", "open_clip_config.json"


def roots() -> list[Path]:
    """The folders below which every model may be named; those that are not there are left out."""
    given = [part for part in os.environ.get(VARIABLE, "").split(os.pathsep) if part.strip()]
    wanted = [Path(part).expanduser() for part in given] or [paths.cache_dir() / "models"]
    return [path.resolve() for path in [*wanted, taught_dir(), _hub_cache()] if path.is_dir()]


def taught_dir() -> Path:
    """Where trainings that pages start have their folders, one each."""
    return paths.cache_dir() / "taught"


def taught() -> list[str]:
    """The specs of the models that these trainings have finished, by name."""
    try:
        folders_of = sorted(path for path in taught_dir().resolve().iterdir() if not path.name.startswith("."))
    except OSError:
        return []
    return [spec for folder in folders_of if (spec := taught_spec(folder)) and _is_known(spec)]


def taught_spec(training: Path) -> str:
    """The spec of the model that a training's folder holds; "" before it is finished."""
    merged = training / _MERGED
    if not (merged / _WHOLE).is_file():
        return ""
    return f"{'openclip' if (merged / _OPENCLIP).is_file() else 'hf'}:{merged}"


def _is_known(spec: str) -> bool:
    """Whether a finished model's config can be read: pages ask every model that is offered what it gives."""
    try:
        return bool(kinds_of(spec))
    except Exception:  # noqa: BLE001 - a damaged folder must not take the others along
        return False


def refuse_from_browser(text: str) -> None:
    """UsageError for a spec that names a folder or a file of weights which a browser user may not name."""
    spec = parse(text)
    if spec.prefix not in _LOCAL:
        return
    place = _place(spec)
    if place is None:
        _nothing_beside(spec)
    elif not _allowed(place):
        raise UsageError(f"{spec.prefix}: followed by a path: {HOW}.")


def _place(spec: Spec) -> str | None:
    """The path that a spec names; None for a name of the hub or of open_clip."""
    name = spec.name.strip()
    if spec.prefix == "openclip":
        _, _, tag = name.partition("/")
        if not name.startswith(("/", ".", "~")) and (
            "/" in tag or tag.startswith((".", "~")) or tag.endswith(_WEIGHTS)
        ):
            return tag
        return None if _HUB.fullmatch(name) else name
    return None if _HUB.fullmatch(name) else name


def _nothing_beside(spec: Spec) -> None:
    """A hub's name is the hub's: a folder of that name where the server was started is not told of."""
    if spec.prefix != "openclip" and Path(spec.name).exists() and not _allowed(spec.name):
        folders.fetch(spec)  # says what it says where there is no such folder
        raise UsageError(f"{spec}: {HOW}.")


def _allowed(place: str) -> bool:
    try:
        path = Path(place).expanduser().resolve()
    except (OSError, RuntimeError, ValueError):  # nobody's home, a loop of links, a NUL
        return False
    return any(path.is_relative_to(root) and path != root for root in roots()) or path in _used()


def _used() -> set[Path]:
    """Folders of models whose runs were made here; what an imported record names is its sender's word."""
    found = set()
    for run_dir in shards.run_dirs(paths.cache_dir()):
        try:
            record = files.read_json(run_dir / shards.RECORD)
            if record.get("origin"):
                continue
            place = _place(parse(str(record["model"]["spec"])))
            if place is not None:
                found.add(Path(place).expanduser().resolve())
        except (FlipsideError, OSError, RuntimeError, ValueError, LookupError, TypeError, AttributeError):
            continue
    return found


def _hub_cache() -> Path:
    """Where the hub library keeps what it fetched, by its own variables."""
    given = os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE")
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache") / "huggingface"
    return Path(os.path.expanduser(given or Path(home) / "hub"))  # noqa: PTH111 - as it is where nobody has that home
