"""What may be handed on of a run whose scores may not: a zip of rates and verdicts with cells and reasons, no score."""

import io
import json
import os
import zipfile
from pathlib import Path

from backend.durable import not_written
from backend.errors import FlipsideError, UsageError
from backend.store.build.store import Store
from backend.store.catalog.default_run import ChosenRun
from backend.store.catalog.public import VERDICTS_ONLY
from backend.store.rates.rates import rates
from backend.store.scores import outcomes
from backend.store.scores.setting import Setting

#: The document by which such a zip is known, and its table.
DOCUMENT, TABLE = "verdicts.json", "verdicts.csv"
FORMAT = 1
COLUMNS = ("item_id", "kind", "metric", "correct", "ties", "cell", "reason")


def write_verdicts(store: Store, chosen: ChosenRun, out: Path) -> int:
    """Write the zip, whole or not at all; how many rows its table has. FlipsideError where it cannot be written."""
    if not out.parent.is_dir():
        raise UsageError(f"{out.parent}: no such folder. Make it first, or choose another --out.")
    record = store.run(chosen.run_id).record
    settings = [Setting(kind) for kind in chosen.kinds]
    rows = [outcomes.compute(store, chosen.run_id, each, None)[list(COLUMNS)] for each in settings]
    found = [
        {
            "kind": each.kind,
            "metric": line["metric"],
            "value": line["value"],
            "n": int(line["n"]),
            "ties": int(line["ties"]),
            **({"lower_bound": True} if line["lower_bound"] else {}),
        }
        for each in settings
        for line in rates(store, chosen.run_id, each).to_dict("records")
    ]
    document = {
        "format": FORMAT,
        "run": chosen.run_id,
        "model": chosen.model,
        "benchmark": chosen.benchmark,
        "public": record["model"]["public"],
        "left_out": VERDICTS_ONLY,
        "rates": found,
    }
    table = io.StringIO()
    for number, each in enumerate(rows):
        each.to_csv(table, index=False, header=number == 0, lineterminator="\n")
    aside = out.with_name(f".aside-{os.getpid()}-{out.name}")
    try:
        with zipfile.ZipFile(aside, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(zipfile.ZipInfo(DOCUMENT), json.dumps(document, ensure_ascii=False, indent=1) + "\n")
            archive.writestr(zipfile.ZipInfo(TABLE), table.getvalue())
        aside.replace(out)
    except OSError as error:
        raise FlipsideError(not_written(error, out)) from error
    finally:
        aside.unlink(missing_ok=True)
    return sum(map(len, rows))
