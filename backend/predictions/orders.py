"""Verdicts by orders of asking: what they come to, and how an earlier run's are told apart again.

While rows are collected, each order has a part of its own (`verdict@<order>`), and so have answers that name none
(`verdict@`). A run has `verdict`, one row for each question, and beside it the orders: all of them, or none where
there is only one and all of `verdict` is of it (its name is in the run's record).
"""

from collections.abc import Collection, Mapping, Sequence

from backend.items import Kind
from backend.kinds import ORDER
from backend.predictions.parts import Part


def named(parts: Collection[str]) -> list[str]:
    """The parts of orders that have a name, sorted."""
    return sorted(part for part in parts if part.startswith(ORDER) and part != ORDER)


def merge_orders(parts: dict[str, Part]) -> str:
    """`verdict` out of its orders of asking: 1 where all chose the text, 0 where all chose the other, 0.5 where it was
    chosen in some of them alone; where it was chosen in none, and neither was in some, the mean.

    So a caption has won only where it was chosen in every order, as for a model behind a server (Model.prefer). Answers
    that name no order stand where no order has an answer to the same question; they are of no order themselves.

    Returns what is to be said of answers that name no order where others do, in sentences; "" where nothing is.
    """
    orders = {name: parts[name] for name in named(parts)}
    unnamed = parts.pop(ORDER, None)
    if not orders:
        if unnamed is not None:
            parts[Kind.VERDICT] = unnamed
        return ""
    made = _merged(orders)
    left = [] if unnamed is None else [row for row in unnamed if row[0] not in made.rows]
    # Those that say what the orders come to, as an export of this program does, say nothing new: nothing is lost.
    others = {
        key[:2] for key, value, _ in unnamed or () if key in made.rows and abs(made.value(key) - value) > _ROUNDING
    }
    said = []
    if others:
        said.append(
            f"Answers without an order that say otherwise than those with one, and count in no rate: {len(others):,}."
            " Give each its order, or add them under a name of their own."
        )
    if left:
        said.append(
            "Answers without an order stand for their items, and count in no order and in no mean of the orders: "
            f"{len({key[:2] for key, *_ in left}):,}."
        )
    for key, value, _ in left:
        made.add(key, value)
    parts[Kind.VERDICT] = made
    if len(orders) == 1 and not left:
        del parts[next(iter(orders))]
    return " ".join(said)


def was_in(name: str, orders: Sequence[str], stored: Collection[str]) -> str:
    """The part that a stored part's rows were collected in; "" for `verdict@` beside what was made of it, whose rows
    `verdict` has, too. orders: of the run's record. stored: all of its parts.

    >>> was_in("verdict", ["a"], ["verdict"]), was_in("verdict", [], ["verdict"]), was_in("itc", [], ["itc"])
    ('verdict@a', 'verdict@', 'itc')
    >>> was_in("verdict", ["a", "b"], ["verdict", "verdict@a", "verdict@b"])  # but for rows of its orders
    'verdict@'
    """
    if name == ORDER:  # runs of before kept answers without an order so
        return ""
    if name != Kind.VERDICT:
        return name
    alone = [] if named(stored) else [order for order in orders if order]
    return f"{ORDER}{alone[0]}" if len(alone) == 1 else ORDER


def _merged(orders: Mapping[str, Part]) -> Part:
    """What several orders come to, see `merge_orders`."""
    merged = Part()
    for key in {key: None for part in orders.values() for key in part.rows}:
        shares = [part.values[part.rows[key]] for part in orders.values() if key in part.rows]
        same = len(set(shares)) == 1
        merged.add(key, shares[0] if same else 0.5 if max(shares) > 0.5 else sum(shares) / len(shares))
    return merged


#: Between a share that was made of several and the same one read back.
_ROUNDING = 1e-6
