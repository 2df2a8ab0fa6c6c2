"""What the maps show, as plain values: which class each content is of, and everything packed for the component."""

from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend import written
from backend.finding import Finding
from backend.metrics.reasons.names import NAMES, of_group
from backend.metrics.statistics import wilson
from backend.store.enrichment.traits import Told
from backend.store.items.embeddings import Points
from backend.store.reasons.not_measured import BY_PROTOCOL
from pages.shared.drawing.cells import COLOURS as CELLS
from pages.shared.drawing.colours import OKABE_ITO, RIGHT, WRONG
from pages.shared.drawing.numbers import count

QUIET = "#8c8c8c"
#: A reason that no bar of cells has.
OTHER_REASON = "#5f4690"
#: Colours of classes that mean neither right nor wrong, and how many there are before the rest becomes "other".
PALETTE = (*OKABE_ITO[:4], *OKABE_ITO[5:], "#5f4690", "#7a5230", "#1d6996", "#94346e")
COLOURINGS = {
    "outcome": "verdict", "concept": "concept", "modality": "modality", "part": "subset", "reason": "reason of failure",
}  # fmt: skip


def offered(of: Points) -> list[str]:
    """The colourings that can tell some of these dots from others."""
    frame = of.frame
    told = {
        "concept": frame["concept"].nunique(dropna=False) > 1,
        "modality": of.contents["modality"].nunique() > 1,
        "part": frame["subset"].nunique() > 1,
        "reason": not set(frame["protocol"].unique()) <= {str(one) for one in BY_PROTOCOL},
    }
    return [name for name in COLOURINGS if told.get(name, True)]


@dataclass(frozen=True)
class Classes:
    """code: (n contents,) position in `legend`; legend: name, colour, solid (filled or a ring), n."""

    code: NDArray[np.uint8]
    legend: list[dict[str, Any]]


def by_outcome(of: Points, verdicts: pd.DataFrame) -> Classes:
    """Right, wrong, without a verdict; "both" where the items that share a content do not agree.

    verdicts: correct, one row a point.
    """
    correct = verdicts["correct"].astype("boolean")
    known = correct.notna().to_numpy()
    right = correct.fillna(False).to_numpy(dtype=bool)
    each = np.where(~known, 0, np.where(right, 1, 3)).astype(np.intp)
    names = [("no verdict", QUIET, False), ("right ✓", RIGHT, False), ("right in some items ◐", "#cc79a7", True),
             ("wrong ✗", WRONG, True)]  # fmt: skip
    return _agreed(of, each, names, mixed=2)


def by_reason(of: Points, verdicts: pd.DataFrame) -> Classes:
    """Why each point's item is right or wrong, as far as the evidence certifies it.

    verdicts: correct, reason, one row a point.
    """
    said = [of_group(word) if word in NAMES else "not measured" for word in verdicts["reason"]]
    found = by_words(of, [word if pd.notna(right) else "no verdict" for word, right in
                          zip(said, verdicts["correct"], strict=True)])  # fmt: skip
    # One colour rule for reasons on all pages; right is a ring as among the verdicts, what nobody knows a grey one.
    own = {of_group(word): (colour, word not in ("right", "grounded")) for word, colour in CELLS.items()}
    own |= dict.fromkeys(("uncertain", "not measured", "no verdict"), (QUIET, False))
    for entry in found.legend[1:-1]:
        entry["colour"], entry["solid"] = own.get(entry["name"], (OTHER_REASON, True))
    return found


def by_words(of: Points, words: Sequence[str]) -> Classes:
    """By a word of each point's item, such as its concept; the rarest beyond the palette are one class."""
    count = pd.Series(list(words)).value_counts()
    kept = sorted(count.index[: len(PALETTE)])
    place = {word: k + 1 for k, word in enumerate(kept)}
    each = np.array([place.get(word, 0) for word in words], dtype=np.intp)
    names = [("other", QUIET, True)]
    names += [(word or "none", PALETTE[k], True) for k, word in enumerate(kept)]
    return _agreed(of, each, [*names, ("several", QUIET, False)], mixed=len(names))


def by_modality(of: Points) -> Classes:
    """Images and captions."""
    each = np.asarray(of.frame["modality"] == "text").astype(np.intp)
    return _agreed(of, each, [("image", PALETTE[0], True), ("caption", PALETTE[3], True)], mixed=0)


def _agreed(of: Points, each: NDArray[np.intp], names: list[tuple[str, str, bool]], mixed: int) -> Classes:
    """One class a content: that of its points, or `mixed` where they differ."""
    n, content = len(of.contents), of.frame["content"].to_numpy()
    low, high = np.full(n, 10**6), np.full(n, -1)
    np.minimum.at(low, content, each)
    np.maximum.at(high, content, each)
    code = np.where(low == high, high, mixed).astype(np.uint8)
    counts = np.bincount(code, minlength=len(names))
    legend = [
        {"name": name, "colour": colour, "solid": solid, "n": int(counts[k])}
        for k, (name, colour, solid) in enumerate(names)
    ]
    return Classes(code, legend)


def framed(maps: Sequence[NDArray[np.floating]]) -> list[NDArray[np.uint16]]:
    """Places of several maps in one square frame, 0 to 65535, so that laid-over maps stay so; shapes stay shapes.

    >>> framed([np.array([[0.0, 0.0], [2.0, 1.0]])])[0].tolist()
    [[0, 16384], [65535, 49151]]
    """
    together = np.concatenate([np.asarray(one, dtype=np.float64) for one in maps])
    low, high = together.min(axis=0), together.max(axis=0)
    side = float((high - low).max()) or 1.0
    corner = (low + high) / 2 - side / 2
    return [np.round(np.clip((one - corner) / side, 0, 1) * 65535).astype(np.uint16) for one in maps]


def packed(values: NDArray[Any], kind: str) -> str:
    """An array as base64 of little-endian numbers, for the browser."""
    return b64encode(np.ascontiguousarray(values, dtype=np.dtype(kind).newbyteorder("<")).tobytes()).decode()


def panel(
    title: str, alt: str, places: NDArray[np.uint16], code: NDArray[np.uint8], near: NDArray[np.intp],
    cosines: NDArray[np.float32],
) -> dict[str, Any]:  # fmt: skip
    """One map: its places, classes and neighbours (see `data.near`)."""
    return {
        "title": title,
        "alt": alt,
        "places": packed(places, "u2"),
        "code": packed(code, "u1"),
        "near": packed(near, "i4"),
        "cosine": packed(np.round(np.nan_to_num(cosines) * 10000), "i2"),
    }


def shared(of: Points, legend: list[dict[str, Any]], panels: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """What all maps have in common: labels, the first item of each content and how many more, pairs that belong
    together."""
    contents, frame = of.contents, of.frame
    content = frame["content"].to_numpy(dtype=np.intp)
    n = len(contents)
    pairs = _different(content[of.together], n)
    items, elsewhere = _items_of_each(content, frame["item_id"], n)
    return {
        "n": n,
        "images": int((contents["modality"] == "image").sum()),
        "texts": int((contents["modality"] == "text").sum()),
        "labels": [str(text)[:120] for text in contents["label"]],
        "items": items,
        "more": elsewhere,
        "own": pairs.tolist(),
        "legend": legend,
        "panels": panels,
        **more,
    }


def _different(pairs: NDArray[np.intp], n: int) -> NDArray[np.intp]:
    """The different rows of pairs (m, 2) of numbers below n, sorted; by one number a row, a tenth of the time.

    >>> _different(np.array([[1, 0], [0, 2], [1, 0]]), 3).tolist()
    [[0, 2], [1, 0]]
    """
    first, second = pairs.reshape(-1, 2).T
    return np.column_stack(np.divmod(np.unique(first * max(1, n) + second), max(1, n)))


def _items_of_each(content: NDArray[np.intp], item_ids: pd.Series, n: int) -> tuple[list[str], list[int]]:
    """The first item of each of n contents ("" where no point is of it), and how many more it is in. content, item_ids:
    of each point."""
    codes, names = pd.factorize(item_ids)
    there, first = np.unique(content, return_index=True)
    items = np.full(n, "", dtype=object)
    items[there] = np.asarray(names, dtype=object)[codes[first]]
    both = np.unique(content * max(1, len(names)) + codes)
    counts = np.bincount(both // max(1, len(names)), minlength=n)
    return items.tolist(), np.maximum(counts - 1, 0).tolist()


def items_of(of: Points, contents: Sequence[int]) -> list[str]:
    """The items in which any of some contents occurs, in item order."""
    inside = of.frame["content"].isin(list(contents))
    return list(dict.fromkeys(of.frame.loc[inside, "item_id"]))


def contents_of(of: Points, item_ids: Sequence[str]) -> list[int]:
    """All contents of some items."""
    inside = of.frame["item_id"].isin(list(item_ids))
    return sorted({int(content) for content in of.frame.loc[inside, "content"]})


def pin_of(of: Points, content: int) -> str:
    """A content as an address names it: its modality, its place in its first item, and that item."""
    line: Any = of.frame[of.frame["content"] == content].iloc[0]
    return f"{line['modality']}:{line['index']}:{line['item_id']}"


def content_of(of: Points, pin: str) -> int | None:
    """The content that an address names; None where this part has none such."""
    modality, _, rest = pin.partition(":")
    index, _, item = rest.partition(":")
    frame = of.frame
    found = frame[(frame["item_id"] == item) & (frame["modality"] == modality)]
    found = found[found["index"].astype(str) == index]
    return int(found["content"].iloc[0]) if len(found) else None


def common(first: Points, second: Points) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Rows of the contents that both have, in the first one's order: (rows in first, rows in second)."""

    def keys(of: Points) -> list[str]:
        named = of.frame.drop_duplicates("content").sort_values("content")
        columns = (named[name] for name in ("modality", "index", "item_id"))
        return [f"{modality}:{index}:{item}" for modality, index, item in zip(*columns, strict=True)]

    there = {key: row for row, key in enumerate(keys(second))}
    pairs = [(row, there[key]) for row, key in enumerate(keys(first)) if key in there]
    both = np.asarray(pairs, dtype=np.intp).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def densities(groups: dict[str, NDArray[np.float64]], bins: int = 60) -> list[dict[str, Any]]:
    """Share of each group's pairs in even bins over all: rows of group, cosine (middle of the bin), share, n."""
    known = [values for values in groups.values() if len(values)]
    if not known:
        return []
    low, high = (float(edge(np.concatenate(known))) for edge in (np.min, np.max))
    edges = np.linspace(low, high if high > low else low + 1e-6, bins + 1)
    rows = []
    for name, values in groups.items():
        if not len(values):
            continue
        counts, _ = np.histogram(values, edges)
        rows += [
            {"group": name, "cosine": round(float(middle), 5), "share": float(count) / len(values), "n": len(values)}
            for middle, count in zip((edges[:-1] + edges[1:]) / 2, counts, strict=True)
        ]
    return rows


def to_copy(
    of: Points, names: Sequence[str], maps: Sequence[str], shares: Sequence[float], by: str, judged: Classes,
    setting: Sequence[str], near: str = "",
) -> str:  # fmt: skip
    """What is drawn, in one sentence that claims nothing of where points lie on the map. names: of the models; maps:
    PCA or UMAP of each; shares: of the variance, of those by PCA; by: what the colours mean; setting: in words; near:
    what the page says of the model's own space (`method.near_copied`), first."""
    images = int((of.contents["modality"] == "image").sum())
    what = " and ".join(count(n, word) for n, word in ((images, "image"), (len(of.contents) - images, "caption")) if n)
    which = " and ".join(dict.fromkeys(maps))
    claim = f"{near}; " if near else ""
    claim += f"{which} of {what} under {' and '.join(names)}, coloured by {by}: "
    claim += ", ".join(f"{entry['n']:,} {entry['name']}" for entry in judged.legend if entry["n"])
    if shares:
        carried = " and ".join(written.share(share) for share in shares)
        claim += f"; the two axes of PCA carry {carried} of the variance"
    return Finding(claim, of.n_items, ("no test of where points lie on the map", *setting)).said


def selection_to_copy(
    told: Told, said: str, place: str, maps: Sequence[str], names: Sequence[str], setting: Sequence[str]
) -> str:
    """What the items of a lasso or a clump have more of than the rest, in one sentence. said: what is picked, in words;
    place: "a lasso" or "a clump"; maps, names, setting: as `to_copy` takes them."""
    where = f"{place} on the {' and '.join(dict.fromkeys(maps))} under {' and '.join(names)}"
    more = [
        f"{trait.name} ({written.share(one.k_in / one.n_in, one.n_in)} against "
        f"{written.share(one.k_out / one.n_out, one.n_out)})" for trait, one in told.found[:3] if one.n_out
    ]  # fmt: skip
    end = (
        f"more frequent than in the rest: {', '.join(more)}"
        if more
        else "nothing tested is more frequent than in the rest"
    )
    tests = f"{count(told.tested, 'test')} corrected by Holm, chosen by eye" if place == "a lasso" else (
        f"{count(told.tested, 'test')} corrected by Holm")  # fmt: skip
    errors = told.errors
    if errors is None:
        return Finding(f"Among {said} in {where}: {end}", told.n_in, (tests, *setting)).said
    rest = written.percent(errors.k_out / errors.n_out, errors.n_out)
    few = written.counted(errors.k_out / errors.n_out, errors.n_out)
    others = f"{errors.k_out} of the {errors.n_out} other items" if few else f"{rest} of the other items"
    claim = f"Of {said} in {where} {{}} are wrong, against {others}; {end}"
    held = wilson(errors.k_in, errors.n_in)
    return Finding(
        claim, errors.n_in, (tests, *setting), errors.k_in / errors.n_in, held, errors.adjusted,
        "Fisher's exact test", interval="Wilson",
    ).said  # fmt: skip
