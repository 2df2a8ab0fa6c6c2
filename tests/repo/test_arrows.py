"""Dependencies point one way (docs/architecture.md): who may import whom, and what the first page never loads."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

BASE = {
    "arrays_in",
    "called",
    "cells",
    "garbage",
    "inside",
    "durable",
    "enough",
    "deadline",
    "environment",
    "extras",
    "errors",
    "finding",
    "items",
    "kinds",
    "latex",
    "locks",
    "moments",
    "names",
    "parquet_in",
    "parquet_look",
    "paths",
    "plain_json",
    "plugins",
    "prior_names",
    "protocols",
    "recorded",
    "regular",
    "seeds",
    "starting",
    "systems",
    "taxonomy",
    "unpacking",
    "wide_pixels",
    "written",
}

#: room -> rooms of the backend that it may import (itself and BASE are always allowed). Anything else is an arrow back.
ARROWS = {
    "wide_pixels": set(),
    "arrays_in": set(),
    "called": set(),
    "cells": set(),
    "garbage": set(),
    "deadline": set(),
    "durable": set(),
    "enough": set(),
    "environment": set(),
    "errors": set(),
    "extras": set(),
    "finding": set(),
    "inside": set(),
    "items": set(),
    "kinds": set(),
    "latex": set(),
    "locks": set(),
    "moments": set(),
    "names": set(),
    "parquet_in": set(),
    "parquet_look": set(),
    "plain_json": set(),
    "paths": set(),
    "plugins": set(),
    "prior_names": set(),
    "protocols": set(),
    "recorded": set(),
    "regular": set(),
    "seeds": set(),
    "starting": set(),
    "systems": set(),
    "taxonomy": set(),
    "unpacking": set(),
    "written": set(),
    "stores": set(),
    "world": set(),
    "metrics": set(),
    "perturb": set(),
    "published": set(),
    "images": {"world", "stores.opening"},
    "item_clusters": {"metrics"},
    "other_images": {"world", "item_clusters"},
    "benchmarks": {"world", "perturb", "metrics", "item_clusters", "images", "stores"},
    "models": {"images", "perturb.base"},
    "predictions": {"benchmarks"},
    "engine": {"models", "benchmarks", "images", "other_images", "world", "intake.survey", "predictions", "stores"},
    "intake": {"models", "benchmarks", "engine", "predictions", "published.atlas"},
    "store": {
        "metrics",
        "benchmarks",
        "published",
        "engine.FORMAT",  # of a run, which a bundle has to be in
        "engine.plan",  # which cells a part of a bundle that says it is complete owes its items
        "engine.inputs.selection",  # which items a bundle's run says it has scored
        "engine.storage.identity",
        "engine.storage.schema",
        "engine.storage.shards",
        "engine.storage.shipped",
        "images",
        "item_clusters",
        "models.registry",  # which kinds a spec gives, for what is suggested: no weights, no torch
        "models.spec",
        "other_images",
        "perturb.base",
        "world",
    },
    "live": {
        "models",
        "engine",
        "intake",
        "metrics",
        "images",
        "world",
        "benchmarks",
        "perturb",
        "predictions",
        "store",
        "teach.families",
        "teach.pairs.generated",
        "teach.training.following",
        "teach.training.log",
        "teach.training.recipes",
    },
    "study": {"models", "engine", "benchmarks", "intake", "other_images", "store", "stores.opening", "metrics"},
    "results": {"store", "metrics", "benchmarks"},
    "evaluation": {"engine", "models", "store", "results"},
    "teach": {
        "models",
        "benchmarks",
        "perturb",
        "metrics",
        "images",
        "item_clusters",
        "world",
        "engine.interrupt",  # how any long work of ours is stopped, and what is said while it begins
        "engine.reporting.waiting",
    },
    "bundled": {
        "world",
        "models",
        "engine",
        "benchmarks",
        "images",
        "metrics",
        "store",
        "teach.lesson",
        "teach.pairs",
        "teach.training",
    },
    "verbs": {
        "benchmarks",
        "perturb",
        "published",
        "models",
        "engine",
        "intake",
        "store",
        "metrics",
        "images",
        "other_images",
        "world",
        "results",
        "study",
        "predictions",
        "teach",
        "live.uploads.trash",
        "live.remote",  # which backend is set, and whether it answers
        "live.serving",
        "live.scoring.budget",
        "verbs",
        "cli",
    },
    "cli": {"store", "engine.interrupt", "engine.reporting.waiting", "verbs.shared.given"},
    "__main__": {"cli"},
    "pages": {
        "study.state",
        "store",
        "live",
        "metrics",
        "benchmarks",
        "perturb",
        "published",
        "images",
        "world",
        "teach.training.recipes",
    },
    "app": {"store", "live"},
    "flipside": {"cli", "models", "benchmarks", "results"},
}

TORCH = {"torch", "torchvision", "transformers", "open_clip", "timm", "sentence_transformers", "peft"}

#: library -> the only rooms that may import it, even inside a function.
LIBRARIES = {
    **{library: {"models", "engine", "live", "teach", "bundled"} for library in TORCH},
    "duckdb": {"store"},
    "fsspec": {"stores"},
    "ray": {"engine", "live"},
    "umap": {"live"},
    "numba": {"live"},
    "streamlit": {"app", "pages"},
}


def modules() -> list[Path]:
    found = [*(ROOT / "backend").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    found += [*(ROOT / "flipside").rglob("*.py"), ROOT / "app.py"]
    return sorted(path for path in found if path.is_file())


def room_of(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return parts[1] if parts[0] == "backend" and parts[1] != "__init__" else parts[0]


def imported(path: Path) -> set[str]:
    """Dotted names of everything imported anywhere in the file, `from a import b` as `a.b`."""
    package = path.relative_to(ROOT).parts[:-1]
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(
                [*package[: len(package) - node.level + 1], node.module or ""] if node.level else [node.module]
            )
            names.update(f"{base.rstrip('.')}.{alias.name}" for alias in node.names)
    return names


def wrong_arrows(path: Path) -> list[str]:
    """A line for each import of a file that its room may not have."""
    room, names = room_of(path), imported(path)
    if room == "backend":  # backend/__init__.py imports nothing at all
        return [f"{path.relative_to(ROOT)} may not import {name}" for name in names]
    allowed, found = ARROWS[room] | BASE | {room}, []
    for name in names:
        library, rest = name.split(".")[0], name.removeprefix("backend.")
        inside = rest == "__version__" or any(rest == target or rest.startswith(f"{target}.") for target in allowed)
        refused = (
            (name.startswith("backend.") and not inside)
            or (library in LIBRARIES and room not in LIBRARIES[library])
            or (library == "flipside" and room != "flipside")  # it is the launcher, above all rooms
            or (library == "pages" and room not in ("app", "pages"))
        )
        found += [f"{path.relative_to(ROOT)}: {room} may not import {name}"] if refused else []
    return found


def test_arrows_point_one_way():
    """One test for all files: seven hundred of their own cost every worker seconds to collect."""
    assert [line for path in modules() for line in wrong_arrows(path)] == []


def test_every_room_has_its_arrows():
    assert {room_of(path) for path in modules()} - {"backend"} <= ARROWS.keys()


def dotted(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def circles(arrows: dict[str, set[str]]) -> dict[str, list[str]]:
    """Files that import each other, directly or by way of others, with what they import of each other; {}: none do."""
    graph, gone = {name: set(to) for name, to in arrows.items()}, {""}
    while gone:  # who imports nobody, or is imported by nobody, stands in no circle
        wanted = set().union(*graph.values())
        gone = {name for name, to in graph.items() if not to or name not in wanted}
        graph = {name: to - gone for name, to in graph.items() if name not in gone}
    return {name: sorted(to) for name, to in sorted(graph.items())}


def test_a_circle_is_found():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == {"b": ["c"], "c": ["b"]}
    assert circles({"a": {"b", "c"}, "b": {"c"}, "c": set()}) == {}


@pytest.mark.slow
def test_no_file_imports_itself_by_way_of_others():
    """Imports inside functions and for type checkers are counted, too: files in a circle can only be read together."""
    names = {dotted(path): path for path in modules()}
    arrows = {}
    for name, path in names.items():
        found = {target if target in names else target.rpartition(".")[0] for target in imported(path)}
        arrows[name] = {target for target in found if target in names and target != name}
    assert circles(arrows) == {}


LIGHT = ["backend", "backend.cli", "backend.items", "backend.metrics", "backend.benchmarks", "backend.models"]


@pytest.mark.long
@pytest.mark.parametrize("module", [*LIGHT, "backend.store", "backend.live", "backend.results", "backend.teach"])
def test_importing_loads_no_torch(module):
    assert loaded_by(f"import {module}") & TORCH == set()


@pytest.mark.long
@pytest.mark.parametrize("module", [*LIGHT, "backend.world"])
def test_the_core_loads_neither_streamlit_nor_duckdb(module):
    assert loaded_by(f"import {module}") & {"streamlit", "duckdb"} == set()


@pytest.mark.slow
def test_every_verb_shows_its_help_without_torch():
    code = (
        "import contextlib, io, backend.cli\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n"
        "    for verb in backend.cli.VERBS:\n"
        "        backend.cli.main([verb, '--help'])"
    )
    assert loaded_by(code) & TORCH == set()


@pytest.mark.slow
def test_the_first_page_loads_no_torch():
    code = "from streamlit.testing.v1 import AppTest\nAppTest.from_file('app.py', default_timeout=60).run()"
    assert loaded_by(code) & TORCH == set()


def loaded_by(code: str) -> set[str]:
    """Top-level packages in sys.modules after running the code in a fresh interpreter."""
    report = "\nimport sys; print('loaded:', *sorted({name.split('.')[0] for name in sys.modules}))"
    done = subprocess.run(
        [sys.executable, "-c", code + report], cwd=ROOT, capture_output=True, text=True, check=False, timeout=110
    )
    assert done.returncode == 0, done.stderr
    return set(done.stdout.splitlines()[-1].split())
