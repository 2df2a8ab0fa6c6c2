"""Whether what a bundle's record says of itself can be so: when it was made, what batching changed, how many samples.

None of it is part of a run's id, and no checksum covers what a stranger writes; but lists are ordered by it, and
margins are called noise by it.
"""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from backend import moments
from backend.items import Kind
from backend.kinds import PREDICTIONS
from backend.store.exchange.cells import samples_of

#: How far the clock of another machine may be ahead of this one's.
AHEAD: Final = timedelta(days=1)
#: Values that a run scores once more without company at most (engine/batching.py takes about eight cells a part, and a
#: pool's vectors with each other).
MEASURED: Final = 10_000
#: How far one cosine may lie from another, and log-odds or log-probabilities of the same input from each other: beyond
#: that it is no rounding.
APART: Final = 2.02
APART_IN_LOGS: Final = 1_000.0


def check(record: Mapping[str, Any], now: datetime | None = None) -> None:
    """ValueError, in one sentence, for what no run can say of itself. record: run.json, held to its form."""
    _check_moments(record, now or datetime.now(UTC))
    for part, told in (record.get("batching") or {}).items():
        _check_batching(str(part), told)
    if str(record["model"]["spec"]).startswith(PREDICTIONS):
        return  # which may number their samples as they like
    for part, told in (record.get("priors") or {}).items():
        said, own = told.get("samples"), samples_of(str(part))
        if said is not None and (isinstance(said, bool) or said != (1 if own is None else own)):
            raise ValueError(
                f"run.json says that {part} has {str(said)[:40]} samples, and by its name it has "
                f"{1 if own is None else own:,}"
            )


def _check_moments(record: Mapping[str, Any], now: datetime) -> None:
    for name, stamp in _moments(record):
        found = moments.utc(stamp)
        if found is not None and found > now + AHEAD:
            raise ValueError(
                f"run.json: {name} is {stamp[:10]}, which is still to come (here it is {now.date().isoformat()}). The "
                "clock of the machine that made it, or of this one, is wrong"
            )


def _moments(record: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The name and the text of every moment that a record holds."""
    told = [("", record), *((f"sessions.{n}.", each) for n, each in enumerate(record.get("sessions") or ()))]
    for before, where in told:
        for name in ("created", "updated", "started", "finished"):
            if isinstance(stamp := where.get(name), str):
                yield before + name, stamp


def _check_batching(part: str, told: Mapping[str, Any]) -> None:
    if (n := told.get("n")) is not None and n > MEASURED:
        raise ValueError(
            f"run.json says that {n:,} scores of {part} were made once more to see what batching changes, where a run "
            "makes a handful"
        )
    kind = part.partition("@")[0]
    cosine = kind in (Kind.ITC, Kind.T2T)
    for name in ("difference", "per_token", "in_pools"):
        of_cosines = cosine or name == "in_pools"
        most = APART if of_cosines else APART_IN_LOGS
        if (found := told.get(name)) is not None and found > most:
            why = "no two cosines lie so far apart" if of_cosines else f"{most:g} is more than any rounding is"
            raise ValueError(f"run.json: batching.{part}.{name} moves a score by {found:.3g}, and {why}")
