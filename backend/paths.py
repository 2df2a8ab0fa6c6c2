"""Where everything that the program keeps lives: `cache/` beside the code, or `$FLIPSIDE_CACHE`."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUNDLED = ROOT / "backend" / "bundled"


def cache_dir() -> Path:
    """The folder for databases, shards, thumbnails and uploads; read from the environment at each call."""
    given = os.environ.get("FLIPSIDE_CACHE")
    return Path(given).expanduser() if given else ROOT / "cache"


def runs_dir() -> Path:
    """Committed runs, one folder each: `<cache>/runs/<run id>/`."""
    return cache_dir() / "runs"


def bundled_runs_dir() -> Path:
    """The runs that ship with the project, in the same layout as `runs_dir()`."""
    return BUNDLED / "results"


def bundled_editions_dir() -> Path:
    """Perturbed editions of the bundled world with runs on them, in the same layout; not imported until asked for."""
    return BUNDLED / "editions"


def imported_dir() -> Path:
    """Runs and benchmarks that came in a bundle from elsewhere, in the same layout; never mixed with the others."""
    return cache_dir() / "imported"


def bundled_models_dir() -> Path:
    """The bundled models, one Hugging Face folder each: `<bundled>/models/<name>/`."""
    return BUNDLED / "models"
