"""ELEVATER: twenty zero-shot classification tasks, and ImageNet, each judged by its own metric and then averaged.

The toolkit hands its tasks out in a packed form; here each is a folder of the toolkit's name with `<class>/<image>`
below it. Class names and prompts come from the toolkit's `prompts.py`, if it lies in the data folder, or from
`classes.json`, `classnames.txt` and `templates.txt` in the task's own folder, which go before it. A task whose classes
have no names is left out with the reason.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from backend.benchmarks.base import Declaration, Judged, Official, Source
from backend.benchmarks.classification import class_folders as classes
from backend.benchmarks.classification import imagenet
from backend.benchmarks.classification.toolkit_prompts import Prompts, read_prompts
from backend.benchmarks.reading.malformed import Malformed
from backend.errors import UsageError
from backend.items import Item, Protocol, Skipped

TOP, MEAN, AUROC, MAP = "top1_accuracy", "mean_per_class_accuracy", "classification_auroc", "map_11_point"
IMAGENET, VOC = "imagenet-1k", "voc-2007-classification"
#: Folders between a task and its classes, the one that is taken first.
SPLITS = ("test", "val", "validation")
PROMPTS = "prompts.py"


@dataclass(frozen=True)
class Told:
    """How many classes a task has, and the metric of its official number."""

    classes: int
    metric: str = TOP


TASKS: Mapping[str, Told] = {
    "caltech-101": Told(102, MEAN),
    "cifar-10": Told(10),
    "cifar-100": Told(100),
    "country211": Told(211),
    "dtd": Told(47),
    "eurosat_clip": Told(10),
    "fer-2013": Told(7),
    "fgvc-aircraft-2013b-variants102": Told(100, MEAN),
    "food-101": Told(101),
    "gtsrb": Told(43),
    "hateful-memes": Told(2, AUROC),
    "kitti-distance": Told(4),
    "mnist": Told(10),
    "oxford-flower-102": Told(102, MEAN),
    "oxford-iiit-pets": Told(37, MEAN),
    "patch-camelyon": Told(2),
    "rendered-sst2": Told(2),
    "resisc45_clip": Told(45),
    "stanford-cars": Told(196),
    VOC: Told(20, MAP),
    IMAGENET: Told(1000),
}


def bases(source: Source) -> dict[str, str]:
    """Task -> the folder of its class folders, with a slash at the end; those that are there, in the order of TASKS."""
    found: dict[str, str] = {}
    for path in source.files.paths():
        parts = path.split("/")
        at = next((n for n, part in enumerate(parts[:-2]) if part in TASKS), None)
        if at is not None and classes.is_image(path):
            found.setdefault(parts[at], "/".join([*parts[: at + 1], ""]))
    return {task: _split(source, found[task]) for task in TASKS if task in found}


def _split(source: Source, base: str) -> str:
    there = set(classes.class_folders(source.files.paths(), base))
    return next((f"{base}{name}/" for name in SPLITS if name in there and there <= {*SPLITS, "train"}), base)


def check(source: Source) -> None:
    """UsageError where no task is there."""
    if not bases(source):
        raise UsageError(
            f"{source.files.root}: expected folders of ELEVATER's tasks ({', '.join(list(TASKS)[:3])}, …) with "
            f"<class>/<image>, found {source.files.listing()}."
        )


def tasks(source: Source) -> Iterator[tuple[str, classes.Task | Malformed]]:
    """Every task that is there with its names and prompts, or why it cannot be read."""
    module = source.files.find(PROMPTS)
    known = read_prompts(module) if module is not None else Prompts()
    for task, base in bases(source).items():
        try:
            yield task, _task(source, known, task, base)
        except Malformed as reason:
            yield task, reason


def _task(source: Source, known: Prompts, task: str, base: str) -> classes.Task:
    folders = [name for name in classes.class_folders(source.files.paths(), base) if name != "_none" or task != VOC]
    root = source.files.root / base
    own = next((found for place in (root, root.parent) if (found := classes.names_of(place, folders))), {})
    if own:
        names, places = classes.named(own, folders)
    elif task == IMAGENET and set(folders) <= set(imagenet.known()["folders"]):
        names, places = known.names.get(task) or tuple(imagenet.known()["names"]), imagenet.places()
    elif task in known.names:
        names = known.names[task]
        places = matched(folders, names)
    else:
        raise Malformed(
            f"no names for its classes: put the toolkit's {PROMPTS} into the data folder, or {classes.NAMES_TABLE} "
            "(folder to name) into the task's"
        )
    prompts = known.prompts.get(task) or (tuple(imagenet.known()["prompts"]) if task == IMAGENET else ())
    own_prompts = next((place for place in (root, root.parent) if (place / classes.PROMPTS).is_file()), root)
    return classes.Task(
        task,
        base,
        names,
        {**places, "_none": classes.NONE} if task == VOC else places,
        classes.prompts_of(own_prompts, prompts or classes.DEFAULT_PROMPTS),
        several=task == VOC,
        tags={"classes": (str(len(names)),)},
    )


def matched(folders: Sequence[str], names: Sequence[str]) -> dict[str, int]:
    """Class folder -> place of its name in label order: by number where all folders are numbers, else by name."""
    if all(name.isdecimal() for name in folders):
        places = {name: int(name) for name in folders}
        if len(set(places.values())) == len(folders) and max(places.values(), default=0) < len(names):
            return places
        raise Malformed(f"its folders are numbers, but not labels from 0 to {len(names) - 1}")
    plain: dict[str, list[int]] = {}
    for place, name in enumerate(names):
        plain.setdefault(_plain(name), []).append(place)
    found = {name: plain.get(_plain(name), []) for name in folders}
    unclear = [name for name, fits in found.items() if len(fits) != 1]
    if unclear or len({fits[0] for fits in found.values()}) < len(folders):
        raise Malformed(
            f"which class is in folder '{(unclear or list(folders))[0]}' cannot be told from its name: name folders as "
            f"{PROMPTS} names the classes, or by label (0, 1, …), or add {classes.NAMES_TABLE}"
        )
    return {name: fits[0] for name, fits in found.items()}


def _plain(name: str) -> str:
    return "".join(letter for letter in name.casefold() if letter.isalnum())


def read(source: Source) -> Iterator[Item | Skipped]:
    """Task by task; every task is a subset."""
    for name, task in tasks(source):
        if isinstance(task, Malformed):
            yield Skipped(name, str(task), item=name)
        else:
            yield from classes.read_task(source.files, task)


def templates(source: Source) -> dict[str, tuple[str, ...]]:
    """The prompts of each task that can be read."""
    return {name: task.prompts for name, task in tasks(source) if isinstance(task, classes.Task)}


def official(judged: Judged) -> list[Official]:
    """Each task by its own metric, then their plain mean: undefined while a task is missing or has other classes."""
    if judged.metric != TOP:
        return []
    widths = {subset: tags["classes"][0] for subset, tags in zip(judged.subset, judged.tags, strict=True)}
    scores, lacking = [], []
    for task, told in TASKS.items():
        value, n = judged.rates.get(task, {}).get(told.metric, (None, 0))
        width = int(widths.get(task, told.classes))
        how = f"{told.metric} of {task}"
        if value is not None and width != told.classes:
            value, how = None, f"{how}; undefined: {width} classes, where the task has {told.classes}"
        if value is None:
            lacking.append(task)
        if task in judged.rates:
            scores.append(Official(task, value, n, how, (task,)))
    return [
        *scores,
        _average("average_21", TASKS, scores, lacking),
        _average("average_20", _without(), scores, lacking),
    ]


def _without() -> list[str]:
    return [task for task in TASKS if task != IMAGENET]


def _average(
    name: str, wanted: Sequence[str] | Mapping[str, Told], scores: list[Official], lacking: list[str]
) -> Official:
    missing = [task for task in wanted if task in lacking]
    how = f"plain mean of the {len(wanted)} tasks' own metrics"
    used = [score for score in scores if score.name in wanted and score.value is not None]
    if missing:
        shown = ", ".join(missing[:3]) + (f" and {len(missing) - 3} more" if len(missing) > 3 else "")
        return Official(name, None, 0, f"{how}; undefined without {shown}", tuple(wanted))
    value = sum(score.value or 0.0 for score in used) / len(used)
    return Official(name, value, sum(score.n for score in used), how, tuple(wanted))


ELEVATER = Declaration(
    name="elevater",
    title="ELEVATER: 20 tasks and ImageNet, zero-shot",
    source="https://github.com/Computer-Vision-in-the-Wild/Elevater_Toolkit_IC",
    revision="the 20 image classification tasks and imagenet-1k, as folders",
    licence="toolkit MIT; each task's images under their own terms",
    citation="Li et al., ELEVATER, NeurIPS 2022; the average over 21 tasks: SVLC paper",
    protocols=dict.fromkeys(TASKS, Protocol.CLASSIFY),
    read=read,
    check=check,
    data=f"folders named as the toolkit's tasks (cifar-10, dtd, …) with <class>/<image>, and the toolkit's {PROMPTS}",
    images="the class folders themselves",
    templates=templates,
    official=official,
)
