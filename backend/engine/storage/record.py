"""`run.json`: everything needed to repeat a run, and the run's id, which is made of what decides its scores."""

import platform
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from backend import paths
from backend.benchmarks.items_folder.kept import keeps_name
from backend.engine import FORMAT, SCORING
from backend.engine.inputs.selection import Selection
from backend.engine.storage import files, identity, shards
from backend.errors import FlipsideError
from backend.intake.survey import Survey
from backend.items import Benchmark
from backend.models.base import Model
from backend.models.hub import commit_of

LIBRARIES = ("numpy", "pyarrow", "pillow", "torch", "transformers", "tokenizers", "open_clip_torch")
#: How many sessions of a run are remembered: the first and the latest ones.
SESSIONS = 20

Document = dict[str, Any]


def run_id(
    described: Mapping[str, Any],
    content_hash: str,
    selection: Selection,
    scoring: int = SCORING,
    *,
    pictures: str = "",
) -> str:
    """16 hex digits over what decides the scores (see identity.py). scoring: as the record says it, 1 where it says
    none. pictures: a digest over them, where another run has scored other ones (see pictures.py)."""
    return identity.run_id(described, content_hash, selection.identity(), scoring, pictures)


def open_record(
    run_dir: Path,
    model: Model,
    found: Survey,
    benchmark: Benchmark,
    selection: Selection,
    priors: Mapping[str, Document],
    session: Document,
    series: Mapping[str, int] | None = None,
    pictures: Mapping[str, str] | None = None,
    name: str | None = None,
) -> Document:
    """Write the run's record, or add a session to the one that is there.

    priors: part -> what it is computed from. session: what the command asked for. series: name -> step of the series
    of checkpoints that the model belongs to; kept beside what earlier sessions said, and no part of the run's id.
    name: what the model is called; None leaves what an earlier session said, "" takes it away.
    pictures: {"sha256", "since"} of a run beside one of other pictures (see pictures.py); the first is part of its id.
    """
    path = run_dir / shards.RECORD
    now = timestamp()
    record: Document = files.read_json(path) if path.is_file() else {"created": now, "priors": {}, "sessions": []}
    for part, details in priors.items():
        if record["priors"].setdefault(part, details) != details:
            raise FlipsideError(
                f"{part} of run {run_dir.name} was begun with other images or another language model than are here "
                f"now. Restore them, or delete {run_dir} and run again."
            )
    named = {
        "name": found.benchmark,
        "hash": found.content_hash,
        "n_items": len(found),
        "data_dir": benchmark.data_dir,
        **({"split": benchmark.split} if benchmark.split else {}),
    }
    before = record.get("benchmark") or {}
    record |= {
        "format": FORMAT,
        "scoring": SCORING,
        "run": run_dir.name,
        "model": model.describe() | ({"hub": hub} if (hub := commit_of(getattr(model, "folder", None))) else {}),
        "benchmark": before if keeps_name(str(before.get("name", "")), found.benchmark) else named,
        "selection": selection.identity(),
        "n_selected": len(found.selected),
        **({"pictures": dict(pictures)} if pictures else {}),
        "updated": now,
        **({"series": {**record.get("series", {}), **series}} if series else {}),
    }
    if name is not None:
        record |= {"name": name}
    if not record.get("name"):
        record.pop("name", None)
    sessions = [*record["sessions"], {"started": now, **session, **environment()}]
    record["sessions"] = sessions[:1] + sessions[1:][-SESSIONS + 1 :]
    files.replace_json(path, record)
    return record


def close_record(run_dir: Path, record: Document, outcome: Document) -> None:
    """Write how the latest session ended."""
    record["updated"] = timestamp()
    record["sessions"][-1] |= {"finished": record["updated"], **outcome}
    files.replace_json(run_dir / shards.RECORD, record)


def timestamp() -> str:
    """Now, in UTC, as ISO 8601."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def environment() -> Document:
    """The machine and the software, without names of people, hosts or folders."""
    return {
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "cpu": cpu_name(),
        "versions": {name: found for name in LIBRARIES if (found := _version(name))},
        "commit": git_commit(),
    }


def cpu_name() -> str:
    """The processor's own name where the system tells it."""
    info = Path("/proc/cpuinfo")
    if sys.platform == "linux" and info.is_file():
        for line in info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def git_commit() -> str | None:
    """The program's commit, marked where files have been changed since; None outside a checkout."""
    if not (paths.ROOT / ".git").exists():
        return None
    command = ["git", "-C", str(paths.ROOT), "describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    try:
        found = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip() or None


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
