"""What `flipside doctor` looks at, one function a check. None of them changes anything."""

import contextlib
import importlib.metadata
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from packaging.requirements import Requirement

from backend import environment
from backend.errors import FlipsideError
from backend.models import packed
from backend.paths import INSTALLED, ROOT, bundled_models_dir, cache_dir

#: What `make models` trains and the project ships.
BUNDLED = (
    "captioner", "captioner-blind", "clip", "clip-bag", "clip-eqsim", "clip-no-pink-heart", "clip-plain",
    "clip-relational", "clip-svlc", "clip-young", "lm", "matcher", "sentence",
)  # fmt: skip

#: Below this the next precompute is likely to fill the disk.
FREE_GB = 1.0


@dataclass(frozen=True, slots=True)
class Check:
    """One finding. `note` is worth knowing and no failure; `failed` makes doctor exit 1."""

    name: str
    status: Literal["ok", "note", "failed"]
    detail: str


def python() -> Check:
    """The interpreter's version."""
    found = f"{platform.python_version()} on {platform.platform(terse=True)}"
    return Check("python", "ok" if sys.version_info >= (3, 11) else "failed", found)


#: Functions of checks -> how they are called, where it is not by their own name.
_CALLED = {"shard_files": "shards", "plug_ins": "plug-ins", "bundled": "bundled models"}
#: Functions of checks -> how the variables begin that they look through.
_THROUGH = {"live_backend": "FLIPSIDE_BACKEND", "plug_ins": "FLIPSIDE_PLUGINS"} | dict.fromkeys(
    ("cache", "shard_files", "database", "imported_runs", "left_out"), "FLIPSIDE_CACHE"
)


def of(check: Callable[[], Check]) -> Check:
    """What a check finds. What ends it is said in its own line, and so is a variable that cannot be meant where it
    would look at another folder or backend without that."""
    own = check.__name__
    name = _CALLED.get(own, own.replace("_", " "))
    for variable, said in environment.put_aside().items():
        if own in _THROUGH and variable.startswith(_THROUGH[own]):
            return Check(name, "failed", said)
    try:
        return check()
    except FlipsideError as error:
        return Check(name, "failed", str(error))


def variables() -> Check:
    """The owner's variables, all of them: those that cannot be meant, each with what was expected."""
    name = "variables"
    if wrong := environment.put_aside():
        return Check(name, "failed", " ".join([*wrong.values(), "All else is looked at as if that were not set."]))
    if unread := environment.unread():
        return Check(name, "note", unread)
    known = sorted(each for each in environment.KNOWN if environment.said(each))
    return Check(name, "ok", ", ".join(known) or "none is set")


def packages() -> Check:
    """Installed versions against the ranges of requirements.txt and the tested versions of constraints.txt."""
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    wanted = [Requirement(line) for line in lines if line and not line.startswith("#")]
    constraints = (ROOT / "constraints.txt").read_text(encoding="utf-8")
    tested = dict(re.findall(r"^([\w.-]+)==(\S+)$", constraints, flags=re.M))
    missing: list[str] = []
    outside: list[str] = []
    other: list[str] = []
    same: list[str] = []
    for requirement in wanted:
        try:
            version = importlib.metadata.version(requirement.name)
        except importlib.metadata.PackageNotFoundError:
            missing.append(requirement.name)
            continue
        fits = requirement.specifier.contains(version, prereleases=True)
        found = same if version == tested.get(requirement.name) else other if fits else outside
        found.append(f"{requirement.name} {version}" if fits else f"{version} of {requirement}")
    if missing:
        return Check("packages", "failed", f"not installed: {', '.join(missing)}. {_mend()}")
    if outside:
        return Check("packages", "note", f"outside the range that is asked for: {', '.join(outside)}. {_mend()}")
    shown = [entry for entry in same if entry.split()[0] in ("torch", "transformers", "streamlit", "duckdb")]
    if other and INSTALLED:  # in range: nothing to mend
        return Check("packages", "ok", f"{len(same)} as tested, in range: {', '.join([*other, *shown])}")
    if other:
        return Check("packages", "note", f"other versions than tested: {', '.join(other)}. {_mend()}")
    return Check("packages", "ok", f"{len(same)} as tested, {', '.join(shown)}")


def _mend() -> str:
    return "Install flipside again, with its requirements." if INSTALLED else "`make setup` mends that."


def devices() -> Check:
    """What `--device auto` takes."""
    try:
        from backend.models import device

        chosen = device.resolve_device("auto")
        return Check("devices", "ok", f"auto is {device.device_name(chosen)}")
    except (ImportError, OSError, RuntimeError) as error:
        return Check("devices", "failed", f"torch does not start: {error}. {_mend()}")


def cache() -> Check:
    """The cache folder: can be written to, size, free disk."""
    folder = cache_dir()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        return Check("cache", "failed", f"{folder} cannot be written to ({error.strerror}). Set FLIPSIDE_CACHE.")
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    free = shutil.disk_usage(folder).free / 1e9
    detail = f"{folder}: {size / 1e6:.1f} MB used, {free:.1f} GB free"
    if free < FREE_GB:
        return Check("cache", "failed", f"{detail}; less than {FREE_GB:g} GB. Free some space.")
    return Check("cache", "ok", detail)


def bundled() -> Check:
    """Each bundled model has a config and weights."""
    missing = [name for name in BUNDLED if not packed.has_weights(bundled_models_dir() / name)]
    if missing:
        return Check("bundled models", "failed", f"missing: {', '.join(missing)}. `make models` trains them.")
    return Check("bundled models", "ok", ", ".join(BUNDLED))


def chromium() -> Check:
    """A browser for the browser tests; the dashboard itself does not need it here."""
    for name in ("chromium", "chromium-browser", "google-chrome"):
        path = shutil.which(name)
        if path:
            found = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=30, check=False)
            return Check("chromium", "ok", f"{found.stdout.strip() or 'unknown version'} ({path})")
    return Check("chromium", "note", "not found; only the browser tests need it (`make test` installs it)")


def shard_files() -> Check:
    """Every shard that a manifest names is there and has its checksum; in the cache and in what ships."""
    from backend.engine.storage import shards

    runs = [run for root in shards.roots() for run in shards.run_dirs(root)]
    problems = [problem for run in runs for problem in shards.verify(run)]
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        return Check("shards", "failed", f"{problems[0]}{more}")
    n_files = sum(len(part["shards"]) for run in runs for part in shards.read_manifest(run)["parts"].values())
    return Check("shards", "ok", f"{n_files} in {len(runs)} runs, all checksums right")


def database() -> Check:
    """The newest generation opens and has this version's schema; what is older is rebuilt from the shards."""
    from backend.store.build import attached, generations, importer, schema

    path = generations.current()
    if path is None:
        return Check("database", "note", "none yet; the dashboard or the first report makes it from the shards")
    try:
        with contextlib.closing(importer.connect(path, read_only=True)) as connection:
            version, is_current = schema.version_of(connection), importer.is_current(connection)
            folder = attached.folder_of(path)
            hurt = attached.wrong(connection, folder, read=True) if version == schema.VERSION else []
    except FlipsideError as error:
        return Check("database", "failed", str(error))
    if hurt:
        more = f" (and {len(hurt) - 1} more)" if len(hurt) > 1 else ""
        return Check("database", "failed", f"{hurt[0]}{more} Delete {path}: it is rebuilt from shards.")
    detail = f"{path.name}, schema {version}"
    if version != schema.VERSION:
        return Check("database", "note", f"{detail}; the next start brings it to schema {schema.VERSION}")
    return Check("database", "ok", f"{detail}, {'holds every run' if is_current else 'new runs are imported next'}")


def plug_ins() -> Check:
    """What other installed packages bring; each thing is imported here, pages included."""
    from backend import benchmarks, cli, perturb, plugins
    from backend.metrics.core import registry as metrics
    from backend.models import registry as families

    if plugins.switched_off():
        return Check("plug-ins", "note", f"switched off by {plugins.VARIABLE}=0")
    rooms = (families.BROUGHT, benchmarks.BROUGHT, perturb.BROUGHT, metrics.BROUGHT, cli.BROUGHT, plugins.PAGES)
    found = [f"{group.thing} {name} ({group.packages()[name]})" for group in rooms for name, _ in group.usable()]
    if skipped := plugins.troubles():
        return Check("plug-ins", "failed", " ".join(skipped))
    return Check("plug-ins", "ok" if found else "note", "; ".join(found) or "no installed package brings any")


def live_backend() -> Check:
    """Where Try it has its scores from."""
    from backend import __version__
    from backend.live.remote import address, here, state

    name = "live backend"
    if not here.is_set():
        return Check(name, "ok", f"none: the dashboard asks models itself ({address.ADDRESS} is not set)")
    try:
        known = state.current(wait=address.CONNECT + 6)
    except FlipsideError as error:
        return Check(name, "failed", str(error))
    if known is None or not known.answering:
        return Check(name, "failed", known.problem if known else f"{address.ADDRESS} is not set any more.")
    if known.version != __version__:
        return Check(name, "note", f"{known.sentence()} It runs Flipside {known.version}, this is {__version__}.")
    return Check(name, "ok", known.sentence())


ALL: tuple[Callable[[], Check], ...] = (
    python, variables, packages, devices, cache, bundled, shard_files, database, live_backend, chromium, plug_ins,
)  # fmt: skip
