"""Bundles that say what no honest one says, with every checksum right: what a stranger would send."""

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq


class Forged:
    """The files of a bundle, to be changed; `write` makes a bundle of them whose listing and checksums agree."""

    def __init__(self, bundle: Path) -> None:
        with zipfile.ZipFile(bundle) as archive:
            self.listing: dict[str, Any] = json.loads(archive.read("bundle.json"))
            self.files = {name: archive.read(name) for name in archive.namelist() if name != "bundle.json"}

    @property
    def run(self) -> str:
        return f"runs/{self.listing['run']}"

    @property
    def benchmark(self) -> str:
        return f"benchmarks/{self.listing['benchmark']}"

    def change(self, name: str, change: Callable[[dict[str, Any]], Any]) -> None:
        """Change run.json, manifest.json or benchmark.json in place."""
        path = f"{self.benchmark if name == 'benchmark.json' else self.run}/{name}"
        document = json.loads(self.files[path])
        change(document)
        self.files[path] = json.dumps(document).encode()

    def rows(self, part: str, change: Callable[[pa.Table], pa.Table]) -> None:
        """Change the first shard of a part; its name and the manifest follow."""

        def follow(manifest: dict[str, Any]) -> None:
            entry = manifest["parts"][part]["shards"][0]
            table = change(pq.read_table(io.BytesIO(self.files.pop(f"{self.run}/{entry['file']}"))))
            data = parquet(table)
            digest = hashlib.sha256(data).hexdigest()
            entry["file"] = f"{entry['file'].split('-')[0]}-0-{digest[:12]}.parquet"
            entry["sha256"], entry["rows"] = digest, table.num_rows
            self.files[f"{self.run}/{entry['file']}"] = data

        self.change("manifest.json", follow)

    def items(self, change: Callable[[list[dict[str, Any]]], Any]) -> None:
        """Change the rows of items.parquet; the hash that is said of them stays."""
        path = f"{self.benchmark}/items.parquet"
        table = pq.read_table(io.BytesIO(self.files[path]))
        rows = table.to_pylist()
        change(rows)
        self.files[path] = parquet(pa.Table.from_pylist(rows, schema=table.schema))
        self.change("benchmark.json", lambda head: head.pop("items_sha256", None))

    def call(self, run: str) -> None:
        """Give the run another id, everywhere but in what it is made of."""
        old = self.run
        self.listing["run"] = run
        self.files = {name.replace(old, self.run): data for name, data in self.files.items()}
        self.change("run.json", lambda record: record.update(run=run))
        self.change("manifest.json", lambda manifest: manifest.update(run=run))

    def write(self, path: Path) -> Path:
        """The bundle at `path`."""
        sums = {n: {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)} for n, data in self.files.items()}
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("bundle.json", json.dumps({**self.listing, "files": sums}))
            for name, data in self.files.items():
                archive.writestr(name, data)
        return path


def parquet(table: pa.Table) -> bytes:
    """A table as the bytes of a Parquet file."""
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


def put(table: pa.Table, column: str, value: Any, row: int = 0) -> pa.Table:
    """The table with one cell changed."""
    values = table.column(column).to_pylist()
    values[row] = value
    place = table.schema.get_field_index(column)
    return table.set_column(place, table.schema.field(column), pa.array(values, table.schema.field(column).type))


def negated(table: pa.Table) -> pa.Table:
    """The table with every score's sign turned."""
    place = table.schema.get_field_index("value")
    values = pa.array([-value for value in table.column("value").to_pylist()], pa.float32())
    return table.set_column(place, table.schema.field("value"), values)
