"""How fine-grained a benchmark's captions are, and one benchmark's beside another's: as tables that pages can show."""

import hashlib
from collections.abc import Callable, Iterator
from typing import Any, Literal

from backend.items import Benchmark, Item
from backend.perturb.estimates import Estimate
from backend.perturb.granularity import FEATURES, Granularity, compare, measure

Texts = Literal["all", "truth", "foils"]


def distinct_captions(
    benchmark: Benchmark, texts: Texts = "truth", keep: Callable[[Item], bool] | None = None
) -> Iterator[str]:
    """Captions of a benchmark, each once, in the order of the file: the true ones, the others, or all. keep: which
    items count. What was seen is remembered by 8 bytes of a hash."""
    seen: set[bytes] = set()
    for item in benchmark:
        if keep is not None and not keep(item):
            continue
        true = {text for _, text in item.truth}
        for position, text in enumerate(item.texts):
            if texts != "all" and (position in true) != (texts == "truth"):
                continue
            key = hashlib.blake2b(text.encode(), digest_size=8).digest()
            if key not in seen:
                seen.add(key)
                yield text


def measured(benchmark: Benchmark, texts: Texts = "truth", keep: Callable[[Item], bool] | None = None) -> Granularity:
    """The features of a benchmark's captions, in one pass."""
    return measure(distinct_captions(benchmark, texts, keep))


def set_document(name: str, found: Granularity) -> dict[str, Any]:
    """One set of captions as JSON: its features by name, and what the lexicon knows of it."""
    known = found.coverage
    return {
        "name": name,
        "captions": found.captions,
        "vocabulary": found.vocabulary,
        "lexicon_coverage": {
            "nouns": known.nouns, "nouns_known": known.nouns_known, "adjectives": known.adjectives,
            "adjectives_known": known.adjectives_known, "share": known.share,
        },
        "features": {
            feature.name: {"title": feature.title, "paper": feature.where or None, "ours": feature.ours or None}
            | _estimate(found.features[feature.name])
            for feature in FEATURES
        },
    }  # fmt: skip


def comparison_document(a: str, one: Granularity, b: str, other: Granularity) -> dict[str, Any]:
    """Two sets feature by feature; difference is b − a, clear whether its 95 % interval leaves out 0."""
    return {
        "a": a,
        "b": b,
        "features": {
            row.feature.name: {
                "title": row.feature.title, "a": row.a.mean, "b": row.b.mean, "difference": row.difference,
                "ci95": list(row.ci95) if row.ci95 else None, "clear": row.clear,
            }
            for row in compare(one, other)
        },
    }  # fmt: skip


def _estimate(found: Estimate) -> dict[str, Any]:
    return {"mean": found.mean, "n": found.n, "se": found.se, "ci95": list(found.ci95) if found.ci95 else None}
