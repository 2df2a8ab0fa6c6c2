"""What a run's id is made of, and which names its parts and their files may have: all that can be recomputed from a run
that came from elsewhere."""

import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from backend.engine import FORMAT
from backend.items import Kind
from backend.kinds import ORDER, PAIR_KINDS
from backend.names import FITS, in_file_names, order_fault
from backend.paths import typed_path

#: Rows of a part: (n, 5) item_no, image_index, text_index, text_index_b, sample; (n,) values; (n,) numbers of tokens.
Rows = tuple[ArrayLike, ArrayLike, ArrayLike]

#: Letters of a folder's name in one.
LONGEST_LABEL = 60
#: Noise, images of the benchmark, or of a folder, by its last name and a digest of what was drawn from it.
_NUMBERED = re.compile(r"(?:noise:([1-9][0-9]{0,3})|images:([1-9][0-9]{0,3})(?:@[\w.-]{1,60}-[0-9a-f]{8})?)", re.ASCII)


def run_id(
    described: Mapping[str, Any],
    content_hash: str,
    selection: Mapping[str, Any],
    scoring: int = 1,
    pictures: str = "",
) -> str:
    """16 hex digits over what decides the scores. Kinds are not among it: another kind extends the same run.

    described: the model, as `Model.describe` tells it. selection: `Selection.identity`. scoring: as the record says it,
    1 where it says none. pictures: `pictures.sha256` of the record, "" where it has none (see pictures.py).
    """
    identity = {
        # Unknown weights (models/own/identity.py) are another model at every load: no run is gone on with.
        "weights": described["weights_sha256"] or described.get("weights_unknown"),
        "benchmark": content_hash,
        "preprocessing": described["preprocessing"],
        "dtype": described["dtype"],
        "selection": selection,
        "format": FORMAT,
        **({"scoring": scoring} if scoring != 1 else {}),  # runs from before there was a number keep their ids
        **({"pictures": pictures} if pictures else {}),
    }
    text = json.dumps(identity, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def rows_sha256(spec: str, parts: Mapping[str, Rows]) -> str:
    """sha256 over a system's name and its rows in order: they decide its results, as weights decide a model's, and
    stand in the record of predictions in their place. spec: `predictions:<name>`. parts: all of the run's."""
    digest = hashlib.sha256(f"{spec}\n".encode())
    for name, (cells, values, n_tokens) in sorted(parts.items()):
        digest.update(f"{name}\n".encode())
        keys = np.asarray(cells, dtype="<i8").reshape(-1, 5)
        order = np.lexsort(keys.T[::-1])
        for column in (keys, np.asarray(values, "<f4"), np.asarray(n_tokens, "<i2")):
            digest.update(column[order].tobytes())
    return digest.hexdigest()


def label_of(folder: str) -> str:
    """A folder's last name as it stands in a part's name (`prior@images:20@NAME-digest`).

    >>> label_of("/data/my photos/"), label_of("train2017")
    ('my_photos', 'train2017')
    """
    name = typed_path(folder).resolve().name
    return re.sub(r"[^\w.-]+", "_", name, flags=re.ASCII)[:LONGEST_LABEL] or "folder"


def is_part(name: str) -> bool:
    """Whether the engine, or an import of predictions, writes a part of this name.

    >>> [is_part(name) for name in ("itc", "prior@noise:3", "tokens:gen", "embeddings:text", "verdict@AB")]
    [True, True, True, True, True]
    >>> [is_part(f"counterfactual:{name}") for name in ("itm", "image", "text", "t2t", "verdict", "prior@noise:3")]
    [True, True, True, False, False, False]
    >>> [is_part(f"prior@lm:lm:{'a' * n}") for n in (180, 250)]
    [True, False]
    >>> [is_part(f"prior@{name}") for name in ("images:20@train2017-0a1b2c3d", "images:20@../x-0a1b2c3d", "noise:3@a")]
    [True, False, False]
    >>> [is_part(name) for name in ("../../evil", "prior@noise:0", "tokens:itc", "outcomes")]
    [False, False, False, False]
    >>> [is_part(f"verdict@{name}") for name in ("first (A)", "A/B", "mean", "a" * 81)]
    [True, False, False, False]
    """
    head, _, rest = name.partition(":")
    if head == "tokens":
        return rest == Kind.GEN or (rest.startswith("prior@") and _is_prior(rest))
    if head in ("embeddings", "vectors"):
        return rest in ("image", "text")
    if head == "counterfactual":
        return rest in ("image", "text", *PAIR_KINDS)
    if name.startswith(ORDER):
        order = name.removeprefix(ORDER)
        return not order or not order_fault(order)  # without a name: answers that name no order, as runs once kept them
    return name in set(Kind) - {Kind.PRIOR} or _is_prior(name)


def _is_prior(name: str) -> bool:
    source = name.removeprefix("prior@")
    if source == name:
        return False
    found = _NUMBERED.fullmatch(source)
    spec = source.removeprefix("lm:")
    named = spec != source and bool(spec) and in_file_names(spec) <= FITS and spec.isprintable()
    return source == "self" or named or (found is not None and int(found[1] or found[2]) <= 1000)
