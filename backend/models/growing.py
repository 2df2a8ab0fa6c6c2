"""A batch size that finds itself: doubled while more at once is faster, and while it fits. Imports no torch.

On a GPU how many inputs keep it busy depends on the model, the card and the length of the inputs, so nobody has to know
it: `TorchModel.in_batches` asks here, separately for each kind of work (images, texts, pairs). On a processor larger
batches hardly help, and scores of one machine shall not depend on what else it does, so there the size stays.
"""

from dataclasses import dataclass, field

#: More at once is faster where it takes at least so much less time for an input.
GAIN = 1.05
#: Full batches timed at each size, of which the fastest counts: a library chooses its kernels anew for every shape (on
#: an H200 that took 16 ms for each length of the captions, twice the pass itself). The first of a size is not timed.
TIMED = 3
#: A size that so many lists of inputs in a row have not filled is never filled: the lists are shorter, or their inputs
#: too large for so many at once.
UNFILLED = 8


@dataclass
class Growing:
    """The size for one kind of work.

    size: how many go into the next batch. most: never more than that. settled: the size stays as it is.
    rates: size -> inputs (or positions) a second, of the fastest batch that was timed.
    """

    size: int
    most: int
    settled: bool = False
    rates: dict[int, float] = field(default_factory=dict)
    _batches: int = 0
    _fastest: float = 0.0
    _unfilled: int = 0

    def note(self, rows: int, amount: float, seconds: float) -> None:
        """A batch went through. rows: inputs in it; only full ones tell. amount: what it did, inputs or positions."""
        if self.settled or rows < self.size:
            return
        self._unfilled = 0
        self._batches += 1
        if self._batches == 1:
            return
        self._fastest = max(self._fastest, amount / max(seconds, 1e-9))
        if self._batches > TIMED:
            self._decide()

    def asked(self) -> None:
        """A list of inputs went through. Where none fills the size, it is the best of those that were timed for good;
        else each batch would be timed, and waited for, as long as the model is there."""
        self._unfilled += 1
        if not self.settled and self._unfilled > UNFILLED:
            self.size, self.settled = self._enough() if self.rates else self.size, True

    def failed(self, fits: int) -> None:
        """A batch did not fit into the memory; so many did, or are tried next."""
        self.size, self.settled = max(1, fits), True

    def _decide(self) -> None:
        """The smallest size that is about as fast as the fastest, once the next larger one and the one after it are not
        faster: one that was timed while the processor was busy with something else ends nothing."""
        self.rates[self.size] = self._fastest
        self._batches, self._fastest = 0, 0.0
        enough = self._enough()
        if self.size >= 4 * enough or 2 * self.size > self.most:
            self.size, self.settled = enough, True
        else:
            self.size *= 2

    def _enough(self) -> int:
        best = max(self.rates.values())
        return min(size for size, rate in self.rates.items() if GAIN * rate > best)
