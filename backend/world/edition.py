"""An edition in a folder: items.jsonl, images/*.png, and a manifest that is written last."""

import json
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from backend import plain_json
from backend.durable import not_written
from backend.errors import FlipsideError, UsageError
from backend.items import Benchmark, ImageRef, Item, Protocol, Skipped
from backend.world.drawing.render import image
from backend.world.scenes import Scene

FORMAT: Final = 1
MANIFEST: Final = "manifest.json"
ITEMS: Final = "items.jsonl"
IMAGES: Final = "images"
#: Lies in the folder until all of it is written, and says of what: a folder of somebody's own pictures has none.
UNFINISHED: Final = ".unfinished"


def write(out: Path, benchmark: Benchmark, seed: int, asked: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Write a benchmark of world scenes into `out`, a new or empty folder, or one that holds the same edition, which
    may be unfinished; return the manifest. asked: what the edition is made of, as options name it, by which one that
    was stopped in the middle is known again. UsageError where the folder holds anything else."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out}: is a file; --out must be a new folder.")
    told = dict(asked or {}) | {"seed": seed}
    if out.is_dir() and any(out.iterdir()):
        _refuse_other(out, benchmark, told)
    try:
        out.mkdir(parents=True, exist_ok=True)
        (out / UNFINISHED).write_text(json.dumps(told), encoding="utf-8")
        (out / IMAGES).mkdir(exist_ok=True)
        (out / MANIFEST).unlink(missing_ok=True)
        manifest = _write(out, benchmark, seed)
        (out / UNFINISHED).unlink()
    except OSError as error:
        raise FlipsideError(not_written(error, out, "choose another --out")) from error
    return manifest


def _refuse_other(out: Path, benchmark: Benchmark, told: Mapping[str, Any]) -> None:
    """UsageError where a folder holds something else than this edition: it would be lost. An unfinished one is the same
    where its mark says so, or nothing (as earlier versions left it)."""
    if (out / UNFINISHED).is_file():
        begun = _object(out / UNFINISHED)
        if not begun or begun == told:
            return
        said = ", ".join(f"{name} {value}" for name, value in begun.items() if value is not None)
        raise UsageError(
            f"{out}: holds an unfinished world of something else ({said}). Name another folder, or delete this one."
        )
    if not (out / MANIFEST).is_file():
        raise UsageError(f"{out}: holds something else; --out must be a new or empty folder.")
    kept = _object(out / MANIFEST)
    if kept.get("seed") == told["seed"] and kept.get("content_hash") == benchmark.content_hash():
        return  # the same pixels again, also where some of them were lost
    raise UsageError(
        f"{out}: holds another world ({kept.get('n_items')} items, seed {kept.get('seed')}, "
        f"{', '.join(map(str, kept.get('subsets') or ()))}). Name another folder, or delete this one."
    )


def _object(path: Path) -> dict[str, Any]:
    """The JSON object in a file, {} for anything else."""
    try:
        found = plain_json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _write(out: Path, benchmark: Benchmark, seed: int) -> dict[str, Any]:
    subsets: dict[str, int] = {}
    drawn: set[str] = set()
    with (out / ITEMS).open("w", encoding="utf-8", newline="\n") as lines:
        for item in benchmark:
            subsets[item.subset] = subsets.get(item.subset, 0) + 1
            for ref in item.images:
                if ref.key not in drawn:
                    image(Scene.decode(ref.key)).save(out / IMAGES / _file(ref.key))
                    drawn.add(ref.key)
            lines.write(json.dumps(_record(item), ensure_ascii=False) + "\n")
    manifest: dict[str, Any] = {
        "format": FORMAT,
        "benchmark": benchmark.name,
        "seed": seed,
        "n_items": sum(subsets.values()),
        "subsets": subsets,
        "n_images": len(drawn),
        "content_hash": benchmark.content_hash(),
    }
    (out / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    return manifest


def check(folder: Path) -> None:
    """Raise UsageError unless the folder holds a complete edition."""
    missing = [name for name in (MANIFEST, ITEMS) if not (folder / name).is_file()]
    if missing:
        raise UsageError(
            f"{folder}: no edition of the world in it ({' and '.join(missing)} missing). "
            f"Write one with: python -m backend world --items N --seed S --out {folder}"
        )


def read(folder: Path) -> Iterator[Item | Skipped]:
    """The items of an edition, their pictures as files of the folder; a line that cannot be read is skipped."""
    with (folder / ITEMS).open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            try:
                yield _item(folder, plain_json.loads(line), f"{ITEMS}:{number}")
            except (ValueError, KeyError, TypeError) as error:
                yield Skipped(ITEMS, f"no item of the world ({type(error).__name__}: {error})", line=number)


def _record(item: Item) -> dict[str, Any]:
    return {
        "item_id": item.item_id,
        "subset": item.subset,
        "protocol": item.protocol.value,
        "images": [{"key": ref.key, "file": f"{IMAGES}/{_file(ref.key)}"} for ref in item.images],
        "texts": item.texts,
        "truth": item.truth,
        "tags": item.tags,
    }


def _item(folder: Path, record: dict[str, Any], source: str) -> Item:
    return Item(
        record["item_id"],
        record["subset"],
        Protocol(record["protocol"]),
        tuple(_ref(folder, entry) for entry in record["images"]),
        tuple(record["texts"]),
        tuple((int(i), int(t)) for i, t in record["truth"]),
        {name: tuple(values) for name, values in record["tags"].items()},
        source,
    )


def _ref(folder: Path, entry: dict[str, str]) -> ImageRef:
    path = folder / entry["file"]
    inside = path.resolve().is_relative_to(folder) and path.is_file()
    return ImageRef(entry["key"], str(path) if inside else "")


def _file(key: str) -> str:
    """A name for a scene's picture that is safe where capitals and small letters are the same."""
    return sha256(key.encode()).hexdigest()[:20] + ".png"
