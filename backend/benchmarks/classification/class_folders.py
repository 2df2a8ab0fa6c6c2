"""Zero-shot classification from image folders: `<class>/<image>`, with the classes' names and prompts beside them.

- names: `classes.json`, an object from folder to name, or `classnames.txt`: `folder<TAB>name` a line, or `folder name`,
  or one name a line for the folders in sorted order. Without either, a folder's own name is read, `_` as a blank.
- prompts: `templates.txt`, one a line with one `{}`.

A class is known by its place: folders sorted by name, or the place that a benchmark gives it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from backend.benchmarks.reading.folder import Folder
from backend.benchmarks.reading.malformed import Malformed
from backend.benchmarks.reading.records import checked, json_object, lines
from backend.errors import FlipsideError
from backend.items import ImageRef, Item, Protocol

#: What Pillow opens and benchmarks hold.
IMAGES = frozenset({".jpg", ".jpeg", ".png", ".webp", ".bmp", ".gif", ".tif", ".tiff", ".ppm", ".pgm"})
NAMES_TABLE, NAMES_LINES, PROMPTS = "classes.json", "classnames.txt", "templates.txt"
DEFAULT_PROMPTS = ("a photo of a {}.",)


@dataclass(frozen=True)
class Task:
    """One classification task. base: its folder inside the data folder, "" or with a slash at the end. names: of the
    classes, in their order; places: class folder -> place in `names`. several: an image may lie in several folders."""

    subset: str
    base: str
    names: tuple[str, ...]
    places: Mapping[str, int]
    prompts: tuple[str, ...] = DEFAULT_PROMPTS
    several: bool = False
    tags: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def is_image(path: str) -> bool:
    """By its ending, in any case."""
    return f".{path.rpartition('.')[2].lower()}" in IMAGES


def class_folders(paths: Iterable[str], base: str) -> list[str]:
    """The folders directly below `base` that hold an image, at any depth, sorted."""
    inside = (path[len(base) :] for path in paths if path.startswith(base) and is_image(path))
    return sorted({path.partition("/")[0] for path in inside if "/" in path})


def read_task(folder: Folder, task: Task) -> Iterator[Item]:
    """Its images, class folder by class folder; of a task with several classes an image, by file name."""
    truths: dict[str, tuple[list[int], str]] = {}
    for path in folder.paths():
        place, slash, name = path.removeprefix(task.base).partition("/")
        if path.startswith(task.base) and slash and is_image(path) and place in task.places:
            key = name if task.several else f"{place}/{name}"
            truths.setdefault(key, ([], path))[0].append(task.places[place])
    for key, (own, path) in truths.items():
        classes = sorted(set(own) - {NONE})
        yield Item(
            item_id=f"{task.subset}/{key}",
            subset=task.subset,
            protocol=Protocol.CLASSIFY,
            images=(ImageRef(key, str(folder.root / path)),),
            texts=task.names,
            truth=tuple((0, place) for place in classes),
            tags={
                "concept": ("class",),
                "perturbation": ("none",),
                "class": tuple(task.names[place] for place in classes),
                "original": (path.removeprefix(task.base).partition("/")[0],),
                **task.tags,
            },
            source=path,
        )


#: The place of a folder `_none`, for images of a task with several classes that have none of them.
NONE = -1


def named(found: Mapping[str, str], folders: Sequence[str]) -> tuple[tuple[str, ...], dict[str, int]]:
    """Names in the order of the folders' own names, and the place of each folder. found: folder -> name."""
    every = sorted({*folders, *found})
    names = tuple(found.get(folder, folder.replace("_", " ")) for folder in every)
    return names, {folder: place for place, folder in enumerate(every)}


def names_of(root: Path, folders: Sequence[str]) -> dict[str, str]:
    """Folder -> name, as `classes.json` or `classnames.txt` in `root` says; empty where neither is there."""
    table, listed = root / NAMES_TABLE, root / NAMES_LINES
    if table.is_file():
        found = {}
        for key, value in json_object(table):
            if not isinstance(value, str) or not value.strip():
                raise FlipsideError(f"{table}, '{key}': is no name. Write an object from folder to class name.")
            found[key] = _caption(value.strip(), f"{table}, '{key[:60]}'")
        return found
    return _listed(listed, folders) if listed.is_file() else {}


def _listed(path: Path, folders: Sequence[str]) -> dict[str, str]:
    rows = [(number, _caption(line.strip(), f"{path}, line {number}")) for number, line in lines(path) if line.strip()]
    if any("\t" in line for _, line in rows):
        return dict(_pair(path, number, line, "\t") for number, line in rows)
    if all(line.partition(" ")[0] in folders and " " in line for _, line in rows):
        return dict(_pair(path, number, line, " ") for number, line in rows)
    if len(rows) != len(folders):
        raise FlipsideError(
            f"{path}: {len(rows)} names for {len(folders)} folders. Give one name a line in the sorted order of the "
            f"folders ({', '.join(folders[:3])}, …), or 'folder<TAB>name' a line."
        )
    return {folder: name for folder, (_, name) in zip(sorted(folders), rows, strict=True)}


def _caption(value: str, where: str) -> str:
    """The text itself; FlipsideError where it is longer than any caption, or holds half a character."""
    try:
        return checked(value, "text")
    except Malformed as reason:
        raise FlipsideError(f"{where}: {reason}. Write the name of a class, or a prompt.") from None


def _pair(path: Path, number: int, line: str, separator: str) -> tuple[str, str]:
    folder, _, name = line.partition(separator)
    if not folder.strip() or not name.strip():
        raise FlipsideError(f"{path}, line {number}: expected a folder and a name, found '{line[:60]}'.")
    return folder.strip(), name.strip()


def prompts_of(root: Path, default: tuple[str, ...] = DEFAULT_PROMPTS) -> tuple[str, ...]:
    """The prompts of `templates.txt` in `root`, in order; the default where it is not there."""
    path = root / PROMPTS
    if not path.is_file():
        return default
    found = []
    for number, line in lines(path):
        if line.strip():
            where = f"{path}, line {number}"
            found.append(one_blank(_caption(line.strip(), where), where))
    if not found:
        raise FlipsideError(f"{path}: holds no prompt. Write one a line, such as 'a photo of a {{}}.'.")
    return tuple(found)


def one_blank(prompt: str, where: str) -> str:
    """The prompt itself; FlipsideError where it has not exactly one `{}`."""
    if prompt.count("{}") != 1:
        raise FlipsideError(f"{where}: '{prompt[:60]}' has {prompt.count('{}')} places for a name, expected one {{}}.")
    return prompt
