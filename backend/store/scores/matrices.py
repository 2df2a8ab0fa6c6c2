"""Stored scores of a run as numpy arrays, one block a protocol, in item order.

A missing score is NaN, and an item without any score of the kind is left out: the run did not cover it.
"""

import json
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.kinds import Kind
from backend.metrics import alpha as alpha_
from backend.metrics import contests
from backend.metrics.reasons.priors import left_out
from backend.protocols import ALONE, Protocol
from backend.store.build.stored_run import StoredRun
from backend.store.scores import drawn
from backend.store.scores.setting import Setting

if TYPE_CHECKING:
    import pyarrow as pa

FloatArray = NDArray[np.float64]
#: Held while something is put into what the runs of an import share, of which several are judged at once.
SHARING = threading.RLock()

#: What joins several concepts or perturbations of one item in one cell.
JOIN = "|"

#: Numbers of items may lie so many times as far apart as they would one after the other, to be looked up in a list.
_SPREAD = 64

#: Columns of a block's items, as SQL. Wordings are not among them: only renaming paraphrases needs those.
ITEM_COLUMNS = f"""item_no, item_id, subset, array_to_string(concepts, '{JOIN}') AS concept,
    array_to_string(perturbations, '{JOIN}') AS perturbation, len(texts)::INTEGER AS n_texts,
    len(image_keys)::INTEGER AS n_images,
    cluster, tags"""


@dataclass(frozen=True)
class Block:
    """The items of one protocol that a run has scored, with their arrays.

    items: frame, one row an item (item_no, item_id, subset, concept,
        perturbation, n_texts, n_images, cluster, tags); cluster names what items share (see `item_clusters`).
    scores: triplet (n, 3), for t2t the pairs (0, 1), (0, 2), (1, 2); choice (n, k+1), padded with NaN; quad (n, 2, 2);
        classify (n, classes), the item's own class moved to column 0; grounding (n, frames, 2), padded with NaN. For
        verdict what `contests.as_scores` makes.
        Sums of log-probabilities for gen and prior, as stored.
    n_texts: (n,) texts of each item. n_tokens: like scores, NaN where the kind has none.
    """

    protocol: Protocol
    items: pd.DataFrame
    scores: FloatArray
    n_texts: NDArray[np.intp]
    n_tokens: FloatArray

    def __len__(self) -> int:
        return len(self.items)


def items_of(run: StoredRun, protocol: Protocol, subset: str | None = None) -> pd.DataFrame:
    """All items of a protocol in the run's benchmark, in item order. subset: one name, or several with commas. Not to
    be changed: an import, and a store, read them once for all runs of a benchmark."""
    if run.shared is None and run.cached is not None and subset is None:
        given: pd.DataFrame = run.cached(
            ("items of a protocol", run.benchmark, str(protocol)), lambda: _items_of(run, protocol, None)
        )
        return given
    if run.shared is None or subset is not None:
        return _items_of(run, protocol, subset)
    key = ("items", run.benchmark, str(protocol))
    with SHARING:
        if key not in run.shared:
            run.shared[key] = _items_of(run, protocol, None)
    found: pd.DataFrame = run.shared[key]
    return found


def _items_of(run: StoredRun, protocol: Protocol, subset: str | None) -> pd.DataFrame:
    asked = f"""SELECT {ITEM_COLUMNS} FROM items
        WHERE benchmark = ? AND protocol = ?
            AND (?::VARCHAR IS NULL OR list_contains(string_split(?, ','), subset)) ORDER BY item_no"""
    rows: pa.Table = run.cursor.sql(asked, params=[run.benchmark, str(protocol), subset, subset]).to_arrow_table()
    found: pd.DataFrame = rows.to_pandas()  # its words never become Python's, which takes a third of the time
    return found


def texts_of(run: StoredRun, items: pd.DataFrame) -> list[list[str]]:
    """The wordings of some items, in their order."""
    wanted = pd.DataFrame({"item_no": items["item_no"]})
    run.cursor.register("wanted_items", wanted)
    rows = run.cursor.execute(
        """SELECT texts FROM items JOIN wanted_items USING (item_no)
        WHERE benchmark = ? ORDER BY item_no""",
        [run.benchmark],
    ).fetchall()
    run.cursor.unregister("wanted_items")
    return [texts for (texts,) in rows]


def block(
    run: StoredRun,
    kind: str,
    protocol: Protocol,
    subset: str | None = None,
    only: pd.DataFrame | None = None,
) -> Block:
    """The arrays of a kind on the items of a protocol but retrieval. Kind `prior` needs a source: see `prior_sums`.

    only: these of `items_of`, in its order.
    """
    items = items_of(run, protocol, subset) if only is None else only
    if only is None and protocol == Protocol.CLASSIFY and len(items):
        items = items[~items["subset"].isin(multi_label(run))].reset_index(drop=True)
    n_texts = items["n_texts"].to_numpy(dtype=np.intp)
    columns = (protocol.info.images or 1) * (protocol.info.texts or int(n_texts.max(initial=1)))
    if protocol == Protocol.GROUNDING:
        columns = 2 * int(items["n_images"].max()) if len(items) else 2
    values = (
        _contests(run, items, columns, protocol)
        if kind == Kind.VERDICT
        else _cells(run, kind, items, columns, protocol, _place(kind, protocol))
    )
    seen: NDArray[np.bool_] = _any_number(values[0])
    each = _texts_an_image(protocol)
    shape = (int(seen.sum()), columns // each, each) if each else (int(seen.sum()), columns)
    kept = items if seen.all() else items.iloc[np.flatnonzero(seen)].reset_index(drop=True)
    scores, counts = ((of if seen.all() else of[seen]).reshape(shape) for of in values)
    if protocol == Protocol.CLASSIFY:
        order = own_class_first(run, kept, columns)
        scores, counts = np.take_along_axis(scores, order, 1), np.take_along_axis(counts, order, 1)
    return Block(protocol, kept, scores, n_texts[seen], counts)


def _any_number(values: FloatArray) -> NDArray[np.bool_]:
    """Which rows of (n, columns) hold a number at all."""
    if 0 < values.shape[1] <= 16:  # column by column, which is much faster than row by row
        return np.asarray(~np.logical_and.reduce([np.isnan(column) for column in values.T]))
    return np.asarray(~np.isnan(values).all(axis=1))


def _contests(run: StoredRun, items: pd.DataFrame, columns: int, protocol: Protocol) -> tuple[FloatArray, FloatArray]:
    """What stored verdicts make of a protocol's texts, and no token counts: (n, columns); see `contests.as_scores`."""
    nothing = np.full((len(items), columns), np.nan)
    places = {Protocol.TRIPLET: "text_index", Protocol.CHOICE: "text_index_b - 1", Protocol.QUAD: "image_index"}
    if protocol not in places:
        return nothing, nothing
    held = columns - 1 if protocol == Protocol.CHOICE else 2
    shares, _ = _cells(run, Kind.VERDICT, items, held, protocol, places[protocol])
    scores = contests.as_scores(protocol, shares).reshape(len(items), columns)
    scores[np.isnan(shares).all(axis=1)] = np.nan
    return scores, nothing


def classes_of(run: StoredRun, items: pd.DataFrame) -> NDArray[np.intp]:
    """The class of each item, (n,): the first text that its truth names, -1 where it names none."""
    run.cursor.register("wanted_items", pd.DataFrame({"item_no": items["item_no"]}))
    rows = run.cursor.execute(
        """SELECT coalesce(json_extract(truth, '$[0][1]')::INTEGER, -1) FROM items JOIN wanted_items USING (item_no)
        WHERE benchmark = ? ORDER BY item_no""",
        [run.benchmark],
    ).fetchall()
    run.cursor.unregister("wanted_items")
    return np.array([number for (number,) in rows], dtype=np.intp)


def expected_of(run: StoredRun, items: pd.DataFrame) -> NDArray[np.bool_]:
    """Whether yes is expected of each item, (n,): of answers, where its truth names its one pair."""
    return classes_of(run, items) >= 0


def asked_of(items: pd.DataFrame) -> NDArray[np.intp]:
    """(n, 3): by number the group of each item, and its question and image within it, by their tags; -1 for none."""
    names: dict[tuple[object, ...], int] = {}
    found = np.full((len(items), 3), -1, dtype=np.intp)
    for row, (subset, text) in enumerate(zip(items["subset"], items["tags"], strict=True)):
        tags = json.loads(text)
        group = (tags.get("group") or [None])[0]
        if group is None:
            continue
        for column, name in enumerate(("", "question", "image")):
            within = (tags.get(name) or [None])[0] if name else ""
            if within is not None:
                found[row, column] = names.setdefault((subset, group, name, within), len(names))
    return found


def multi_label(run: StoredRun) -> set[str]:
    """Classify subsets in which an item has not exactly one true class. "The own class above every other" means nothing
    for an image with two of them: such subsets are judged by 11-point mAP only."""
    rows = run.cursor.execute(
        """SELECT DISTINCT subset FROM items WHERE benchmark = ?
            AND protocol = ? AND json_array_length(truth) <> 1""",
        [run.benchmark, str(Protocol.CLASSIFY)],
    ).fetchall()
    return {str(name) for (name,) in rows}


def own_class_first(run: StoredRun, items: pd.DataFrame, columns: int) -> NDArray[np.intp]:
    """Column order (n, columns) that brings each item's own class to the front; the others keep theirs."""
    own = classes_of(run, items)[:, None]
    every = np.broadcast_to(np.arange(columns), (len(own), columns))
    return np.argsort(every != own, axis=1, kind="stable")


def _place(kind: str, protocol: Protocol) -> str:
    """SQL for the column of a score within its item."""
    if kind == Kind.T2T:
        return "text_index + text_index_b - 1"  # (0, 1), (0, 2), (1, 2) -> 0, 1, 2
    each = _texts_an_image(protocol)
    return f"{each} * image_index + text_index" if each else "text_index"


def _texts_an_image(protocol: Protocol) -> int:
    """How many texts stand beside each of an item's images; 0 where its scores are one row, (texts,)."""
    if protocol == Protocol.GROUNDING:
        return 2
    return protocol.info.texts or 0 if protocol in ALONE and protocol.info.images != 1 else 0


def _cells(
    run: StoredRun,
    part: str,
    items: pd.DataFrame,
    columns: int,
    protocol: Protocol,
    place: str,
) -> tuple[FloatArray, FloatArray]:
    """Values and token counts as (n, columns), rows in the order of `items`."""
    if not len(items):
        return np.full((0, columns), np.nan), np.full((0, columns), np.nan)
    first, last = _span(items)
    asked: list[Any] = [run.run_id, part, first, last]
    others = ""
    if last - first + 1 > len(items):  # items of other protocols lie between them, whose scores may be very many
        others = """SEMI JOIN (SELECT item_no FROM items WHERE benchmark = $5 AND protocol = $6
            AND item_no BETWEEN $3 AND $4) i USING (item_no)"""
        asked += [run.benchmark, str(protocol)]
    found = run.cursor.execute(
        f"""SELECT item_no, {place} AS place, value, n_tokens FROM scores {others}
        WHERE run_id = $1 AND part = $2 AND item_no BETWEEN $3 AND $4""",
        asked,
    ).fetchnumpy()
    values, counts = (np.full((len(items), columns), np.nan) for _ in range(2))
    row = _rows(items, np.asarray(found["item_no"]))
    column = _plain(found["place"], np.intp, -1)
    keep = (row >= 0) & (column >= 0) & (column < columns)
    at = row * columns + column
    if not keep.all():
        at, found = at[keep], {name: cells[keep] for name, cells in found.items()}
    values.reshape(-1)[at] = _plain(found["value"], np.float64, np.nan)
    if not np.ma.getmaskarray(np.ma.asarray(found["n_tokens"])).all():
        counts.reshape(-1)[at] = _plain(found["n_tokens"], np.float64, np.nan)
    return values, counts


def _span(items: pd.DataFrame) -> tuple[int, int]:
    """The first and the last item number; none where there is no item."""
    return (int(items["item_no"].iloc[0]), int(items["item_no"].iloc[-1])) if len(items) else (0, -1)


def _plain(column: Any, dtype: type, missing: float) -> NDArray[Any]:
    """A DuckDB column without its mask."""
    return np.asarray(np.ma.filled(np.ma.asarray(column).astype(dtype), missing))


def _rows(items: pd.DataFrame, item_no: NDArray[np.generic]) -> NDArray[np.intp]:
    """Positions of item numbers in `items`, -1 where they are not in it."""
    known = items["item_no"].to_numpy()
    if not len(known):
        return np.full(len(item_no), -1, dtype=np.intp)
    if known[-1] - known[0] + 1 == len(known):  # in order and without a gap
        place = np.asarray(item_no, dtype=np.intp) - int(known[0])
        return np.where((place >= 0) & (place < len(known)), place, -1)
    span = int(known[-1]) - int(known[0]) + 1
    if span <= _SPREAD * len(known):  # looked up in a list of all numbers between, which is faster than searching
        listed = np.full(span + 1, -1, dtype=np.intp)  # the last entry stands for those that lie outside
        listed[known - known[0]] = np.arange(len(known))
        place = np.asarray(item_no, dtype=np.intp) - int(known[0])
        return listed[np.where((place >= 0) & (place < span), place, span)]
    place = np.minimum(np.searchsorted(known, item_no), len(known) - 1)
    return np.where(known[place] == item_no, place, -1).astype(np.intp)


def prior_sums(
    run: StoredRun, part: str, items: pd.DataFrame, columns: int, own: bool = False
) -> tuple[FloatArray, FloatArray]:
    """log P(t) of each text: sums (samples, n, columns) and token counts (n, columns), rows as in `items`.

    Samples under an item's own images and their cluster are NaN (see `drawn`), but where `own` asks for them, too. A
    text of which a sample is missing in the store has none at all.
    """
    found = run.cursor.execute(
        """SELECT item_no, text_index, coalesce(sample, 0) AS sample, value, n_tokens FROM scores
        WHERE run_id = ? AND part = ? AND text_index >= 0 AND item_no BETWEEN ? AND ?""",
        [run.run_id, part, *_span(items)],
    ).fetchnumpy()
    row = _rows(items, np.asarray(found["item_no"]))
    sample, column = _plain(found["sample"], np.intp, 0), _plain(found["text_index"], np.intp, -1)
    keep = np.flatnonzero((row >= 0) & (column >= 0) & (column < columns))
    sums = np.full((int(sample.max(initial=0)) + 1, len(items), columns), np.nan)
    counts = np.full((len(items), columns), np.nan)
    at = row[keep] * columns + column[keep]
    sums.reshape(-1)[sample[keep] * counts.size + at] = _plain(found["value"][keep], np.float64, np.nan)
    counts.reshape(-1)[at] = _plain(found["n_tokens"][keep], np.float64, np.nan)
    lacking = np.isnan(sums).any(axis=0)
    if lacking.any():
        sums[:, lacking] = np.nan
    return sums if own else left_out(sums, drawn.own(run, part, items, len(sums))), counts


def terms(
    run: StoredRun, blocks: Block, setting: Setting, sums: FloatArray | None = None
) -> tuple[FloatArray, FloatArray | None]:
    """The two terms (g, p) of g - α p for a block of kind `gen`; p is None where the setting has no prior to take.

    g is like `blocks.scores`; p is (n, texts). sums: the prior's samples where they are read already (`prior_of`).
    """
    counts = blocks.n_tokens
    where = run.prior(setting.prior)
    if where is None:
        divide = counts if setting.norm != "sum" else np.ones_like(counts)
        return blocks.scores / np.where(divide > 0, divide, np.nan), None
    if sums is None:
        sums = prior_of(run, *where, blocks, texts_of_prior(blocks))
    return alpha_.normalise(blocks.scores, counts, sums, setting.norm)


def texts_of_prior(blocks: Block) -> int:
    """How many texts of an item have a log P(t): the columns of its images' scores."""
    return _texts_an_image(blocks.protocol) or blocks.scores.shape[1]


def prior_of(run: StoredRun, prior_run: StoredRun, part: str, blocks: Block, texts: int) -> FloatArray:
    """Samples of log P(t) for a block's texts, sums (samples, n, texts), in the order of its columns; those under an
    item's own images are NaN."""
    sums, _ = prior_sums(prior_run, part, blocks.items, texts)
    if blocks.protocol == Protocol.CLASSIFY:
        order = own_class_first(run, blocks.items, texts)
        sums = np.take_along_axis(sums, order[None], 2)
    return sums


def prior_scores(run: StoredRun, protocol: Protocol, setting: Setting, subset: str | None = None) -> Block:
    """log P(t) alone as the score of each text (kind `prior`), normalised; triplets and choices only."""
    items = items_of(run, protocol, subset)
    n_texts = items["n_texts"].to_numpy(dtype=np.intp)
    columns = protocol.info.texts or int(n_texts.max(initial=1))
    where = run.prior(setting.prior)
    if where is None or items.empty:
        empty = np.zeros((0, columns))
        return Block(protocol, items.iloc[:0], empty, n_texts[:0], empty)
    sums, counts = prior_sums(*where, items, columns)
    seen = ~np.isnan(sums).all(axis=(0, 2))
    sums, counts = sums[:, seen], counts[seen]
    _, scores = alpha_.normalise(sums[0], counts, sums, setting.norm)
    return Block(protocol, items.iloc[np.flatnonzero(seen)].reset_index(drop=True), scores, n_texts[seen], counts)
