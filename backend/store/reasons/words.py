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
    from, see `runs.of_run`; protocol: of its items."""

    cell: NDArray[np.object_]
    reason: NDArray[np.object_]
    table: pd.DataFrame = field(default_factory=pd.DataFrame)
    protocol: Protocol = Protocol.QUAD

    @classmethod
    def of(cls, frame: pd.DataFrame, items: pd.DataFrame, protocol: Protocol = Protocol.QUAD) -> "Words":
        """Those of some items, in their order, from a frame with item_no, cell, reason that may have fewer of them.

        >>> frame = pd.DataFrame({"item_no": [3], "cell": ["grounded"], "reason": ["uncertain"]})
        >>> Words.of(frame, pd.DataFrame({"item_no": [2, 3]})).cell.tolist()
        ['', 'grounded']
        """
        if np.array_equal(frame["item_no"].to_numpy(), items["item_no"].to_numpy()):
            return cls(frame["cell"].to_numpy(object), frame["reason"].to_numpy(object), frame, protocol)
        found = frame.set_index("item_no")[["cell", "reason"]].reindex(items["item_no"]).fillna("")
        return cls(found["cell"].to_numpy(object), found["reason"].to_numpy(object), frame, protocol)
