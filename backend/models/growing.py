"""A batch size that finds itself: doubled while more at once is faster, and while it fits. Imports no torch.

On a GPU how many inputs keep it busy depends on the model, the card and the length of the inputs, so nobody has to know
it: `TorchModel.in_batches` asks here, separately for each kind of work (images, texts, pairs). On a processor larger
batches hardly help, and scores of one machine shall not depend on what else it does, so there the size stays.
"""

from dataclasses import dataclass, field

#: More at once is faster where it takes at least so much less time for an input.
GAIN = 1.05
#: Full batches timed at each size. The first one of a size is not: libraries choose their kernels in it.
TIMED = 2


@dataclass
class Growing:
    """The size for one kind of work.

    size: how many go into the next batch. most: never more than that. settled: the size stays as it is.
    rates: size -> inputs (or positions) a second, of the batches that were timed.
    """

    size: int
    most: int
    settled: bool = False
    rates: dict[int, float] = field(default_factory=dict)
    _batches: int = 0
    _amount: float = 0.0
    _seconds: float = 0.0

    def note(self, rows: int, amount: float, seconds: float) -> None:
        """A batch went through. rows: inputs in it; only full ones tell. amount: what it did, inputs or positions."""
        if self.settled or rows < self.size:
            return
        self._batches += 1
        if self._batches == 1:
            return
        self._amount, self._seconds = self._amount + amount, self._seconds + seconds
        if self._batches > TIMED:
            self._decide()

    def failed(self, fits: int) -> None:
        """A batch did not fit into the memory; so many did, or are tried next."""
        self.size, self.settled = max(1, fits), True

    def _decide(self) -> None:
        self.rates[self.size] = self._amount / max(self._seconds, 1e-9)
        self._batches, self._amount, self._seconds = 0, 0.0, 0.0
        before = self.rates.get(self.size // 2)
        if before is not None and self.rates[self.size] < GAIN * before:
            self.size, self.settled = self.size // 2, True
        elif 2 * self.size > self.most:
            self.settled = True
        else:
            self.size *= 2
