"""What a first visit asks once a server, asked before: the published rates, where they have been fetched, the stored
models' own of the same columns, and how alike the two first axes rank the models."""

from backend.live import real_results
from backend.published.atlas.measures import COMPOSITION, TASKS, measures
from pages.atlas import data
from pages.shared.data.stored import StoredBenchmark


def prepare(_benchmark: StoredBenchmark) -> None:
    """Keep it, whatever benchmark is looked at; nothing before the rates are there."""
    there = real_results.atlas_file()
    if there is not None:
        found = data.atlas(*there)
        data.own()
        data.correlations(found, (measures()[TASKS], measures()[COMPOSITION]), None)
