"""docs/gpu.md, made of what was measured."""

from bench.gpu.results import Results
from bench.gpu.speed import Compiled, Speed
from scripts.markdown import table

HEAD = """# On a GPU

Everything that has to be seen on a GPU is one command, which writes this page:

```
python -m bench.gpu --write
```

It holds every family against its reference library in float32, bfloat16 and float16; times a whole `run` against the
bare forward pass at its best batch size, with the pictures decoded in worker processes; lets the batch find its size;
takes memory away until a batch does not fit; and compares `torch.compile` with plain PyTorch. It ends with 1 where
something is outside its limits: 1e-4 in float32, in half precision what the bits hold (2e-2 in float16, 1e-1 in
bfloat16) or twice what the library's own answers lose by rounding, and 0.9 of the slower of device and decoding.
Without a GPU the same code runs on the processor at a small size (`python -m bench.gpu --small`), prints the page and
writes nothing; a test does so.

A check that stands under *outside* without a number gave none: the model raised an error, or answered with what is no
finite number; what else would have been held against the same numbers is not counted. *Bare* is the forward pass of the
pictures and of their captions, each at its own best batch; *of the slower* is what has to reach 0.9, and compiled
numbers are compared without a limit.

How a batch finds its size, how pictures are decoded ahead, and what to set: [performance](performance.md#on-a-gpu).
"""
NOTHING = """
**Nothing is measured yet.** No GPU was at hand when this was written (November 2026); the code has run on a processor
only.
"""


def page(found: Results | None) -> str:
    """The page; None where nothing was measured."""
    if found is None:
        return HEAD + NOTHING
    named = ", ".join(f"{name} {version}" for name, version in found.versions.items())
    parts = [HEAD, f"\nMeasured on {found.date} on {found.machine}; {named}.\n"]
    if found.parity:
        rows = [
            (p.family, p.dtype, str(p.models), str(p.checks), f"{p.largest:.1e}", f"{p.limit:.0e}", "; ".join(p.failed))
            for p in found.parity
        ]
        head = ("family", "precision", "models", "checks", "largest difference", "limit", "outside")
        parts += ["\n## Parity\n\n", table(head, rows)]
    if found.speed:
        parts += ["\n## Speed\n\n", table(SPEED, [_speed(one) for one in found.speed])]
    if found.survived:
        rows = [
            (spec, one.dtype, one.limited, str(one.asked), str(one.ended), f"{one.apart:.1e}")
            for spec, one in found.survived
        ]
        head = ("model", "precision", "memory", "batch asked for", "batch at the end", "largest difference")
        parts += ["\n## Too little memory\n\n", table(head, rows)]
    if found.compiled:
        parts += ["\n## torch.compile\n\n", table(COMPILED, [_compiled(one) for one in found.compiled])]
    return "".join(parts)


SPEED = (
    "model", "precision", "pictures", "`run`, a second", "bare, a second", "best batch", "batches found",
    "decoding, a second", "waits for", "of the bare forward", "of the slower", "memory",
)  # fmt: skip
COMPILED = (
    "model", "precision", "batch", "plain, ms", "compiled, ms", "first pass, s", "pays after", "largest difference"
)  # fmt: skip


def _speed(one: Speed) -> tuple[str, ...]:
    rates = (f"{one.pictures / seconds:,.0f}" for seconds in (one.seconds, one.bare, one.decoding))
    run, bare, decoding = rates
    sizes = ", ".join(f"{name} {size}" for name, size in one.found.items()) or "64"
    return (
        f"`{one.model}`", one.dtype, f"{one.pictures:,}", run, bare, str(one.image.size), sizes, decoding,
        one.waits_for, f"{one.of_device:.2f}", f"{one.of_slower:.2f}", f"{one.memory / 2**30:.1f} GiB",
    )  # fmt: skip


def _compiled(one: Compiled) -> tuple[str, ...]:
    after = "never" if one.pays_after is None else f"{one.pays_after:,.0f} pictures"
    return (
        f"`{one.model}`", one.dtype, str(one.size), f"{1e3 * one.plain:.1f}", f"{1e3 * one.compiled:.1f}",
        f"{one.first:.1f}", after, f"{one.apart:.1e}",
    )  # fmt: skip
