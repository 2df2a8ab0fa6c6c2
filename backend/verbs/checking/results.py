"""`flipside doctor` on results: what ships is unaltered, nothing passes for it, and what was imported is named."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from backend import paths, written
from backend.errors import FlipsideError
from backend.verbs.checking.checks import Check

#: One line a run or benchmark that ships: its digest and its folder below backend/bundled.
LISTED = "results.sha256"


def shipped_results() -> Check:
    """Results that ship are unaltered, and no run in the cache has the id of one but other scores."""
    root = paths.BUNDLED
    try:
        lines = (root / LISTED).read_text(encoding="utf-8").splitlines()
        wanted = {name: digest for digest, name in (line.split() for line in lines)}
    except (OSError, ValueError):
        return Check("shipped results", "failed", f"{root / LISTED} is missing or damaged. Restore it with git.")
    found = digests(root)
    altered = sorted({name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name)})
    if altered:
        more = f" and {len(altered) - 1} more" if len(altered) > 1 else ""
        return Check("shipped results", "failed", f"altered: {root / altered[0]}{more}. Restore them with git.")
    if damaged := _damaged():
        return Check("shipped results", "failed", f"{damaged}. Restore it with git, or install Flipside again.")
    shadows = list(_shadows())
    if shadows:
        return Check("shipped results", "failed", f"{shadows[0]}{_more(shadows)}")
    return Check("shipped results", "ok", f"{len(wanted)} runs and benchmarks as shipped, none shadowed")


def _more(found: Sequence[object]) -> str:
    """How many of these are not named, where the first is.

    >>> _more(["a", "b", "c"]), _more(["a"])
    (' (and 2 more)', '')
    """
    return f" (and {len(found) - 1:,} more)" if len(found) > 1 else ""


def digests(root: Path) -> dict[str, str]:
    """Folder below `root` -> sha256 over its small files. A run's manifest holds the sums of its shards, which the
    check `shards` compares."""
    found = {}
    for folder in sorted(path for kind in ("runs", "benchmarks") for path in root.glob(f"*/{kind}/*") if path.is_dir()):
        names = ("run.json", "manifest.json", "benchmark.json", "items.parquet")
        digest = hashlib.sha256()
        for name in names:
            if (folder / name).is_file():
                digest.update(name.encode() + (folder / name).read_bytes())
        found[folder.relative_to(root).as_posix()] = digest.hexdigest()
    return found


def _damaged() -> str:
    """The first shard of what ships that is not as its manifest says; "" for none."""
    from backend.engine.storage import files, shards

    for root in (paths.bundled_runs_dir(), *paths.bundled_examples()):
        for folder in shards.run_dirs(root):
            for part, entry in sorted(shards.read_manifest(folder)["parts"].items()):
                for shard in entry["shards"]:
                    path = folder / shard["file"]
                    if not path.is_file():
                        return f"{path} is missing (a shard of {part})"
                    if files.sha256_of(path) != shard["sha256"]:
                        return f"{path} is damaged: it is not the shard of {part} that its manifest names"
    return ""


def _shadows() -> Iterator[str]:
    """Runs of the cache that have a shipped run's id and say something else."""
    from backend.engine.storage import shards
    from backend.engine.storage.shipped import same_run
    from backend.store.build.sources import read_json
    from backend.store.exchange import same_scores

    for root in (paths.bundled_runs_dir(), *paths.bundled_examples()):
        for theirs in shards.run_dirs(root):
            ours = paths.runs_dir() / theirs.name
            if not (ours / shards.MANIFEST).is_file():
                continue
            try:
                record = read_json(theirs / shards.RECORD)
                if not same_run(record, read_json(ours / shards.RECORD)):
                    differs: str | None = "its record is of another model or selection"
                else:
                    manifests = [dict(shards.read_manifest(folder)) for folder in (ours, theirs)]
                    differs = same_scores.first_difference(ours, manifests[0], theirs, manifests[1])
            except (OSError, ValueError, KeyError, TypeError, FlipsideError) as error:
                differs = f"it cannot be read ({error})"
            if differs:
                hidden = root == paths.bundled_runs_dir()
                shown = "The shipped scores are shown" if hidden else "It is shown as computed here"
                yield (
                    f"run {theirs.name} ships with Flipside, and {ours} says something else ({differs}). {shown}; "
                    "delete that folder, or the run on the Runs page."
                )


def imported_runs() -> Check:
    """Runs that came in bundles, and runs of the cache whose id is not that of their record."""
    from backend.engine.storage import shards
    from backend.store.build.sources import read_json
    from backend.store.exchange.check import id_of
    from backend.store.exchange.imported import items_here, marker

    found = shards.run_dirs(paths.imported_dir())
    problems = [problem for folder in found for problem in shards.verify(folder)]
    if problems:
        return Check("imported runs", "failed", f"{problems[0]}{_more(problems)}")
    gone = []
    for folder in found:
        of = str((read_json(folder / shards.RECORD).get("benchmark") or {}).get("hash"))[:16]
        if not items_here(of):
            said = f"the items of run {folder.name} (benchmarks/{of}) are missing or damaged. Import {{}} again."
            gone.append(said.format(marker(folder).get("file", "its bundle")))
    if gone:
        return Check("imported runs", "failed", f"{gone[0]}{_more(gone)}")
    odd = []
    for folder in shards.run_dirs(paths.cache_dir()):
        try:
            record = read_json(folder / shards.RECORD)
        except (OSError, ValueError):
            odd.append(folder.name)
            continue
        if id_of(record) != folder.name:
            odd.append(folder.name)
    if odd:
        return Check(
            "imported runs", "note",
            f"runs in {paths.runs_dir()} whose id is not that of their record, so that they were not computed here as "
            f"they are: {len(odd)} ({written.some(odd)}). Delete what you do not know on the Runs page.",
        )  # fmt: skip
    if not found:
        return Check("imported runs", "ok", "none")
    files = sorted({marker(folder).get("file", "a bundle") for folder in found})
    said = written.some(json.dumps(file, ensure_ascii=False) for file in files)
    return Check("imported runs", "ok", f"{len(found)}, kept apart from runs computed here: from {said}")


def left_out() -> Check:
    """What the database could not take in; no database yet is none left out."""
    from backend.store.build import generations, importer
    from backend.store.build.picture_uris import NOT_OPENED

    path = generations.current()
    if path is None:
        return Check("left out", "ok", "nothing; there is no database yet")
    try:
        found = importer.problems_in(path)
    except FlipsideError:
        return Check("left out", "note", "not known: the database cannot be read (see above)")
    if not found:
        return Check("left out", "ok", "nothing")
    pictures = NOT_OPENED.partition("{}")[2][:40]
    found = [problem for problem in found if pictures not in problem[1]] or found
    where, reason = found[0]
    if pictures in reason:  # items without their pictures are there, and Runs says how to get these
        return Check("left out", "note", f"{where}: {reason}{_more(found)}")
    return Check("left out", "failed", f"{where}: {reason}{_more(found)}. {_mend(Path(where))}")


def _mend(where: Path) -> str:
    """What to do about a path that was left out: files of a run of the cache are made anew by what made them."""
    from backend.engine.storage.shards import MEND, mend

    if paths.runs_dir() in where.parents and where.suffix == ".parquet":
        said = mend(where)
        return f"{said}. `flipside runs {where.parent.name}` shows that command." if said == MEND else f"{said}."
    folder = next((each for each in (where, *where.parents) if each.parent == paths.runs_dir()), None)
    return f"Restore it, or delete it: `flipside runs {folder.name} --delete`, or the Runs page." if folder else (
        "Restore it, or delete it on the Runs page."
    )  # fmt: skip


ALL = (shipped_results, imported_runs, left_out)

if __name__ == "__main__":  # after shipped results were made anew: python -m backend.verbs.checking.results
    lines = [f"{digest}  {name}\n" for name, digest in digests(paths.BUNDLED).items()]
    (paths.BUNDLED / LISTED).write_text("".join(lines), encoding="utf-8")
