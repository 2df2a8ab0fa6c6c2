"""Two systems by `accuracy_mean_of_orders`, which has no verdict an item: by each item's share of orders right."""

from collections.abc import Sequence

import numpy as np

from backend.metrics.paired.differences import Paired
from backend.metrics.paired.orders import of_orders
from backend.store.build.store import Store
from backend.store.compare import one_side
from backend.store.compare.compare import Side
from backend.store.rates import asking_orders


def paired(store: Store, a: Side, b: Side, subsets: Sequence[str] = ()) -> Paired:
    """B − A over the choices that both were asked about, images being what is independent (`orders.of_orders`).

    Unlike right in every order, a share of the orders is no rarer where an item was asked in more of them, so items
    that were asked in other numbers of orders compare, too. subsets: only these; none means all.
    """
    frames = [one_side.verdicts(store, side.run_id, side.setting, ["accuracy"]) for side in (a, b)]
    if subsets:
        frames = [frame[frame["subset"].isin(subsets)] for frame in frames]
    both = frames[0].merge(frames[1][["item_no"]], on="item_no")
    numbers = both["item_no"].to_numpy(dtype=np.intp)
    right_a, right_b = (asking_orders.asked(store, side.run_id, numbers).right for side in (a, b))
    return of_orders(right_a, right_b, both["cluster"].to_numpy())
