"""Is the concept that tells true from false captions in a model's vectors at all? T2T as VISLA asks, and a read-out.

T2T fails for words that captions share, too, so it does not show that nothing is encoded. A linear read-out of the
words that tell the two apart from the vectors does: "not seen to be encoded" against "encoded, but outvoted by shared
words". A share of a subset or a concept, never a label of one item.
"""

import re
from collections import Counter
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from backend.metrics import statistics
from backend.metrics.core.arrays import FloatArray
from backend.metrics.reasons.contrast import contrast
from backend.metrics.statistics import Rate
from backend.protocols import Protocol
from backend.store.build.store import Store
from backend.store.build.stored_run import StoredRun
from backend.store.scores import matrices

_WORD: Final = re.compile(r"\w+(?:[-'’]\w+)*")
#: Captions that differ by more words than these differ by more than one concept.
MOST_WORDS: Final = 2
#: What choosing between an item's two words reaches by guessing, and what T2T does.
CHANCE: Final = 0.5
CHANCE_T2T: Final = 1 / 3
#: What the numbers of a row allow to say.
NOT_ENCODED, OUTVOTED, ENCODED = "not seen to be encoded", "encoded, but outvoted by shared words", "encoded"


#: Metric -> the kind whose verdicts it is taken of.
JUDGED: Final = {"t2t_accuracy": "t2t", "i2t_accuracy": "itc"}


@dataclass(frozen=True)
class Encoder:
    """One subset, or one concept of it ("" for all). t2t, i2t: shares right of triplets, n = 0 where not scored. texts:
    how often a read-out finds which of an item's two words a caption has; images: which of them is true of the image.
    Both over held-out images, chance one half; n = 0 without vectors."""

    subset: str
    concept: str
    t2t: Rate
    i2t: Rate
    texts: Rate
    images: Rate

    @property
    def says(self) -> str:
        """What the numbers allow to say; "" without a read-out. T2T above chance shows by itself that it is encoded: a
        relation need not be a linear function of the word that changes."""
        if self.texts.ci95 is None:
            return ""
        told, read = self.t2t.ci95, self.texts.ci95
        if read[0] > CHANCE and told is not None and told[1] < read[0]:
            return OUTVOTED
        return ENCODED if read[0] > CHANCE or (told is not None and told[0] > CHANCE_T2T) else NOT_ENCODED


def of_run(store: Store, run_id: str) -> list[Encoder]:
    """A row for each subset of triplets or choices with stored vectors, and for each of its concepts; empty where the
    run has stored none (`run --kinds itc,t2t` does, with scores under other images)."""

    def make() -> list[Encoder]:
        run = store.run(run_id)
        return of_vectors(run, _captions(run), _pictures(run)) if stored(run) else []

    return store.cached(("encoder", run_id), make)


def stored(run: StoredRun) -> bool:
    """Whether the run has kept vectors of captions of choices and triplets."""
    return "counterfactual:text" in run.parts


def differing(texts: list[str], protocol: Protocol) -> tuple[int, int, str, str] | None:
    """(a true text, a false one, the words of each that the other lacks): of an item's captions the true and the false
    one that differ least. None where no such pair differs by 1 or 2 words on both sides.

    >>> differing(["a red box", "a box in red", "a blue box"], Protocol.TRIPLET)
    (0, 2, 'red', 'blue')
    """
    split = [Counter(_WORD.findall(text.lower())) for text in texts]
    true, false = ((0, 1), (2,)) if protocol == Protocol.TRIPLET else ((0,), range(1, len(texts)))
    pairs = [(sum(((split[t] - split[f]) + (split[f] - split[t])).values()), t, f) for t in true for f in false]
    if not pairs:
        return None
    _, t, f = min(pairs)
    own, other = (sorted((split[a] - split[b]).elements()) for a, b in ((t, f), (f, t)))
    if not (1 <= len(own) <= MOST_WORDS and 1 <= len(other) <= MOST_WORDS):
        return None
    return t, f, " ".join(own), " ".join(other)


def of_vectors(run: StoredRun, captions: pd.Series, pictures: pd.Series) -> list[Encoder]:
    """The same from vectors (d,) at hand. captions: by item number and index of the text; pictures: of an item's image,
    by item number."""
    found = []
    for protocol in (Protocol.TRIPLET, Protocol.CHOICE):
        items = matrices.items_of(run, protocol)
        if not len(items):
            continue
        right = {metric: _right(run, kind, metric) for metric, kind in JUDGED.items()}
        for subset, part in items.groupby("subset", sort=False):
            samples = _samples(part, matrices.texts_of(run, part), protocol)
            texts = _read(samples, captions, ["item_no", "text"])
            images = _read(samples[samples["true"]], pictures, ["item_no"])
            several = part["concept"].nunique() > 1
            for concept in ("", *(name for name in dict.fromkeys(part["concept"]) if name and several)):
                rows = part if not concept else part[part["concept"] == concept]
                t2t, i2t = (_rate(rows, right[metric]) for metric in JUDGED)
                found.append(
                    Encoder(str(subset), str(concept), t2t, i2t, _rate_of(rows, texts), _rate_of(rows, images))
                )
    return [each for each in found if each.texts.n or each.images.n]


def _samples(items: pd.DataFrame, texts: list[list[str]], protocol: Protocol) -> pd.DataFrame:
    """One row a caption of an item's closest pair: item_no, cluster, text (its index), label (its words), other (those
    of the other one), true."""
    rows = []
    for item_no, cluster, said in zip(items["item_no"], items["cluster"], texts, strict=True):
        pair = differing(said, protocol)
        if pair is not None:
            true, false, own, other = pair
            rows += [(item_no, cluster, true, own, other, True), (item_no, cluster, false, other, own, False)]
    return pd.DataFrame(rows, columns=["item_no", "cluster", "text", "label", "other", "true"])


def _read(samples: pd.DataFrame, vectors: pd.Series, by: list[str]) -> pd.DataFrame:
    """item_no, cluster and right of the captions (or images) that could be judged."""
    keys = samples[by[0]] if len(by) == 1 else pd.MultiIndex.from_frame(samples[by])
    there = np.asarray(keys.isin(vectors.index), dtype=np.bool_)
    known = samples[there]
    if known.empty:
        return known.assign(right=False)
    table: FloatArray = np.stack(vectors.loc[keys[there]].tolist())
    labels, others, clusters = (known[name].to_numpy() for name in ("label", "other", "cluster"))
    right, judged = contrast(table, labels, others, clusters)
    return known.assign(right=right)[judged]


def _rate_of(items: pd.DataFrame, read: pd.DataFrame) -> Rate:
    mine = read[read["item_no"].isin(items["item_no"])]
    return statistics.rate(mine["right"].to_numpy(dtype=bool), clusters=mine["cluster"].to_numpy())


def _captions(run: StoredRun) -> pd.Series:
    """(item number, index of the text) -> vector."""
    rows = run.cursor.execute(
        """SELECT item_no, "index" AS text, vector FROM counterfactual_vectors
        WHERE run_id = ? AND part = 'counterfactual:text'""",
        [run.run_id],
    ).df()
    return rows.set_index(["item_no", "text"])["vector"]


def _pictures(run: StoredRun) -> pd.Series:
    """Item number -> vector of its image. It is kept with the first selected item that shows the image."""
    rows = run.cursor.execute(
        """SELECT same.item_no, any_value(v.vector) AS vector FROM counterfactual_vectors v
        JOIN items i ON i.benchmark = $1 AND i.item_no = v.item_no
        JOIN items same ON same.benchmark = $1 AND same.image_keys[1] = i.image_keys[1]
        WHERE v.run_id = $2 AND v.part = 'counterfactual:image' AND same.protocol IN ('choice', 'triplet')
        GROUP BY ALL""",
        [run.benchmark, run.run_id],
    ).df()
    return rows.set_index("item_no")["vector"]


def _right(run: StoredRun, kind: str, metric: str) -> pd.Series:
    """Item number -> whether it is right; undefined ones left out."""
    rows = run.cursor.execute(
        """SELECT item_no, correct FROM outcomes WHERE run_id = ? AND kind = ? AND metric = ? AND query = -1
        AND correct IS NOT NULL""",
        [run.run_id, kind, metric],
    ).df()
    return rows.set_index("item_no")["correct"].astype(bool)


def _rate(items: pd.DataFrame, right: pd.Series) -> Rate:
    here = items[items["item_no"].isin(right.index)]
    return statistics.rate(right.loc[here["item_no"]].to_numpy(), clusters=here["cluster"].to_numpy())
