"""What all torch models share: batches that shrink when memory runs out, and the record of how they were loaded."""

import gc
import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from backend.errors import FlipsideError
from backend.models import folders, taught
from backend.models.base import Model
from backend.models.device import device_name, resolve_device, resolve_dtype
from backend.models.growing import Growing
from backend.models.kept_features import KeptFeatures, room
from backend.models.request import Request

#: A batch holds at most batch_size × this many tokens, so that a few endless captions cannot fill the memory.
TOKENS_PER_ROW = 64
#: The largest batch that finds itself on a GPU, and how many pictures such a batch is given to find it.
MOST, PICTURES = 1024, 512
#: The largest batch of pictures that goes through the staging memory, bytes.
STAGED = 1 << 30
LIBRARIES = ("torch", "transformers", "tokenizers", "torchvision", "pillow", "numpy")


class Unsaid(int):
    """A batch size that nobody has said. Who puts it back leaves the batch free to find its own."""


class TorchModel(Model):
    """A model whose `module` is a torch.nn.Module in evaluation mode on `device` in `dtype`."""

    libraries: tuple[str, ...] = ()
    _said: int | None = None

    def __init__(self, request: Request) -> None:
        super().__init__(request.spec)
        self.device = resolve_device(request.device)
        self.dtype = resolve_dtype(request.dtype, self.device, request.config)
        self.seed = request.seed
        self.trusted = request.trust_remote_code
        self.folder: Path | None = request.folder if request.folder != Path() else None
        self.compiled = False
        self._weights_sha256 = ""
        self.features: KeptFeatures | None = None
        self._growing: dict[Any, Growing] = {}
        self._fitted: dict[Any, int] = {}  # by the code of the work, the most inputs that have gone through at once

    @property
    def batch_size(self) -> int:
        """How many at once: what was said, else what a batch that finds itself begins with."""
        return Unsaid(Model.batch_size) if self._said is None else self._said

    @batch_size.setter
    def batch_size(self, size: int) -> None:
        self._said = None if isinstance(size, Unsaid) else size

    def keep_features(self, *, keep: bool) -> None:
        self.features = KeptFeatures(room()) if keep and room() else None

    def pictures_are(self, digests: Mapping[int, str]) -> None:
        if self.features is not None:
            self.features.digests = digests

    @property
    def images_at_once(self) -> int:
        return PICTURES if self._finds() else self.batch_size

    def _finds(self) -> bool:
        """Whether a batch finds its size (growing.py): on a GPU, where nobody has said one and the plan does not form
        them."""
        return self.finds_batches and self._said is None and self.device.type == "cuda"

    def found_batches(self) -> dict[str, int]:
        names = {code: code.co_qualname.partition(".<locals>")[0].rpartition(".")[2] for code in self._growing}
        return {names[code]: growing.size for code, growing in self._growing.items()}

    def in_batches(
        self,
        order: NDArray[np.int64],
        work: Callable[[NDArray[np.int64]], None],
        lengths: NDArray[np.int64] | None = None,
        most: int | None = None,
    ) -> None:
        """Call `work` on successive parts of `order`; on out-of-memory let go of kept features, or halve the batch
        where there are none, and go on with the same part. The batch stays halved, but where as many inputs fitted
        before: then it is halved for this call, and stays so where the next one finds no more memory either.
        most: the largest part, however large a batch is."""
        growing = None
        if self._finds():
            growing = self._growing.setdefault(work.__code__, Growing(self.batch_size, MOST))
        start, few = 0, len(order)
        while start < len(order):
            size = min(self.batch_size if growing is None else growing.size, few)
            size = size if most is None else min(size, most)
            part = order[start : start + size]
            if lengths is not None:
                rows = np.maximum.accumulate(lengths[part]) * np.arange(1, len(part) + 1)
                part = part[: max(1, int(np.searchsorted(rows, size * TOKENS_PER_ROW, side="right")))]
            full = False
            try:
                with torch.inference_mode():
                    self._one(work, part, lengths, growing)
            except RuntimeError as error:
                if not out_of_memory(error):
                    raise
                full = True
            if not full:
                start += len(part)
                self._fitted[work.__code__] = max(self._fitted.get(work.__code__, 0), len(part))
            elif self.features is not None and self.features.let_go():
                free_memory()
            elif len(part) > 1:
                free_memory()
                if len(part) <= self._fitted.get(work.__code__, 0):  # as many others fitted: fewer of these alone
                    few = self._fitted[work.__code__] = len(part) // 2
                elif growing is None:
                    self.batch_size = len(part) // 2
                else:
                    growing.failed(len(part) // 2)
            else:
                raise FlipsideError(f"{self.spec}: a single item does not fit into the memory of {self.device}.")
        if growing is not None:
            growing.asked()

    def _one(
        self,
        work: Callable[[NDArray[np.int64]], None],
        part: NDArray[np.int64],
        lengths: NDArray[np.int64] | None,
        growing: Growing | None,
    ) -> None:
        """One batch; timed, with all that the device had to do for it, while its size is being found."""
        if growing is None or growing.settled:
            work(part)
            return
        begun = time.perf_counter()
        work(part)
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)
        positions = len(part) if lengths is None else int(lengths[part].max()) * len(part)
        growing.note(len(part), positions, time.perf_counter() - begun)

    def on_device(self, pixels: Sequence[torch.Tensor]) -> torch.Tensor:
        """Pictures of one shape as a batch on the device. On a GPU through memory that cannot be swapped, which nobody
        waits for: torch keeps it, and gives it out again once the GPU has read it."""
        n_bytes = len(pixels) * pixels[0].nbytes
        if self.device.type != "cuda" or n_bytes > STAGED:
            return torch.stack(list(pixels)).to(self.device, self.dtype)
        memory = torch.empty(n_bytes, dtype=torch.uint8, pin_memory=True)
        return staged(pixels, memory).to(self.device, non_blocking=True).to(self.dtype)

    def compile(self) -> None:
        """Compile the module's direct parts in place, since adapters call towers and decoders by themselves."""
        for part in self.module.children():
            part.compile(dynamic=True)
        self.compiled = True

    def check_weights(self) -> None:
        """FlipsideError where a weight is NaN or infinite: damaged files, or values that do not fit into the dtype."""
        for name, value in self.module.named_parameters():
            if value.device.type != "meta" and not bool(torch.isfinite(value).all()):
                kind = str(self.dtype).removeprefix("torch.")
                hint = "the files are damaged" + (
                    "" if kind == "float32" else f", or {kind} cannot hold them: try --dtype float32"
                )
                raise FlipsideError(f"{self.spec}: its weights hold NaN or infinite values ({name}); {hint}.")

    def tensor(self, values: Any) -> torch.Tensor:
        """Integers for an embedding table, on the model's device."""
        return torch.as_tensor(values, dtype=torch.long, device=self.device)

    def describe(self) -> dict[str, Any]:
        scale, bias = (getattr(self.module, name, None) for name in ("logit_scale", "logit_bias"))
        return {
            "spec": self.spec,
            "family": self.family,
            "class": type(self.module).__name__,
            "kinds": sorted(map(str, self.kinds)),
            "weights_sha256": self.weights_sha256(),
            "preprocessing": self.preprocessing(),
            "image_size": list(self.image_size) if self.image_size else None,
            "dtype": str(self.dtype).removeprefix("torch."),
            "device": device_name(self.device),
            "compiled": self.compiled,
            "logit_scale": float(scale.detach().float().exp()) if isinstance(scale, torch.Tensor) else None,
            "logit_bias": float(bias.detach().float()) if isinstance(bias, torch.Tensor) else None,
            "versions": versions(LIBRARIES + self.libraries),
            "seed": self.seed,
            **taught.record(self.folder),
        }

    def preprocessing(self) -> dict[str, Any]:
        """What happens to images and texts before the module sees them."""
        return {"settings_sha256": folders.settings_sha256(self.folder) if self.folder else None}

    def weights_sha256(self) -> str:
        """sha256 over the weight files' contents in name order; over the parameters where there are no files."""
        if not self._weights_sha256:
            files = folders.weight_files(self.folder) if self.folder else []
            self._weights_sha256 = folders.sha256_of(files) if files else parameters_sha256(self.module)
        return self._weights_sha256


def parameters_sha256(module: torch.nn.Module) -> str:
    """sha256 over all parameters and saved buffers, by name, in float32."""
    digest = hashlib.sha256()
    for name, value in sorted(module.state_dict().items()):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(value.detach().float().cpu().numpy()).tobytes())
    return digest.hexdigest()


def by_length(lengths: NDArray[np.int64], positions: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
    """Positions from the shortest text to the longest, so that a batch holds little padding."""
    chosen = np.arange(len(lengths)) if positions is None else positions
    return np.asarray(chosen[np.argsort(lengths[chosen], kind="stable")], dtype=np.int64)


def normalised(features: torch.Tensor) -> NDArray[np.float32]:
    """Rows of unit length, in float32."""
    return np.asarray(torch.nn.functional.normalize(features.float(), dim=-1).cpu().numpy(), dtype=np.float32)


def stacked(rows: Sequence[NDArray[np.float32] | None]) -> NDArray[np.float32]:
    """The rows as one array; no rows give an array of shape (0, 0)."""
    return np.stack([r for r in rows if r is not None]) if rows else np.zeros((0, 0), dtype=np.float32)


def staged(pixels: Sequence[torch.Tensor], memory: torch.Tensor) -> torch.Tensor:
    """Pictures of one shape and dtype on the processor as one tensor in that memory, (n, ...): by one thread, since
    torch's own are as many as cores, which decode meanwhile."""
    n_bytes = len(pixels) * pixels[0].nbytes
    batch = memory[:n_bytes].view(pixels[0].dtype).view(len(pixels), *pixels[0].shape)
    for place, one in zip(batch.numpy(), pixels, strict=True):
        np.copyto(place, one.numpy(), casting="no")
    return batch


def out_of_memory(error: RuntimeError) -> bool:
    """Whether torch says that a device, or the machine, has no memory left."""
    return isinstance(error, torch.OutOfMemoryError) or "can't allocate memory" in str(error)


def free_memory() -> None:
    """Give back what the failed batch held."""
    gc.collect()
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def versions(names: Sequence[str]) -> dict[str, str]:
    """Installed versions of the libraries a score depends on."""
    found = {}
    for name in names:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
