"""What is wrong with the ids of a file as a whole: what they look like, and files that count from another number.

A file that counts from 0 where the benchmark counts from 1 gives every item its neighbour's score, and only one of its
ids is unknown; so it is refused.
"""

import re
from dataclasses import dataclass, field
from functools import cached_property

from backend.predictions.claim import Score, Unmatched, Verdict
from backend.predictions.finding import Items

#: Sorts of reasons that a summary names.
_NAMED = 4
#: What differs between two reasons of one sort: what they quote, and numbers.
_VARIABLE = re.compile(r"'.*'|(?<![\w.])-?\d[\d,.e+-]*")


@dataclass
class Ids:
    """The ids that statements gave. said: items found by them; unknown: first spelling of an id that no item has -> all
    spellings; fitting, unfitting: statements whose caption the item has, and has not; the others are known by their id
    alone."""

    items: Items
    said: set[int] = field(default_factory=set)
    unknown: dict[str, list[str]] = field(default_factory=dict)
    fitting: int = 0
    unfitting: int = 0

    def note(self, claim: Score | Verdict) -> None:
        """Take a statement's id, whatever becomes of the statement."""
        if not claim.about.ids:
            return
        number = self.items.known(claim.about)
        if number is None:
            self.unknown.setdefault(claim.about.ids[0], self.items.spelt(claim.about))
            return
        self.said.add(number)
        if caption := claim.about.caption.strip():
            fits = caption in [text.strip() for text in self.items.item_of(number).texts]
            self.fitting += fits
            self.unfitting += not fits

    def hints(self) -> list[str]:
        """What to do about ids that no item has, a sentence each; none where all are known."""
        if not self.unknown:
            return []
        return [hint for hint in (self.shifted, f"Ids of these items look like {self._examples()}.") if hint]

    @property
    def misplaced(self) -> bool:
        """Whether statements were given to items by ids that count from another number than the benchmark's."""
        return bool(self.said and self.shifted)

    @cached_property
    def shifted(self) -> str:
        """Why the ids seem to count from another number, "" where they do not, as captions that fit say. Now and then a
        neighbour has the same one."""
        if self.fitting > self.unfitting:
            return ""
        for prefix, tails in self._unknown_tails().items():
            known = self._tails[prefix]
            low, high = min(known), max(known)
            beyond = [tail for tail in tails if not low <= tail <= high]  # between them the benchmark may have gaps
            if len(beyond) != 1:
                continue
            tail = beyond[0]
            from_0 = tail == 0 and low == 1 and known[high] not in self.said
            from_1 = low == 0 and tail == high + 1 and known[0] not in self.said
            if from_0 or from_1:
                there, absent = (f"{prefix}{tail}", f"{prefix}{high if from_0 else 0}")
                start, other, mend = ("0", "1", "Add 1 to") if from_0 else ("1", "0", "Take 1 from")
                return (
                    f"The ids seem to count from {start} ('{there}' is among them, '{absent}' is not), but this "
                    f"benchmark counts from {other}, so that each item would get its neighbour's. {mend} the number of "
                    "each id."
                )
        return ""

    def _unknown_tails(self) -> dict[str, set[int]]:
        """Prefix of a benchmark's ids -> the numbers behind it that no item has."""
        found: dict[str, set[int]] = {}
        for spelt in self.unknown.values():
            for prefix, tail in filter(None, map(_split, spelt)):
                if prefix in self._tails:
                    found.setdefault(prefix, set()).add(tail)
                    break
        return found

    @cached_property
    def _tails(self) -> dict[str, dict[int, int]]:
        """Prefix -> number behind it -> the item."""
        found: dict[str, dict[int, int]] = {}
        for name, number in self.items.by_id.items():
            if split := _split(name):
                found.setdefault(split[0], {})[split[1]] = number
        return found

    def _examples(self) -> str:
        """Two real ids: the first of two subsets, else the first and the last item."""
        numbers = sorted(self.items.numbers) or list(range(self.items.n))
        if not numbers:
            return "none: there are no items"
        first = self.items.item_of(numbers[0])
        other = next((n for n in numbers if self.items.item_of(n).subset != first.subset), numbers[-1])
        ids = dict.fromkeys([first.item_id, self.items.item_of(other).item_id])
        return " and ".join(f"'{name}'" for name in ids)


def reasons(unmatched: list[Unmatched]) -> list[str]:
    """Every sort of reason with its count and its first example, which is called one where others differ from it in
    what they quote; the commonest first.

    >>> from backend.predictions.claim import Place
    >>> reasons([Unmatched(Place("a.csv", n), f"there is no item 'x/{n}'") for n in (1, 2)])
    ["2 × such as: there is no item 'x/1' (a.csv:1)"]
    """
    sorts: dict[str, list[Unmatched]] = {}
    for each in unmatched:
        sorts.setdefault(_VARIABLE.sub("…", each.reason), []).append(each)
    ranked = sorted(sorts.values(), key=len, reverse=True)
    said = [
        f"{len(each):,} × {'such as: ' if len({one.reason for one in each}) > 1 else ''}{each[0].reason} "
        f"({each[0].place})" for each in ranked[:_NAMED]
    ]  # fmt: skip
    if left := ranked[_NAMED:]:
        said.append(f"{sum(map(len, left)):,} × {len(left)} other reasons")
    return said


def _split(name: str) -> tuple[str, int] | None:
    """`zeroshot/7` -> (`zeroshot/`, 7); None where no number stands at the end."""
    prefix, slash, tail = name.rpartition("/")
    return (prefix + slash, int(tail)) if tail.isdecimal() and len(tail) < 16 else None
