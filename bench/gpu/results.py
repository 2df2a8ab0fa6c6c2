"""What was measured, kept as JSON between two calls."""

from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from backend.engine.storage import files
from bench.gpu.memory import Survived
from bench.gpu.parity import Parity
from bench.gpu.speed import SHARE, Compiled, Speed


@dataclass
class Results:
    """What was measured. machine: the device's name. versions: of the libraries."""

    date: str
    machine: str
    versions: dict[str, str]
    parity: list[Parity] = field(default_factory=list)
    speed: list[Speed] = field(default_factory=list)
    survived: list[tuple[str, Survived]] = field(default_factory=list)
    compiled: list[Compiled] = field(default_factory=list)

    def has(self, part: str, model: str, dtype: str) -> bool:
        """Whether a part was measured for a model and a precision."""
        if part == "parity":
            return any(one.dtype == dtype for one in self.parity)
        if part == "speed":
            return any((one.model, one.dtype) == (model, dtype) for one in self.speed)
        if part == "memory":
            return any((name, one.dtype) == (model, dtype) for name, one in self.survived)
        return any((one.model, one.dtype) == (model, dtype) for one in self.compiled)

    def short(self) -> list[str]:
        """What is outside its limits, in words."""
        found = [f"{p.family} in {p.dtype}: {', '.join(p.failed)}" for p in self.parity if p.failed]
        found += [
            f"{s.model} in {s.dtype}: {s.of_slower:.2f} of what {s.waits_for} allows, expected at least {SHARE:g}"
            for s in self.speed
            if s.of_slower < SHARE
        ]
        return found


def keep(found: Results, path: Path) -> None:
    """Write it, whole or not at all."""
    files.replace_bytes(path, TypeAdapter(Results).dump_json(found, indent=1))


def kept(path: Path, machine: str, versions: dict[str, str]) -> Results | None:
    """What `keep` wrote, None where there is no file; SystemExit where it is of another machine or other libraries."""
    if not path.exists():
        return None
    try:
        found = TypeAdapter(Results).validate_json(path.read_bytes())
    except ValidationError as error:
        raise SystemExit(f"--results {path}: no results of this command ({error.errors()[0]['msg']}).") from None
    if (found.machine, found.versions) != (machine, versions):
        raise SystemExit(
            f"--results {path}: measured on {found.machine} with {found.versions}, and this is {machine} with "
            f"{versions}. Name another file."
        )
    return found
