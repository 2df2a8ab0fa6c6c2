"""What a live backend does with a question: read it, ask one of its models, write the answer. Knows no network."""

import contextlib
import importlib.metadata
import json
import logging
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from backend import __version__
from backend.errors import FlipsideError, UsageError
from backend.live.remote import calls, wire
from backend.live.remote.state import unoffered
from backend.live.scoring import budget
from backend.live.scoring.joining import Answers, Call, answered
from backend.live.scoring.pool import Pool
from backend.models import Model, kinds_of, load

#: HTTP's own words for what is answered.
OK, NO_MESSAGE, TOO_LARGE, REFUSED, FAILED = 200, 400, 413, 422, 500
#: Libraries whose versions are told: what scores may differ by.
TOLD: Final = ("torch", "transformers", "numpy", "ray")

log = logging.getLogger(__name__)
Reply = tuple[int, bytes]


@dataclass(frozen=True)
class Question:
    """A question that was read: which of the offered models, and what; whether its answer should be small."""

    spec: str
    call: Call
    small: bool


class Service:
    """The models that a backend offers, and no others.

    offered: specs that may be asked for. limit: bytes of a question's arrays. memory: bytes of all models together,
    None for half of the machine's. loader: gives the model of a spec.
    """

    def __init__(
        self, offered: Sequence[str], limit: int, memory: int | None = None, loader: Callable[[str], Model] = load
    ) -> None:
        self.offered, self.limit, self.memory = tuple(offered), limit, memory
        self._loader = loader
        self._loads: dict[str, str] = {}
        self.pool = Pool(loader=self._load, memory_limit=memory, check=self.refuse)

    def refuse(self, spec: str) -> None:
        """FlipsideError for a model that is not offered."""
        if spec not in self.offered:
            raise FlipsideError(unoffered(spec, self.offered, "this backend"))

    def read(self, data: bytes) -> Question:
        """A question. BrokenError or FlipsideError for what is none, or of a model that is not offered."""
        head, arrays = wire.unpacked(data, self.limit)
        same_format(head)
        spec = str(head.get("spec"))
        self.refuse(spec)
        return Question(spec, calls.read_question(head, arrays), any(one["packed"] for one in head["arrays"]))

    def answers(self, spec: str, asked: Sequence[Call]) -> list[tuple[Answers, str]]:
        """The answers to calls of one kind to one model, joined, each with which loading of the model gave it."""
        try:
            with self.pool.use(spec) as model:
                loaded = self._loads[spec]
                return [(found, loaded) for found in answered(model, asked)]
        except Exception as error:  # noqa: BLE001 - each of the callers is told
            return [(error, "")] * len(asked)

    def written(self, question: Question, found: Answers, loaded: str) -> Reply:
        """The reply to a question."""
        if isinstance(found, Exception):
            return self.failed(found, question.spec)
        return OK, calls.answer(question.call, found, loaded, small=question.small)

    def opened(self, data: bytes) -> Reply:
        """Load a model: what it gives."""
        spec = ""
        try:
            head, _ = wire.unpacked(data, self.limit)
            same_format(head)
            spec = str(head.get("spec"))
            self.refuse(spec)
            with self.pool.share(spec) as together:
                model = together.model
                said = {
                    "kinds": sorted(map(str, model.kinds)), "pairwise": sorted(map(str, model.pairwise)),
                    "image_size": list(model.image_size) if model.image_size else None, "load": self._loads[spec],
                }  # fmt: skip
                return OK, document(said)
        except Exception as error:  # noqa: BLE001 - whoever asked is told
            return self.failed(error, spec)

    def state(self) -> dict[str, Any]:
        """What is offered and loaded, which memory that takes, and which versions compute."""
        loaded = set(self.pool.loaded())
        models = [{"spec": spec, "kinds": _kinds(spec), "loaded": spec in loaded} for spec in self.offered]
        most = budget.budget() if self.memory is None else self.memory
        versions = {}
        for name in TOLD:
            with contextlib.suppress(importlib.metadata.PackageNotFoundError):
                versions[name] = importlib.metadata.version(name)
        return {
            "format": wire.FORMAT, "version": __version__, "libraries": versions, "models": models,
            "memory": {"used": self.pool.held(), "budget": most},
        }  # fmt: skip

    def failed(self, error: Exception, spec: str = "") -> Reply:
        """The reply that says what went wrong; a fault of the program goes to the log."""
        if isinstance(error, wire.TooLargeError):
            return TOO_LARGE, problem(f"{error}; the owner sets the limit by flipside serve --limit")
        if isinstance(error, wire.BrokenError):
            return NO_MESSAGE, problem(f"this is no question: {error}")
        if isinstance(error, FlipsideError):
            return REFUSED, problem(str(error), usage=isinstance(error, UsageError))
        log.error("%s failed", spec, exc_info=error)
        first = (str(error).strip().splitlines() or [type(error).__name__])[0][:160].rstrip(".")
        return REFUSED, problem(f"{spec} failed while scoring ({first}); the other models are unaffected.")

    def _load(self, spec: str) -> Model:
        model = self._loader(spec)
        self._loads[spec] = secrets.token_hex(8)
        return model


def same_format(head: dict[str, Any]) -> None:
    """FlipsideError for a message of another version."""
    if head.get("format") != wire.FORMAT:
        raise FlipsideError(
            f"The question is of format {str(head.get('format'))[:20]}, the backend speaks format {wire.FORMAT}: "
            "install the same version of Flipside on both sides."
        )


def document(said: dict[str, Any]) -> bytes:
    """JSON, with the format."""
    return json.dumps({"format": wire.FORMAT, **said}, allow_nan=False).encode()


def problem(sentence: str, *, usage: bool = False) -> bytes:
    """JSON that says what is wrong."""
    return document({"error": sentence, "usage": usage})


def _kinds(spec: str) -> list[str]:
    try:
        return sorted(map(str, kinds_of(spec)))
    except Exception:  # noqa: BLE001 - a config that cannot be read is said when the model is asked for
        return []
