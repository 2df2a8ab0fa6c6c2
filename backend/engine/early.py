"""What can be refused before a model is loaded: no torch in here."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from backend import locks
from backend.engine.inputs.selection import Selection
from backend.engine.storage import files, shards
from backend.errors import FlipsideError, UsageError
from backend.intake.survey import PROTOCOLS, Survey
from backend.kinds import PROBABILITIES, Kind, listed
from backend.protocols import Protocol

#: As `models.device` knows them; that module needs torch.
DTYPES = ("auto", "float32", "fp32", "float16", "fp16", "bfloat16", "bf16")
_DEVICE = re.compile(r"auto|(cpu|cuda|mps)(:\d+)?")


def refuse_device(device: str, dtype: str) -> None:
    """UsageError for a name that is none; whether there is such a device only torch can tell."""
    if not _DEVICE.fullmatch(device):
        raise UsageError(f"--device {device}: use auto, cpu, cuda, cuda:N or mps.")
    if dtype not in DTYPES:
        raise UsageError(f"--dtype {dtype}: use auto, float32, float16 or bfloat16.")


def refuse_unwritable(root: Path) -> None:
    """FlipsideError where no run can be kept under `root`."""
    files.make_dir(root / "runs")
    if not os.access(root / "runs", os.W_OK | os.X_OK):
        raise FlipsideError(f"{root / 'runs'}: cannot be written to. Choose a writable folder with $FLIPSIDE_CACHE.")


def refuse_busy(root: Path, spec: str, content_hash: str, selection: Selection, device: str, dtype: str) -> None:
    """FlipsideError where another process writes what the same command would write, by its record. The lock itself is
    taken later, when the weights are known: this only spares whoever is refused the wait."""
    for lock in root.glob("runs/*/lock"):
        if not (holder := locks.holder(lock)):
            continue
        try:
            record = files.read_json(lock.with_name(shards.RECORD))
            if record.get("pictures"):
                continue  # a run of other pictures than another one's: which these are is not known yet
            session = record["sessions"][-1]
            theirs = (record["model"]["spec"], record["benchmark"]["hash"], session["device"], session["dtype"])
            same = theirs == (spec, content_hash, device, dtype) and record["selection"] == selection.identity()
        except (OSError, FlipsideError, LookupError, TypeError, AttributeError):
            continue  # not ours to judge: the lock is
        if same:
            raise files.being_written(lock.parent, holder)


def judged_kinds(found: Survey, spec: str, kinds: Sequence[Kind], is_asked: bool) -> tuple[list[Kind], list[str]]:
    """The kinds to score, and what to say of those by which nothing can be judged: answers need a probability.

    is_asked: whether somebody has named the kinds; they are then scored all the same. UsageError where nobody has, and
    the model gives no kind by which an item can be judged.
    """
    protocols = {PROTOCOLS[number] for number in set(found.protocol[found.selected].tolist())}
    useless = [kind for kind in kinds if kind not in PROBABILITIES] if protocols == {Protocol.ANSWERS} else []
    if not useless:
        return list(kinds), []
    why = f"{found.benchmark} asks for yes or no, which {listed(PROBABILITIES)} answer: {useless[0].info.no_threshold}"
    if is_asked:
        said = ", ".join(useless)
        return list(kinds), [f"{why}. The scores of {said} are kept, but no item is judged by them."]
    rest = [kind for kind in kinds if kind not in useless]
    if not rest:
        raise UsageError(f"{why}. {spec} gives {', '.join(useless)} alone, so none of its answers could be judged.")
    return rest, []
