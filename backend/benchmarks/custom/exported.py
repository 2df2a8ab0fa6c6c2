"""Items as `flipside export --what items` writes them: read back as the same items."""

from typing import Any

from backend import plain_json
from backend.benchmarks.custom.cells import Record
from backend.benchmarks.custom.pictures import Pictures
from backend.benchmarks.reading.malformed import Malformed
from backend.benchmarks.reading.records import checked, text
from backend.cells import original
from backend.items import Item, Protocol


def item(pictures: Pictures, file: str, key: int | str, record: Record) -> Item:
    """The item of a row: lists are lists, or JSON in a cell of CSV."""
    if isinstance(record.get("texts"), str):  # a row of CSV
        record = {name: original(cell) if isinstance(cell, str) else cell for name, cell in record.items()}
    protocol = text(record, "protocol").strip()
    if protocol not in {each.value for each in Protocol}:
        raise Malformed(f"'protocol' is '{protocol}', expected {', '.join(Protocol)}")
    item_id, subset = text(record, "item_id"), text(record, "subset")
    images = tuple(pictures.of_key(name) for name in _texts(_with_keys(record), "images"))
    texts = tuple(_texts(record, "texts"))
    source = record.get("source")
    return Item(
        item_id,
        subset,
        Protocol(protocol),
        images,
        texts,
        _truth(record, len(images), len(texts)),
        _tags(record),
        source if isinstance(source, str) and source else f"{file}:{key}",
    )


def _with_keys(record: Record) -> Record:
    """The record with images by their keys; `items.jsonl` of a kept benchmark has {"key", "uri"}."""
    images = record.get("images")
    if not isinstance(images, list):
        return record
    return {**record, "images": [each.get("key") if isinstance(each, dict) else each for each in images]}


def _json(record: Record, name: str) -> Any:
    value = record.get(name)
    if not isinstance(value, str):
        return value
    try:
        return plain_json.loads(value) if value.strip() else None
    except ValueError:
        raise Malformed(f"'{name}' is no JSON: {value[:60]!r}") from None


def _texts(record: Record, name: str) -> list[str]:
    found = _json(record, name)
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise Malformed(f"'{name}' is no list of texts")
    return [checked(each, name) for each in found]


def _truth(record: Record, n_images: int, n_texts: int) -> tuple[tuple[int, int], ...]:
    found = _json(record, "truth")
    pairs = found if isinstance(found, list) else None
    if pairs is None or not all(
        isinstance(pair, list) and len(pair) == 2 and all(type(number) is int for number in pair) for pair in pairs
    ):
        raise Malformed("'truth' is no list of pairs [image, text]")
    if not all(0 <= image < max(1, n_images) and 0 <= place < n_texts for image, place in pairs):
        raise Malformed(f"'truth' names an image or a text that is not there: {pairs}")
    return tuple((image, place) for image, place in pairs)


def _tags(record: Record) -> dict[str, tuple[str, ...]]:
    found = _json(record, "tags")
    if found is None:
        return {}
    if not isinstance(found, dict) or not all(
        isinstance(words, list) and all(isinstance(word, str) for word in words) for words in found.values()
    ):
        raise Malformed("'tags' is no object of lists of words")
    return {name: tuple(words) for name, words in found.items()}
