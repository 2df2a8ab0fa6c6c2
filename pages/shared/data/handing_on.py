"""Which charts may be handed on as a picture: none that draws single scores of runs whose verdicts alone may be."""

from collections.abc import Iterable

from backend.store.catalog import public
from pages.shared.data import stored

#: What the button says where it has no picture.
NO_PICTURE = "No picture: it would show scores, and of these fetched ones rates and verdicts alone may be handed on"


def verdicts_only(runs: Iterable[str]) -> bool:
    """Whether scores of any of these runs (ids) may not be handed on (see `public.verdicts_only`)."""
    return any(map(_of_run, dict.fromkeys(runs)))


@stored.kept()
def _of_run(run: str) -> bool:
    return public.verdicts_only(stored.store().run(run).record)


def picture(chart: str, runs: Iterable[str]) -> tuple[str, str]:
    """(the key of a chart that draws single scores or deviations of these runs, or "" where its picture may not be
    handed on; what the button says of that, or "")."""
    return ("", NO_PICTURE) if verdicts_only(runs) else (chart, "")
