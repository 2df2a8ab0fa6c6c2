"""What the processes of a cluster are given: how to load the model, and the plan, with the items of its survey as one
buffer that all processes of a machine read where it lies."""

import io
import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from backend import __version__
from backend.engine import SCORING
from backend.engine.batching import Measured
from backend.engine.plan import Plan
from backend.engine.score import Window
from backend.intake.survey import Scratch

Bytes = npt.NDArray[np.uint8]
_ITEMS = "items"


@dataclass(frozen=True)
class How:
    """How a model is loaded, as `run` was told. batch: pairs, texts or images in one forward pass, None for its own."""

    spec: str
    device: str
    dtype: str
    seed: int
    trust_remote_code: bool = False
    compile: bool = False
    batch: int | None = None


@dataclass(frozen=True)
class Job:
    """plan: packed, without its items (see `packed`). stages: the names of those that have something pending, whose
    priors are made ready. said: what the model said of itself when it was looked at. details: of its priors, as the
    record has them. threads, processes: of each worker, that compute, and that decode (inputs/processes.py; 0 for
    threads). version: of the program, and of its scores."""

    how: How
    plan: bytes
    shared: Mapping[int, tuple[str, ...]]
    stages: tuple[str, ...]
    said: Mapping[str, Any]
    details: Mapping[str, Mapping[str, Any]]
    threads: int
    processes: int = 0
    version: tuple[str, int] = (__version__, SCORING)


@dataclass(frozen=True)
class Share:
    """One window to score. work: stage -> item numbers, in the window's order. measured: the stages of which a handful
    is scored once more alone (batching.py)."""

    number: int
    work: Mapping[str, npt.NDArray[np.int32]]
    measured: tuple[str, ...] = ()


@dataclass
class Scored:
    """What came of a share. asked: how often the model was asked for what. remarks: of the model of this worker so
    far. skipped: it was not begun, for somebody had asked to stop. error: why the process cannot go on; the traceback
    where that is no sentence."""

    number: int
    worker: str = ""
    node: str = ""
    window: Window = field(default_factory=Window)
    asked: Mapping[str, int] = field(default_factory=dict)
    remarks: Mapping[str, Any] = field(default_factory=dict)
    batching: Measured = field(default_factory=dict)
    seconds: float = 0.0
    skipped: bool = False
    error: str = ""
    traceback: str = ""


class _Packer(pickle.Pickler):
    def persistent_id(self, obj: object) -> str | None:
        return _ITEMS if isinstance(obj, Scratch) else None


class _Unpacker(pickle.Unpickler):
    def __init__(self, data: bytes, items: Scratch) -> None:
        super().__init__(io.BytesIO(data))
        self._items = items

    def persistent_load(self, pid: Any) -> Scratch:
        if pid != _ITEMS:
            raise pickle.UnpicklingError(f"a plan refers to {pid!r}; only its items are packed apart")
        return self._items


def packed(plan: Plan) -> bytes:
    """A plan without its items, which travel as they are (`Scratch.data`)."""
    stream = io.BytesIO()
    _Packer(stream, protocol=5).dump(plan)
    return stream.getvalue()


def unpacked(data: bytes, items: Bytes, shared: Mapping[int, tuple[str, ...]]) -> Plan:
    """The plan, over items that are read where they lie. data: from this run's own starting process."""
    found = _Unpacker(data, Scratch(items, shared)).load()
    if not isinstance(found, Plan):
        raise pickle.UnpicklingError(f"a plan was expected, found {type(found).__name__}")
    return found
