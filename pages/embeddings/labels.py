"""What clumps are called on a map and in the list beside it, with their facts."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from backend import written
from backend.metrics.enrichment import Contrast
from backend.store.enrichment.clumps import Clump, Clumps
from backend.store.enrichment.traits import CONCEPT, REASON, SUBSET, Trait
from backend.taxonomy import title
from pages.embeddings.view import packed
from pages.shared.drawing.facts import Facts
from pages.shared.drawing.numbers import count

#: Traits in a clump's name.
NAMED = 2
#: Words that say nothing where another one holds, too.
_SMALL = frozenset({"a", "an", "and", "of", "the", "with"})


def trait_name(trait: Trait) -> str:
    """A trait as it is shown.

    >>> trait_name(Trait("word", "little")), trait_name(Trait("concept", "colour"))
    ('little', 'colour')
    """
    return title(trait.name) if trait.sort in (CONCEPT, SUBSET) else trait.name


def naming(clump: Clump) -> list[tuple[Trait, Contrast]]:
    """The traits that a clump can be named by, the surest first: words and concepts, else why it fails."""
    said = [(trait, one) for trait, one in clump.found if trait.name not in _SMALL]
    return [(trait, one) for trait, one in said if trait.sort != REASON] or said


def name_of(clump: Clump, n: int = NAMED) -> str:
    """What a clump is of, by `n` traits at most; "" where only its errors stand out."""
    return " · ".join(dict.fromkeys(trait_name(trait) for trait, _ in naming(clump)[:n]))


def names(found: Clumps, n_images: int) -> dict[int, str]:
    """Each ranked clump's name, no two alike: those that share one say whether they are of images or of captions, or
    take a trait more, or else are numbered. n_images: dots that are images."""
    said = {k: name_of(found.each[k]) or sort_of(found.each[k], n_images) for k in ranked(found)}
    longer: list[Callable[[int], str]] = [
        lambda k: f"{said[k]}, {sort_of(found.each[k], n_images)}",
        lambda k: name_of(found.each[k], NAMED + 1) or said[k],
    ]
    named = dict(said)
    for tried in longer:
        for name in {one for one in named.values() if list(named.values()).count(one) > 1}:
            alike = [k for k in named if named[k] == name]
            if len({tried(k) for k in alike}) == len(alike):
                named |= {k: tried(k) for k in alike}
    seen: Counter[str] = Counter()
    for k, name in named.items():
        seen[name] += 1
        named[k] = f"{name} ({seen[name]})" if seen[name] > 1 else name
    return named


def wrong_of(clump: Clump) -> str:
    """How many of its items are wrong, where that is beyond chance; "" elsewhere. Items, for dots of other clumps lie
    under it, too."""
    errors = clump.errors
    if errors is None:
        return ""
    of = f" of {errors.n_in:,}" if errors.n_in >= 10 else ""  # fewer are counted anyway
    return f"{share(errors.k_in, errors.n_in)}{of} items wrong"


def sort_of(clump: Clump, n_images: int) -> str:
    """Whether a clump is of images, of captions, or of both."""
    images = clump.contents < n_images
    return "images" if images.all() else "images and captions" if images.any() else "captions"


def share(k: int, n: int) -> str:
    """A share in whole per cent; counts where there are fewer than ten."""
    return written.share(k / n, n) if n >= 10 else f"{k} of {n}"


def ratio(one: Contrast) -> str:
    """How many times as frequent.

    >>> from backend.metrics.enrichment import contrast
    >>> ratio(contrast(10, 20, 10, 80, 0.01)), ratio(contrast(10, 20, 0, 80, 0.01))
    ('4.0×', 'only here')
    """
    return "only here" if one.ratio == np.inf else f"{written.number(one.ratio)}×"


def facts_of(one: Contrast, tested: int) -> Facts:
    """The facts of a contrast, as `facts` takes them."""
    note = (
        f"{one.k_in:,} of {count(one.n_in, 'item')} here, {one.k_out:,} of {one.n_out:,} elsewhere; Fisher’s exact "
        f"test, p after Holm’s correction over {count(tested, 'test')}"
    )
    return {"low": one.low, "high": one.high, "p": one.adjusted, "unit": "×", "note": note}


def line_of(name: str, one: Contrast) -> str:
    """A contrast in one line of a tip: "little: 17 of 31 items here, 45 of 419 elsewhere, p < .001"."""
    p = written.p_value(one.adjusted).replace(" ", "\u00a0")  # stays on one line
    return f"{name}: {one.k_in:,} of {count(one.n_in, 'item')} here, {one.k_out:,} of {one.n_out:,} elsewhere, {p}"


def ranked(found: Clumps) -> list[int]:
    """The clumps that hold something beyond chance, the surest first; those that fail more than others lead."""
    least = {
        k: min([one.p for _, one in clump.found] + ([clump.errors.p] if clump.errors else []))
        for k, clump in enumerate(found.each) if clump.holds
    }  # fmt: skip
    return sorted(least, key=lambda k: (found.each[k].errors is None, least[k], k))


def on_the_map(found: Clumps, places: NDArray[np.uint16], n_images: int) -> list[dict[str, Any]]:
    """What the component draws: number, middle in the map's frame, name, errors, lines of facts, dots."""
    shown, called = [], names(found, n_images)
    for k in ranked(found):
        clump = found.each[k]
        middle = np.median(places[clump.contents].astype(np.float64), axis=0) / 65535
        errors = clump.errors
        told = [(trait, one) for trait, one in clump.found if trait.name not in _SMALL]
        lines = [line_of(trait_name(trait), one) for trait, one in told[:6]]
        lines += [line_of("wrong", errors)] if errors else []
        shown.append({
            "k": k, "at": middle.tolist(), "name": called[k][:48], "wrong": wrong_of(clump),
            "worse": bool(errors and errors.ratio > 1), "lines": lines,
            "head": f"a clump of {count(len(clump.contents), 'dot')}, {count(clump.n_items, 'item')}",
            "contents": packed(clump.contents, "u4"),
        })  # fmt: skip
    return shown
