"""Distinct captions of a stored benchmark."""

import json
from itertools import islice

from backend.benchmarks.granular import Texts
from backend.store.build.store import Store


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


def first(store: Store, benchmark: str, most: int = 60) -> list[str]:
    """Some different captions, for examples."""
    rows = store.cursor().execute(
        """SELECT text FROM (SELECT item_no, unnest(texts) AS text FROM items
        WHERE benchmark = ? AND protocol <> 'classify' ORDER BY hash(item_no) LIMIT 400)""",
        [benchmark],
    )
    return list(islice(dict.fromkeys(text for (text,) in rows.fetchall()), most))
