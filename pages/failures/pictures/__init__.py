"""The pictures above the list, each a filter: what would have to change, and how clear the verdicts are."""
