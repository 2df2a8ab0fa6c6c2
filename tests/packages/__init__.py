"""Other people's packages, as pip leaves them: code, and a dist-info folder that names its entry points."""

import base64
import hashlib
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

CATS = Path(__file__).resolve().parent / "cats.py"
#: What the package flipside-cats names: one thing of each kind.
ENTRIES = {
    "benchmarks": {"cats": "flipside_cats:CATS"},
    "perturbations": {"cat_to_dog": "flipside_cats:CAT_TO_DOG"},
    "metrics": {"cat_margin": "flipside_cats:CAT_MARGIN"},
    "families": {"catlike": "flipside_cats:CATLIKE"},
    "verbs": {"meow": "flipside_cats:meow"},
    "pages": {"cat_counter": "flipside_cats:cat_counter"},
}


def wheel(folder: Path, project: str, entries: Mapping[str, Mapping[str, str]], modules: Mapping[str, str]) -> Path:
    """A wheel of the project, version 0.1, in a folder. entries: group without `flipside.` -> name -> target.
    modules: name -> source."""
    name = project.replace("-", "_")
    info = f"{name}-0.1.dist-info"
    points = "\n".join(
        f"[flipside.{group}]\n" + "".join(f"{key} = {target}\n" for key, target in of.items())
        for group, of in entries.items()
    )
    files = {
        **{f"{module}.py": source for module, source in modules.items()},
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {project}\nVersion: 0.1\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": points,
    }
    record = "".join(f"{path},sha256={_digest(text)},{len(text.encode())}\n" for path, text in files.items())
    path = folder / f"{name}-0.1-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for inside, text in {**files, f"{info}/RECORD": f"{record}{info}/RECORD,,\n"}.items():
            archive.writestr(inside, text)
    return path


def install(site: Path, project: str, entries: Mapping[str, Mapping[str, str]], modules: Mapping[str, str]) -> Path:
    """The project unpacked in a folder, as `pip install --target` leaves it; quicker than pip."""
    site.mkdir(exist_ok=True, parents=True)
    with zipfile.ZipFile(wheel(site, project, entries, modules)) as archive:
        archive.extractall(site)
    return site


def cats(site: Path, *, by_pip: bool = False) -> Path:
    """flipside-cats in a folder. by_pip: by pip itself, which takes seconds."""
    modules = {"flipside_cats": CATS.read_text(encoding="utf-8")}
    if not by_pip:
        return install(site, "flipside-cats", ENTRIES, modules)
    built = wheel(site.parent, "flipside-cats", ENTRIES, modules)
    command = [sys.executable, "-m", "pip", "install", "--no-deps", "--no-index", "--target", str(site), str(built)]
    subprocess.run(command, check=True, capture_output=True)
    return site


def uninstall(site: Path, project: str) -> None:
    """Remove it as pip does."""
    name = project.replace("-", "_")
    shutil.rmtree(site / f"{name}-0.1.dist-info")
    (site / f"{name}.py").unlink()


def _digest(text: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b"=").decode()
