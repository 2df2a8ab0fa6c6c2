"""One bounded pool of models for all sessions: each is loaded once, asked by many, used by one at a time, dropped when
old."""

import logging
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from threading import Lock
from typing import Final, cast

from backend.errors import FlipsideError, UsageError
from backend.live.remote import here as remote
from backend.live.scoring import budget, libraries
from backend.live.scoring.memory import Memory
from backend.live.scoring.together import Together
from backend.live.uploads import model_folders
from backend.models import Model, kinds_of, load, packed
from backend.models.endpoint.address import refuse_from_browser
from backend.models.own import permission
from backend.models.own.target import PREFIX
from backend.models.spec import parse
from backend.paths import bundled_models_dir

#: Space-separated specs that replace the bundled models, for tests and for those who want others offered first.
VARIABLE: Final = permission.OFFERED
#: Models kept in memory at most, whatever their size; all bundled ones fit.
LIMIT: Final = 10

log = logging.getLogger(__name__)


def available() -> list[str]:
    """Specs offered without typing: those of the environment, or every bundled model and the owner's `py:` ones; then
    models that pages taught. Loads nothing."""
    taught = model_folders.taught()
    given = permission.offered()
    if given:
        return [*given, *taught]
    folder = bundled_models_dir()
    bundled = sorted(
        f"bundled:{path.parent.name}" for path in folder.glob("*/config.json") if packed.has_weights(path.parent)
    )
    try:
        return [*bundled, *(spec for spec in permission.listed() if permission.is_listed(spec)), *taught]
    except UsageError as error:  # a server refuses such a list at its start; other programs have none
        log.warning("%s", error)
        return [*bundled, *taught]


def offered() -> list[str]:
    """Specs offered where models are asked here and now: `available`, and what a live backend offers besides."""
    own = available()
    if permission.offered():
        return own
    return [*own, *(spec for spec in remote.offered() if spec not in own)]


def kinds(spec: str) -> frozenset[str]:
    """What a model gives, from its config alone, or as the live backend says. FlipsideError where there is none."""
    if remote.is_set() and (known := remote.kinds(spec)) is not None:
        return known
    try:
        guard(spec)
        return kinds_of(spec)
    except FlipsideError:
        raise
    except Exception as error:
        raise _failed(spec, error) from error


def guard(spec: str) -> None:
    """UsageError for a server, a folder or code that a browser user may not name; what the owner offers is free."""
    if spec in available():
        return
    if spec.strip().startswith("endpoint:"):
        refuse_from_browser(parse(spec).name)
    elif spec.strip().startswith(PREFIX):
        permission.refuse_unlisted(spec)
    elif ":" in spec:
        model_folders.refuse_from_browser(spec)


@dataclass
class _Slot:
    """lock: held by whoever uses the model; users: callers for whom it must stay."""

    lock: Lock = field(default_factory=Lock)
    model: Model | None = None
    together: Together | None = None
    size: int = 0
    users: int = 0


class Pool:
    """Models by spec, the least recently used dropped beyond `limit` of them, or beyond `memory_limit` bytes together.

    loader: gives the model of a spec; called once a spec, however many sessions wait for it.
    memory_limit: None for what `budget.budget` says each time. One model alone may take more than that.
    check: FlipsideError for a spec that may not be loaded.
    memory: what the models have answered; a model that is loaded anew starts without any.
    """

    def __init__(
        self,
        limit: int = LIMIT,
        loader: Callable[[str], Model] = load,
        memory_limit: int | None = None,
        check: Callable[[str], None] | None = None,
    ) -> None:
        self.limit, self.memory_limit = limit, memory_limit
        self._check = check or guard
        self.memory = Memory()
        self._loader = loader
        self._lock = Lock()
        self._slots: OrderedDict[str, _Slot] = OrderedDict()

    @contextmanager
    def share(self, spec: str) -> Iterator[Together]:
        """The model, for many callers at a time, whose questions are joined. Raises FlipsideError where it cannot be
        loaded."""
        with self._held(spec) as slot:
            model = slot.model
            with self._lock:
                if slot.together is None or slot.together.model is not model:
                    slot.together = Together(cast("Model", model), slot.lock)
                together = slot.together
            yield together

    @contextmanager
    def use(self, spec: str) -> Iterator[Model]:
        """The model, for this caller alone until the block ends. Raises FlipsideError where it cannot be loaded."""
        with self._held(spec) as slot, slot.lock:
            yield cast("Model", slot.model)

    @contextmanager
    def _held(self, spec: str) -> Iterator[_Slot]:
        """The slot of a loaded model, which is not dropped before the block ends."""
        with self._lock:
            slot = self._slots.setdefault(spec, _Slot())
            slot.users += 1
            self._slots.move_to_end(spec)
            self._drop()
        try:
            if _is_old(slot.model):
                with slot.lock:
                    if _is_old(slot.model):
                        slot.model = self._load(spec)
                        slot.size = budget.size_of(slot.model)
                with self._lock:
                    self._drop()
            yield slot
        finally:
            with self._lock:
                slot.users -= 1

    def loaded(self) -> list[str]:
        """Specs in memory, the least recently used first."""
        with self._lock:
            return [spec for spec, slot in self._slots.items() if slot.model is not None]

    def held(self) -> int:
        """Bytes of the weights in memory."""
        with self._lock:
            return sum(slot.size for slot in self._slots.values())

    def _drop(self) -> None:
        """Forget what is old and idle while there is too much; a model in use stays until a later call."""
        most = budget.budget() if self.memory_limit is None else self.memory_limit
        newest = next(reversed(self._slots))
        for spec, slot in list(self._slots.items()):
            held = sum(each.size for each in self._slots.values())
            if len(self._slots) <= self.limit and held <= most:
                return
            if spec != newest and not slot.users:
                del self._slots[spec]

    def _load(self, spec: str) -> Model:
        try:
            self._check(spec)
            self.memory.forget(spec)
            libraries.wait()
            return self._loader(spec)
        except FlipsideError:
            raise
        except Exception as error:
            raise _failed(spec, error) from error


def _is_old(model: Model | None) -> bool:
    """Whether a model has to be loaded (again): one behind a server may be another one there by now."""
    return model is None or bool(getattr(model, "stale", False))


@cache
def shared() -> Pool:
    """The pool of this process; where the owner has set a live backend, of models there."""
    return Pool(loader=remote.loaded, check=remote.refuse) if remote.is_set() else Pool()


def _failed(spec: str, error: Exception) -> FlipsideError:
    log.exception("loading %s", spec, exc_info=error)
    first = (str(error).strip().splitlines() or [type(error).__name__])[0][:160]
    return FlipsideError(f"{spec[:100]} could not be loaded ({first.rstrip('.')}); the log has the details.")
