"""What a model's folder says of a training by `flipside teach` (`teach.json`), for the run's record.

The file may come from anywhere, with a model of somebody else's: what it says is cut to a known form, never believed to
be complete.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from backend import plain_json

RECORD: Final = "teach.json"
_LONGEST, _MOST = 200, 50


def record(folder: Path | None) -> dict[str, Any]:
    """{"taught": {base, recipe, step, trained_on}} of a merged folder, {} of any other. trained_on: benchmarks whose
    items were trained on, each {benchmark, hash, items}; files and the bundled world's fresh pairs, each {file} or
    {world}. Lines that are of another form are left out."""
    path = folder / RECORD if folder is not None else None
    if path is None or not path.is_file():
        return {}
    try:
        said = plain_json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(said, Mapping):
        return {}
    recipe, step = said.get("recipe"), said.get("step")
    sources = said.get("trained_on")
    return {
        "taught": {
            "base": _word(said.get("base")),
            "recipe": _word(recipe.get("name") if isinstance(recipe, Mapping) else None),
            "step": step if isinstance(step, int) and 0 <= step < 2**31 else None,
            "trained_on": [_source(each) for each in sources[:_MOST] if isinstance(each, Mapping)]
            if isinstance(sources, list)
            else [],
        }
    }


def _source(said: Mapping[str, Any]) -> dict[str, Any]:
    """One thing that was trained on."""
    if "benchmark" in said:
        items = said.get("items")
        known = items if isinstance(items, int) and 0 <= items < 2**31 else None
        return {"benchmark": _word(said["benchmark"]), "hash": _word(said.get("hash")), "items": known}
    if "world" in said:
        pairs = said["world"].get("pairs") if isinstance(said["world"], Mapping) else None
        return {"world": pairs if isinstance(pairs, int) else None}
    return {"file": _word(said.get("file")).rpartition("/")[2]}


def _word(value: object) -> str:
    return value[:_LONGEST] if isinstance(value, str) else ""
