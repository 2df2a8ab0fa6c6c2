"""Distinct captions of a stored benchmark, and how fine-grained they are."""

import json
import random
from itertools import islice

from backend.benchmarks.granular import Texts
from backend.perturb.granularity import Granularity, measure
from backend.store.reader import Store

#: Captions that a page measures: some 3,000 in a second.
MOST = 3000


def captions(store: Store, benchmark: str, texts: Texts = "truth", subset: str | None = None) -> list[str]:
    """Captions of a benchmark (hash), each once, in the order of its items: the true ones, the others, or all. Class
    names are no captions."""
    rows = store.cursor().execute(
        """SELECT texts, truth FROM items WHERE benchmark = $1 AND protocol <> 'classify'
        AND ($2::VARCHAR IS NULL OR subset = $2) ORDER BY item_no""",
        [benchmark, subset],
    )
    found: dict[str, None] = {}
    while lines := rows.fetchmany(4096):
        for captions_, truth in lines:
            true = {int(text) for _, text in json.loads(truth)}
            places = (k for k in range(len(captions_)) if texts == "all" or (k in true) == (texts == "truth"))
            found |= dict.fromkeys(captions_[k] for k in places)
    return list(found)


def granularity(
    store: Store, benchmark: str, texts: Texts = "truth", subset: str | None = None, most: int = MOST, seed: int = 0
) -> tuple[Granularity, int]:
    """The features of a benchmark's captions, and how many captions it has: where more than `most`, a random sample of
    so many is measured."""

    def make() -> tuple[Granularity, int]:
        found = captions(store, benchmark, texts, subset)
        n = len(found)
        if n > most:
            found = random.Random(seed).sample(found, most)  # noqa: S311 - a sample keeps no secret
        return measure(found), n

    return store.cached(("granularity", benchmark, texts, subset, most, seed), make)


def first(store: Store, benchmark: str, most: int = 60) -> list[str]:
    """Some different captions, for examples."""
    rows = store.cursor().execute(
        """SELECT text FROM (SELECT item_no, unnest(texts) AS text FROM items
        WHERE benchmark = ? AND protocol <> 'classify' ORDER BY hash(item_no) LIMIT 400)""",
        [benchmark],
    )
    return list(islice(dict.fromkeys(text for (text,) in rows.fetchall()), most))
