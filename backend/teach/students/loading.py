"""A student of a model's spec, or why there can be none."""

from typing import Any

from backend.errors import UsageError
from backend.kinds import Kind
from backend.models import load
from backend.models.registry import kinds_of
from backend.teach.students.base import Student
from backend.teach.students.tuning import Tuning, attach

#: Families whose gradients are known to go through, and their students ("module:Class" below this package).
FAMILIES = {
    "dual-hf": ("dual", "HfStudent"),
    "dual-openclip": ("dual", "OpenClipStudent"),
    "matcher": ("matching", "BlipStudent"),
}
_TAUGHT = "CLIP-like dual encoders (bundled:clip, hf:, openclip:) and BLIP matching heads (bundled:matcher, hf:)"


def student(spec: str, tuning: Tuning | None = None, *, device: str = "auto", seed: int = 0) -> Student[Any, Any]:
    """The model of a spec, in float32, with what is trained set free.

    UsageError, before anything is loaded, for a model that gives no cosine and no matching score; for a family that is
    not taught; FlipsideError where peft is missing.
    """
    refuse_unteachable(spec)
    return taught(load(spec, device, "float32", seed), tuning, seed)


def taught(model: Any, tuning: Tuning | None = None, seed: int = 0) -> Student[Any, Any]:
    """The same of a model that is loaded, which is changed: `tuning.attach` puts adapters into its module."""
    from importlib import import_module

    refuse_family(model.spec, model.family)
    if str(model.dtype) != "torch.float32":
        raise UsageError(f"{model.spec} is loaded in {model.dtype}: it is taught in float32 weights (--dtype float32).")
    module, name = FAMILIES[model.family]
    made: Student[Any, Any] = getattr(import_module(f"backend.teach.students.{module}"), name)(model)
    model.weights_sha256()  # of the base: random weights have no file that could be asked when adapters are in them
    attach(made, tuning or Tuning(), seed)
    return made


def refuse_unteachable(spec: str) -> None:
    """UsageError for a model that cannot be taught, from its config alone."""
    kinds = kinds_of(spec)
    if not kinds & {Kind.ITC, Kind.ITM}:
        given = ", ".join(sorted(map(str, kinds))) or "nothing"
        raise UsageError(
            f"{spec} cannot be taught here: it gives {given}, and what is taught is a cosine or a matching score. "
            f"Taught are {_TAUGHT}."
        )


def refuse_family(spec: str, family: str) -> None:
    """UsageError for a family whose weights are not here, or that nobody has tried."""
    if family not in FAMILIES:
        raise UsageError(f"{spec} cannot be taught here: it is of the family {family}. Taught are {_TAUGHT}.")
