"""What this product has promised to the outside, kept in files: shapes stay, values are renewed by `make golden`.

A *shape* is what somebody's script relies on: the keys and types of a JSON document, the columns of a table in their
order, the options of a verb, the keys of an address. Later work may append to it; nothing of it goes, moves or changes
its type. Renewing takes in what was appended and still refuses the rest: who wants to break a promise edits the file by
hand, and says so.

A *value* is what came out on a given day, a number or a text. Renewing writes it anew; `git diff` shows what moved.
"""

import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
#: Set by `make golden`.
RENEW = os.environ.get("FLIPSIDE_GOLDEN") == "renew"


class _Nothing:
    """Stands for what is not there at a place, in `differences`."""

    def __str__(self) -> str:
        return "nothing"


_NOTHING = _Nothing()
#: Stands for every key of a mapping whose keys are data.
NAMED = "*"


def shape_of(value: Any, named: Sequence[str] = (), at: str = "") -> Any:
    """The keys and types of a JSON document. Rows of a list are one shape; a key that some rows lack ends in `?`.

    named: paths (`metrics`, `by.*`) of mappings whose keys are data (names of models, subsets): one shape for all.

    >>> shape_of({"n": 3, "rate": None, "rows": [{"a": 1}, {"a": 2.5, "b": ""}]})
    {'n': 'integer', 'rate': 'null', 'rows': [{'a': 'integer|number', 'b?': 'string'}]}
    >>> shape_of({"metrics": {"text": {"n": 1}, "image": {"n": None}}}, named=["metrics"])
    {'metrics': {'*': {'n': 'integer|null'}}}
    """
    if isinstance(value, Mapping):
        if at in named:
            return {NAMED: _merged([shape_of(v, named, _under(at, NAMED)) for v in value.values()])} if value else {}
        return {str(k): shape_of(v, named, _under(at, str(k))) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_merged([shape_of(v, named, _under(at, "[]")) for v in value])] if len(value) else []
    if value is None:
        return "null"
    for kind, name in ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string")):
        if isinstance(value, kind):
            return name
    raise TypeError(f"{at}: {type(value).__name__} is nothing that JSON has")


def _under(at: str, key: str) -> str:
    return f"{at}.{key}" if at else key


def _merged(shapes: Sequence[Any]) -> Any:
    """One shape that holds of all of them."""
    if all(isinstance(shape, str) for shape in shapes):
        return "|".join(sorted({word for shape in shapes for word in shape.split("|")}))
    if all(isinstance(shape, dict) for shape in shapes):
        keys = list(dict.fromkeys(key.removesuffix("?") for shape in shapes for key in shape))
        found = {}
        for key in keys:
            of = [shape[k] for shape in shapes for k in (key, f"{key}?") if k in shape]
            always = all(key in shape for shape in shapes)
            found[key if always else f"{key}?"] = _merged(of)
        return found
    if all(isinstance(shape, list) for shape in shapes):
        inner = [shape[0] for shape in shapes if shape]
        return [_merged(inner)] if inner else []
    return {"any of": sorted({json.dumps(shape, sort_keys=True) for shape in shapes})}


def broken(kept: Any, found: Any, at: str = "") -> list[str]:
    """What of a kept shape does not hold of a found one, a line each; empty where everything does.

    >>> broken({"n": "integer", "rows": [{"a": "number"}]}, {"n": "integer", "new": "string", "rows": []})
    []
    >>> broken({"n": "integer", "rate": "number|null"}, {"n": "string"})
    ['n: is string, promised integer', 'rate: is gone']
    """
    if isinstance(kept, dict) and isinstance(found, dict) and "any of" not in kept:
        lines = []
        for key, promised in kept.items():
            name = key.removesuffix("?")
            there = next((found[k] for k in (name, f"{name}?") if k in found), None)
            if there is None:
                # An optional key may be absent; so may the rows of a table by name that is empty this time.
                lines += [] if key.endswith("?") or name == NAMED else [f"{_under(at, name)}: is gone"]
            elif not key.endswith("?") and f"{name}?" in found:
                lines.append(f"{_under(at, name)}: is not always there any more")
            else:
                lines += broken(promised, there, _under(at, name))
        return lines
    if isinstance(kept, list) and isinstance(found, list):
        return broken(kept[0], found[0], _under(at, "[]")) if kept and found else []
    if isinstance(kept, str) and isinstance(found, str):
        more = sorted(set(found.split("|")) - set(kept.split("|")))
        return [f"{at}: is {'|'.join(more)}, promised {kept}"] if more else []
    return [] if kept == found else [f"{at}: is {json.dumps(found)[:80]}, promised {json.dumps(kept)[:80]}"]


def extended(kept: Any, found: Any) -> Any:
    """The kept shape with what was appended; what is kept stays."""
    if isinstance(kept, dict) and isinstance(found, dict) and "any of" not in kept:
        now = {key.removesuffix("?"): shape for key, shape in found.items()}
        names = {key.removesuffix("?") for key in kept}
        both = {
            key: extended(shape, now[name]) if (name := key.removesuffix("?")) in now else shape
            for key, shape in kept.items()
        }
        return {**both, **{key: shape for key, shape in found.items() if key.removesuffix("?") not in names}}
    if isinstance(kept, list) and isinstance(found, list):
        return [extended(kept[0], found[0])] if kept and found else (kept or found)
    return kept


def check_shape(name: str, found: Any) -> None:
    """The shape `name` (a file under shapes/) holds of what was found. AssertionError names what does not."""
    path = FOLDER / "shapes" / f"{name}.json"
    if not path.exists():
        _write(path, found, "shape")
        return
    kept = json.loads(path.read_text(encoding="utf-8"))
    wrong = broken(kept, found)
    assert not wrong, (
        f"{path.relative_to(FOLDER.parent.parent)} promises what does not hold (give it; `make golden` only "
        "takes in what was added):\n" + "\n".join(wrong)
    )
    if RENEW and (wider := extended(kept, found)) != kept:
        _write(path, wider, "shape")


def check_columns(name: str, found: Sequence[str]) -> None:
    """The columns under shapes/ begin what was found, in their order: later ones come last. AssertionError if not."""
    path = FOLDER / "shapes" / f"{name}.json"
    columns = [str(column) for column in found]
    if not path.exists():
        _write(path, columns, "header")
        return
    kept = json.loads(path.read_text(encoding="utf-8"))
    assert columns[: len(kept)] == kept, (
        f"{path.relative_to(FOLDER.parent.parent)} promises these columns first, in order"
    )
    if RENEW and columns != kept:
        _write(path, columns, "header")


def check_value(name: str, found: Any) -> None:
    """The value `name` (a file under values/) is what was found: text as it is, all else as JSON, see `alike`."""
    path = FOLDER / "values" / (name if isinstance(found, str) else f"{name}.json")
    if RENEW or not path.exists():
        _write(path, found, "value")
        return
    text = path.read_text(encoding="utf-8")
    kept = text if isinstance(found, str) else json.loads(text)
    assert alike(found, kept), (
        f"{path.relative_to(FOLDER.parent.parent)} says otherwise: {'; '.join(differences(found, kept)[:6])[:1800]}; "
        "where the change is meant, `make golden` renews it"
    )


def differences(found: Any, kept: Any, at: str = "") -> list[str]:
    """Where two values are not `alike`, innermost places first met, one line each.

    >>> differences({"a": [1, 2], "b": 3}, {"a": [1, 5], "b": 3, "c": 0})
    ['a.1: kept 5, found 2', 'c: kept 0, found nothing']
    """
    if isinstance(kept, Mapping) and isinstance(found, Mapping):
        pairs = [(str(key), found.get(key, _NOTHING), kept.get(key, _NOTHING)) for key in {**kept, **found}]
    elif isinstance(kept, list) and isinstance(found, list | tuple):
        both = range(max(len(kept), len(found)))
        pairs = [(str(n), *(side[n] if n < len(side) else _NOTHING for side in (found, kept))) for n in both]
    else:
        if found is not _NOTHING and kept is not _NOTHING and alike(found, kept):
            return []
        return [f"{at}: kept {str(kept)[:300]}, found {str(found)[:300]}"]
    return [line for key, ours, theirs in pairs for line in differences(ours, theirs, f"{at}.{key}" if at else key)]


def alike(found: Any, kept: Any) -> bool:
    """Whether two JSON values say the same. Fractions differ by at most 1e-4 of their size, or 2e-5: single-precision
    products, and what is summed and divided from them, are not the same to the last bit on every processor.

    >>> alike({"n": 3, "sum": 10918.009}, {"n": 3, "sum": 10918.048}), alike([3], [4]), alike([0.5], [0.501])
    (True, False, False)
    >>> alike({"a": 1.0}, {"a": 1.0, "b": 2}), alike([1.0], [1.0, 2.0]), alike(None, 0.0)
    (False, False, False)
    """
    if isinstance(kept, dict):
        return isinstance(found, dict) and found.keys() == kept.keys() and all(alike(found[k], kept[k]) for k in kept)
    if isinstance(kept, list):
        return (
            isinstance(found, list | tuple)
            and len(found) == len(kept)
            and all(alike(a, b) for a, b in zip(found, kept, strict=True))
        )
    if isinstance(kept, float) and isinstance(found, float):
        return math.isclose(found, kept, rel_tol=1e-4, abs_tol=2e-5)
    return bool(found == kept)


def _write(path: Path, found: Any, what: str) -> None:
    """Only `make golden` writes: a file that is missing elsewhere would be a check that cannot fail."""
    assert RENEW, f"no {what} is kept as {path.name}; `make golden` writes it, and git keeps it"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        found if isinstance(found, str) else json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8"
    )
