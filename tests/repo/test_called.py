"""Commands that messages suggest can be pasted, however the program was started."""

import ast
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from backend import called, cli
from tests.conftest import ROOT

WAY = ".venv/bin/python -m backend"


def test_the_verbs_are_those_of_the_command_line():
    assert tuple(cli.VERBS) == called.VERBS, "VERBS of backend/called.py lists the verbs of backend/cli.py, in order"


@pytest.mark.parametrize("verb", cli.VERBS)
def test_every_verb_is_written_in_the_way_it_was_called(verb):
    assert called.pasteable(f"Try `flipside {verb} --json`.", WAY) == f"Try `{WAY} {verb} --json`."
    assert called.pasteable(f"next: python -m backend {verb}", WAY) == f"next: {WAY} {verb}"


@pytest.mark.parametrize(
    "text",
    [
        f"{WAY} run --model SPEC",
        "flipside: run again",
        "my-flipside run",
        "flipside running",
        "flipside import_x",
        "a/flipside run",
    ],
)
def test_what_is_no_command_of_ours_stays(text):
    assert called.pasteable(text, "other") == text


@pytest.fixture(
    params=[
        "script on the PATH",
        pytest.param("module", marks=pytest.mark.slow),
        pytest.param("script by its path", marks=pytest.mark.slow),
    ]
)
def way(request, tmp_path) -> tuple[list[str], str, Path, dict[str, str]]:
    """The words that start the program as typed, how suggestions begin then, the folder, and the environment."""
    env = dict(os.environ)
    if request.param == "module":
        link = tmp_path / ".venv" / "bin" / "python"
        link.parent.mkdir(parents=True)
        link.symlink_to(sys.executable)
        env["PYTHONPATH"] = os.pathsep.join([str(ROOT), *sys.path[1:]])
        return [WAY], WAY, tmp_path, env
    script = tmp_path / "bin" / "flipside"
    script.parent.mkdir()
    script.write_text(
        f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\nfrom backend.cli import run\nrun()\n"
    )
    script.chmod(0o755)
    if request.param.endswith("PATH"):
        env["PATH"] = f"{script.parent}{os.pathsep}{env['PATH']}"
        return ["flipside"], "flipside", tmp_path, env
    env["PATH"] = "/usr/bin:/bin"
    return ["bin/flipside"], "bin/flipside", tmp_path, env


def typed(words: str, folder: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["bash", "-c", words], cwd=folder, env=env, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_what_a_process_suggests_can_be_pasted_where_it_was_typed(way):
    (start,), begins, folder, env = way
    refused = typed(f"{start} report --model bundled:clip --benchmark winoground", folder, env)
    unknown = typed(f"{start} run --model bundled:clip --benchmark 'none~*' --kinds itc", folder, env)
    wrong = typed(f"{start} run --modl x", folder, env)
    assert (refused.returncode, unknown.returncode, wrong.returncode) == (2, 2, 2)
    assert f"`{begins} run --model bundled:clip --benchmark winoground --data DIR` makes one" in refused.stderr
    assert f"`{begins} perturb`" in unknown.stderr
    (suggested,) = re.findall(r"Try '(.*) --help'", wrong.stderr)
    assert suggested.startswith(begins)
    helped = typed(f"{suggested} --help", folder, env)
    assert helped.returncode == 0, helped.stderr
    assert f"Usage: {begins} run" in helped.stdout


@pytest.mark.slow
def test_the_last_line_of_perturb_can_be_pasted_and_json_keeps_the_name(way):
    (start,), begins, folder, env = way
    made = typed(f"{start} perturb --benchmark world --subset choice --limit 3 --kinds character_swap", folder, env)
    assert made.returncode == 0, made.stderr
    line = made.stdout.splitlines()[-1]
    assert line.startswith(f"Score one with: {begins} run --model bundled:clip")
    scored = typed(line.partition(": ")[2], folder, env)
    assert scored.returncode == 0, scored.stderr
    assert "command not found" not in scored.stderr
    asked = typed(f"{start} doctor --model predictions:x --json", folder, env)
    assert asked.returncode == 2
    assert "`flipside add-predictions`" in asked.stdout


@pytest.fixture
def project(tmp_path, monkeypatch) -> Path:
    """The folder .venv/bin of a checkout, without a command `flipside` yet; its Python shows the pages."""
    folder = tmp_path / "checkout" / ".venv" / "bin"
    folder.mkdir(parents=True)
    monkeypatch.setattr(called, "__file__", str(tmp_path / "checkout" / "backend" / "called.py"))
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    return folder


def test_pages_show_the_command_of_the_project(project, monkeypatch):
    assert called.on_pages() == WAY
    (project / "flipside").touch()
    assert called.on_pages() == ".venv/bin/flipside"
    monkeypatch.setattr(sys, "executable", "/opt/somewhere/python3")
    assert called.on_pages() == "python -m backend"  # a path of this machine is not for every browser


def test_pages_of_an_installed_copy_show_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr(called, "INSTALLED", True)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert called.on_pages() == "python -m flipside"
    (tmp_path / "flipside").touch()
    assert called.on_pages() == "flipside"


@pytest.mark.parametrize("module", ["backend", "flipside"])
def test_a_module_suggests_the_command_beside_its_interpreter(tmp_path, monkeypatch, module):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bin").mkdir()
    monkeypatch.setattr(sys, "argv", [str(ROOT / module / "__main__.py")])
    monkeypatch.setattr(sys, "orig_argv", ["bin/python", "-m", module])
    assert called.in_terminal() == f"bin/python -m {module}"
    for name in ("flipside", "python"):
        (tmp_path / "bin" / name).touch(mode=0o755)
    monkeypatch.setenv("PATH", "/usr/bin")
    assert called.in_terminal() == "bin/flipside"
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert called.in_terminal() == "flipside"
    monkeypatch.setattr(sys, "orig_argv", ["python", "-m", module])  # found on the PATH, and so is its neighbour
    assert called.in_terminal() == "flipside"


def test_messages_and_commands_on_pages_begin_so(project):
    from backend.live.jobs.jobs import command_line
    from pages.shared.frame.hidden import hide

    assert hide("`flipside doctor` looks") == f"`{WAY} doctor` looks"
    assert shlex.split(command_line("run", ["--benchmark", "a b"])) == [*WAY.split(), "run", "--benchmark", "a b"]


def test_verbs_print_through_the_one_place():
    """What a verb prints by itself would keep `flipside`, which may be no command."""
    for path in (ROOT / "backend" / "verbs").glob("*.py"):
        if path.name in ("output.py", "checks_results.py"):  # the place; a recipe of ours, no verb
            continue
        calls = [node.func for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.Call)]
        mend = f"{path.name}: print with say, note, print_table or print_json of backend/verbs/shared/output.py"
        assert not [f for f in calls if isinstance(f, ast.Name) and f.id == "print"], mend
        assert not [f for f in calls if isinstance(f, ast.Attribute) and f.attr == "echo"], mend


def test_pages_draw_no_command_of_another_way():
    """Texts of pages with a command go through `hide`, be it by `empty`, `chart_caption` or `trouble`."""
    bare = re.compile(
        r"st\.(?:caption|info|success|warning|error|markdown|write)\((?:(?!hide\()[^)])*(?:flipside|-m backend) [a-z]"
    )
    for path in (ROOT / "pages").rglob("*.py"):
        assert not bare.search(path.read_text("utf-8")), path.name


def test_an_installed_copy_names_its_own_pages_of_the_docs(monkeypatch):
    said = "Wrong host (docs/security.md); see my/docs/x.md."
    assert called.pasteable(said) == said
    monkeypatch.setattr(called, "INSTALLED", True)
    assert called.pasteable(said) == f"Wrong host ({ROOT}/docs/security.md); see my/docs/x.md."
    assert called.pasteable(said, "flipside") == said  # on pages, where no path of this machine is shown
