"""Runs: public results of real models, which are fetched from their own places."""

from backend.store import queries
from pages.shared.data import stored
from pages.shared.offers import real_results


def draw() -> None:
    """Every package, with its terms."""
    real_results.draw_all(sorted(set(queries.runs(stored.store())["model"])))
