"""Where the processes of one model fit: by its memory, measured once, and by what the machines of a cluster offer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from backend.errors import FlipsideError, UsageError

#: Processors that one process may have, the same on all machines: for the model's forward, or decoding for a GPU.
SOME_CPUS = (1, 2, 4)
#: What a process takes beyond what it had when its model was loaded: a window's pictures, scores and activations.
ROOM = 1.25
#: What of a GPU's memory a model may take when it is loaded: the rest is for activations, which shrink with the batch.
OF_GPU = 0.85


@dataclass(frozen=True, slots=True)
class Node:
    """A machine of a cluster. memory: bytes that Ray gives out. accelerator: Ray's name of its GPUs' kind, "" without.
    gpu_memory: bytes of each of its GPUs, 0 where that is not known."""

    id: str
    cpus: float
    gpus: float = 0.0
    memory: int = 0
    accelerator: str = ""
    gpu_memory: int = 0


@dataclass(frozen=True, slots=True)
class Need:
    """What one loaded model has taken, in bytes: of the machine's memory at most, and of a GPU's (None: it is on
    none)."""

    memory: int
    gpu_memory: int | None = None


@dataclass(frozen=True, slots=True)
class Places:
    """How many processes there are, and what each one asks Ray for. on: node id -> how many fit there."""

    cpus: int
    gpus: int
    memory: int
    on: Mapping[str, int]
    accelerators: Sequence[str] = field(default=())

    @property
    def n(self) -> int:
        """How many processes fit in all."""
        return sum(self.on.values())

    def asked(self) -> dict[str, Any]:
        """The arguments of `map_batches` that say so."""
        asked: dict[str, Any] = {"num_cpus": self.cpus, "memory": self.memory}
        asked |= {"num_gpus": self.gpus} if self.gpus else {}
        if self.accelerators:
            asked["label_selector"] = {"ray.io/accelerator-type": f"in({','.join(self.accelerators)})"}
        return asked

    def __str__(self) -> str:
        each = f"{self.cpus} CPU{'s' if self.cpus > 1 else ''}{', 1 GPU' if self.gpus else ''}, {size(self.memory)}"
        machines = sum(n > 0 for n in self.on.values())
        processes = "1 process" if self.n == 1 else f"{self.n} processes"
        return f"{processes} on {machines} {'machine' if machines == 1 else 'machines'}, each with {each}"


def wants_gpu(device: str, nodes: Sequence[Node]) -> bool:
    """Whether processes ask for a GPU. UsageError for a device that a cluster cannot give."""
    if device not in ("auto", "cpu", "cuda"):
        raise UsageError(
            f"--device {device} with --ray: use auto, cpu or cuda; Ray gives each process a GPU of its own."
        )
    there = any(node.gpus >= 1 for node in nodes)
    if device == "cuda" and not there:
        raise UsageError("--device cuda: no machine of the cluster has a GPU, as `ray status` shows.")
    return there and device != "cpu"


def first_place(nodes: Sequence[Node], gpu: bool) -> Node:
    """The machine on which a model is looked at: the one with the most memory, of GPUs where it goes on one."""
    fitting = [node for node in nodes if node.cpus >= 1 and (node.gpus >= 1 or not gpu)]
    if not fitting:
        raise FlipsideError("--ray: no machine of the cluster offers a processor. `ray status` shows what there is.")
    return max(fitting, key=lambda node: ((node.gpu_memory, node.gpus) if gpu else (0, 0.0), node.memory, node.cpus))


def places(nodes: Sequence[Node], need: Need) -> Places:
    """As many processes as fit: one a GPU, or for some processors, and on each machine no more than its memory holds.

    FlipsideError, with what is needed and what there is, where not one does.

    >>> found = places([Node("a", 8, 2, 64 << 30, "A100"), Node("b", 2, 0, 64 << 30)], Need(4 << 30, 9 << 30))
    >>> found.n, found.cpus, found.on
    (2, 4, {'a': 2})
    """
    gpu = need.gpu_memory is not None
    memory = int(need.memory * ROOM)
    able = [node for node in nodes if node.cpus >= 1 and (not gpu or node.gpus >= 1)]
    large = [node for node in able if not gpu or _holds(node, need.gpu_memory or 0)]
    fits = {cpus: _fitting(large, cpus, memory, gpu) for cpus in SOME_CPUS}
    # As many GPUs, or processors, at work as can be; of equal ones the fewest processes.
    cpus = max(fits, key=lambda cpus: (sum(fits[cpus].values()) * (1 if gpu else cpus), cpus))
    on = fits[cpus]
    if on:
        kinds = {node.accelerator for node in large if node.id in on}
        some = gpu and len(large) < len(able)  # else any GPU of the cluster will do
        return Places(cpus, int(gpu), memory, on, sorted(kinds) if some else ())
    if able and not large:
        most = max(node.gpu_memory for node in able)
        raise FlipsideError(
            f"--ray: the model takes {size(need.gpu_memory or 0)} of a GPU's memory; the largest of the cluster's GPUs "
            f"has {size(most)}, of which {OF_GPU:.0%} may be weights. Add a larger one, or use --dtype bfloat16."
        )
    most = max((node.memory for node in able), default=0)
    raise FlipsideError(
        f"--ray: a process of this model takes {size(memory)}; the machine of the cluster with the most memory offers "
        f"{size(most)}. Add a larger one (`ray start --memory BYTES` says what Ray may give out)."
    )


def _fitting(nodes: Sequence[Node], cpus: int, memory: int, gpu: bool) -> dict[str, int]:
    """Node id -> how many processes of so many processors fit there, of nodes that have any."""
    found = {
        node.id: int(min(node.cpus // cpus, node.memory // memory, *([node.gpus] if gpu else []))) for node in nodes
    }
    return {name: n for name, n in found.items() if n}


def _holds(node: Node, gpu_memory: int) -> bool:
    return not node.gpu_memory or gpu_memory <= OF_GPU * node.gpu_memory


def size(n: int) -> str:
    """Bytes in words.

    >>> size(3 << 29), size(200 << 20)
    ('1.5 GB', '200 MB')
    """
    return f"{n / 2**30:.1f} GB" if n >= 2**30 else f"{n / 2**20:.0f} MB"
