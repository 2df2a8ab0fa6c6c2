"""What a wheel holds: `flipside`, the launcher, and as its folder `_tree` the program as it lies here, unchanged.

So exactly one name comes into site-packages; `backend` and `pages` are found below it by flipside/__init__.py. Names,
requirements and everything else stand in pyproject.toml.
"""

import shutil
from pathlib import Path

from setuptools import find_packages, setup
from setuptools.command.build_py import build_py

HERE = Path(__file__).resolve().parent
TREE = "flipside._tree"
ROOMS = ("backend", "pages")
#: What the tools and the program itself leave beside the code: never packed.
LEFT = {"__pycache__", "lock", "errors.log", "own", "db"}
#: What goes along of the checkout's own folder: a module, and files that the program reads.
MODULE = "app"
FILES = [".streamlit/config.toml", "requirements.txt", "constraints.txt", "CONTRIBUTING.md"]
#: Pages that messages name, and those they lead to; text only, the pictures stay in the repository.
FILES += sorted(path.relative_to(HERE).as_posix() for path in (HERE / "docs").rglob("*.md"))


def data(room: str) -> list[str]:
    """Every file of a room that is no module, relative to the room: tables, models, results, styles, scripts."""
    files = (path for path in (HERE / room).rglob("*") if path.is_file() and path.suffix not in (".py", ".pyc"))
    return sorted(
        path.relative_to(HERE / room).as_posix() for path in files if not LEFT & set(path.relative_to(HERE).parts)
    )


class Build(build_py):
    """setuptools' own, without this file and whatever other modules somebody has put beside app.py."""

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        """Package, module and file of every module in a package's folder."""
        return [
            found
            for found in super().find_package_modules(package, package_dir)
            if package != TREE or found[1] == MODULE
        ]


# An earlier build's files would be packed, too, those that have been moved or removed since.
shutil.rmtree(HERE / "build", ignore_errors=True)
setup(
    cmdclass={"build_py": Build},
    packages=[
        "flipside",
        TREE,
        *(f"{TREE}.{name}" for name in find_packages(str(HERE), include=[f"{room}*" for room in ROOMS])),
    ],
    package_dir={"flipside": "flipside", TREE: "."},
    package_data={TREE: FILES, **{f"{TREE}.{room}": data(room) for room in ROOMS}},
)
