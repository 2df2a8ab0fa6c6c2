"""What a first visit asks once a server, asked before: what each model on offer gives, and what the words of the
experiment that is opened first may become, for which lists of words are read."""

from backend.errors import FlipsideError
from backend.live.scoring import pool, shipped
from backend.live.scoring.examples import EXAMPLES
from backend.perturb import foils
from pages.shared.data.stored import StoredBenchmark
from pages.try_it import scores


def prepare(_: StoredBenchmark) -> None:
    """Keep it; it is the same whatever results there are."""
    try:
        offered = pool.offered()
    except FlipsideError:  # the page says what is wrong with it
        return
    for spec in offered:
        scores.kinds_of(spec)
    shipped.scores(scores.at_first(offered), EXAMPLES[0])
    for text in EXAMPLES[0].texts:
        foils.proposals(text)
