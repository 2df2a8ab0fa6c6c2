"""Numbers that papers print, with their caveats, and the rule by which they are set beside ours (docs/published.md).

    from backend import published
    published.search(benchmark="visla", model="MiniLM")      # the tables
    published.matches(ours, "t2t_accuracy")                   # what may stand beside one of our rates

Tables, aliases and inconsistencies are data (README.md says where from); no torch, no streamlit, no duckdb in here.
"""

from backend.published.aliases import column_of, measured, names_called, names_of
from backend.published.compare import Match, Ours, matches, obstacle, refusals
from backend.published.printed import PAPERS, Caveat, Printed, everything, table
from backend.published.query import count, search

__all__ = [
    "PAPERS",
    "Caveat",
    "Match",
    "Ours",
    "Printed",
    "column_of",
    "count",
    "everything",
    "matches",
    "measured",
    "names_called",
    "names_of",
    "obstacle",
    "refusals",
    "search",
    "table",
]
