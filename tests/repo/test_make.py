"""What a newcomer types first: the Makefile, the scripts behind it and the pinned packages."""

import itertools
import os
import re
import shutil
import socket
import subprocess
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests import parts

ROOT = Path(__file__).resolve().parents[2]
PIN = re.compile(r"^([A-Za-z0-9_.-]+)==(\S+)$")


def lines(name: str) -> list[str]:
    found = (ROOT / name).read_text(encoding="utf-8").splitlines()
    return [line for line in found if line.strip() and not line.startswith(("#", "-r"))]


def script(name: str, *arguments: str, cwd: Path = ROOT, **env: str) -> subprocess.CompletedProcess[str]:
    command = ["bash", f"scripts/{name}", *arguments]
    return subprocess.run(command, cwd=cwd, env={**os.environ, **env}, capture_output=True, text=True, check=False)


def test_every_package_is_pinned_once_and_its_range_holds_the_pin():
    """Ranges are what `pip install` asks for, pins what `make setup` installs and every test runs with."""
    pinned = [PIN.fullmatch(line) for line in lines("constraints.txt")]
    assert all(pinned), "constraints.txt: every line is name==version"
    pins = {canonicalize_name(pin[1]): pin[2] for pin in pinned if pin}
    assert len(pins) == len(pinned)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    asked = [Requirement(line) for line in lines("requirements.txt")]
    for extra in project["optional-dependencies"].values():
        asked += [Requirement(line) for line in extra]
    for requirement in asked:
        assert requirement.specifier.contains(pins[canonicalize_name(requirement.name)]), requirement
        assert requirement.specifier, f"{requirement} has no range"
        assert "==" not in str(requirement.specifier), f"{requirement} is a pin"
    assert {canonicalize_name(Requirement(line).name) for line in lines("requirements-dev.txt")} <= pins.keys()


def test_the_list_of_targets(monkeypatch):
    monkeypatch.chdir(ROOT)
    shown = subprocess.check_output(["make", "help"], text=True)
    for target in ("run", "test", "test-all", "check", "setup", "models", "results", "bench", "screenshots", "clean"):
        assert re.search(rf"^{target} ", shown, flags=re.M)


def test_every_target_a_script_stands_behind_has_it():
    for called in re.findall(r"scripts[/.](\w+)(?:\.sh)?", (ROOT / "Makefile").read_text(encoding="utf-8")):
        assert list((ROOT / "scripts").glob(f"{called}.*")) or (ROOT / "scripts" / called).is_dir(), called
    assert all(os.access(path, os.X_OK) for path in [*(ROOT / "scripts").glob("*.sh"), ROOT / ".ci" / "run"])


def test_continuous_integration_runs_every_test():
    """Every test on one of three commits that follow each other (`tests/parts.py`)."""
    run = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "make test-all" in run
    assert re.search(rf"^export {parts.VARIABLE}=.* % {parts.PARTS}\)\)$", run, flags=re.M)
    made = subprocess.check_output(["make", "--dry-run", "-s", "test-all"], cwd=ROOT, text=True)
    assert "scripts/check.sh all" in made


def test_each_gate_runs_what_the_smaller_one_runs():
    """The marker expressions of scripts/check.sh, evaluated for every combination of marks."""
    text = (ROOT / "scripts" / "check.sh").read_text(encoding="utf-8")
    line = re.compile(r"^  (fast|usual|all)\) (.*) ;;$", flags=re.M)
    marked = ("slow", "long", "browser", "journey")
    expressions = {
        gate: [a or b for a, b in re.findall(r'-m "([^"]+)"|browser "?([a-z ]+)"?$', steps)]
        for gate, steps in line.findall(text)
    }
    assert list(expressions) == ["fast", "usual", "all"]

    def run(gate: str, marks: set[str]) -> bool:
        names = {name: name in marks for name in marked}
        return any(eval(each, {}, names) for each in expressions[gate])  # noqa: S307 - our own expressions

    every = [set(marks) for n in range(5) for marks in itertools.combinations(marked, n)]
    assert all(run("all", marks) for marks in every)
    assert all(run("usual", marks) for marks in every if run("fast", marks))
    assert run("fast", set())
    assert not run("fast", {"slow"})
    assert not run("fast", {"long"})
    assert run("usual", {"long"})
    assert not run("usual", {"slow"})
    assert not run("fast", {"browser", "journey"})
    assert run("usual", {"browser", "journey"})
    assert not run("usual", {"browser"})


@pytest.fixture
def empty_checkout(tmp_path):
    for name in ("requirements.txt", "requirements-dev.txt", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    return tmp_path


def test_setup_without_a_python_says_so(empty_checkout):
    done = script("setup.sh", "runtime", cwd=empty_checkout, PYTHON="no-such-python")
    assert done.returncode == 1
    assert "no Python 3.11 or newer found" in done.stderr
    assert not (empty_checkout / ".venv").exists()


def test_setup_without_disk_says_so(empty_checkout):
    path = empty_checkout / "scripts" / "setup.sh"
    path.write_text(path.read_text().replace("need_gb=8", "need_gb=9999999"))
    done = script("setup.sh", "runtime", cwd=empty_checkout)
    assert done.returncode == 1
    assert "GB are free" in done.stderr


@pytest.mark.parametrize(
    ("fails", "said", "unsaid"),
    [
        ("make_first", "could not be imported now", "could not be drawn"),
        ("make_first_picture", "are imported; the picture that stands on Overview", "could not be imported"),
        ("make_first_example", "the example of Robustness could not be", "could not be drawn"),
        ("make_first_clumps", "on the map that Embeddings shows first", "Robustness"),
        ("nothing", "setup: ready", "could not be"),
    ],
)
def test_setup_says_what_failed_and_nothing_else(empty_checkout, fails, said, unsaid):
    """“The results could not be imported” was said where they were, and only their picture could not be drawn."""
    tools = empty_checkout / ".venv" / "bin"
    tools.mkdir(parents=True)
    python = tools / "python"
    python.write_text(f'#!/usr/bin/env bash\necho "$*" >>ran\ncase "$*" in *.{fails}) exit 1 ;; esac\n')
    python.chmod(0o755)
    done = script("setup.sh", "runtime", cwd=empty_checkout)
    assert done.returncode == 0
    assert said in done.stderr
    assert unsaid not in done.stderr
    assert done.stderr.endswith("setup: ready\n")
    steps = [line for line in (empty_checkout / "ran").read_text().splitlines() if "first" in line]
    assert len(steps) == (1 if fails == "make_first" else 4), "each that can be done is"


def test_a_taken_port_is_named_with_another_one():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen(1)
        port = taken.getsockname()[1]
        done = script("run.sh", str(port))
    assert done.returncode == 1
    assert f"port {port} is taken" in done.stderr
    assert "make run PORT=" in done.stderr


@pytest.mark.parametrize("port", ["", "abc", "80", "70000"])
def test_a_port_that_is_none_is_refused(port):
    done = script("run.sh", port) if port else script("run.sh", "x")
    assert done.returncode in (1, 2)
    assert "make run PORT=8600" in done.stderr


def test_setup_installs_the_extras_that_there_are():
    """All of them: the tests need every family. Those of clusters and stores, which few need, the tests alone get."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    (given,) = re.findall(r"-e '\.\[(.*)\]'", (ROOT / "scripts" / "setup.sh").read_text(encoding="utf-8"))
    assert set(given.split(",")) <= extras.keys()
    tested = {canonicalize_name(Requirement(line).name) for line in lines("requirements-dev.txt")}
    for name in extras.keys() - set(given.split(",")):
        assert {canonicalize_name(Requirement(line).name) for line in extras[name]} <= tested, name
