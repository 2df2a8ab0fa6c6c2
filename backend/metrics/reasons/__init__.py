"""Why an item fails: exact cells, and reasons where the evidence certifies them. Begin with `items.py`."""

from backend.metrics.reasons.counterfactual import CHOICE_CELLS, evidence, of_margins
from backend.metrics.reasons.items import Reasons, of_choices, of_quads
from backend.metrics.reasons.mirror import at_least, certify, shares
from backend.metrics.reasons.quads import QUAD_CELLS, decompose, group_match

__all__ = ["CHOICE_CELLS", "QUAD_CELLS", "Reasons", "at_least", "certify", "decompose", "evidence", "group_match", "of_choices", "of_margins", "of_quads", "shares"]  # fmt: skip  # noqa: E501
