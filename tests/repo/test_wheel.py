"""Installed like any other tool: the wheel is built from the sdist, installed into an empty environment, made
read-only, and used from a folder that has nothing to do with it, in a terminal, in Python, by jobs and in a browser.

The environment borrows the packages of the one that runs the tests by a .pth file, so no network is needed.
"""

import os
import socket
import subprocess
import sys
import sysconfig
import tarfile
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from backend import __version__
from tests.conftest import ROOT

pytestmark = [pytest.mark.slow, pytest.mark.browser, pytest.mark.timeout(600)]

PACKED = ("backend", "pages", "flipside")
BESIDE = ("app.py", ".streamlit/config.toml", "requirements.txt", "constraints.txt", "CONTRIBUTING.md", "docs/*.md")
BUILD_ONLY = ("setup.py", "pyproject.toml", "MANIFEST.in", "README.md", "LICENSE", "requirements-dev.txt",
              "CHANGELOG.md", "CITATION.cff")  # fmt: skip


def files_of(*names: str) -> set[str]:
    """Files of the checkout below these names, ignored ones left out; new ones need not be committed yet."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *names]
    listed = subprocess.check_output(command, cwd=ROOT, text=True).splitlines()
    return {name for name in listed if (ROOT / name).is_file()}


def done(command: list[str], **options: object) -> subprocess.CompletedProcess[str]:
    """A command that has to succeed."""
    finished = subprocess.run(command, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload]
    assert finished.returncode == 0, f"{command}\n{finished.stdout}\n{finished.stderr}"
    return finished


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel that was made from it."""
    folder = tmp_path_factory.mktemp("built")
    source = folder / "checkout"
    for name in files_of(*PACKED, *BESIDE, *BUILD_ONLY):
        copy = source / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes((ROOT / name).read_bytes())
    # What the program and an earlier build may have left there is not packed.
    for left in ("backend/bundled/editions/own/x.json", "backend/bundled/results/lock", "build/lib/flipside/old.py"):
        (source / left).parent.mkdir(parents=True, exist_ok=True)
        (source / left).write_text("left")
    make = f"from setuptools import build_meta; build_meta.build_sdist({str(folder)!r})"
    done([sys.executable, "-c", make], cwd=source)
    with tarfile.open(folder / f"flipside-{__version__}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-index", "--no-deps", "--no-build-isolation"]
    done([*pip, "--wheel-dir", str(folder), str(folder / f"flipside-{__version__}")])
    return folder


@dataclass(frozen=True)
class Installed:
    """An environment in which only flipside is installed. before: what lay in its site-packages until then."""

    python: Path
    site: Path
    before: frozenset[str]

    def environment(self, home: Path) -> dict[str, str]:
        """Variables of a user with an empty home folder; nothing in them leads to a checkout or a cache."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("FLIPSIDE_", "PYTHON"))}
        return {**kept, "HOME": str(home), "XDG_CACHE_HOME": str(home / "cached"), "CI": "1"}

    def listing(self) -> dict[str, tuple[int, int]]:
        """Size and time of every file and folder of the installed copy, compiled files left out."""
        found = {}
        for path in (self.site / "flipside").rglob("*"):
            if "__pycache__" not in path.parts and not any(path.glob("__pycache__")):
                state = path.stat()
                found[str(path)] = (state.st_size, state.st_mtime_ns)
        return found


@pytest.fixture(scope="module")
def installed(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installed]:
    folder = tmp_path_factory.mktemp("environment")
    done([sys.executable, "-m", "venv", "--without-pip", str(folder)])
    python = folder / "bin" / "python"
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(folder), "platbase": str(folder)}))
    (site / "borrowed.pth").write_text(f"{sysconfig.get_path('purelib')}\n{sysconfig.get_path('platlib')}\n")
    before = frozenset(path.name for path in site.iterdir())
    (wheel,) = built.glob("*.whl")
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index", "--no-deps"]
    done([*pip, str(wheel)])
    paths = [site, *site.rglob("*")]
    for path in paths:
        path.chmod(path.stat().st_mode & ~0o222)
    yield Installed(python, site, before)
    for path in paths:
        path.chmod(path.stat().st_mode | 0o200)


@pytest.fixture
def copy(installed: Installed) -> Iterator[Installed]:
    """The installed copy, which is to be as it was when the test has ended."""
    before = installed.listing()
    assert len(before) > 1000
    yield installed
    assert installed.listing() == before


@pytest.fixture
def stranger(tmp_path: Path) -> Path:
    """A folder of somebody's own, with packages of names that we use."""
    for name in ("backend", "pages"):
        (tmp_path / "project" / name).mkdir(parents=True)
        (tmp_path / "project" / name / "__init__.py").write_text("OTHER = True\n")
    return tmp_path / "project"


def test_sdist_and_wheel_hold_the_whole_tree_and_nothing_else(built):
    tree = files_of("backend", "pages", *BESIDE)
    launcher = files_of("flipside")
    assert len(tree) > 900
    (wheel,) = built.glob("*.whl")
    packed = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert packed == {f"flipside/_tree/{name}" for name in tree} | launcher
    unpacked = built / f"flipside-{__version__}"
    in_sdist = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}
    assert tree | launcher | {"setup.py", "MANIFEST.in", "pyproject.toml", "LICENSE", "README.md"} <= in_sdist
    assert not [
        name
        for name in in_sdist
        if name.startswith(("tests/", "scripts/", "docs/screenshots/")) or name.endswith("lock")
    ]


def test_one_name_comes_into_site_packages(copy):
    added = {path.name for path in copy.site.iterdir()} - copy.before - {"__pycache__"}
    assert added == {"flipside", f"flipside-{__version__}.dist-info"}


def test_python_finds_backend_by_way_of_flipside_only(copy, stranger, tmp_path):
    def python(code: str) -> subprocess.CompletedProcess[str]:
        command = [str(copy.python), "-c", code]
        return subprocess.run(
            command, cwd=stranger, env=copy.environment(tmp_path), capture_output=True, text=True, check=False
        )

    alone = python("import sys; sys.path.remove(''); import backend")
    assert "ModuleNotFoundError" in alone.stderr
    ours = python("import flipside, backend; print(backend.__file__); print(flipside.load_benchmark('world').name)")
    path, name = ours.stdout.split()
    assert Path(path) == copy.site / "flipside" / "_tree" / "backend" / "__init__.py", ours.stderr
    assert name == "world"
    refused = python("import backend, flipside")
    assert refused.stderr.splitlines()[-1] == (
        "ImportError: flipside cannot be imported here: its package 'backend' would replace the one that was imported "
        f"from {stranger / 'backend'}; use flipside in a process of its own."
    )


def test_a_run_from_somewhere_else_lies_in_the_users_cache(copy, stranger, tmp_path):
    def flipside(*words: str) -> str:
        command = [str(copy.python.with_name("flipside")), *words]
        return done(command, cwd=stranger, env=copy.environment(tmp_path)).stdout

    assert "bundled:clip" in flipside("models")
    scored = ("--model", "bundled:clip-young", "--benchmark", "world", "--subset", "relation", "--limit", "12")
    flipside("run", *scored, "--kinds", "itc", "--no-reuse")
    (record,) = (tmp_path / "cached" / "flipside" / "runs").glob("*/run.json")
    flipside("report", *scored[:4], "--run", record.parent.name)
    assert (
        "captioner"
        in done([str(copy.python), "-m", "flipside", "models"], cwd=stranger, env=copy.environment(tmp_path)).stdout
    )
    assert sorted(path.name for path in stranger.iterdir()) == ["backend", "pages"]
    assert not (stranger / "backend" / "__pycache__").exists()


JOB = """
import time
import flipside
from backend.live.jobs import jobs

job = jobs.start("run", ["--model", "bundled:clip", "--benchmark", "world", "--subset", "count", "--limit", "8",
                         "--kinds", "itc", "--no-reuse"])
while not job.is_over:
    time.sleep(0.2)
    jobs.listing()
    job = jobs.find(job.job_id)
print(job.state, (job.folder / "stderr").read_text())
"""


def test_a_job_runs_in_processes_of_the_installed_copy(copy, stranger, tmp_path):
    said = done([str(copy.python), "-c", JOB], cwd=stranger, env=copy.environment(tmp_path)).stdout
    assert said.startswith("done "), said
    assert list((tmp_path / "cached" / "flipside" / "runs").glob("*/run.json"))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def opened(port):
    """Open three pages in Chromium. (Errors of scripts, exceptions that pages show.)"""
    from scripts.dashboard import browsing, settle

    with browsing() as browser:
        page = browser.new_page()
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        shown = 0
        # What only the stored results that ship, a style sheet and a component's script can draw.
        for address, drawn in (("", "tbody th[scope=row]"), ("failures", ".fs-count"), ("runs", ".fs-header h1")):
            page.goto(f"http://localhost:{port}/{address}")
            settle(page, 120)
            page.locator(drawn).first.wait_for(timeout=90_000)
            shown += page.locator("[data-testid=stException]").count()
        return faults, shown


def test_the_dashboard_opens_in_a_browser(copy, stranger, tmp_path):
    (stranger / ".streamlit").mkdir()
    (stranger / ".streamlit" / "config.toml").write_text("[client]\ntoolbarMode = 'developer'\n")  # somebody else's
    port, log = free_port(), tmp_path / "log"
    command = [str(copy.python.with_name("flipside")), "dashboard", "--port", str(port)]
    with log.open("wb") as out:
        server = subprocess.Popen(command, cwd=stranger, env=copy.environment(tmp_path), stdout=out, stderr=out)
    try:
        deadline = time.monotonic() + 120
        while True:
            assert server.poll() is None, log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            try:
                urllib.request.urlopen(f"http://localhost:{port}/_stcore/health", timeout=2).close()
                break
            except OSError:
                time.sleep(0.2)
        # In a thread of its own: the browser of the other tests has taken this one's event loop.
        with ThreadPoolExecutor(1) as thread:
            assert thread.submit(opened, port).result() == ([], 0)
    finally:
        server.terminate()
        server.wait(timeout=30)
    assert (tmp_path / "cached" / "flipside" / "db" / "CURRENT").is_file()
