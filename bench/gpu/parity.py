"""Every family of the zoo against its reference library on the device, in each precision: what `make fidelity` measures
on a processor, summed up by family."""

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any

import torch

from scripts import fidelity

DTYPES = ("float32", "bfloat16", "float16")


@dataclass(frozen=True)
class Parity:
    """One family in one precision. largest: the difference that lies nearest to its limit, or above it. limit: what is
    allowed there: 1e-4 in float32; in half precision what the bits hold, or twice what the library's own answers lose
    by rounding, whichever is more. failed: checks outside their limits, by name."""

    family: str
    dtype: str
    models: int
    checks: int
    largest: float
    limit: float
    failed: tuple[str, ...]


def measure(device: str, dtypes: Sequence[str] = DTYPES, only: str = "", processes: int = 1) -> list[Parity]:
    """All families whose name, or whose model's name, holds `only`. processes: that share the cases: the models are so
    small that one process hardly uses a GPU."""
    found = []
    for dtype in dtypes:
        found += by_family(_rows(device, dtype, only, processes), dtype)
    return found


def names(only: str) -> list[str]:
    """The models whose name, or whose family's, holds `only`."""
    from tests.zoo import cases

    return [case.name for case in cases() if only.lower() in f"{case.name} {case.family}".lower()]


def _rows(device: str, dtype: str, only: str, processes: int) -> list[dict[str, Any]]:
    if processes == 1:
        return fidelity.measure(device, dtype, only)
    from tests.zoo import cases

    n = len(cases())
    shares = [(k, n) for k in range(n)]  # one model each: some take half a minute
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), torch.set_num_threads, (1,)) as pool:
        return list(chain(*pool.map(fidelity.measure, repeat(device), repeat(dtype), repeat(only), shares)))


def by_family(rows: list[dict[str, Any]], dtype: str) -> list[Parity]:
    """What `fidelity.measure` gave, a line for each family."""
    found = []
    for family in sorted({row["family"] for row in rows}):
        mine = [row for row in rows if row["family"] == family]
        compared = [row for row in mine if row["largest"] is not None]
        nearest = max(compared, key=lambda row: row["largest"] / row["limit"], default={"largest": 0.0, "limit": 0.0})
        failed = tuple(_outside(row) for row in mine if not row["ok"])
        models = len({row["model"] for row in mine})
        found.append(Parity(family, dtype, models, len(mine), nearest["largest"], nearest["limit"], failed))
    return found


def _outside(row: dict[str, Any]) -> str:
    """Which check failed, and how."""
    why = row["problem"] or f"{row['largest']:.1e}, where {row['limit']:.0e} is allowed"
    return f"{row['model']}, {row['kind']}, {row['check']}: {why}"
