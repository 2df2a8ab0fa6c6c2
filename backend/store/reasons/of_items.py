"""The sentences of all items of a run at once, from the tables that were made at import."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from backend.protocols import Protocol
from backend.store.build.store import Store
from backend.store.reasons import runs
from backend.store.reasons.of_item import facts_of, medians_of
from backend.store.reasons.sentence import said
from backend.store.reasons.words import CARRIED_BY
from backend.store.scores.setting import Setting


def sentences(
    store: Store, run_id: str, kind: str, name: str, texts: Mapping[int, Sequence[str]], titles: Mapping[str, str],
    only: Collection[str] = (),
) -> dict[int, tuple[str, str]]:  # fmt: skip
    """Item number -> the claim on it and the rest, as `of_item` says them, but for what taking a prior away would do;
    items without a cell have none. name: what the sentences call the model; texts: item number -> its captions, of
    which short ones are quoted (none are where they are empty); titles: subset -> what it is called; only: subsets, all
    where it is empty."""
    found: dict[int, tuple[str, str]] = {}
    for protocol in CARRIED_BY:
        table = runs.of_run(store, run_id, Setting(kind), protocol)
        if not len(table):
            continue
        for subset, part in table.groupby("subset", sort=False):
            if only and subset not in only:
                continue
            medians, spread = medians_of(part, protocol), _spread(part, protocol)
            title = titles.get(str(subset), str(subset))
            for row in part[part["cell"] != ""].to_dict("records"):
                own = {str(key): value for key, value in row.items()}
                item = int(own["item_no"])
                facts = facts_of(protocol, own, name, title, texts.get(item, ()), medians, None, spread)
                told = said(facts)
                found[item] = told.claim, " ".join(told.rest)
    return found


def _spread(part: pd.DataFrame, protocol: Protocol) -> float:
    return float(np.sqrt((part["gamma"] ** 2).mean())) if protocol == Protocol.QUAD else float("nan")
