"""A whole `run` against the bare forward pass at its best batch size, with the pictures decoded in parallel; and
torch.compile against plain."""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch

#: Batch sizes that are tried, and passes that are timed at each.
SIZES, PASSES = (16, 32, 64, 128, 256, 512, 1024), 5
#: What `run` has to reach of the slower of the device and the decoding.
SHARE = 0.9


@dataclass(frozen=True)
class Bare:
    """The best batch size of the bare forward pass. rates: size -> inputs a second, of those that fit."""

    size: int
    rate: float
    rates: dict[int, float]


@dataclass(frozen=True)
class Speed:
    """seconds: of `run`'s windows at the pace of those after the first quarter, in which the decoding processes start
    (`steady`). bare: what the device needs for the same inputs at its best batches. decoding: what the pictures need to
    be decoded and prepared, with nothing else to do. found: the batch sizes that `run` found by itself. memory: the
    most that was held, bytes."""

    model: str
    dtype: str
    pictures: int
    texts: int
    seconds: float
    bare: float
    decoding: float
    image: Bare
    text: Bare
    found: dict[str, int] = field(default_factory=dict)
    memory: int = 0

    @property
    def of_device(self) -> float:
        """The share of the bare forward pass."""
        return self.bare / self.seconds

    @property
    def of_slower(self) -> float:
        """The share of what the slower of device and decoding allows."""
        return max(self.bare, self.decoding) / self.seconds

    @property
    def waits_for(self) -> str:
        """Which of the two is slower."""
        return "decoding" if self.decoding > self.bare else "the device"


def timed(work: Callable[[], Any], device: torch.device, passes: int) -> float:
    """Seconds of one pass, after two that are not timed."""
    for _ in range(2):
        work()
    done(device)
    begun = time.perf_counter()
    for _ in range(passes):
        work()
    done(device)
    return (time.perf_counter() - begun) / passes


def done(device: torch.device) -> None:
    """Wait until the device has nothing left to do."""
    if device.type == "cuda":
        torch.cuda.synchronize(device)


def best(make: Callable[[int], Callable[[], Any]], device: torch.device, sizes: tuple[int, ...] = SIZES) -> Bare:
    """The fastest batch. make: from a size to one forward pass of it; sizes that do not fit end the search."""
    from backend.models.torch_model import free_memory, out_of_memory

    rates: dict[int, float] = {}
    for size in sizes:
        try:
            with torch.inference_mode():
                rates[size] = size / timed(make(size), device, PASSES)
        except RuntimeError as error:
            if not out_of_memory(error):
                raise
            free_memory()
            break
    size = max(rates, key=lambda one: rates[one])
    return Bare(size, rates[size], rates)


def bare(model: Any, texts: list[str], sizes: tuple[int, ...] = SIZES) -> tuple[Bare, Bare]:
    """open_clip's two towers on random pixels and on the captions, at their own lengths."""
    from backend.models.dual.openclip import encode_cut

    module, device = model.module, model.device
    ids = model.tokenizer(texts).to(device)
    width = int((ids.argmax(dim=1) + 1).float().mean().round())
    rows = ids[:, :width].contiguous()
    rows[:, -1] = ids.max()  # every row closed at the mean length

    def images(size: int) -> Callable[[], Any]:
        pixels = torch.randn(size, 3, *model.image_size, device=device, dtype=model.dtype)
        return lambda: module.encode_image(pixels)

    def captions(size: int) -> Callable[[], Any]:
        part = rows.repeat(-(-size // len(rows)), 1)[:size]
        return lambda: encode_cut(module, part)

    return best(images, device, sizes), best(captions, device, sizes)


@contextmanager
def environment(name: str, value: str) -> Iterator[None]:
    """A variable of the environment while it lasts."""
    before = os.environ.get(name)
    os.environ[name] = value
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]
        else:
            os.environ[name] = before


def measure(spec: str, device: str, dtype: str, data: Path, workers: int, sizes: tuple[int, ...] = SIZES) -> Speed:
    """data: a folder in SugarCrepe's form, each picture with two captions. workers: processes that decode."""
    from backend.benchmarks import load_benchmark
    from backend.engine.inputs import processes
    from backend.engine.inputs.decoder import Decoder
    from backend.engine.runner import run
    from backend.models import load
    from bench.gpu import memory

    with tempfile.TemporaryDirectory() as folder, environment(processes.VARIABLE, f"processes:{workers}"):
        benchmark = load_benchmark("sugarcrepe", data)
        items = list(benchmark)
        texts = list(dict.fromkeys(text for item in items for text in item.texts))
        refs = list(dict.fromkeys(item.images[0] for item in items))
        pictures = len(refs)
        model = load(spec, device, dtype)
        image, text = bare(model, texts[:256], sizes)
        needs = pictures / image.rate + len(texts) / text.rate
        decoder = Decoder(1, workers, model.preparer())
        decoder.for_batches_of(model.images_at_once)
        decoder.all_there()
        for _ in decoder.batches(refs[:workers]):
            pass  # and know how large a picture is
        begun = time.perf_counter()
        for _ in decoder.batches(refs):
            pass
        decoding = time.perf_counter() - begun
        decoder.close()
        memory.begin(model.device)
        told: list[tuple[float, int]] = []
        summary = run(
            model, benchmark, ["itc"], root=Path(folder) / "cache",
            progress=lambda report: told.append((time.perf_counter(), report.done)),
        )  # fmt: skip
        if summary.failed or summary.unreadable:
            raise SystemExit(f"{spec}: {summary.failed or summary.unreadable}")
        return Speed(
            spec, dtype, pictures, len(texts), steady(told, summary.scoring), needs, decoding, image, text,
            model.found_batches(), memory.most(model.device),
        )  # fmt: skip


def steady(told: list[tuple[float, int]], otherwise: float) -> float:
    """Seconds of all windows at the pace of those after the first quarter of the scores. told: (time, scores done) at
    the end of each window. otherwise: where there was only one after it.

    >>> steady([(8.0, 100), (9.0, 300), (10.0, 500)], 10.0)
    2.5
    """
    last, done_ = told[-1]
    first, before = next(each for each in told if each[1] >= done_ / 4)
    return (last - first) * done_ / (done_ - before) if done_ > before else otherwise


@dataclass(frozen=True)
class Compiled:
    """torch.compile at one batch size. first: seconds of the first pass, which is the compiler's work. apart: largest
    difference of a number that both give."""

    model: str
    dtype: str
    size: int
    plain: float
    compiled: float
    first: float
    apart: float

    @property
    def pays_after(self) -> float | None:
        """Pictures after which it was worth it; None where it never is."""
        gain = self.plain - self.compiled
        return self.first / gain * self.size if gain > 0 else None


def compiled(spec: str, device: str, dtype: str, size: int) -> Compiled:
    """open_clip's image tower, plain and compiled in one process."""
    from backend.models import load

    plain, other = load(spec, device, dtype), load(spec, device, dtype, compile=True)
    pixels = torch.randn(size, 3, *plain.image_size, device=plain.device, dtype=plain.dtype)
    with torch.inference_mode():
        begun = time.perf_counter()
        one = other.module.encode_image(pixels)
        done(plain.device)
        first = time.perf_counter() - begun
        apart = float((one.float() - plain.module.encode_image(pixels).float()).abs().max())
        seconds = [timed(lambda m=m: m.module.encode_image(pixels), plain.device, PASSES) for m in (plain, other)]  # type: ignore[misc]
    return Compiled(spec, dtype, size, seconds[0], seconds[1], first, apart)
