"""Outcomes: every item's verdicts under a setting, derived from stored scores."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from backend.kinds import SIMILARITIES, Kind
from backend.metrics import alpha as alpha_
from backend.metrics import protocols
from backend.metrics.core import evaluate, registry
from backend.metrics.core.compare import Outcomes
from backend.metrics.core.scored import Scored
from backend.protocols import ALONE, Protocol
from backend.store.build.stored_run import StoredRun
from backend.store.reasons import runs as reasons
from backend.store.reasons.words import CARRIED_BY, Words
from backend.store.scores import boundaries, classes, matrices, pools
from backend.store.scores.judged import judged_scores
from backend.store.scores.setting import Setting

if TYPE_CHECKING:
    from backend.store.build.store import Store

#: The columns of `export --what outcomes`, in order.
COLUMNS = (
    "item_id", "subset", "concept", "perturbation", "metric", "correct", "margin", "ties", "kind", "alpha",
    "cell", "reason",
)  # fmt: skip

#: Further columns of the frames in here.
EXTRA = ("item_no", "query", "tags", "cluster", "candidates", "relevant", "pool")


@dataclass(frozen=True)
class Judged:
    """One metric's verdicts on some items.

    rows: their positions in `items`. query: text position of a text-to-image query, else -1. candidates, relevant: how
    many there are to choose from, and how many of them are right (chance levels need both). pool: "" or the size of a
    pool that is only a labelled part of the subset. words: the items' cells and reasons, where they have any.
    """

    metric: str
    items: pd.DataFrame
    rows: NDArray[np.intp]
    query: NDArray[np.intp]
    verdicts: Outcomes
    candidates: NDArray[np.intp]
    relevant: NDArray[np.intp]
    pool: str = ""
    words: Words | None = None


def compute(store: "Store", run_id: str, setting: Setting, subset: str | None = None) -> pd.DataFrame:
    """One row an item and metric (for text-to-image recall one a text), in item order.

    The columns of COLUMNS (cell and reason as docs/reasons.md defines them, "" where an item has none), and item_no,
    query (text position, -1 but for text-to-image), tags (JSON), cluster (what items share, see `item_clusters`),
    candidates, relevant, pool. `correct` is boolean and missing where undefined. Items that the run has not scored
    under this kind are left out.
    """
    key = ("outcomes", run_id, setting, subset)

    def make() -> pd.DataFrame:
        tables: dict[Protocol, pd.DataFrame] = {}
        frame = frame_of(store.run(run_id), setting, subset, tables)
        for protocol, table in tables.items() if not setting.is_default else ():  # those of default settings are stored
            reasons.remember(store, run_id, setting, protocol, subset, table)
        return frame

    return store.cached(key, make)


def frame_of(
    run: StoredRun, setting: Setting, subset: str | None = None, tables: dict[Protocol, pd.DataFrame] | None = None
) -> pd.DataFrame:
    """As `compute`, kept nowhere. tables: gets the tables (`reasons.runs.of_run`) that cells and reasons stand in."""
    parts = []
    for judged in judge(run, setting, subset):
        parts.append(_frame(judged, setting))
        if tables is not None and judged.words is not None:
            tables[next(of for of, names in CARRIED_BY.items() if judged.metric in names)] = judged.words.table
    parts = [part for part in parts if len(part)]
    if not parts:
        return pd.DataFrame({name: pd.Series(dtype=object) for name in (*COLUMNS, *EXTRA)})
    frame = pd.concat(parts, ignore_index=True)
    return frame.sort_values(["item_no", "query"], kind="stable", ignore_index=True)


def _frame(judged: Judged, setting: Setting) -> pd.DataFrame:
    verdicts, rows = judged.verdicts, judged.rows
    is_all = len(rows) == len(judged.items) and bool((rows == np.arange(len(rows))).all())

    def of(name: str) -> Any:
        """A column of the items, as it is: words that become Python's and then a frame's again take long."""
        column = judged.items[name].array
        return column if is_all else column.take(rows)

    return pd.DataFrame(
        {
            "item_id": of("item_id"),
            "subset": of("subset"),
            "concept": of("concept"),
            "perturbation": of("perturbation"),
            "metric": judged.metric,
            "correct": pd.arrays.BooleanArray(verdicts.correct.copy(), ~verdicts.defined),
            "margin": verdicts.margin,
            "ties": verdicts.ties,
            "kind": setting.kind,
            "alpha": setting.alpha,
            "cell": judged.words.cell[judged.rows] if judged.words else "",
            "reason": judged.words.reason[judged.rows] if judged.words else "",
            "item_no": of("item_no"),
            "query": judged.query,
            "tags": of("tags"),
            "cluster": of("cluster"),
            "candidates": judged.candidates,
            "relevant": judged.relevant,
            "pool": judged.pool,
        }
    )


def judge(run: StoredRun, setting: Setting, subset: str | None = None) -> Iterator[Judged]:
    """Every metric that the run's scores allow under a setting."""
    kind = Kind(setting.kind)
    for protocol in ALONE:
        block, scores = judged_scores(run, setting, protocol, subset)
        words = reasons.words(run, setting, block, scores, subset) if block is not None else None
        yield from _judge_items(run, kind, block, scores, words)
    for items in classes.chunks(run, subset) if kind in SIMILARITIES else ():
        block, scores = judged_scores(run, setting, Protocol.CLASSIFY, subset, items)
        yield from _judge_items(run, kind, block, scores)
    yield from _judge_boundaries(run, setting, subset)
    if kind in SIMILARITIES:
        for pool in pools.pools(run, kind, subset):
            yield from _judge_pool(pool, pool_scored(run, pool, setting))


def _judge_items(
    run: StoredRun,
    kind: Kind,
    block: matrices.Block | None,
    scores: matrices.FloatArray,
    words: Words | None = None,
) -> Iterator[Judged]:
    """Every per-item metric of a block. words: of its items."""
    if block is None or not len(block) or not registry.applicable(block.protocol, kind):
        return
    rows, one = np.arange(len(block)), np.ones(len(block), np.intp)
    first = p1_first(run, block)
    yes = matrices.expected_of(run, block.items) if block.protocol == Protocol.ANSWERS else None
    for metric, verdicts in evaluate.outcomes(block.protocol, kind, scores, block.n_texts, first, yes).items():
        carried = words if metric in CARRIED_BY.get(block.protocol, ()) else None
        yield Judged(metric, block.items, rows, np.full(len(rows), -1), verdicts, block.n_texts, one, words=carried)


def _judged(protocol: Protocol, given: Scored) -> Iterator[tuple[registry.Metric, Outcomes]]:
    """Every metric of a protocol that judges, with its outcomes, in the order of the registry."""
    for metric in registry.METRICS:
        judged = metric.judge(given) if metric.protocol == protocol and metric.judge else None
        if judged is not None:
            yield metric, judged


def _judge_boundaries(run: StoredRun, setting: Setting, subset: str | None) -> Iterator[Judged]:
    """Boundary grounding, at each threshold."""
    block, scores = judged_scores(run, setting, Protocol.GROUNDING, subset)
    if block is None or not len(block):
        return
    rows, n_frames = np.arange(len(block)), block.items["n_images"].to_numpy(dtype=np.intp)
    seconds, truths = boundaries.moments(block.items["tags"], n_frames, scores.shape[1])
    given = Scored(scores, n_images=n_frames, seconds=seconds, boundaries=truths)
    for metric, verdicts in _judged(Protocol.GROUNDING, given):
        counted, right = map(np.asarray, metric.candidates(given) if metric.candidates else (n_frames, n_frames))
        yield Judged(metric.name, block.items, rows, np.full(len(rows), -1), verdicts, counted, right)


def p1_first(run: StoredRun, block: matrices.Block) -> NDArray[np.bool_] | None:
    """VISLA's names of the paraphrases; None outside triplets."""
    if block.protocol != Protocol.TRIPLET:
        return None
    texts = matrices.texts_of(run, block.items)
    return protocols.rename_paraphrases(*([text[k] for text in texts] for k in range(3)))


def pool_scored(run: StoredRun, pool: pools.Pool, setting: Setting, embeddings: ArrayLike = ()) -> Scored:
    """A pool with its scores under the setting, for every metric of pools; NaN where it needs a prior that the pool has
    not. Text queries are ranked by scores of their own where an image's P(t) leaves out its own samples."""
    if setting.kind != Kind.GEN:
        return Scored(pool.table, relevance=pool.owners, embeddings=embeddings)
    gen, prior = pool_terms(run, pool, setting)
    if not setting.alpha:
        return Scored(gen, relevance=pool.relevance, embeddings=embeddings)
    scores = np.full_like(gen, np.nan) if prior is None else alpha_.debias(gen, prior, setting.alpha)
    # To a text query P(t) is one number, which every image's score has: alpha cancels.
    across = gen if prior is not None and prior.ndim == gen.ndim else None
    return Scored(scores, relevance=pool.relevance, embeddings=embeddings, across=across)


def pool_scores(run: StoredRun, pool: pools.Pool, setting: Setting) -> NDArray[np.floating]:
    """A pool's scores under the setting, as image queries rank texts; see `pool_scored`."""
    return np.asarray(pool_scored(run, pool, setting).scores)


def pool_terms(
    run: StoredRun, pool: pools.Pool, setting: Setting
) -> tuple[matrices.FloatArray, matrices.FloatArray | None]:
    """The two terms (g, p) of g - α p for a pool: (images, texts) and (texts,), or (images, texts) where an image's own
    samples are left out of its P(t); p is None without a prior."""
    where = run.prior(setting.prior)
    sums = pools.pool_prior(*where, pool) if where else np.full((1, pool.scores.shape[1]), np.nan)
    gen, prior = alpha_.normalise(pool.scores, pool.n_tokens, sums, setting.norm)
    if where is None or np.isnan(prior).all():
        return gen, None
    own = pools.own_samples(*where, pool, len(sums))
    if not own.any():
        return gen, prior
    table = np.broadcast_to(prior, gen.shape).copy()
    for mine in np.unique(own[:, own.any(axis=0)], axis=1).T:
        _, without = alpha_.normalise(pool.scores[:1], pool.n_tokens[:1], sums[~mine], setting.norm)
        table[(own == mine[:, None]).all(axis=0)] = without
    return gen, table


def _judge_pool(pool: pools.Pool, given: Scored) -> Iterator[Judged]:
    n_images, n_texts = pool.owners.shape
    of_image, of_text = pool.owners.counts()
    size = "" if pool.whole else f"{n_images} images x {n_texts} texts"
    for metric, verdicts in _judged(Protocol.RETRIEVAL, given):
        n = len(verdicts)
        if metric.name.startswith("i2t"):
            rows, query, candidates, relevant = pool.image_item, np.full(n, -1), n_texts, of_image
        else:
            rows, query, candidates, relevant = pool.text_item, pool.text_no, n_images, of_text
        yield Judged(metric.name, pool.items, rows, query, verdicts, np.full(n, candidates), relevant, size)
