"""torch.compile against plain PyTorch, alternating in one process: does `--compile` pay, and after how many calls?

    python -m bench.compiled [--model bundled:clip] [--rounds 9] [--device auto] [--dtype auto]

Both copies score the same pictures and captions (the scores must agree). What is compared: seconds a round (median,
smallest and largest), and the seconds that the compiled copy's first round took longer, which is the compiler's work.
"""

import statistics
import sys
import time
from collections.abc import Callable
from typing import Annotated

import numpy as np
import typer

from backend.benchmarks import load_benchmark
from backend.images import open_image
from backend.items import Kind
from backend.models import Model, load
from backend.models.fidelity import TOLERANCE, tolerance_of
from backend.verbs.shared.output import print_table

PICTURES, TEXTS = 64, 256


def work(model: Model) -> Callable[[], np.ndarray]:
    """One round: 64 pictures and 256 captions for towers, or their pairs for a captioner or matching head."""
    items = [item for _, item in zip(range(TEXTS), load_benchmark("world"), strict=False) if item.images]
    pictures = [open_image(item.images[0].uri) for item in items[:PICTURES]]
    texts = [item.texts[0] for item in items]
    paired = [pictures[k % len(pictures)] for k in range(len(texts))]
    if Kind.ITM in model.kinds:
        return lambda: model.itm_logits(paired, texts)
    if Kind.GEN in model.kinds:
        return lambda: np.concatenate([logprobs for _, logprobs in model.caption_logprobs(paired, texts)])
    if Kind.ITC in model.kinds:
        return lambda: np.concatenate([model.encode_images(pictures), model.encode_texts(texts)])
    if Kind.T2T in model.kinds:
        return lambda: model.encode_texts(texts)
    return lambda: np.concatenate([logprobs for _, logprobs in model.text_logprobs(texts)])


def timed(call: Callable[[], np.ndarray]) -> tuple[float, np.ndarray]:
    """Seconds and result."""
    begun = time.perf_counter()
    found = call()
    return time.perf_counter() - begun, found


def main(
    model: Annotated[str, typer.Option()] = "bundled:clip",
    rounds: Annotated[int, typer.Option()] = 9,
    device: Annotated[str, typer.Option()] = "auto",
    dtype: Annotated[str, typer.Option()] = "auto",
) -> None:
    """Compare the two."""
    plain = load(model, device, dtype)
    compiled = load(model, device, dtype, compile=True)
    calls = {"plain": work(plain), "compiled": work(compiled)}
    first = {name: timed(call) for name, call in calls.items()}
    apart = float(np.abs(first["plain"][1] - first["compiled"][1]).max())
    if not apart <= max(TOLERANCE, tolerance_of(plain)):
        raise SystemExit(f"the scores differ by {apart}")
    seconds: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            seconds[name].append(timed(call)[0])
    rows = [
        (name, f"{statistics.median(s):.3f}", f"{min(s):.3f}", f"{max(s):.3f}", f"{first[name][0]:.1f}")
        for name, s in seconds.items()
    ]
    print_table((f"{model}, {plain.describe()['device']}", "median s", "min", "max", "first round"), rows)
    gained = statistics.median(seconds["plain"]) - statistics.median(seconds["compiled"])
    spent = first["compiled"][0] - statistics.median(seconds["compiled"])
    said = f"pays after {spent / gained:.0f} rounds" if gained > 0 else "never pays here"
    sys.stdout.write(f"largest difference of a score {apart:.1e}; {said}\n")


if __name__ == "__main__":
    typer.run(main)
