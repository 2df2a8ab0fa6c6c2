"""What a `py:` spec names: a module or a file, an object in it, and an argument for whatever makes the model."""

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

from backend.errors import UsageError

PREFIX = "py:"
FORM = (
    "write py:package.module:Class or py:path/to/file.py:Class (or a function that makes the model), and #argument "
    "behind it where that takes one"
)
_NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
#: A file's path may hold colons and spaces: it ends at the first `.py:` that a name follows.
_FILE = re.compile(rf"(?P<where>.*?\.py):(?P<name>{_NAME})(?:#(?P<argument>.*))?", re.DOTALL)
_MODULE = re.compile(rf"(?P<where>{_NAME}):(?P<name>{_NAME})(?:#(?P<argument>.*))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Target:
    """where: a file's path or a module's dotted name. name: of the object in it. argument: "" for none."""

    where: str
    name: str
    argument: str = ""

    @property
    def is_file(self) -> bool:
        return self.where.endswith(".py")

    def __str__(self) -> str:
        return f"py:{self.where}:{self.name}" + (f"#{self.argument}" if self.argument else "")


def parse(text: str) -> Target:
    """The parts of what stands after `py:`. UsageError where it is no such thing.

    >>> parse("my models/a:b.py:Net#step 100.pt")
    Target(where='my models/a:b.py', name='Net', argument='step 100.pt')
    >>> parse("package.module:make").is_file
    False
    """
    found = _FILE.fullmatch(text) or _MODULE.fullmatch(text)
    if found is None:
        raise UsageError(f"Model spec py:{text[:200]} names no module or file with an object in it: {FORM}.")
    return Target(found["where"], found["name"], found["argument"] or "")


def beside(spec: str, folder: Path) -> str:
    """A `py:` spec whose file stands in it by its full path, a relative one from a folder on; any other spec, and what
    is no spec, as it is. Looks for no file.

    >>> beside("py:my_clip.py:load#a", Path("/studies")), beside("py:package.module:Net", Path("/studies"))
    ('py:/studies/my_clip.py:load#a', 'py:package.module:Net')
    """
    if not spec.startswith(PREFIX):
        return spec
    try:
        target = parse(spec.removeprefix(PREFIX))
    except UsageError:
        return spec
    if not target.is_file or target.where.startswith("~"):
        return spec
    path = folder / target.where
    # Behind a link `..` leads elsewhere than it reads: such a path is what the system would open.
    where = os.path.realpath(path) if ".." in path.parts else os.path.normpath(path)
    return str(replace(target, where=where))
