"""Every public function and class of the metrics has an example, and every example runs."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import backend.metrics

MODULES = [info.name for info in pkgutil.iter_modules(backend.metrics.__path__, "backend.metrics.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_everything_public_has_an_example(name):
    module = importlib.import_module(name)
    for label, thing in vars(module).items():
        if label.startswith("_") or getattr(thing, "__module__", "") != name:
            continue
        if inspect.isfunction(thing) or inspect.isclass(thing):
            assert ">>>" in (inspect.getdoc(thing) or ""), f"{name}.{label} has no example"


@pytest.mark.long
def test_metrics_import_neither_torch_nor_streamlit_nor_duckdb_nor_pandas():
    import subprocess
    import sys

    code = f"import sys, importlib; [importlib.import_module(m) for m in {MODULES}]; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"torch", "streamlit", "duckdb", "pandas", "scipy.stats"} & set(done.stdout.split())
