"""`run --counterfactual`: how many other images where nobody says, and the closing words where there are none."""

import shlex
from collections.abc import Sequence

from backend.called import words_typed
from backend.engine.reporting.summary import RunSummary
from backend.other_images import DEFAULT

_OPTION = "--counterfactual"


def default(model: str) -> int:
    """Under how many other images captions are scored where nobody says it: bundled models are fast.

    >>> default("bundled:clip"), default("hf:openai/clip-vit-base-patch32")
    (16, 0)
    """
    return DEFAULT if model.startswith("bundled:") else 0


def complete(summaries: Sequence[RunSummary], given: Sequence[str]) -> None:
    """Say in each summary what command would bring the scores that it lacks. given: the words of the command behind
    `flipside`, where it was not typed."""
    most = max((each.counterfactual.get("would_be", 0) for each in summaries), default=0)
    command = command_of(words_typed() or given, most)
    for summary in summaries:
        if "would_be" in summary.counterfactual:
            summary.counterfactual["command"] = command


def command_of(words: Sequence[str], others: int = DEFAULT) -> str:
    """The command with a number of other images.

    >>> command_of(["run", "--model", "hf:a b", "--counterfactual", "0", "--json"])
    "flipside run --model 'hf:a b' --counterfactual 16"
    """
    kept, skip = list[str](), False
    for word in words:
        if not skip and word != "--json" and word != _OPTION and not word.startswith(f"{_OPTION}="):
            kept.append(word)
        skip = not skip and word == _OPTION
    return shlex.join(["flipside", *kept, _OPTION, str(others)])


def closing_words(summaries: Sequence[RunSummary]) -> list[str]:
    """What a person is told at the end of a run whose verdicts on choices and triplets get no reason."""
    lacking = [summary.counterfactual for summary in summaries if "command" in summary.counterfactual]
    if not lacking:
        return []
    seconds = [each["seconds"] for each in lacking]
    known = None not in seconds and sum(seconds)
    time = f", about {said(sum(seconds))} at the rate of this run" if known else ""
    return [
        f"Why choices and triplets fail is not measured: their captions have not been scored under other images "
        f"({sum(each['scores'] for each in lacking):,} scores{time}):",
        f"  {lacking[0]['command']}",
    ]


def said(seconds: float) -> str:
    """A time as one says it.

    >>> said(0.4), said(70), said(600), said(9000)
    ('1 s', '70 s', '10 min', '2.5 h')
    """
    if seconds < 120:
        return f"{max(1, round(seconds))} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"
