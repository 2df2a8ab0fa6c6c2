"""What the pages ask the store, in one place: plain frames and dataclasses, no streamlit.

| question | function |
|---|---|
| what is there | `benchmarks`, `runs`, `models`, `settings`, `record`, `problems` |
| how often right | `rates`, `heatmap` |
| what each item's verdict is | `outcomes` |
| which items | `failures`, `failure_ids`, `item` |
| why | `alpha_curves`, `prior_agreement`, `deviations` |
| which is better | `Side`, `shared`, and on what it gives `compare.against`, `compare.matrix`, `compare.rates` |
| what changes over steps | `series`, and `backend.store.series` on what it gives |
"""

from backend.store.card_items import card_items
from backend.store.catalog import Available, benchmarks, models, problems, record, runs, settings
from backend.store.compare import Shared, Side, shared
from backend.store.curves import AlphaCurve, alpha_curves, deviations, prior_agreement
from backend.store.detail import ItemDetail, item
from backend.store.failures import FailureFilter, FailurePage, failure_ids, failures
from backend.store.outcomes import COLUMNS as OUTCOME_COLUMNS
from backend.store.outcomes import compute as outcomes
from backend.store.rates import HEADLINES, heatmap, rates
from backend.store.series import Checkpoint, series
from backend.store.setting import Setting
from backend.store.shortlist import shortlist

__all__ = [
    "HEADLINES", "OUTCOME_COLUMNS", "AlphaCurve", "Available", "Checkpoint", "FailureFilter", "FailurePage",
    "ItemDetail", "Setting", "Shared", "Side", "alpha_curves", "benchmarks", "card_items", "deviations",
    "failure_ids", "failures", "heatmap", "item", "models", "outcomes", "prior_agreement", "problems", "rates",
    "record", "runs", "series", "settings", "shared", "shortlist",
]  # fmt: skip
