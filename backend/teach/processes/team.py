"""What processes that train together ask of each other. Alone there is nobody to ask, and nothing is changed.

Each process computes its share of a batch, all get all of it, and each computes the loss of the whole batch from it.
Every process minimises the loss divided by their number; what comes back through `each` is summed over the processes,
and so are the gradients in the end (`summed`): then every weight, in a tower or behind it, has the gradient that one
process would find.
"""

import atexit
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import torch
from torch import Tensor, distributed

from backend import extras
from backend.errors import FlipsideError, UsageError
from backend.models.torch_model import out_of_memory
from backend.teach.processes import launching

#: How long one may wait for another: the first saves, a step may be long. Who is gone is noticed at once.
_PATIENCE = timedelta(days=1)


class Team:
    """The processes of a training, seen from one of them; this class: the only one."""

    rank, size = 0, 1

    @property
    def first(self) -> bool:
        """Whether this is the process that writes and speaks."""
        return self.rank == 0

    def each(self, n: int, compute: Callable[[slice], Tensor]) -> Tensor:
        """`compute` of all n >= 1 rows: (n, …), whose rows `compute` gives for a slice of them."""
        return compute(slice(0, n))

    def agreed(self, said: bool) -> bool:
        """What the first process says."""
        return said

    def wait(self) -> None:
        """Until all are here."""

    def summed(self, parameters: Iterable[Tensor]) -> None:
        """Add up the gradients of all processes."""

    def every(self, states: Sequence[Tensor]) -> list[Tensor]:
        """The states (byte tensors) of all processes, one's after the other's."""
        return list(states)


class Several(Team):
    """Processes that have found each other."""

    def __init__(self, rank: int, size: int) -> None:
        self.rank, self.size = rank, size

    def each(self, n: int, compute: Callable[[slice], Tensor]) -> Tensor:
        """Shares are of one length, and overlap where n is no multiple of the number of processes."""
        shares, rows = parts(n, self.size)
        found: Tensor = _Gathered.apply(compute(shares[self.rank]), self.rank, self.size)
        return found[torch.tensor(rows, device=found.device)]

    def agreed(self, said: bool) -> bool:
        flag = torch.tensor([int(said)], device=self.device)
        with _together():
            distributed.broadcast(flag, 0)
        return bool(flag.item())

    @property
    def device(self) -> torch.device:
        """Where tensors lie that are sent."""
        return torch.device("cuda", torch.cuda.current_device()) if distributed.get_backend() == "nccl" else _CPU

    def wait(self) -> None:
        self.agreed(True)

    def summed(self, parameters: Iterable[Tensor]) -> None:
        gradients = [each.grad for each in parameters if each.grad is not None]
        if not gradients:
            return
        flat = torch.cat([gradient.flatten() for gradient in gradients])
        with _together():
            distributed.all_reduce(flat)
        start = 0
        for gradient in gradients:
            gradient.copy_(flat[start : start + gradient.numel()].view_as(gradient))
            start += gradient.numel()

    def every(self, states: Sequence[Tensor]) -> list[Tensor]:
        found: list[Any] = [None] * self.size
        with _together():
            distributed.all_gather_object(found, [state.cpu() for state in states])
        return [state for each in found for state in each]


def parts(n: int, size: int) -> tuple[list[slice], list[int]]:
    """(the rows of each process, where each row stands when these are laid after each other).

    >>> parts(5, 2)  # row 2 is computed twice
    ([slice(0, 3, None), slice(2, 5, None)], [0, 1, 2, 4, 5])
    """
    share = -(-n // size)
    starts = [min(rank * share, n - share) for rank in range(size)]
    owners = [row // share for row in range(n)]
    rows = [owner * share + row - starts[owner] for row, owner in enumerate(owners)]
    return [slice(start, start + share) for start in starts], rows


_CPU = torch.device("cpu")
#: The only process.
ALONE = Team()


class _Gathered(torch.autograd.Function):
    """The shares (k, …) of all processes after each other, (size x k, …); back comes the sum of what all want of a
    share."""

    @staticmethod
    def forward(ctx: Any, share: Tensor, rank: int, size: int) -> Tensor:
        ctx.rank = rank
        share = share.contiguous()
        found = [torch.empty_like(share) for _ in range(size)]
        with _together():
            distributed.all_gather(found, share)
        return torch.cat(found)

    @staticmethod
    def backward(ctx: Any, *wanted: Any) -> Any:
        total = wanted[0].float().contiguous()
        with _together():
            distributed.all_reduce(total)
        share = total.chunk(distributed.get_world_size())[ctx.rank]
        return share.to(wanted[0].dtype), None, None


@contextmanager
def _together() -> Iterator[None]:
    """FlipsideError, or a quiet end where `launching` speaks, when another process is gone."""
    try:
        yield
    except RuntimeError as error:
        if out_of_memory(error):
            raise
        atexit.unregister(_parted)
        if launching.STORE in os.environ:
            raise SystemExit(launching.LOST) from None
        line = (str(error).splitlines() or [""])[0]
        raise FlipsideError(
            f"another process of this training is gone ({line[:200]}). The last checkpoint is intact, and the same "
            "command goes on from it."
        ) from error


def joined(device: str) -> tuple[Team, str]:
    """The processes that a launcher has started, and the device of this one; alone, and the device as asked for, where
    there is none. UsageError for a device that several processes cannot have."""
    here = launching.place()
    if here is None:
        return ALONE, device
    launching.end_with_launcher()
    kind = device.partition(":")[0]
    cuda = torch.cuda.is_available() if kind == "auto" else kind == "cuda"
    if kind not in ("auto", "cpu", "cuda") or ":" in device:
        raise UsageError(f"--device {device}: {here.size} processes take cpu, or cuda, where each gets a GPU.")
    if cuda and torch.cuda.device_count() < here.local_size:
        raise UsageError(
            f"{here.local_size} processes need as many GPUs, and {torch.cuda.device_count()} are here: start fewer, or "
            "give --device cpu."
        )
    _meet(here, cuda)
    return Several(here.rank, here.size), f"cuda:{here.local}" if cuda else "cpu"


def _meet(here: launching.Place, cuda: bool) -> None:
    """Let Accelerate bring the processes together. FlipsideError where it is not installed, or they do not meet."""
    try:
        from accelerate import PartialState  # type: ignore[import-untyped]
    except ImportError:
        raise FlipsideError(
            "Several processes need the package accelerate, which is not installed here; install it with "
            f"{extras.install('teach')}, or train by one process."
        ) from None
    how: dict[str, Any] = {"timeout": _PATIENCE}
    if store := os.environ.get(launching.STORE):
        how |= {"init_method": f"file://{store}/met", "rank": here.rank, "world_size": here.size}
    try:
        PartialState(cpu=not cuda, **how)
    except (RuntimeError, ValueError) as error:
        line = (str(error).splitlines() or [type(error).__name__])[0]
        raise FlipsideError(f"the {here.size} processes did not find each other ({line[:200]}).") from error
    atexit.register(_parted)


def _parted() -> None:
    if distributed.is_initialized():
        distributed.destroy_process_group()
