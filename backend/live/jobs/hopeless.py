"""Whether a job that failed would fail again however often it were resumed: what was asked for cannot be done."""

from contextlib import suppress
from typing import Final

from backend.errors import FlipsideError
from backend.kinds import PREDICTIONS
from backend.live.jobs import output
from backend.live.jobs.record import FAILED, Job

#: What the engine says where none of the items has anything that the kinds asked for could score (engine/plan.py,
#: engine/early.py): of one benchmark and one model this never changes.
NOTHING: Final = (
    "is defined for triplets only", "no selected item has a cell for", "is asked of triplets, choices and quads only",
    "so none of its answers could be judged",
)  # fmt: skip
#: What a training says that ends so (teach/training/steps.py).
NO_NUMBER: Final = "gradient is no number"


def is_hopeless(job: Job) -> bool:
    """Whether the same command can never succeed: a run of another system's scores, which have no weights; a run by
    kinds that no item has; edits that apply to none of the items; a training whose loss is no number.

    Whatever a folder, a server, a proposing model or a repaired installation may still bring is not among them.
    """
    if job.state != FAILED or job.problem:
        return False
    if job.verb == "run":
        said = job.arguments
        model = said[said.index("--model") + 1] if "--model" in said[:-1] else ""
        return model.startswith(PREDICTIONS) or (job.exit_code == 2 and any(w in output.reason(job) for w in NOTHING))
    if job.verb == "teach":  # the same steps from the last checkpoint come to the same number
        return NO_NUMBER in output.reason(job)
    return job.verb == "perturb" and job.exit_code == 1 and _applies_nowhere(job)


def _applies_nowhere(job: Job) -> bool:
    """Whether all that a perturbing job lacks are edits that a rule makes, which have been tried on every item."""
    with suppress(FlipsideError):
        found = output.document(job)
        editions = found.get("editions") if isinstance(found, dict) else None
        if not isinstance(editions, list) or not all(isinstance(each, dict) for each in editions):
            return False
        lacking = [each for each in editions if each.get("failed")]
        return bool(lacking) and not any(each.get("proposer") for each in lacking)
    return False
