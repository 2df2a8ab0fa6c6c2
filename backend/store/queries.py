"""What the pages ask the store, in one place: plain frames and dataclasses, no streamlit.

| question | function |
|---|---|
| what is there | `benchmarks`, `runs`, `models`, `settings`, `record`, `problems` |
| how often right | `rates`, `heatmap` |
| what each item's verdict is | `outcomes` |
| which items | `failures`, `failure_ids`, `item` |
| why | `alpha_curves`, `prior_agreement`, `deviations`, `compare` |
"""

from backend.store.card_items import card_items
from backend.store.catalog import Available, benchmarks, models, problems, record, runs, settings
from backend.store.curves import AlphaCurve, alpha_curves, compare, deviations, prior_agreement
from backend.store.detail import ItemDetail, item
from backend.store.failures import FailureFilter, FailurePage, failure_ids, failures
from backend.store.outcomes import COLUMNS as OUTCOME_COLUMNS
from backend.store.outcomes import compute as outcomes
from backend.store.rates import HEADLINES, heatmap, rates
from backend.store.setting import Setting
from backend.store.shortlist import shortlist

__all__ = [
    "HEADLINES", "OUTCOME_COLUMNS", "AlphaCurve", "Available", "FailureFilter", "FailurePage", "ItemDetail", "Setting",
    "alpha_curves", "benchmarks", "card_items", "compare", "deviations", "failure_ids", "failures", "heatmap", "item",
    "models", "outcomes", "prior_agreement", "problems", "rates", "record", "runs", "settings", "shortlist",
]  # fmt: skip
