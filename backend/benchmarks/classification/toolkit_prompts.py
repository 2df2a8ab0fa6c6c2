"""ELEVATER's own `prompts.py`: class names and prompts of each task, read without running it.

The toolkit keeps them as lists assigned to names, and two tables from task to such a name, `class_map` and
`template_map`. Only literals are read; whatever else stands in the file is passed over.
"""

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from backend.benchmarks.classification.class_folders import one_blank
from backend.errors import FlipsideError

#: Larger files are not that module.
MOST_BYTES = 4 << 20


@dataclass(frozen=True)
class Prompts:
    """By task: the class names in label order, and the prompts."""

    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    prompts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def read_prompts(path: Path) -> Prompts:
    """What the module says; FlipsideError where it is none."""
    try:
        if path.stat().st_size > MOST_BYTES:
            raise FlipsideError(f"{path}: larger than {MOST_BYTES >> 20} MB, which the toolkit's prompts are not.")
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError) as error:
        place = f", line {error.lineno}" if isinstance(error, SyntaxError) and error.lineno else ""
        raise FlipsideError(f"{path}{place}: is no Python module that can be read. Copy the toolkit's file.") from None
    lists: dict[str, tuple[str, ...]] = {}
    tables: dict[str, dict[str, str]] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            if isinstance(node.value, ast.List | ast.Tuple):
                lists[name] = _texts(node.value)
            elif isinstance(node.value, ast.Dict):
                tables[name] = _table(node.value)
    if "class_map" not in tables:
        raise FlipsideError(f"{path}: has no class_map. Use the toolkit's vision_benchmark/datasets/prompts.py.")
    names = {task: lists[name] for task, name in tables["class_map"].items() if lists.get(name)}
    chosen = {task: lists[name] for task, name in tables.get("template_map", {}).items() if lists.get(name)}
    prompts = {task: tuple(one_blank(text, f"{path}, {task}") for text in texts) for task, texts in chosen.items()}
    return Prompts(names, prompts)


def _texts(node: ast.List | ast.Tuple) -> tuple[str, ...]:
    """The strings of a list of nothing but strings; empty otherwise."""
    values = [part.value if isinstance(part, ast.Constant) else None for part in node.elts]
    return tuple(value for value in values if isinstance(value, str)) if all(values) else ()


def _table(node: ast.Dict) -> dict[str, str]:
    """Text -> the name that it is set to."""
    return {
        key.value: value.id
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and isinstance(value, ast.Name)
    }
