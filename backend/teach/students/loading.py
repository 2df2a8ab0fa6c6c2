"""A student of a model's spec, or why there can be none."""

from typing import Any

import torch

from backend.errors import UsageError
from backend.models import load
from backend.teach.families import FAMILIES as FAMILIES
from backend.teach.families import refuse_family
from backend.teach.families import refuse_unteachable as refuse_unteachable
from backend.teach.students.base import Student
from backend.teach.students.tuning import Tuning, attach


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


def refuse_mixed(device: torch.device) -> None:
    """UsageError for a GPU without bfloat16. Half precision of the other kind (float16) is not offered: it needs its
    losses scaled, and overflows where logits are large."""
    if device.type == "cuda" and not torch.cuda.is_bf16_supported(including_emulation=False):
        raise UsageError(f"{torch.cuda.get_device_name(device)} has no bfloat16: leave out --mixed.")
