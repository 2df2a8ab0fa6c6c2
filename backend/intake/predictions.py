"""Other systems' predictions as runs: the same shards, records and manifests as the engine's own (shards.py).

A run's id is made of its rows, so the same predictions give the same run however they were spelt. Files that are added
later under the same name extend what was there: rows that are said anew replace the old ones, and the result is a new
run, the latest, which every reader takes; the earlier run stays.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from backend import paths
from backend.benchmarks.custom import tables
from backend.engine import FORMAT
from backend.engine.inputs.selection import Selection
from backend.engine.lacking import INCOMPLETE, lacking
from backend.engine.plan import Plan
from backend.engine.storage import files, identity, record, schema, shards
from backend.errors import FlipsideError, UsageError
from backend.intake.stubs import open_or_stub
from backend.intake.survey import Survey, survey
from backend.items import Benchmark, Kind
from backend.kinds import ORDER, PREDICTIONS
from backend.models.base import Model
from backend.names import MOST_ORDERS, NAME, NAME_HAS, composed
from backend.predictions.claim import GivenScale
from backend.predictions.finding import Items
from backend.predictions.ids import reasons
from backend.predictions.matching import Matched, match
from backend.predictions.orders import merge_orders, named, was_in
from backend.predictions.parts import Key, Part
from backend.predictions.reading import claims, guesses, listed, unread
from backend.predictions.scale import transformations

PREFIX = PREDICTIONS
#: How many of the items that lack a score are named.
NAMED = 20
NO_PREDICTION = "no prediction"
_ROWS = 1 << 18
#: Seconds that a run written in this very second, or by a clock a little ahead, is waited for.
_PATIENCE = 3.0


class Predicted(Model):
    """What stands in a run's record in place of a model: no weights, only what was said."""

    family = "predictions"

    def __init__(self, name: str, described: Mapping[str, Any]) -> None:
        super().__init__(f"{PREFIX}{name}")
        self.described = dict(described)

    def describe(self) -> dict[str, Any]:
        """weights_sha256: of all rows. files: what they were read from, each with its sha256."""
        fixed = {"spec": self.spec, "family": self.family, "preprocessing": None, "dtype": None, "seed": None}
        return fixed | self.described


@dataclass
class Added:
    """What came of one call. parts: part -> rows, items, items without any, items of which some scores are missing.
    incomplete: part -> the ids of the latter, the first ones. earlier: the run that was extended; gave_way: the one
    that counted before, which these replace. without_order: of verdicts that name none, a sentence. stub: what is said
    of items that are numbers alone; "" for whole ones."""

    model: str
    benchmark: str
    run_id: str
    run_dir: Path
    n_items: int
    matched: Matched
    parts: dict[str, dict[str, int]] = field(default_factory=dict)
    incomplete: dict[str, list[str]] = field(default_factory=dict)
    earlier: str = ""
    gave_way: str = ""
    without_order: str = ""
    replaced: int = 0
    unchanged: bool = False
    stub: str = ""
    notes: list[str] = field(default_factory=list)


def add_predictions(
    paths_: Sequence[Path],
    name: str,
    benchmark: str,
    data: Path | None,
    *,
    kind: Kind | None = None,
    scale: GivenScale | None = None,
    selection: Selection | None = None,
    replace: bool = False,
    root: Path | None = None,
    public: Mapping[str, Any] | None = None,
) -> Added:
    """Match files of predictions with a benchmark's items and commit them as a run of `predictions:<name>`.

    kind: of scores that name none. scale: of itm and vqa, None to tell it from the files. replace: leave out what was
    added earlier under this name. public: see `commit`.
    UsageError for files that are no predictions or whose numbers are not on the scale that is said, FlipsideError where
    nothing in them belongs to an item, or ids count from another number; nothing is written then.
    """
    name = composed(name)
    if not NAME.fullmatch(name) or name.endswith(" "):
        end = " and no blank at its end; this one has one" if name.endswith(" ") else ""
        raise UsageError(f"--as {name}: a system's name has {NAME_HAS}{',' if end else ''}{end}.")
    given = listed(paths_)
    root = root or paths.cache_dir()
    opened, chosen = open_or_stub(benchmark, data, selection or Selection(), root)
    found = survey(opened, chosen, root)
    items = Items(found.items.__getitem__, found.selected.tolist(), len(found))
    matched = match((each for path in given for each in claims(path, data)), items, kind, scale)
    _check(matched, opened.name)
    sources = [{"file": path.name, "sha256": files.sha256_of(path)} for path in given]
    added = commit(name, opened, chosen, found, matched, sources, root, replace=replace, public=public)
    added.notes += [*guesses(given), *filter(None, map(tables.doubted, given)), *unread(given), *matched.guesses]
    return added


def _check(matched: Matched, benchmark: str) -> None:
    """FlipsideError where no statement belongs to an item, or where all belong to the item beside their own."""
    hints = matched.hints
    if not any(len(part) for part in matched.parts.values()):
        why = f": {'; '.join(reasons(matched.unmatched))}" if matched.unmatched else ": the files hold none"
        raise FlipsideError(" ".join([f"none of the predictions belongs to an item of {benchmark}{why}.", *hints]))
    if matched.ids and matched.ids.misplaced:
        raise FlipsideError(" ".join([f"nothing was added to {benchmark}.", *hints]))


def commit(
    name: str,
    benchmark: Benchmark,
    selection: Selection,
    found: Survey,
    matched: Matched,
    sources: list[dict[str, str]],
    root: Path,
    *,
    replace: bool,
    public: Mapping[str, Any] | None = None,
) -> Added:
    """Write matched rows as a run of `predictions:<name>`. sources: the files they were read from, with their sha256.
    public: of results that were fetched, where they are from and what of them may be shared (`model.public`).

    UsageError where the name is that of a system which was fetched and these were not, or the other way round: a system
    is named, credited and shared as a whole."""
    spec = f"{PREFIX}{name}"
    _keep_apart(root, spec, public)
    current = latest(root, spec, found.content_hash, selection)
    earlier = None if replace else current
    replaced, said = 0, []
    if earlier is not None:
        replaced, staying = _extend(matched.parts, earlier)
        said = [
            each
            for each in _said_by(earlier).get("transformations") or ()
            if isinstance(each, dict) and str(each.get("kind")) in staying
        ]
        known = _said_by(earlier).get("files", [])
        sources = [*[each for each in known if each not in sources], *sources]
    turned = transformations(matched.readings, said)
    orders = [part.removeprefix(ORDER) for part in named(matched.parts)]
    if len(orders) > MOST_ORDERS:
        raise FlipsideError(
            f"nothing was added: with those of run {earlier.name if earlier else ''} these are {len(orders)} orders of "
            f"asking ({', '.join(orders[:3])}, …); a system has at most {MOST_ORDERS}, as many as four captions have."
        )
    without_order = merge_orders(matched.parts)
    described = {"weights_sha256": _digest(spec, matched.parts), "files": sources, "orders": orders}
    described |= {"transformations": turned} if turned else {}
    model = Predicted(name, described | ({"public": dict(public)} if public else {}))
    run_dir = root / "runs" / record.run_id(model.describe(), found.content_hash, selection)
    added = Added(spec, benchmark.name, run_dir.name, run_dir, len(found.selected), matched)
    added.earlier = earlier.name if earlier is not None and earlier != run_dir else ""
    added.gave_way = current.name if replace and current is not None and current != run_dir else ""
    added.replaced, added.stub = replaced, str(benchmark.about.get("stub", ""))
    added.without_order = without_order
    if current is not None and current != run_dir:
        _wait_past(current)
    items, plan = Items(found.items.__getitem__, (), len(found)), Plan(found, (), {}, {})
    some = {part: lacking(part, rows, items, plan) for part, rows in matched.parts.items()}
    added.incomplete = {
        part: [found.items[number].item_id for number in numbers[:NAMED]] for part, numbers in some.items() if numbers
    }
    with files.run_lock(run_dir):
        shards.remove_strays(run_dir)
        known_parts = shards.read_manifest(run_dir)["parts"]
        manifest: shards.Manifest = {"format": FORMAT, "run": run_dir.name, "parts": {}}
        for part, rows in sorted(matched.parts.items()):
            manifest["parts"][part] = _write(run_dir, part, rows, len(found.selected), len(some[part]))
        added.unchanged = current == run_dir and known_parts == manifest["parts"]
        session = {"files": [each["file"] for each in sources], "unmatched": len(matched.unmatched)}
        kept = record.open_record(run_dir, model, found, benchmark, selection, {}, session)
        kept["incomplete"] = {
            part: {"n": len(some[part]), "reason": INCOMPLETE, "items": named}
            for part, named in added.incomplete.items()
        }
        files.replace_json(run_dir / UNMATCHED, [each.document() for each in matched.unmatched])
        shards.write_manifest(run_dir, manifest)
        shards.remove_strays(run_dir)
        record.close_record(run_dir, kept, {"failed": {}, "interrupted": False, "seconds": 0.0})
    for part, rows in sorted(matched.parts.items()):
        n = len(matched.items_of(part))
        without = len(found.selected) - n
        added.parts[part] = {
            "rows": len(rows), "items": n, "items_without": without, "items_incomplete": len(some[part])
        }  # fmt: skip
    return added


def _keep_apart(root: Path, spec: str, public: Mapping[str, Any] | None) -> None:
    """UsageError where what is fetched and what is one's own would stand under one spec, or where a new system of one's
    own would be called, but for capitals, as a fetched one is shown."""
    fetched: dict[str, str] = {}
    own: list[str] = []
    theirs = False
    for run_dir in shards.run_dirs(root):
        model = _record(run_dir).get("model")
        if not isinstance(model, dict) or not (known := str(model.get("spec", ""))).startswith(PREFIX):
            continue
        if isinstance(told := model.get("public"), dict):
            fetched |= dict.fromkeys(_called(known, told), str(told.get("source") or "fetched"))
            theirs = theirs or known == spec
        elif known == spec:
            own.append(run_dir.name)
    name = spec.removeprefix(PREFIX)
    if public is None and (theirs or not own) and name.casefold() in fetched:
        raise UsageError(
            f"--as {name}: nothing was added, for this is the name of results that were fetched "
            f"({fetched[name.casefold()]}), and what stands under it is taken for theirs. Give these another name."
        )
    if public is not None and own:
        raise UsageError(
            f"{name}: not brought, for predictions of your own are kept under this name and would be shown as fetched. "
            f"Delete them (`flipside runs {' '.join(own)} --delete`) and add them again under another name."
        )


def _called(spec: str, public: Mapping[str, Any]) -> set[str]:
    """What a fetched system is called anywhere, in small letters: by its spec, its name, and that with its source."""
    called = {spec.removeprefix(PREFIX)}
    if name := public.get("name"):
        called |= {str(name), f"{name} ({public.get('source')})"}
    return {each.casefold() for each in called}


def _wait_past(current: Path) -> None:
    """Return in a later second than the one in which a run was last written: of a system's runs the latest counts.
    FlipsideError where that second is still to come, for what is written now would never be shown."""
    before = str(files.read_json(current / shards.RECORD)["updated"])
    until = time.monotonic() + _PATIENCE
    while record.timestamp() <= before:
        if time.monotonic() > until:
            raise FlipsideError(
                f"nothing was added: run {current.name} of this system is dated {before}, which is still to come here, "
                "and the latest run is the one that counts. Set this machine's clock, or move that run's folder away: "
                f"{current}"
            )
        time.sleep(0.05)


def _said_by(run_dir: Path | None) -> dict[str, Any]:
    """What a run's record says of its system; empty for no run."""
    return {} if run_dir is None else dict(files.read_json(run_dir / shards.RECORD)["model"])


#: Beside a run's shards: the statements that belong to no item, and why.
UNMATCHED = "unmatched.json"


def latest(root: Path, spec: str, content_hash: str, selection: Selection) -> Path | None:
    """The latest run of a system on these very items under this selection."""
    found: list[tuple[str, Path]] = []
    for run_dir in shards.run_dirs(root):
        known = _record(run_dir)
        model, benchmark = known.get("model") or {}, known.get("benchmark") or {}
        if not (isinstance(model, dict) and isinstance(benchmark, dict)):
            continue
        same = (model.get("spec"), benchmark.get("hash"), known.get("selection"))
        if same == (spec, content_hash, selection.identity()):
            found.append((str(known.get("updated")), run_dir))
    return max(found)[1] if found else None


def specs(root: Path | None = None) -> list[str]:
    """The systems whose predictions are kept, sorted."""
    found = set()
    for run_dir in shards.run_dirs(root or paths.cache_dir()):
        model = _record(run_dir).get("model") or {}
        if isinstance(model, dict) and str(model.get("spec", "")).startswith(PREFIX):
            found.add(str(model["spec"]))
    return sorted(found)


def _record(run_dir: Path) -> dict[str, Any]:
    """A run's record; empty where it is damaged: one bad file hides no other system's predictions."""
    try:
        found = files.read_json(run_dir / shards.RECORD)
    except (OSError, FlipsideError):
        return {}
    return found if isinstance(found, dict) else {}


def _extend(parts: dict[str, Part], earlier: Path) -> tuple[int, set[str]]:
    """Add an earlier run's rows to those that are new; how many of them give way, and the parts of which some stay."""
    known = files.read_json(earlier / shards.RECORD)["model"]
    manifest = shards.read_manifest(earlier)
    replaced = 0
    kept: set[str] = set()
    spelled = {name.casefold(): name for name in parts}
    of_orders: set[Key] = set()  # what `verdict` was made of: it is made anew
    # Orders before what was made of them.
    for name in sorted(manifest["parts"], key=lambda name: name == Kind.VERDICT):
        stored = was_in(name, known.get("orders") or [], manifest["parts"])
        if not stored:
            continue
        new = spelled.pop(stored.casefold(), stored)
        if new != stored:  # an order in other capitals is the same one (`Matched.order`)
            parts[stored] = parts.pop(new)
        part = parts.setdefault(stored, Part())
        for *columns, value, n_tokens in zip(*_columns(earlier, name, manifest), strict=True):
            key: Key = tuple(columns)
            if name.startswith(ORDER):
                of_orders.add(key)
            elif name == Kind.VERDICT and key in of_orders:
                continue
            if part.add(key, value, n_tokens):
                kept.add(name)
            else:
                replaced += 1
    return replaced, kept


def _columns(run_dir: Path, part: str, manifest: shards.Manifest) -> list[list[Any]]:
    table = shards.read_part(run_dir, part, manifest)
    names = ("item_no", "image_index", "text_index", "text_index_b", "sample", "value", "n_tokens")
    return [table.column(name).to_pylist() for name in names]


def _write(run_dir: Path, name: str, part: Part, n_selected: int, n_incomplete: int) -> shards.Part:
    """A part's shards, ordered by item; complete, with the number of items that nothing was said about, and of those
    of which too little was said to judge them."""
    keys = np.array(list(part.rows), dtype=np.int64).reshape(-1, 5)
    order = np.lexsort(keys.T[::-1])
    values, counts = (np.asarray(column)[order] for column in (part.values, part.n_tokens))
    columns = dict(zip(schema.SCORES.names[:5], keys[order].T, strict=True))
    entries = []
    for number, start in enumerate(range(0, len(part), _ROWS)):
        rows = slice(start, start + _ROWS)
        types = {f.name: f.type.to_pandas_dtype() for f in schema.SCORES}
        shard = {key: column[rows].astype(types[key]) for key, column in columns.items()}
        shard |= {"value": values[rows].astype(np.float32), "n_tokens": counts[rows].astype(np.int16)}
        entries.append(shards.write_shard(run_dir, name, number, shard))
    without = n_selected - len(np.unique(keys[:, 0]))
    found: shards.Part = {"complete": True, "shards": entries}
    left_out = {reason: n for reason, n in ((NO_PREDICTION, without), (INCOMPLETE, n_incomplete)) if n}
    return found | {"left_out": left_out} if left_out else found


def _digest(spec: str, parts: Mapping[str, Part]) -> str:
    """What stands for weights in a run of predictions (`identity.rows_sha256`)."""
    return identity.rows_sha256(spec, {n: (list(part.rows), part.values, part.n_tokens) for n, part in parts.items()})
