"""Chance that is the same everywhere: only Random.random(), which Python promises to keep; seeds made by a hash."""

import hashlib
from collections.abc import MutableSequence, Sequence
from random import Random
from typing import TypeVar

T = TypeVar("T")


def generator(name: str, text: str, seed: int) -> Random:
    """The generator of one perturbation of one text: no order of calls and no PYTHONHASHSEED enters it."""
    key = f"{name}\0{seed}\0{text}".encode("utf-8", "surrogatepass")
    return Random(int.from_bytes(hashlib.sha256(key).digest()))  # noqa: S311 - a shuffle keeps no secret


def below(rng: Random, n: int) -> int:
    """A whole number from 0 to n − 1."""
    return int(rng.random() * n)


def pick(rng: Random, choices: Sequence[T]) -> T:
    """One of the choices; ValueError where there is none."""
    if not choices:
        raise ValueError("nothing to pick from")
    return choices[below(rng, len(choices))]


def shuffle(rng: Random, items: MutableSequence[T]) -> None:
    """In place, every order equally likely (Fisher and Yates)."""
    for k in range(len(items) - 1, 0, -1):
        other = below(rng, k + 1)
        items[k], items[other] = items[other], items[k]
