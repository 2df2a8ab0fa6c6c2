"""Accessibility faults inside nodes that Streamlit draws itself: each with its rule, nodes, reason and date.

An entry covers a violation only where the node that axe names lies in the markup described; our own
HTML is never exempt.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Exemption:
    """rule: axe's id; within: a CSS selector of the framework's nodes that may break it; since: when it was seen."""

    rule: str
    within: str
    reason: str
    since: str


EXEMPTIONS: tuple[Exemption, ...] = ()
