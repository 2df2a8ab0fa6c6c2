"""The columns `cell` and `reason` of outcomes: which rows carry them, and how a block's items get theirs."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from backend.protocols import Protocol

#: The metrics whose rows of `outcomes` carry an item's cell and reason, by protocol.
CARRIED_BY = {
    Protocol.QUAD: ("text_score", "image_score", "group_score", "group_match"),
    Protocol.CHOICE: ("accuracy",),
    Protocol.TRIPLET: ("i2t_accuracy",),
}


@dataclass(frozen=True)
class Words:
    """The columns `cell` and `reason` of n items, object (n,) of str, "" where undefined. table: what they were read
    from, see `runs.of_run`."""

    cell: NDArray[np.object_]
    reason: NDArray[np.object_]
    table: pd.DataFrame = field(default_factory=pd.DataFrame)

    @classmethod
    def of(cls, frame: pd.DataFrame, items: pd.DataFrame) -> "Words":
        """Those of some items, in their order, from a frame with item_no, cell, reason that may have fewer of them.

        >>> frame = pd.DataFrame({"item_no": [3], "cell": ["grounded"], "reason": ["uncertain"]})
        >>> Words.of(frame, pd.DataFrame({"item_no": [2, 3]})).cell.tolist()
        ['', 'grounded']
        """
        found = frame.set_index("item_no")[["cell", "reason"]].reindex(items["item_no"]).fillna("")
        return cls(found["cell"].to_numpy(object), found["reason"].to_numpy(object), frame)
