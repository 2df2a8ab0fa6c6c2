"""A model that is loaded elsewhere, as the process that was started knows it; and the way to its cluster."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from backend import __version__
from backend.engine import SCORING
from backend.engine.cluster import worker
from backend.engine.cluster.connection import Cluster
from backend.engine.cluster.job import How, Job, packed
from backend.engine.cluster.places import Need, Node, Places, first_place, places, wants_gpu
from backend.engine.inputs.processes import asked_for
from backend.engine.plan import Plan, Stage
from backend.errors import FlipsideError, UsageError
from backend.models.base import Model


class Remote(Model):
    """What a plan and a record need of a model whose weights are on other machines. It scores nothing itself."""

    def __init__(self, cluster: Cluster, how: How) -> None:
        """Load it once on one machine of the cluster, where it stays until `start`. FlipsideError where that fails."""
        super().__init__(how.spec)
        if cluster.looked_at is not None:
            cluster.looked_at.close()
        self.cluster = cluster
        self._scout: Any = None
        cluster.looked_at = self
        nodes = cluster.nodes()
        self.gpu = wants_gpu(how.device, nodes)
        # A GPU that Ray was not told of is nobody's: without one to give, every process is on the processor.
        self.how = how = replace(how, device="cuda" if self.gpu else "cpu")
        self.nodes = self._with_gpus(nodes) if self.gpu else nodes
        where = first_place(self.nodes, self.gpu)
        asked = {"num_cpus": 1, "num_gpus": int(self.gpu), "scheduling_strategy": cluster.on(where)}
        self._scout = cluster.ray.remote(**asked)(worker.Scout).remote(how)
        said = self._told(self._scout.look.remote((__version__, SCORING)))
        self.described, self._remarks = dict(said["described"]), dict[str, Any]()
        self.kinds, self.pairwise, self.batch_size = said["kinds"], said["pairwise"], said["batch_size"]
        self.trusted, self.folder = said["trusted"], said["folder"]
        self._note(said)
        self._items: Any = None

    def describe(self) -> dict[str, Any]:
        """What it said of itself where it was looked at."""
        return self.described

    def remarks(self) -> dict[str, Any]:
        """Those of all processes that scored, numbers added up."""
        return self._remarks

    def note_remarks(self, each: Sequence[Mapping[str, Any]]) -> None:
        """Take the last remarks of each process."""
        for one in each:
            self._remarks = _added(self._remarks, one)

    def priors(self, plan: Plan, stages: Sequence[Stage]) -> dict[str, dict[str, Any]]:
        """What the priors of some stages are computed from, as the record has it; the scout makes them ready once."""
        if not any(stage.source is not None for stage in stages):
            return {}
        job = self.job(plan, stages, {}, 1)
        said = self._told(self._scout.priors.remote(job, self.items(plan)))
        self._note(said)
        return dict(said["details"])

    def job(self, plan: Plan, stages: Sequence[Stage], details: Mapping[str, Mapping[str, Any]], threads: int) -> Job:
        """What every process is given."""
        names = tuple(stage.name for stage in stages)
        shared = plan.survey.items.shared
        return Job(self.how, packed(plan), shared, names, self.described, details, threads, asked_for(threads))

    def items(self, plan: Plan) -> Any:
        """The items of the plan's survey in Ray's own store, put there once: each machine has them once."""
        data = plan.survey.items.data
        if self._items is None:
            self._items = self.cluster.ray.put(np.frombuffer(data, np.uint8))
        return self._items

    def places(self) -> Places:
        """Where processes of it fit, now that its memory is known; the scout is gone from then on."""
        self.close()
        return places(self.nodes if self.gpu else self.cluster.nodes(), self.need)

    def close(self) -> None:
        """End the scout, whose memory others need."""
        if self._scout is not None:
            with suppress(Exception):
                self.cluster.ray.kill(self._scout)
            self._scout = None

    def _note(self, said: Mapping[str, Any]) -> None:
        self.need = Need(said["memory"], said["gpu_memory"] if self.gpu else None)

    def _told(self, answer: Any) -> dict[str, Any]:
        """The scout's answer. FlipsideError for what it says is wrong, and where its process has ended."""
        try:
            said = dict(self.cluster.ray.get(answer))
        except self.cluster.ray.exceptions.RayActorError as error:
            raise FlipsideError(
                f"{self.spec}: the process that loaded it on the cluster has ended, most often because memory ran "
                f"out there ({' '.join(str(error).split())[:200]}). `ray logs` shows it."
            ) from None
        except self.cluster.ray.exceptions.RayTaskError as error:
            raise FlipsideError(f"{self.spec}: loading it on the cluster failed: {error.cause or error}") from error
        if "error" in said:
            raise (UsageError if said["exit_code"] == UsageError.exit_code else FlipsideError)(said["error"])
        return said

    def _with_gpus(self, nodes: Sequence[Node]) -> list[Node]:
        """The machines with the memory of their GPUs, as one small task on each tells."""
        ask = self.cluster.ray.remote(worker.gpu_total)
        asked = [
            (node, ask.options(num_cpus=0, num_gpus=1, scheduling_strategy=self.cluster.on(node)).remote())
            if node.gpus >= 1
            else (node, None)
            for node in nodes
        ]
        return [node if one is None else replace(node, gpu_memory=self.cluster.ray.get(one)) for node, one in asked]


def _added(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Two documents of counts as one: numbers added, what is no number as the later one has it.

    >>> _added({"a": 1, "b": {"c": 2}}, {"b": {"c": 3}, "d": "x"})
    {'a': 1, 'b': {'c': 5}, 'd': 'x'}
    """
    found = dict(one)
    for name, value in other.items():
        before = found.get(name)
        if isinstance(value, Mapping):
            found[name] = _added(before if isinstance(before, Mapping) else {}, value)
        elif isinstance(value, int | float) and isinstance(before, int | float):
            found[name] = before + value
        else:
            found[name] = value
    return found
