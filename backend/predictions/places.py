"""Items by their place in a file that counts them: by the texts that stand beside the place, else by the place alone,
and that only where the file counts as many items as there are."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cached_property

from backend.benchmarks.reading.malformed import Malformed
from backend.benchmarks.winoground_stub import is_placeholder
from backend.predictions.claim import About


class Places:
    """The items that count, in their order, each as (number, subset, texts).

    items_of: their numbers, ascending. read: a number's item id, subset and texts.
    """

    def __init__(self, numbers: Sequence[int], read: Callable[[int], tuple[str, str, tuple[str, ...]]]) -> None:
        self.numbers, self.read = list(numbers), read
        self._of_task: dict[str, tuple[str, list[int]]] = {}

    @cached_property
    def _subsets(self) -> dict[str, list[int]]:
        """Subset -> its items."""
        found: dict[str, list[int]] = {}
        for number in self.numbers:
            found.setdefault(self.read(number)[1], []).append(number)
        return found

    @cached_property
    def _with(self) -> dict[str, list[int]]:
        """Text -> the items that have it."""
        found: dict[str, list[int]] = {}
        for number in self.numbers:
            for text in dict.fromkeys(each.strip() for each in self.read(number)[2]):
                found.setdefault(text, []).append(number)
        return found

    def of_task(self, task: str) -> tuple[str, list[int]]:
        """The subset that a task's name ends in or holds, and its items; "" and all items where it names none."""
        if task not in self._of_task:
            named = [name for name in self._subsets if name and f"_{_plain(name)}_" in f"_{_plain(task)}_"]
            subset = max(named, key=len, default="")
            self._of_task[task] = subset, self._subsets[subset] if subset else self.numbers
        return self._of_task[task]

    def number(self, about: About) -> int:
        """The item that is meant. Malformed where texts and place say different things, or neither says enough."""
        subset, numbers = self.of_task(about.task)
        here = numbers[about.position] if about.position < len(numbers) else None
        if (found := self._by_texts(about, numbers, here)) is not None:
            return found
        if about.of != len(numbers) or here is None:
            part = f"its subset '{subset}'" if subset else "the benchmark"
            raise Malformed(
                f"is known by its place alone, and its file counts {about.of:,} items where {part} has "
                f"{len(numbers):,}; name the part that it is of with --subset, or give ids"
            )
        return here

    def _by_texts(self, about: About, numbers: list[int], here: int | None) -> int | None:
        """The one item with most of the texts; that at the place where several have them; None where none has, and
        the texts are not said to be captions."""
        among = set(numbers)
        held = Counter(
            number for text in dict.fromkeys(about.texts) for number in self._with.get(text, ()) if number in among
        )
        most = max(held.values(), default=0)
        best = [number for number, n in held.items() if n == most]
        if len(best) == 1:
            return best[0]
        if best and here in best:
            return here
        if best:
            raise Malformed(f"{len(best)} items have the captions of its doc, and none of them is at its place")
        if not about.captions or here is None:
            return None
        item_id, _, texts = self.read(here)
        if all(is_placeholder(text) for text in texts):
            return None
        if not any(text.strip() in said for text in texts for said in about.texts):
            raise Malformed(
                f"its doc has the caption '{about.captions[0][:60]}', which no item of this part has; at its place "
                f"stands {item_id}"
            )
        return None


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
