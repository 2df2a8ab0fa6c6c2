"""What a process of a cluster does: load the model once, then score one window after the other, each as if it were the
only one. It commits nothing: rows go back to the process that was started."""

import atexit
import os
import pickle
import time
import traceback
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from backend import __version__
from backend.engine import SCORING, reuse
from backend.engine.batching import Sample
from backend.engine.cluster.connection import ray
from backend.engine.cluster.job import How, Job, Scored, Share, unpacked
from backend.engine.inputs.decoder import Decoder
from backend.engine.inputs.prior_setup import prepare_priors
from backend.engine.plan import Plan, Stage
from backend.engine.score import Scorer
from backend.errors import FlipsideError
from backend.models.base import Model

#: How often a window may be begun: what has ended its process this often would end the next one, too.
TRIES = 3


class Board:
    """What every process looks at before a window: whether somebody has asked to stop, which stages have failed, and
    how often this window was begun. One for a run, on the machine of the process that was started."""

    def __init__(self) -> None:
        self.stopped = False
        self.failed: set[str] = set()
        self.begun: dict[int, int] = {}

    def begin(self, number: int) -> tuple[bool, set[str], int]:
        """(stopped, failed stages, how often this window has been begun, this time included)."""
        self.begun[number] = self.begun.get(number, 0) + 1
        return self.stopped, self.failed, self.begun[number]

    def stop(self) -> None:
        """Let no further window begin."""
        self.stopped = True

    def fail(self, stages: Sequence[str]) -> None:
        """Let no further window ask for these stages."""
        self.failed.update(stages)


class Worker:
    """One model in one process, as Ray Data makes it once and calls it for each window."""

    def __init__(self, job: Any, items: Any, board: Any) -> None:
        """job, items: where Ray keeps a Job and the bytes of its items. board: the handle of a Board. What is wrong
        here is said by the first window, for Ray would only try again."""
        self.ray, self.board = ray(), board
        self.name = f"{self.ray.get_runtime_context().get_node_id()[:8]}:{os.getpid()}"
        self.error = self.traceback = ""
        self.batching: dict[str, dict[str, float]] = {}
        try:
            known: Job = self.ray.get(job)
            self._begin(known, unpacked(known.plan, self.ray.get(items), known.shared))
        except FlipsideError as error:
            self.error = str(error)
        except Exception as error:  # noqa: BLE001 - a model's own code may raise anything
            self.error, self.traceback = f"{type(error).__name__}: {error}", traceback.format_exc()

    def _begin(self, job: Job, plan: Plan) -> None:
        refuse_version(job.version, self.name)
        self.plan, self.stages = plan, {stage.name: stage for stage in plan.stages}
        use_threads(job.threads)
        self.model = loaded(job.how)
        refuse_other(job.said, self.model.describe(), self.name)
        pending = [self.stages[name] for name in job.stages]
        how = job.how
        priors, details = prepare_priors(pending, self.model, plan.survey, how.device, how.dtype, how.seed)
        if details != dict(job.details):
            raise FlipsideError(
                f"{self.name}: the priors' images or language model are not those of the machine on which the run was "
                "looked at. Let every machine see the same folders."
            )
        self.priors = priors
        n = job.processes
        prepare, cut = (self.model.preparer(), self.model.text_preparer()) if n else (None, None)
        self.decoder = Decoder(max(1, job.threads), n, prepare, cut=cut)
        atexit.register(self.decoder.close)
        self.scorer = Scorer(self.model, plan, self.decoder, priors)

    def __call__(self, batch: Mapping[str, Sequence[Any]]) -> dict[str, npt.NDArray[np.object_]]:
        """One window: {"share": [a pickled Share]} -> {"scored": [a pickled Scored]}."""
        share: Share = pickle.loads(bytes(batch["share"][0]))  # noqa: S301 - this run's own starting process wrote it
        scored = Scored(
            share.number, self.name, self.name.partition(":")[0], error=self.error, traceback=self.traceback
        )
        if not self.error:
            self._score(share, scored)
        return {"scored": np.array([pickle.dumps(scored, protocol=5)], dtype=object)}

    def _score(self, share: Share, scored: Scored) -> None:
        scored.skipped, failed, tries = self.ray.get(self.board.begin.remote(share.number))
        if scored.skipped:
            return
        if tries > TRIES:
            items = [int(numbers[0]) for numbers in share.work.values() if len(numbers)]
            first = self.plan.survey.items[items[0]].item_id
            scored.error = (
                f"the window that begins with item {first} has ended its process {TRIES} times, most often because "
                "memory ran out. A smaller --batch takes less."
            )
            return
        begun, before = time.monotonic(), dict(self.scorer.asked) | {"images_decoded": self.decoder.decoded}
        work = [
            (self.stages[name], [self.plan.survey.items[number] for number in numbers.tolist()])
            for name, numbers in share.work.items()
            if name not in failed
        ]
        self.scorer.forget()
        scored.window = self.scorer.score(work)
        asked = self.scorer.asked | {"images_decoded": self.decoder.decoded}
        scored.asked = {name: n - before.get(name, 0) for name, n in asked.items()}
        if scored.window.failed:
            self.ray.get(self.board.fail.remote([*scored.window.failed]))
        if share.measured:
            scored.batching = self._measure(share.measured, work, scored)
        scored.seconds, scored.remarks = time.monotonic() - begun, self.model.remarks()

    def _measure(
        self, names: Sequence[str], work: Sequence[tuple[Stage, Sequence[Any]]], scored: Scored
    ) -> dict[str, dict[str, float]]:
        sample = Sample(self.plan)
        sample.note([(stage, items) for stage, items in work if stage.name in names], scored.window)
        return sample.measure(self.model, self.priors)


class Scout:
    """A process that looks at a model before there is a plan: what it is, what it gives, what memory it takes."""

    def __init__(self, how: How) -> None:
        self.how = how

    def look(self, version: tuple[str, int]) -> dict[str, Any]:
        """The model as the starting process knows it from then on (`remote.Remote`), or {"error"}."""
        try:
            refuse_version(version, "a machine of the cluster")
            self.model = loaded(self.how)
        except FlipsideError as error:
            return {"error": str(error), "exit_code": error.exit_code}
        model = self.model
        return {
            "described": model.describe(), "kinds": model.kinds, "pairwise": model.pairwise,
            "batch_size": model.batch_size, "trusted": bool(getattr(model, "trusted", False)),
            "folder": getattr(model, "folder", None), "memory": memory(), "gpu_memory": gpu_memory(),
        }  # fmt: skip

    def priors(self, job: Job, items: Any) -> dict[str, Any]:
        """{"details"} of the priors of a job's stages, as the record has them, or {"error"}."""
        try:
            plan, how = unpacked(job.plan, items, job.shared), self.how
            pending = [stage for stage in plan.stages if stage.name in job.stages]
            _, details = prepare_priors(pending, self.model, plan.survey, how.device, how.dtype, how.seed)
        except FlipsideError as error:
            return {"error": str(error), "exit_code": error.exit_code}
        return {"details": details, "memory": memory(), "gpu_memory": gpu_memory()}


def loaded(how: How) -> Model:
    """The model of a run. FlipsideError where it cannot be loaded here."""
    from backend.models import load

    more: dict[str, Any] = {"trust_remote_code": how.trust_remote_code, "compile": how.compile}
    model = load(how.spec, how.device, how.dtype, how.seed, **more)
    if how.batch is not None:
        model.batch_size = how.batch
    model.finds_batches = False  # the plan forms them, so that all processes give the same scores
    return model


def refuse_version(version: tuple[str, int], where: str) -> None:
    """FlipsideError where another version of the program is installed here."""
    if version != (__version__, SCORING):
        raise FlipsideError(
            f"{where} has Flipside {__version__} (scores {SCORING}), the command was given to {version[0]} (scores "
            f"{version[1]}). Install the same version on every machine."
        )


def refuse_other(said: Mapping[str, Any], mine: Mapping[str, Any], where: str) -> None:
    """FlipsideError where a model is not the one that was looked at: other weights, precision, kind of device, or other
    versions of the libraries that compute."""
    known = {"weights_sha256", "preprocessing", "dtype", "versions"}
    if reuse.identity(said) == reuse.identity(mine) and said.get("versions") == mine.get("versions"):
        return
    different = sorted(name for name in known if said.get(name) != mine.get(name)) or ["device"]
    raise FlipsideError(
        f"{where}: its model differs from the one that the run was begun with in {', '.join(different)}. Every machine "
        "needs the same files and libraries."
    )


def use_threads(n: int) -> None:
    """Let torch use as many processors as Ray gave the process, and no more."""
    import torch

    torch.set_num_threads(max(1, n))


def memory() -> int:
    """The most memory that this process has had, in bytes."""
    import resource
    import sys

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def gpu_memory() -> int | None:
    """The most memory that torch has had on this process's GPU; None without one."""
    import torch

    return int(torch.cuda.max_memory_allocated()) if torch.cuda.is_available() else None


def gpu_total() -> int:
    """The memory of the GPU that this task was given, 0 where torch sees none."""
    import torch

    return int(torch.cuda.get_device_properties(0).total_memory) if torch.cuda.is_available() else 0
