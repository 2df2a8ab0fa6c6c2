"""The columns of what the engine writes, as in docs/architecture.md, and how they are packed."""

import io
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

ITEMS = pa.schema(
    [
        ("item_no", pa.int32()),
        ("item_id", pa.string()),
        ("subset", pa.string()),
        ("protocol", pa.string()),
        ("texts", pa.list_(pa.string())),
        ("image_keys", pa.list_(pa.string())),
        ("image_uris", pa.list_(pa.string())),
        ("truth", pa.string()),
        ("tags", pa.string()),
        ("source", pa.string()),
    ]
)

SCORES = pa.schema(
    [
        ("item_no", pa.int32()),
        ("image_index", pa.int16()),
        ("text_index", pa.int32()),
        ("text_index_b", pa.int32()),
        ("sample", pa.int16()),
        ("value", pa.float32()),
        ("n_tokens", pa.int16()),
    ]
)

TOKENS = pa.schema(
    [
        ("item_no", pa.int32()),
        ("image_index", pa.int16()),
        ("text_index", pa.int32()),
        ("sample", pa.int16()),
        ("tokens", pa.list_(pa.string())),
        ("logprobs", pa.list_(pa.float32())),
    ]
)

EMBEDDINGS = pa.schema([("item_no", pa.int32()), ("index", pa.int32()), ("vector", pa.list_(pa.float16()))])

#: Scores of an item's captions under another item's image: `image_item` is the number of that image, the least number
#: of a choice or a triplet of the benchmark that shows it (backend/other_images.py).
UNDER_OTHERS = pa.schema(
    [
        ("item_no", pa.int32()),
        ("image_item", pa.int32()),
        ("text_index", pa.int32()),
        ("value", pa.float32()),
        ("n_tokens", pa.int16()),
    ]
)

#: Floats compress better with their bytes split by significance.
_SPLIT_FLOATS = ("value", "logprobs.list.element", "vector.list.element")
_DICTIONARY = ["protocol", "subset", "tokens.list.element", "tags", "n_tokens"]


def schema_of(part: str) -> pa.Schema:
    """The schema of a part's shards.

    >>> schema_of("tokens:gen") is TOKENS, schema_of("prior@noise:3") is SCORES
    (True, True)
    >>> schema_of("vectors:image") is EMBEDDINGS
    True
    >>> schema_of("counterfactual:itm") is UNDER_OTHERS, schema_of("counterfactual:image") is EMBEDDINGS
    (True, True)
    """
    if part.startswith("tokens:"):
        return TOKENS
    if is_vectors(part):
        return EMBEDDINGS
    return UNDER_OTHERS if part.startswith("counterfactual:") else SCORES


def is_vectors(part: str) -> bool:
    """Whether a part's rows are vectors of images or of texts."""
    return part.startswith(("embeddings:", "vectors:")) or part in ("counterfactual:image", "counterfactual:text")


def parquet_bytes(part: str, columns: Mapping[str, Any]) -> bytes:
    """The columns as one zstd-compressed Parquet file in memory: the same bytes for the same columns."""
    table = pa.table(dict(columns), schema=schema_of(part))
    buffer = io.BytesIO()
    pq.write_table(table, buffer, **parquet_options(table.schema))
    return buffer.getvalue()


def parquet_options(schema: pa.Schema) -> dict[str, Any]:
    """How every Parquet file of the engine is packed."""
    leaves = {f"{f.name}.list.element" if pa.types.is_list(f.type) else f.name for f in schema}
    return {
        "compression": "zstd",
        "compression_level": 9,
        "use_dictionary": [name for name in _DICTIONARY if name in leaves],
        "column_encoding": {name: "BYTE_STREAM_SPLIT" for name in _SPLIT_FLOATS if name in leaves},
    }
