"""What Robustness asks of its matrix as it opens, and of the items behind the cell that is open first, asked before:
what is quick at once, the rest once nobody waits. The first time, the example that ships is not in the cache yet, and
another process asks the same of it (answer_ahead.py)."""

from collections.abc import Iterator

from backend.store.robustness.robustness import HEADLINE
from pages.robustness import cards, cell, data, flips, view
from pages.shared.data.frames import lines_of
from pages.shared.data.stored import StoredBenchmark


def prepare(benchmark: StoredBenchmark) -> None:
    """Keep which runs can be compared, and by what; nothing more for a benchmark without editions."""
    data.families()
    if not data.pairs(benchmark.hash).empty:
        data.metrics(benchmark.hash)
        data.left_out(benchmark.hash)


def more(benchmark: StoredBenchmark) -> Iterator[None]:
    """The matrix, and what is behind its first cell, whichever way those items went."""
    if data.pairs(benchmark.hash).empty:
        return
    data.originals(benchmark.hash, HEADLINE, None)
    data.rules(benchmark.hash)
    yield
    columns = view.columns(data.pairs(benchmark.hash))
    shown = flips.first_cell(data.matrix(benchmark.hash, HEADLINE, None), columns)
    yield
    if shown is None:
        return
    mine = cell.rows_of(data.verdicts(benchmark.hash, HEADLINE, None), shown)
    for flip in (cell.LOST, cell.WON):
        cards.details(list(lines_of(cell.flipped(mine, flip).iloc[: cell.SHOWN])), benchmark)
        yield
