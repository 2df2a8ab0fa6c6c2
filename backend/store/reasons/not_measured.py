"""Why verdicts have no cell and no reason, and the command that would bring them: of a run, and of one item."""

from dataclasses import dataclass

from backend.kinds import PREDICTIONS, SIMILARITIES, Kind
from backend.metrics.reasons.names import CELLS
from backend.other_images import DEFAULT
from backend.protocols import Protocol
from backend.store.build.store import Store
from backend.store.build.stored_run import StoredRun
from backend.store.catalog import command_again
from backend.store.reasons import runs

#: Why a protocol's verdicts have no reason, whatever was scored, half a sentence; of others that have none `NONE`.
BY_PROTOCOL = {
    Protocol.RETRIEVAL: "a retrieval item is judged against its whole pool",
    Protocol.CLASSIFY: "an image is judged against all classes",
    Protocol.GROUNDING: "a boundary is looked for among many frames",
    Protocol.ANSWERS: "an answer is compared with a threshold, not with another caption",
}
NONE = "reasons are defined for quads, choices and triplets"
#: The same by kind.
BY_KIND = {
    Kind.T2T: "captions are compared without the image",
    Kind.PRIOR: "captions are judged without the image",
    Kind.VERDICT: "a choice was made, and no caption has a score of its own",
}


#: Of a benchmark; of those that can have reasons only what the run has scores of, for it may be of some subsets alone.
_PROTOCOLS = """
SELECT DISTINCT protocol FROM items
WHERE benchmark = $benchmark AND (
    NOT list_contains($with_cells, protocol) OR item_no IN (SELECT item_no FROM scores WHERE run_id = $run))
"""


@dataclass(frozen=True)
class Why:
    """said: half a sentence. command: what to type to have the reason, "" where nothing brings it."""

    said: str
    command: str = ""


def of_run(store: Store, run_id: str, kind: str) -> dict[str, Why]:
    """Protocol -> why its items have no reason under a kind of a run; protocols that have one, or could
    and have no item in the run, are left out."""

    def make() -> dict[str, Why]:
        run = store.run(run_id)
        binds = {"run": run_id, "benchmark": run.benchmark, "with_cells": [str(protocol) for protocol in CELLS]}
        judged = run.cursor.execute(_PROTOCOLS, binds).fetchall()
        protocols = sorted(protocol for (protocol,) in judged)
        lacking = [of for of in map(Protocol, protocols) if not runs.measured(run, of, kind)]
        return {str(protocol): why(run, protocol, kind) for protocol in lacking}

    return store.cached(("not measured", run_id, kind), make)


def why(run: StoredRun, protocol: Protocol, kind: str) -> Why:
    """Why items of a protocol have no reason under a kind of a run: all of them, or, where others have one, an item
    that has none."""
    never = BY_PROTOCOL.get(protocol) or (None if protocol in CELLS else NONE) or BY_KIND.get(Kind(kind))
    if never is not None:
        return Why(f"this kind of verdict has none, for {never}")
    if protocol == Protocol.QUAD:
        return Why("one of the four scores is missing")
    if runs.measured(run, protocol, kind):
        return Why("its captions could be scored under no other image, or have not been yet", command(run, kind))
    said = "the captions of this run have not been scored under other images"
    if _is_another_system_s(run):
        return Why(f"{said}, and another system's scores cannot be asked for here")
    typed = command(run, kind)
    if not typed and not _is_here(run) and kind in SIMILARITIES:
        return Why(
            f"{said}, and the edition that they are of is kept here no longer: `flipside perturb` makes it again"
        )
    return Why(said, typed)


def _is_another_system_s(run: StoredRun) -> bool:
    """Whether its scores were brought along, so that nobody here can be asked for more."""
    return command_again.model_of(run).startswith(PREDICTIONS)


def _is_here(run: StoredRun) -> bool:
    """Whether the very items of a run can be read again, or be made again (see `command_again.words`)."""
    name = str((run.record.get("benchmark") or {}).get("name") or "")
    return command_again.is_here(run.benchmark, name) or bool(command_again.made_first(run))


def command(run: StoredRun, kind: str) -> str:
    """What to type to have the captions of a run's choices and triplets scored under other images; "" for what no
    model here can score: another system's numbers, kinds that see no image, picked items that are not kept here.

    It names what the run itself was asked for, so that it extends this run and makes no other.
    """
    if _is_another_system_s(run) or kind not in SIMILARITIES:
        return ""
    return command_again.typed(run, [kind], ["--counterfactual", str(command_again.others_asked(run) or DEFAULT)])
