"""The words after `flipside run` that go on with a stored run: what its own command must have said.

Whatever decides a run's id is named (`engine/storage/identity.py`): left out, another run would be begun beside it. So
is what was asked of the run (kinds, priors, other images) and how it is scored: left out, less would be owed, and a
part that was stopped in the middle would stay so while the command says that all is complete.
"""

import re
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from backend.benchmarks.items_folder.kept import is_kept, kept_hash, made_again
from backend.items import Kind
from backend.kinds import PAIR_KINDS, PREDICTIONS
from backend.other_images import DEFAULT
from backend.store.build.stored_run import StoredRun
from backend.store.catalog.catalog import data_folder
from backend.store.failures import selections

#: Where an edition is made again whose name is taken by another one here.
ASIDE = "editions"
#: What `--dtype` may name; a model of one's own code, or behind an address, says something else of itself.
DTYPES = ("float32", "float16", "bfloat16")


def model_of(run: StoredRun) -> str:
    """The spec of a run's model, "" where its record names none."""
    return str((run.record.get("model") or {}).get("spec") or "")


def own_priors(record: Mapping[str, Any]) -> list[str]:
    """The prior sources that a run has scored itself, from its record; others may lend it theirs.

    >>> own_priors({"priors": {"prior@noise:3": {}, "prior@lm:bundled:lm": {}}})
    ['noise:3', 'lm:bundled:lm']
    """
    return [part.removeprefix("prior@") for part in record.get("priors") or {}]


def is_here(benchmark: str, name: str) -> bool:
    """Whether `--benchmark NAME`, with `--data` where `data_folder` has one, reads the very items of a stored benchmark
    (its hash and name): of what Flipside keeps itself. Editions and own data may be gone, or be others by now."""
    return not is_kept(name) or kept_hash(name) == benchmark or bool(data_folder(benchmark, name))


def made_first(run: StoredRun) -> list[str]:
    """The words after `perturb` that make the edition of a run again before `words` can be typed; none where its items
    are here, or nobody knows of what they were made: of editions whose results ship it is known."""
    name = str((run.record.get("benchmark") or {}).get("name") or "")
    again = [] if is_here(run.benchmark, name) else made_again(run.benchmark)
    return [*again, "--out", ASIDE] if again and kept_hash(name) else again


def typed(run: StoredRun, kinds: Sequence[str] | None = None, more: Sequence[str] = ()) -> str:
    """What to type, in one line, to go on with a run, its edition made again first where that has to be; "" where
    nothing can be typed. kinds: as `words` takes them; more: words at the end."""
    found, first = words(run, kinds), made_first(run)
    lines = [["flipside", "perturb", *first]] if first else []
    return " && ".join(map(shlex.join, [*lines, ["flipside", "run", *found, *more]])) if found else ""


def words(run: StoredRun, kinds: Sequence[str] | None = None) -> list[str]:
    """The words after `run`; none where no command can be typed: a record without a model or a benchmark, another
    system's scores, picked items that this machine does not keep, or an edition or own data that it keeps no longer and
    that nobody can make again. An edition that has to be made again first is (`made_first`). kinds: these, without any
    prior, and without other images, which whoever asks for some names; None: all that was asked of the run.

    Priors from a folder name it `FOLDER`: a record does not say where it was.
    """
    benchmark = run.record.get("benchmark") or {}
    model, name = model_of(run), str(benchmark.get("name") or "")
    picked = _picked(run)
    if not model or not name or picked is None or model.startswith(PREDICTIONS):
        return []
    first = made_first(run)
    if not first and not is_here(run.benchmark, name):
        return []
    all_of_it = kinds is None
    own = own_priors(run.record) if all_of_it else []
    if kinds is None:
        kinds = [kind for kind in kinds_owed(run) if kind != "prior"] + (["prior"] if own else [])
    found = ["--model", model, "--benchmark", name]
    if folder := data_folder(run.benchmark, name) or (f"{ASIDE}/{name}" if "--out" in first else ""):
        found += ["--data", folder]
    found += ["--kinds", ",".join(kinds)]
    for prior in own:
        found += ["--prior", re.sub(r"@.*-[0-9a-f]{8}$", "@FOLDER", prior)]
    others = _others(run, kinds) if all_of_it else []
    return [*found, *picked, *_selected(run), *_dtype(run), *others, *_how(run), *(_called(run) if all_of_it else [])]


def kinds_owed(run: StoredRun) -> list[str]:
    """The kinds that a run has scores of, and those that its sessions asked for: one that was stopped before it came to
    a kind owes it."""
    asked = {str(kind) for session in _sessions(run) for kind in _listed(session.get("kinds"))}
    return [str(kind) for kind in Kind if kind in asked or kind in run.kinds]


def others_asked(run: StoredRun) -> int:
    """Under how many other images a run's captions were asked to be scored, at most; 0: under none. A number that its
    sessions no longer tell stands beside the parts that are finished."""
    told = [session.get("counterfactual") for session in _sessions(run)]
    kept = run.record.get("counterfactual")
    told += (
        [entry.get("images") for entry in kept.values() if isinstance(entry, dict)] if isinstance(kept, dict) else []
    )
    return max((n for n in told if isinstance(n, int)), default=0)


def _sessions(run: StoredRun) -> list[dict[str, Any]]:
    return [session for session in _listed(run.record.get("sessions")) if isinstance(session, dict)]


def _listed(found: object) -> list[Any]:
    return found if isinstance(found, list) else []


def _others(run: StoredRun, kinds: Sequence[str]) -> list[str]:
    """`--counterfactual N` where the command without it would mean another number: bundled models have a default."""
    asked = others_asked(run)
    default = DEFAULT if model_of(run).startswith("bundled:") and set(kinds) & set(PAIR_KINDS) else 0
    return [] if asked == default else ["--counterfactual", str(asked)]


def _how(run: StoredRun) -> list[str]:
    """How the latest session of a run was scored; a bundle's word is not taken for running code that came with it."""
    last: dict[str, Any] = next(reversed(_sessions(run)), {})
    compiled = (run.record.get("model") or {}).get("compiled") is True
    trusted = run.origin == "computed" and last.get("trust_remote_code") is True
    said = {"--planned": bool(last.get("planned")), "--compile": compiled, "--trust-remote-code": trusted}
    return [option for option, given in {**said, "--no-reuse": last.get("reuse") is False}.items() if given]


def _called(run: StoredRun) -> list[str]:
    """The name and the step of an imported run, for another one beside it; of one's own the record keeps them."""
    if run.origin != "imported":
        return []
    series, name = run.record.get("series"), run.record.get("name")
    one = next(iter(series.items())) if isinstance(series, dict) and len(series) == 1 else None
    step = ["--series", str(one[0]), "--step", str(one[1])] if one else []
    return [*step, *(["--name", name] if isinstance(name, str) and name else [])]


def _selected(run: StoredRun) -> list[str]:
    selection = run.record.get("selection") or {}
    # Of a benchmark that comes in splits, the benchmark says which one was read.
    split = selection.get("split") or (run.record.get("benchmark") or {}).get("split")
    said = {"split": split} | {name: selection.get(name) for name in ("subset", "limit", "sample")}
    said["seed"] = selection.get("seed") or None
    return [word for name, value in said.items() if value is not None for word in (f"--{name}", str(value))]


def _dtype(run: StoredRun) -> list[str]:
    """What was asked for; where it was `auto`, what that meant, unless it means the same here."""
    model: dict[str, Any] = run.record.get("model") or {}
    first: dict[str, Any] = next(iter(run.record.get("sessions") or ()), {})
    asked, used = str(first.get("dtype") or "auto"), str(model.get("dtype") or "")
    if asked != "auto":
        return ["--dtype", asked]
    elsewhere = run.origin == "imported" or not str(model.get("device") or "cpu").startswith("cpu")
    own_code = model.get("family") == "py"  # it decides its dtype itself, and none may be named
    return ["--dtype", used] if used in DTYPES and elsewhere and not own_code else []


def _picked(run: StoredRun) -> list[str] | None:
    """`--set` and its key for a run of picked items, else no words; None where the set is not kept here."""
    items = (run.record.get("selection") or {}).get("items")
    if not items:
        return []
    kept = selections.of_digest(run.benchmark, str(items.get("sha256")))
    return None if kept is None else ["--set", kept.key]
