"""Triplets whose verdicts were given for both paraphrases at once: what that leaves unknown of P1-N and P2-N."""

from collections.abc import Iterable
from typing import Final

from backend.kinds import Kind
from backend.store.build.store import Store

#: The metrics of one paraphrase alone.
OF_ONE: Final = ("i2t_p1_n_accuracy", "i2t_p2_n_accuracy")
WHY: Final = (
    "every triplet has one verdict for both paraphrases, and a false one counts against both, though one of them may "
    "have won"
)

#: Triplets of a run with both contests, how many have different winners in the two, and how many lost both.
_APART = """
WITH won AS (
    SELECT s.item_no, s.text_index, min(s.value) AS share
    FROM scores s JOIN items i ON i.item_no = s.item_no
        AND i.benchmark = (SELECT benchmark FROM runs WHERE run_id = $run)
    WHERE s.run_id = $run AND s.part = $part AND i.protocol = 'triplet'
        AND ($subset::VARCHAR IS NULL OR list_contains(string_split($subset, ','), i.subset))
    GROUP BY s.item_no, s.text_index
)
SELECT count(*) FILTER (a.share <> b.share), count(*) FILTER (a.share < 0.5 AND b.share < 0.5)
FROM won a JOIN won b USING (item_no) WHERE a.text_index = 0 AND b.text_index = 1
"""


def lower_bounds(store: Store, run_id: str, subset: str | None) -> dict[str, str]:
    """Metric -> why its rate is a lower bound; {} where some triplet's two contests ended differently, so that they
    were judged one by one, and where none was lost.

    A server's answers to `flipside run` are asked paraphrase by paraphrase, and are never meant here.
    """
    model = store.run(run_id).record.get("model")
    if isinstance(model, dict) and model.get("family") == "endpoint":
        return {}
    binds = {"run": run_id, "part": str(Kind.VERDICT), "subset": subset}
    [(apart, lost)] = store.cached(
        ("both paraphrases", run_id, subset), lambda: store.cursor().execute(_APART, binds).fetchall()
    )
    return dict.fromkeys(OF_ONE, WHY) if lost and not apart else {}


def bounded(store: Store, run_id: str, kind: str, metrics: Iterable[str], subset: str | None = None) -> dict[str, str]:
    """Which of some metrics are lower bounds of a run under a kind of score -> why. subset: as of `lower_bounds`."""
    asked = [name for name in metrics if name in OF_ONE] if kind == Kind.VERDICT else []
    known = lower_bounds(store, run_id, subset) if asked else {}
    return {name: known[name] for name in asked if name in known}
