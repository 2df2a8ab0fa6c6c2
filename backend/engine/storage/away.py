"""Runs kept in an object store beside the cache: `FLIPSIDE_STORE=s3://bucket/folder`.

The store has the layout of a cache: `runs/<id>/` and `benchmarks/<hash>/`. A run is brought here before it is gone on
with, and what is committed here is committed there: new shards first, then the manifest, which object stores replace
from one moment to the next. So the store is always a whole run, whatever machine dies, and another machine with the
same variable goes on from it. Two machines at one run at once are noticed by the manifest, which then is not the one
that was last seen: the second one is refused, and nothing that counts is lost or counted twice.
"""

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from backend import environment, plain_json
from backend.engine import FORMAT
from backend.engine.inputs.image_bytes import IMAGES
from backend.engine.storage import files, shards
from backend.errors import FlipsideError
from backend.stores import opening

VARIABLE = "FLIPSIDE_STORE"
#: Schemes of stores that other processes, and other machines, read. fsspec's memory is its own process's.
SHARED = tuple(scheme for scheme in opening.STORES if scheme != "memory")
#: What a shard may be called; and a run, and a benchmark's folder.
_SHARD = re.compile(r"[A-Za-z0-9@._-]{1,500}\.parquet", re.ASCII)
_NAME = re.compile(r"[0-9a-f]{16}")
#: Bytes of digests that go along with every commit; more of them go when they have grown by a quarter.
OFTEN = 4 << 20
#: What a folder of a benchmark's items holds.
_OF_BENCHMARK = (shards.BENCHMARK, shards.ITEMS, "skipped.jsonl")


def store_url() -> str | None:
    """The store that the owner has named; None without one. UsageError for what is no address."""
    given = environment.said(VARIABLE)
    if not given:
        return None
    scheme, _, _ = (said := given.rstrip("/")).partition("://")
    if not opening.is_url(said) or scheme not in SHARED:
        known = ", ".join(f"{each}://" for each in SHARED)
        own = "; what lies in one process's memory no other one reads" if scheme == "memory" else ""
        raise environment.wrong(VARIABLE, given, f"an address in an object store ({known}){own}")
    return said


def begun(store: str | None, run_dir: Path, tell: Callable[[str], object] | None) -> "Away | None":
    """The run's copy in the store, and what it has brought here; None without a store. FlipsideError as `pull`."""
    if store is None:
        return None
    found = Away(store, run_dir, tell)
    found.pull()
    return found


def ended(copy: "Away | None", manifest: shards.Manifest, content_hash: str, root: Path) -> None:
    """`close`, where there is a copy."""
    if copy is not None:
        copy.close(manifest, content_hash, root)


class Away:
    """One run's copy in a store. Only under the run's lock."""

    def __init__(self, store: str, run_dir: Path, tell: Callable[[str], object] | None = None) -> None:
        self.store, self.run_dir, self.tell = store, run_dir, tell
        self.url = f"{store}/runs/{run_dir.name}"
        self.there: set[str] = set()
        self._manifest: bytes | None = None
        self._trouble = ""
        self._digests = 0

    def pull(self) -> None:
        """Bring what the store has of this run and this cache has not. FlipsideError where each has shards that the
        other lacks: nobody can tell which scores would be there twice."""
        self._manifest = _read(f"{self.url}/{shards.MANIFEST}")
        if self._manifest is None:
            return
        theirs, mine = self._parsed(self._manifest), _entries(shards.read_manifest(self.run_dir))
        found = _entries(theirs)
        self.there = set(found)
        if found.keys() <= mine.keys():
            return
        if not mine.keys() <= found.keys():
            raise FlipsideError(
                f"Run {self.run_dir.name} was gone on with both here and on another machine that keeps it in "
                f"{self.store}. Delete one of the two (`flipside runs {self.run_dir.name} --delete` for this one) and "
                "run again."
            )
        for name in found.keys() - mine.keys():
            data = _read(f"{self.url}/{name}")
            if data is None or hashlib.sha256(data).hexdigest() != found[name]:
                raise FlipsideError(f"{self.url}/{name}: this shard is missing or damaged in the store. Restore it.")
            files.replace_bytes(self.run_dir / name, data)
        record, images = (_read(f"{self.url}/{name}") for name in (shards.RECORD, IMAGES))
        if record is not None:
            self._check_record(record)
        for name, data in ((shards.RECORD, record), (IMAGES, images)):
            if data is not None:
                files.replace_bytes(self.run_dir / name, data)
        shards.write_manifest(self.run_dir, theirs)

    def _check_record(self, data: bytes) -> None:
        """FlipsideError where the store's record is damaged, or of another run."""
        where = f"{self.url}/{shards.RECORD}"
        try:
            document = plain_json.loads(data.decode())
            said = document["run"], document["model"]["spec"], document["benchmark"]["name"]
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise FlipsideError(f"{where}: is damaged ({error}). Restore it.") from None
        if said[0] != self.run_dir.name or not all(isinstance(one, str) and one for one in said):
            raise FlipsideError(f"{where}: is of run {said[0]!r}. Restore it.")

    def push(self, manifest: shards.Manifest) -> None:
        """Commit there what is committed here. A store that does not answer is told once, and tried again at the next
        commit; FlipsideError where another machine has written this run meanwhile."""
        try:
            is_ours = _read(f"{self.url}/{shards.MANIFEST}") == self._manifest
            if is_ours:
                self._push(manifest)
                self._trouble = ""
        except (FlipsideError, OSError) as error:
            if not self._trouble and self.tell is not None:
                self.tell(f"{error} Scores are kept here meanwhile, and brought there at a later commit.")
            self._trouble = str(error)
            return
        if not is_ours:
            raise FlipsideError(
                f"Another machine has written run {self.run_dir.name} in {self.store} meanwhile. What is scored is "
                "kept here; let one of the two finish, and delete the other's copy."
            )

    def _push(self, manifest: shards.Manifest) -> None:
        self._push_digests()
        for name in [name for name in _entries(manifest) if name not in self.there]:
            opening.write(f"{self.url}/{name}", (self.run_dir / name).read_bytes())
            self.there.add(name)
        data = (json.dumps(manifest, ensure_ascii=False, indent=1) + "\n").encode()
        if data != self._manifest:
            opening.write(f"{self.url}/{shards.MANIFEST}", data)
            self._manifest = data

    def _push_digests(self) -> None:
        """The digests of images, which come before the scores that they are about; of very many not at each commit."""
        path = self.run_dir / IMAGES
        size = path.stat().st_size if path.is_file() else 0
        if size - self._digests > (0 if size < OFTEN else size // 4):
            opening.write(f"{self.url}/{IMAGES}", path.read_bytes())
            self._digests = size

    def close(self, manifest: shards.Manifest, content_hash: str, root: Path) -> None:
        """The last commit, with the record, the images' digests and the benchmark's items. FlipsideError where the
        store still does not take it."""
        self.push(manifest)
        if self._trouble:
            raise FlipsideError(
                f"{self._trouble} Everything is kept in {self.run_dir}; the same command brings it to the store."
            )
        folder = shards.benchmark_dir(root, content_hash)
        benchmark = f"{self.store}/benchmarks/{folder.name}"
        for path, url in [
            *((folder / name, f"{benchmark}/{name}") for name in _OF_BENCHMARK),
            *((self.run_dir / name, f"{self.url}/{name}") for name in (IMAGES, shards.RECORD)),
        ]:
            if path.is_file() and _read(url) != (data := path.read_bytes()):
                opening.write(url, data)

    def _parsed(self, data: bytes) -> shards.Manifest:
        """The store's manifest. FlipsideError where it is damaged, of another format or run, or names what is no
        shard."""
        where = f"{self.url}/{shards.MANIFEST}"
        try:
            document = plain_json.loads(data.decode())
            said, names = (document["format"], document["run"]), _entries(document)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise FlipsideError(f"{where}: is damaged ({error}). Restore it.") from None
        if said != (FORMAT, self.run_dir.name):
            raise FlipsideError(f"{where}: is of run {said[1]!r} in format {said[0]!r}. Restore it.")
        if wrong := next((name for name in names if not _SHARD.fullmatch(name)), None):
            raise FlipsideError(f"{where}: names {wrong!r}, which is no shard. Restore it.")
        return cast(shards.Manifest, document)


def pull_all(store: str, root: Path) -> tuple[list[str], list[FlipsideError]]:
    """Bring every run of a store, and the items that they are about, under `root`.

    The ids of the runs that are here now, and what kept others from coming: a damaged run keeps back no other one.
    FlipsideError where the store does not answer.
    """
    found = opening.listing(store)
    for name in found:
        kind, _, rest = name.partition("/")
        folder, _, file = rest.partition("/")
        target = root / kind / folder / file
        if kind == "benchmarks" and _NAME.fullmatch(folder) and file in _OF_BENCHMARK and not target.is_file():
            files.replace_bytes(target, opening.read(f"{store}/{name}"))
    ids = sorted({name.split("/")[1] for name in found if name.startswith("runs/") and name.endswith(shards.MANIFEST)})
    here: list[str] = []
    errors: list[FlipsideError] = []
    for run_id in (name for name in ids if _NAME.fullmatch(name)):
        run_dir = root / "runs" / run_id
        try:
            with files.run_lock(run_dir):
                Away(store, run_dir).pull()
        except FlipsideError as error:
            errors.append(error)
        else:
            here.append(run_id)
    return here, errors


def _entries(manifest: Any) -> dict[str, str]:
    """Shard -> its sha256."""
    return {str(entry["file"]): str(entry["sha256"]) for part in manifest["parts"].values() for entry in part["shards"]}


def _read(url: str) -> bytes | None:
    """The bytes at an address as they are now; None where there are none."""
    try:
        return opening.read(url, kept=False)
    except FileNotFoundError:
        return None
