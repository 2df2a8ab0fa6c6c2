"""The commands of Teach's form are those of the jobs that Start queues."""

import shlex
from pathlib import Path

from backend.live.teaching.words import Wish
from pages.teach.train import needs

WISH = Wish("bundled:clip", "eqsim", fresh=40, concepts=("attribute",), steps=12, numbers={"weight": "2"})


def test_the_baseline_is_printed_with_the_training_where_it_is_started_with_it(flipside_cache: Path) -> None:
    """With “And the baseline beside it” ticked, Start queued two trainings and one was printed."""
    del flipside_cache
    one = needs.typed(WISH, "mine", False, False)
    both = needs.typed(WISH, "mine", False, True)
    assert both[:1] == one
    words = shlex.split(both[1])
    assert words[words.index("--recipe") + 1] == "baseline"
    assert words[words.index("--out") + 1] == "mine-baseline"
    assert words[words.index("--steps") + 1] == "12"
    assert len(both) == 2
