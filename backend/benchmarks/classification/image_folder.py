"""Any folder of pictures sorted into classes: zero-shot classification of one's own images."""

import re
from collections.abc import Iterator

from backend.benchmarks.base import Declaration, Source
from backend.benchmarks.classification import class_folders as classes
from backend.errors import UsageError
from backend.items import Item, Protocol, Skipped

SUBSET = "images"
#: What folders of other data sets are called; nobody's classes.
_SPLITS = re.compile(r"(train|val|valid|validation|test|dev|unlabeled)\d*|images?", re.IGNORECASE)


def check(source: Source) -> list[str]:
    """The class folders; UsageError where there are not two of them."""
    root = source.files.root
    folders = classes.class_folders(source.files.paths(), "")
    if folders and all(_SPLITS.fullmatch(name) for name in folders):
        raise UsageError(f"{root}: {', '.join(folders)} are no classes. Point --data at the folder of class folders.")
    if len(folders) < 2:
        raise UsageError(
            f"{root}: expected two or more class folders with images (<class>/<image>), found {source.files.listing()}."
        )
    return folders


def _task(source: Source) -> classes.Task:
    folders = check(source)
    names, places = classes.named(classes.names_of(source.files.root, folders), folders)
    return classes.Task(SUBSET, "", names, places, classes.prompts_of(source.files.root))


def read(source: Source) -> Iterator[Item | Skipped]:
    """Every image, class folder by class folder in sorted order."""
    yield from classes.read_task(source.files, _task(source))


FOLDER = Declaration(
    name="folder",
    title="Image folders, zero-shot classification",
    source="your own",
    revision="what lies in the folder",
    licence="your own",
    citation="none: prompts averaged as in Radford et al., Learning transferable visual models, ICML 2021",
    protocols={SUBSET: Protocol.CLASSIFY},
    read=read,
    check=check,
    data="class folders with images (<class>/<image>), and if wanted classes.json or classnames.txt, templates.txt",
    images="the class folders themselves",
    templates=lambda source: {SUBSET: _task(source).prompts},
)
