"""The launcher: what `import flipside` gives, what it leaves alone, and what it refuses."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import flipside
from backend import paths, systems
from flipside import __main__ as program
from tests.conftest import ROOT


def python(code: str, cwd: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """Run a line of Python in a folder, with this checkout's `flipside` on the path and nothing else of it."""
    given = f"import sys; sys.path.append({str(ROOT)!r}); {code}"
    return subprocess.run([sys.executable, "-c", given, *more], cwd=cwd, capture_output=True, text=True, check=False)


def other(folder: Path, name: str) -> Path:
    (folder / name).mkdir()
    (folder / name / "__init__.py").write_text("OTHER = True\n")
    return folder / name


def test_importing_it_loads_nothing_heavy_and_no_file_of_the_program(tmp_path):
    code = "import json, flipside; print(json.dumps([dir(flipside), [*sys.modules], len(sys.path)]))"
    names, loaded, n_paths = json.loads(python(code, tmp_path).stdout)
    assert {"load", "load_benchmark", "results", "evaluate", "open", "__version__"} <= set(names)
    roots = {name.partition(".")[0] for name in loaded}
    assert not roots & {"torch", "streamlit", "duckdb", "pandas", "numpy", "backend", "pages"}
    bare = json.loads(python("import json; print(len(sys.path))", tmp_path).stdout)
    assert n_paths == bare  # the names are found by a finder, no folder is added


def test_the_public_names_are_those_of_the_backend(tmp_path):
    import backend
    from backend import benchmarks, models, results

    assert flipside.load is models.load
    assert flipside.load_benchmark is benchmarks.load_benchmark
    assert flipside.results is results
    assert flipside.open is results.open
    assert flipside.__version__ == backend.__version__
    assert flipside.TREE == paths.ROOT


@pytest.mark.skipif(not (ROOT / "backend" / "evaluation.py").is_file(), reason="backend/evaluation.py is not here yet")
def test_evaluate_is_the_backends():
    from backend import evaluation

    assert flipside.evaluate is evaluation.evaluate


def test_an_unknown_name_names_those_that_there_are():
    with pytest.raises(AttributeError, match=r"no attribute 'lod'; it has .*load, load_benchmark"):
        _ = flipside.lod


@pytest.mark.parametrize("name", ["backend", "pages"])
def test_another_package_of_the_name_is_refused_in_a_sentence(tmp_path, name):
    place = other(tmp_path, name)
    refused = python(f"import {name}; import flipside", tmp_path)
    assert refused.stderr.splitlines()[-1] == (
        f"ImportError: flipside cannot be imported here: its package '{name}' would replace the one that was imported "
        f"from {place}; use flipside in a process of its own."
    )


def test_a_package_of_the_name_that_nobody_has_imported_is_left_aside(tmp_path):
    other(tmp_path, "backend")
    found = python("import flipside, backend; print(backend.__file__)", tmp_path)
    assert found.stdout.strip() == str(ROOT / "backend" / "__init__.py"), found.stderr


def test_it_may_be_imported_after_its_own_backend(tmp_path):
    assert python("import backend, flipside; print(flipside.TREE)", tmp_path).stdout.strip() == str(ROOT)


@pytest.mark.long
def test_it_starts_as_a_module(tmp_path):
    other(tmp_path, "backend")
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "flipside", "benchmarks"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "sugarcrepe" in done.stdout


@pytest.mark.long
def test_a_process_of_ours_runs_from_a_folder_that_has_another_backend(tmp_path):
    other(tmp_path, "backend")
    command = paths.module_command("backend", "benchmarks", "--json")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["benchmarks"]


def test_where_locks_are_missing_a_sentence_says_so(monkeypatch):
    """Windows: there is no fcntl."""
    monkeypatch.setattr(systems.importlib.util, "find_spec", lambda _: None)
    assert "WSL" in systems.refusal()
    with pytest.raises(SystemExit, match=r"^flipside: Flipside does not run on Windows itself: .*docs/install\.md"):
        program.run()
    with pytest.raises(ImportError, match="WSL"):
        _ = flipside.load
    monkeypatch.undo()
    assert systems.refusal() == ""
