"""What other installed packages bring: entry points of the groups `flipside.benchmarks`, `flipside.metrics` and so on.

A package names its things in its metadata (docs/plugins.md). Names are listed without importing anything of it; a thing
is imported when it is used, and checked. One that is broken, or whose name is taken, is skipped and named (`troubles`);
who asks for it by its name is told why in one sentence. `FLIPSIDE_PLUGINS=0` switches all of this off.
"""

import inspect
import re
import traceback
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

from backend import environment
from backend.errors import FlipsideError
from backend.paths import ROOT

VARIABLE = "FLIPSIDE_PLUGINS"
PREFIX = "flipside."
NAME = re.compile(r"[a-z][a-z0-9_-]{0,63}")

#: What was skipped so far in this process, a sentence each, in the order of finding.
_troubles: dict[str, None] = {}


class PluginError(FlipsideError):
    """A thing of another package that cannot be used. Whoever asked for it by name is told so."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry point. package: its name and version, as in "cat-bench 0.1"; project: the name alone."""

    name: str
    target: str
    package: str
    project: str
    point: metadata.EntryPoint


@dataclass(frozen=True)
class Group:
    """The entry points of one group, beside a registry of ours.

    key: as in `flipside.<key>`. thing: one of them in words ("benchmark"). wanted: what an entry must point to, in
    words. wrong: what of a loaded object is not so, "" where it fits; called with the entry's name and the object.
    ours: the names that are taken.
    """

    key: str
    thing: str
    wanted: str
    wrong: Callable[[str, Any], str]
    ours: Callable[[], Collection[str]]

    def names(self) -> list[str]:
        """The names that can be used, in alphabetical order; imports nothing of theirs."""
        return [name for name in self._entries() if not self._refused(name)]

    def packages(self) -> dict[str, str]:
        """Name -> the package it comes from, with its version ("cat-bench 0.1")."""
        entries = self._entries()
        return {name: entries[name][0].package for name in self.names()}

    def has(self, name: str) -> bool:
        """Whether a package brings something of this name that is not ours, usable or not."""
        return name not in self.ours() and name in self._entries()

    def load(self, name: str) -> Any:
        """The object, imported and checked. PluginError with the reason where it cannot be used.

        Whatever its module raises on import is such a reason, `sys.exit` included.
        """
        refused = self._refused(name)
        if refused:
            raise PluginError(refused)
        entry = self._entries()[name][0]
        try:
            found = entry.point.load()
            wrong = self.wrong(name, found)
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and not _raises_itself(error):
                raise
            wrong = f"importing {entry.target} raised {said(error)}"
        else:
            wrong = wrong and f"{entry.target} must be {self.wanted}; {wrong}"
        if wrong:
            raise PluginError(
                f"the {self.thing} '{name}' of the package {entry.package} cannot be used: {wrong}. "
                f"Mend or uninstall {entry.project}; {VARIABLE}=0 switches all plug-ins off."
            )
        return found

    def usable(self) -> Iterator[tuple[str, Any]]:
        """(name, object) of all that can be used; a broken one is skipped and noted among `troubles`."""
        for name in self.names():
            try:
                found = self.load(name)
            except PluginError as error:
                note(str(error))
                continue
            yield name, found

    def blamed(self, name: str, error: BaseException) -> PluginError:
        """What to raise where code of the package raised on being used."""
        entry = self._entries()[name][0]
        return PluginError(f"the {self.thing} '{name}' of the package {entry.package} raised {said(error)}.")

    def _entries(self) -> dict[str, list[Entry]]:
        return _found().get(self.key, {})

    def _refused(self, name: str) -> str:
        """Why an entry is not used whatever it points to, noted among `troubles`; "" where nothing is against it."""
        entries = self._entries()[name]
        packages = " and ".join(dict.fromkeys(entry.package for entry in entries))
        why = ""
        if not NAME.fullmatch(name):
            why = f"the {self.thing} '{name}' of the package {packages} is not used: a name has small letters, digits, "
            why += "_ and -, and begins with a letter. Rename it in its package."
        elif name in self.ours():
            why = f"the {self.thing} '{name}' of the package {packages} is not used: Flipside has one of that name. "
            why += "Rename it in its package."
        elif len(entries) > 1:
            why = f"the {self.thing} '{name}' comes from {packages}: neither is used. Uninstall one, or rename one."
        if why:
            note(why)
        return why


def _raises_itself(error: BaseException) -> bool:
    """Whether an interruption was raised by a line of somebody's module that says so, not by Ctrl-C."""
    frames = traceback.extract_tb(error.__traceback__)
    said = (frames[-1].line or "").strip() if frames else ""
    return said.startswith("raise KeyboardInterrupt") and not Path(frames[-1].filename).is_relative_to(ROOT)


def named(key: str) -> list[str]:
    """The names under a group's key, whether or not they can be used."""
    return list(_found().get(key, {}))


def note(trouble: str) -> None:
    """Remember what was skipped, once."""
    _troubles.setdefault(trouble)


def troubles() -> list[str]:
    """What was skipped so far in this process: a sentence each with the name, the package and what to do."""
    return list(_troubles)


def forget() -> None:
    """Look at the installed packages anew, as a new process does; for tests."""
    _found.cache_clear()
    _troubles.clear()


def said(error: BaseException) -> str:
    """An error of somebody else's code on one line of bounded length.

    >>> said(ValueError("no\\nfile"))
    'ValueError: no file'
    """
    try:
        told = " ".join(str(error).split())
    except Exception:  # noqa: BLE001 - it may not be able to say itself
        told = ""
    return f"{type(error).__name__}: {told}"[:200].rstrip(": ")


def switched_off() -> bool:
    """Whether the environment says that nothing of other packages is used."""
    return not environment.switched(VARIABLE, True)


@cache
def _found() -> dict[str, dict[str, list[Entry]]]:
    """Group -> name -> the entries of that name, of all installed packages. Read once a process."""
    groups: dict[str, dict[str, list[Entry]]] = {}
    if switched_off():
        return groups
    seen: set[str] = set()
    entries: list[tuple[str, Entry]] = []
    for installed in metadata.distributions():
        try:
            points = [point for point in installed.entry_points if point.group.startswith(PREFIX)]
            project = re.sub(r"[-_.]+", "-", str(installed.metadata["Name"])).lower() if points else ""
            fresh = project not in seen  # a package that lies on the path twice is imported from the first place
            entries += [(point.group.removeprefix(PREFIX), _entry(point, installed)) for point in points if fresh]
        except Exception as error:  # noqa: BLE001 - a damaged record of any installed package must not stop the program
            note(f"plug-ins of one installed package are left out: its record cannot be read ({said(error)}).")
            continue
        seen.add(project)
    for key, entry in sorted(entries, key=lambda each: (each[0], each[1].name, each[1].package)):
        groups.setdefault(key, {}).setdefault(entry.name, []).append(entry)
    for key in groups.keys() - KEYS:
        known = ", ".join(PREFIX + each for each in KEYS)
        note(f"the entry points of the group '{PREFIX}{key}' are not used; the groups are {known}.")
    return groups


def _entry(point: metadata.EntryPoint, installed: metadata.Distribution) -> Entry:
    project = str(installed.metadata["Name"])
    return Entry(point.name, point.value, f"{project} {installed.version}", project, point)


def callable_wrong(found: Any, arguments: bool) -> str:
    """What is wrong with something that should be a function; arguments: whether it may ask for some."""
    if not callable(found) or inspect.isclass(found):
        return f"found {described(found)}"
    needed = [
        each.name
        for each in inspect.signature(found).parameters.values()
        if each.default is each.empty and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    ]
    return f"it asks for {', '.join(needed)}" if needed and not arguments else ""


def described(found: Any) -> str:
    """What an object is, in a few words.

    >>> described(3), described(int)
    ('an object of the type int', 'the class int')
    """
    if inspect.isclass(found):
        return f"the class {found.__name__}"
    return f"an object of the type {type(found).__name__}"


def named_wrong(wanted: type, name: str, found: Any) -> str:
    """What is wrong with something that should be a `wanted` of that name."""
    if not isinstance(found, wanted):
        return f"found {described(found)}"
    own = getattr(found, "name", None)
    return "" if own == name else f"its own name is '{own}'"


def _taken_by_pages() -> set[str]:
    """The folders of our pages, and addresses that the server itself has."""
    own = {path.parent.name for path in (ROOT / "pages").glob("*/page.py")}
    served = {"static", "media", "component", "app", "thumbnails", "oauth2callback", "index", "not_found", "shared"}
    return {spelled for name in own | served for spelled in (name, name.replace("_", "-"))}


PAGES = Group(
    "pages", "page", "a function without arguments that draws the page",
    lambda _, found: callable_wrong(found, arguments=False), _taken_by_pages,
)  # fmt: skip
#: All groups that are read.
KEYS = ("families", "benchmarks", "perturbations", "metrics", "verbs", "pages")
