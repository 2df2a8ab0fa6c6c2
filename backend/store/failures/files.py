"""What Failures lists, as files: one flat table, and that as JSON Lines, Parquet, and a summary by concept."""

import io
import json
from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from backend.metrics import statistics
from backend.metrics.paired.resampling import where_shared
from backend.store.failures import own_verdicts


def flat(
    rows: pd.DataFrame,
    names: Mapping[str, str] | None = None,
    notes: Mapping[tuple[str, str], str] | None = None,
    *,
    verdicts_only: bool = False,
) -> pd.DataFrame:
    """Rows of `failures` as one flat table: the columns of `flipside export --what outcomes` first, then what only
    Failures knows. Words are joined by `|`, `texts` and `images` stay lists; `diagnosis` is the
    column `reason` of outcomes under its older name, `cell`, the last one, its arithmetic cell; "" where not measured.

    names: hash -> name, where the rows are of several benchmarks, else no column `benchmark`. notes: (benchmark hash,
    item id) -> note. The columns of the other model are there only where one was compared with; query is the caption's
    number in a text-to-image query, else missing. human_verdict and human_date, what a person said of the item itself
    and when, are there only where one of the rows has it. verdicts_only: of a run whose scores may not be handed on
    (`catalog.public`): margins are missing; concepts, texts and images empty.
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
            "diagnosis": rows["reason"].astype(str),
            "tags": rows["own_tags"].map("|".join),
            "note": [written.get((str(b), str(i)), "") for b, i in keys],
            "human_verdict": [own_verdicts.title(word) if word else "" for word in rows["own_verdict"]],
            "human_date": rows["own_date"].astype(str),
            "other_correct": rows["other_correct"].astype("boolean"),
            "other_margin": rows["other_margin"].astype(float),
            "texts": rows["texts"].map(list),
            "images": rows["image_keys"].map(list),
            "cell": rows["cell"].astype(str),
        }
    )
    if verdicts_only:
        frame = frame.assign(margin=np.nan, other_margin=np.nan, concept="")
        frame["texts"] = frame["images"] = [[] for _ in range(len(frame))]
    absent = [] if names else ["benchmark"]
    if frame["other_correct"].isna().all():
        absent += ["other_correct", "other_margin"]
    if not frame["human_verdict"].any():
        absent += ["human_verdict", "human_date"]
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


def by_concept(rows: pd.DataFrame) -> pd.DataFrame:
    """concept, n, wrong, rate, low, high: how many verdicts of each concept are wrong, and the share with its 95 %
    interval (Wilson, or over clusters where items share one); the most frequent first, `all` last. An item of two
    concepts counts in both. rows: of `failures`; verdicts that are undefined are left out."""
    known = rows["correct"].astype("boolean")
    concepts = [list(c) or ["–"] for c in rows["concepts"]]
    clusters = rows["benchmark"].astype(str) + "\t" + rows["cluster"].astype(str)
    pairs = pd.DataFrame({"concept": concepts, "wrong": ~known, "cluster": clusters})[known.notna().to_numpy()]
    lines = [_line("all", pairs)]
    found = [_line(str(name), part) for name, part in pairs.explode("concept").groupby("concept")]
    lines = sorted(found, key=lambda line: (-line["n"], line["concept"])) + lines
    return pd.DataFrame(lines, columns=["concept", "n", "wrong", "rate", "low", "high"])


def _line(name: str, part: pd.DataFrame) -> dict[str, Any]:
    found = statistics.rate(part["wrong"].to_numpy(dtype=bool), clusters=where_shared(part["cluster"]))
    low, high = found.ci95 or (np.nan, np.nan)
    rate = np.nan if found.value is None else found.value
    return {"concept": name, "n": found.n, "wrong": int(part["wrong"].sum()), "rate": rate, "low": low, "high": high}


def _said(value: object) -> object:
    return bool(value) if isinstance(value, np.bool_) else str(value)
