"""What the pages ask the store, in one place: plain frames and dataclasses, no streamlit.

| question | function |
|---|---|
| what is there | `benchmarks`, `runs`, `models`, `settings`, `problems` |
| how often right | `rates`, `heatmap` |
| what each item's verdict is | `outcomes` |
| which items | `failures`, `failure_ids`, `item` |
| why | `alpha_curves`, `prior_agreement`, `deviations` |
| which is better | `Side`, `shared`, and on what it gives `compare.against`, `compare.matrix`, `compare.rates` |
| what changes over steps | `series`, and `backend.store.compare.series` on what it gives |
"""

from backend.store.alpha.curves import AlphaCurve, alpha_curves, prior_agreement
from backend.store.catalog.catalog import Available, benchmarks, models, problems, runs, settings
from backend.store.compare.compare import Shared, Side, shared
from backend.store.compare.series import Checkpoint, series
from backend.store.failures.failures import FailureFilter, FailurePage, failure_ids, failures
from backend.store.items.cards import card_items
from backend.store.items.detail import ItemDetail, item
from backend.store.items.shortlist import shortlist
from backend.store.quads.deviations import deviations
from backend.store.rates.rates import HEADLINES, heatmap, rates
from backend.store.scores.outcomes import COLUMNS as OUTCOME_COLUMNS
from backend.store.scores.outcomes import compute as outcomes
from backend.store.scores.setting import Setting

__all__ = [
    "HEADLINES", "OUTCOME_COLUMNS", "AlphaCurve", "Available", "Checkpoint", "FailureFilter", "FailurePage",
    "ItemDetail", "Setting", "Shared", "Side", "alpha_curves", "benchmarks", "card_items", "deviations",
    "failure_ids", "failures", "heatmap", "item", "models", "outcomes", "prior_agreement", "problems", "rates",
    "runs", "series", "settings", "shared", "shortlist",
]  # fmt: skip
