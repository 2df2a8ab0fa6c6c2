"""What Failures lists, as files: one flat table, and that as JSON Lines, Parquet, and a summary by concept."""

import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from backend.metrics import statistics


def flat(
    rows: pd.DataFrame, names: Mapping[str, str] | None = None, notes: Mapping[tuple[str, str], str] | None = None
) -> pd.DataFrame:
    """Rows of `failures` as one flat table: the columns of `flipside export --what outcomes` first, then what only
    Failures knows. Words are joined by `|`, `texts` and `images` stay lists.

    names: hash -> name, where the rows are of several benchmarks, else no column `benchmark`. notes: (benchmark hash,
    item id) -> note. The columns of the other model are there only where one was compared with; query is the caption's
    number in a text-to-image query, else missing.
    """
    written = notes or {}
    keys = zip(rows["benchmark"], rows["item_id"], strict=True)
    frame = pd.DataFrame(
        {
            "benchmark": rows["benchmark"].map(dict(names or {})),
            "item_id": rows["item_id"],
            "subset": rows["subset"],
            "concept": rows["concepts"].map("|".join),
            "perturbation": rows["perturbations"].map("|".join),
            "metric": rows["metric"],
            "query": rows["query"].where(rows["query"] >= 0).astype("Int64"),
            "correct": rows["correct"].astype("boolean"),
            "margin": rows["margin"].astype(float),
            "ties": rows["ties"].astype("boolean"),
            "diagnosis": rows["labels"].map("|".join),
            "tags": rows["own_tags"].map("|".join),
            "note": [written.get((str(b), str(i)), "") for b, i in keys],
            "other_correct": rows["other_correct"].astype("boolean"),
            "other_margin": rows["other_margin"].astype(float),
            "texts": rows["texts"].map(list),
            "images": rows["image_keys"].map(list),
        }
    )
    absent = [] if names else ["benchmark"]
    if frame["other_correct"].isna().all():
        absent += ["other_correct", "other_margin"]
    return frame.drop(columns=absent).reset_index(drop=True)


def for_csv(frame: pd.DataFrame) -> pd.DataFrame:
    """The flat table with its lists as text: captions by line breaks within their cell, image names by `|`."""
    return frame.assign(texts=frame["texts"].map("\n".join), images=frame["images"].map("|".join))


def jsonl(frame: pd.DataFrame) -> str:
    """The flat table as one JSON object a line; what is missing is null."""
    plain = frame.astype(object)
    records = plain.where(plain.notna(), None).to_dict("records")
    return "".join(json.dumps(line, ensure_ascii=False, default=_said) + "\n" for line in records)


def parquet(frame: pd.DataFrame) -> bytes:
    """The flat table as a Parquet file; `texts` and `images` are lists of strings."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    lists = {name: pa.array(frame[name].to_list(), pa.list_(pa.string())) for name in ("texts", "images")}
    table = pa.Table.from_pandas(frame.drop(columns=list(lists)), preserve_index=False)
    for name, values in lists.items():
        table = table.append_column(name, values)
    file = io.BytesIO()
    pq.write_table(table, file, compression="zstd")
    return file.getvalue()


def by_concept(concepts: Sequence[Sequence[str]], correct: pd.Series) -> pd.DataFrame:
    """concept, n, wrong, rate, low, high: how many verdicts of each concept are wrong, and the share with its 95 %
    interval (Wilson); the most frequent first, `all` last. An item of two concepts counts in both. correct: boolean,
    missing where undefined (such verdicts are left out)."""
    known = correct.astype("boolean")
    pairs = pd.DataFrame({"concept": [list(c) or ["–"] for c in concepts], "wrong": ~known})
    pairs = pairs[known.notna().to_numpy()]
    rows = [_line("all", pairs["wrong"])]
    each = pairs.explode("concept")
    found = [_line(str(name), part["wrong"]) for name, part in each.groupby("concept")]
    rows = sorted(found, key=lambda row: (-row["n"], row["concept"])) + rows
    return pd.DataFrame(rows, columns=["concept", "n", "wrong", "rate", "low", "high"])


def _line(name: str, wrong: pd.Series) -> dict[str, Any]:
    n, k = len(wrong), int(wrong.sum())
    low, high = statistics.wilson(k, n) or (np.nan, np.nan)
    return {"concept": name, "n": n, "wrong": k, "rate": k / n if n else np.nan, "low": low, "high": high}


def _said(value: object) -> object:
    return bool(value) if isinstance(value, np.bool_) else str(value)
