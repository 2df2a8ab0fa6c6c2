"""Real failures to begin with: items on which models disagree, and the stored reason of one that is wrong.

Which one is shown first is a rule, so that the same results give the same failure: see `real_failures`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from backend.benchmarks.winoground_stub import GATED
from backend.protocols import Protocol
from backend.store.build.store import Store
from backend.store.reasons.words import CARRIED_BY

#: The metric by which an item of each protocol is right or wrong here; for quads all four scores decide.
METRICS = {of: "group_score" if of == Protocol.QUAD else CARRIED_BY[of][0] for of in CARRIED_BY}
#: Two pictures and two captions first: what is confused is in sight.
_FIRST = (Protocol.QUAD, Protocol.TRIPLET, Protocol.CHOICE)
#: Reasons that certify nothing.
UNCERTIFIED = ("", "uncertain")
#: So many are offered, one after another.
MOST = 12
#: The share of models that are right -> how evenly the models are divided is told in so many steps.
_STEPS = 4


@dataclass(frozen=True)
class Shown:
    """One failure. item_id, subset, protocol, metric: what was asked; model, run_id, kind: who is wrong; cell, reason:
    its two words in `outcomes`; certified: whether the reason is more than "uncertain"; verdicts: every model that was
    asked, in the order in which they were named, and whether it is right."""

    item_id: str
    subset: str
    protocol: str
    metric: str
    model: str
    run_id: str
    kind: str
    cell: str
    reason: str
    verdicts: tuple[tuple[str, bool], ...]

    @property
    def certified(self) -> bool:
        """Whether the evidence tells the item from luck."""
        return self.reason not in UNCERTIFIED

    @property
    def right(self) -> int:
        """How many models are right."""
        return sum(correct for _, correct in self.verdicts)


def real_failures(store: Store, benchmark: str, asked: Sequence[tuple[str, str, str]]) -> list[Shown]:
    """Failures of a benchmark (hash) whose pictures and captions are here, the most telling first; at most MOST.

    asked: (model, run id, kind) of each model, one each. Of every subset and reason the first item by: a certified
    reason; models that disagree; quads, then triplets, then choices; captions of the same words in another order, so
    that who has what is all that tells them apart; how evenly the models are divided, in quarters of an even split; a
    reason that names what outvotes the truth; the model that is right most often, for its failures say most; the
    certainty q; the order of the file. The same order ranks them among each other.
    """
    known = _verdicts(store, benchmark, asked)
    if not len(known):
        return []
    known["correct"] = known["correct"].astype(bool)
    share = known.groupby("item_no")["correct"].mean()
    divided = (2 * _STEPS * share.clip(upper=1 - share)).round()
    wrong = known[~known["correct"]].copy()
    wrong["certified"] = ~wrong["reason"].isin(UNCERTIFIED)
    wrong["divided"] = wrong["item_no"].map(divided)
    wrong["disagree"] = wrong["item_no"].map(share) > 0
    wrong["place"] = wrong["protocol"].map({str(of): k for k, of in enumerate(_FIRST)})
    wrong["outvoted"] = wrong["reason"].str.startswith("outvoted")
    wrong["able"] = wrong["model"].map(known.groupby("model")["correct"].mean())
    wrong["q"] = wrong["q"].fillna(1.0)
    wrong = wrong.sort_values(
        ["certified", "disagree", "place", "exchanged", "divided", "outvoted", "able", "q", "item_no", "asked"],
        ascending=[False, False, True, False, False, False, False, True, True, True], kind="stable",
    )  # fmt: skip
    first = wrong.drop_duplicates(["subset", "reason"]).drop_duplicates("item_no").head(MOST)
    by_item = dict(list(known[known["item_no"].isin(first["item_no"])].sort_values("asked").groupby("item_no")))
    return [
        Shown(
            str(row["item_id"]), str(row["subset"]), str(row["protocol"]), str(row["metric"]), str(row["model"]),
            str(row["run_id"]), str(row["kind"]), str(row["cell"]), str(row["reason"]),
            tuple((str(each["model"]), bool(each["correct"])) for each in by_item[row["item_no"]].to_dict("records")),
        )
        for row in first.to_dict("records")
    ]  # fmt: skip


def _verdicts(store: Store, benchmark: str, asked: Sequence[tuple[str, str, str]]) -> pd.DataFrame:
    """Every verdict of those who were asked on items that can be shown: model, run_id, kind, asked (their place), item
    columns, metric, correct, cell, reason, q, and exchanged: whether the first two captions have the same words."""
    columns: Mapping[str, list[str]] = {
        name: [each[k] for each in asked] for k, name in enumerate(("model", "run", "kind"))
    }
    return (
        store.cursor()
        .execute(
            """WITH who AS (SELECT unnest($model::VARCHAR[]) AS model, unnest($run::VARCHAR[]) AS run_id,
                unnest($kind::VARCHAR[]) AS kind, unnest($place::INTEGER[]) AS asked),
            how AS (SELECT unnest($protocol::VARCHAR[]) AS protocol, unnest($metric::VARCHAR[]) AS metric)
            SELECT w.model, w.run_id, w.kind, w.asked, i.item_no, i.item_id, i.subset, i.protocol, o.metric, o.correct,
                coalesce(o.cell, '') AS cell, coalesce(o.reason, '') AS reason, e.q,
                list_sort(string_split(lower(i.texts[1]), ' '))
                    = list_sort(string_split(lower(i.texts[2]), ' ')) AS exchanged
            FROM who w JOIN outcomes o ON o.run_id = w.run_id AND o.kind = w.kind AND o.query = -1
            JOIN items i ON i.benchmark = $benchmark AND i.item_no = o.item_no
            JOIN how h ON h.protocol = i.protocol AND h.metric = o.metric
            LEFT JOIN evidence e ON e.run_id = o.run_id AND e.kind = o.kind AND e.item_no = o.item_no
            WHERE o.correct IS NOT NULL AND NOT list_contains(i.image_uris, '') AND len(i.image_uris) > 0
                AND len(i.texts) BETWEEN 2 AND 8 AND NOT ends_with(i.texts[1], $gated)
            ORDER BY i.item_no, w.asked""",
            {
                **columns, "place": list(range(len(asked))), "benchmark": benchmark, "gated": GATED,
                "protocol": [str(of) for of in METRICS], "metric": list(METRICS.values()),
            },
        )
        .df()
    )  # fmt: skip
