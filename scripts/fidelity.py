"""`make fidelity`: docs/fidelity.md, a table family × check × largest difference, plus what was reproduced.

Every model of the zoo (random weights, real architectures) is written to a folder, loaded through its adapter and held
against its reference library. Nothing in the page is typed by hand: differences are measured in this run, the
reproduction and the studies are read from docs/fidelity/*.json, which their own commands write and date; the parity's
own rows are kept compressed, so that a clone stays small.
"""

import argparse
import os
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from scripts import kept_study
from scripts.fidelity_page import page

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "docs" / "fidelity"
PAGE = ROOT / "docs" / "fidelity.md"
LIBRARIES = ("torch", "transformers", "open_clip_torch", "sentence-transformers", "timm", "tokenizers", "numpy")


def measure(device: str, dtype: str, only: str, share: tuple[int, int] = (0, 1)) -> list[dict[str, Any]]:
    """One row a case, kind and check. share: (k, n), every n-th case from the k-th, for n processes."""
    from backend.models import fidelity, load
    from backend.models.registry import FAMILIES, imported
    from tests.zoo import cases

    rows: list[dict[str, Any]] = []
    for case in cases()[share[0] :: share[1]]:
        if only.lower() not in f"{case.name} {case.family}".lower():
            continue
        if case.absent:
            print(f"{case.name}: left out, {case.absent}", flush=True)
            continue
        begun = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            module = case.build(Path(folder))
            model = load(case.spec.format(folder=folder), device=device, dtype=dtype)
            target = next(f for f in FAMILIES if f.name == case.family).reference
            if dtype != "float32" or device != "cpu":
                module = None  # asked through the adapter's copy: the library keeps some layers in float32
            reference = imported(target)(model, module)
            found = fidelity.check(model, reference, case.texts)
            batch = model.batch_size
            own: dict[str, float] = {}
            if dtype in fidelity.HALF:
                exact = load(case.spec.format(folder=folder), device=device, dtype="float32")
                own = own_errors((model, reference), (exact, imported(target)(exact, None)), case.texts)
        name = str(model.describe()["class"])
        here = [row(case, name, finding, folder, own.get(finding.kind)) for finding in found]
        rows += here
        bad = sum(not line["ok"] for line in here)
        print(
            f"{case.name}: {len(found)} checks, {bad} failed, {time.monotonic() - begun:.1f} s, batch {batch}",
            flush=True,
        )
    return rows


def own_errors(half: tuple[Any, Any], exact: tuple[Any, Any], texts: Any) -> dict[str, float]:
    """How far the library's own answers in half precision lie from its own in float32, by kind: (model, reference) of
    each. What of this is rounding, no adapter can do without."""
    import numpy as np

    from backend.models import fidelity
    from backend.models.odd_pictures import ODD, pictures, plain

    asked = [(image, texts[i % len(texts)]) for i, image in enumerate(pictures())]
    asked += [(plain(image), texts[1]) for image in ODD.values()]
    coarse, fine = fidelity.scorers(*half), fidelity.scorers(*exact)
    found: dict[str, float] = {}
    for kind in coarse:
        ours, theirs = coarse[kind][1], fine[kind][1]
        if ours is None or theirs is None:
            continue
        for image, text in asked:
            try:
                pairs = zip(ours([image], [text]), theirs([image], [text]), strict=True)
            except fidelity.UNREADABLE:
                continue  # a picture that the library itself cannot read
            apart = [float(np.abs(np.subtract(a, b, dtype=np.float64)).max(initial=0.0)) for a, b in pairs]
            found[kind] = max(found.get(kind, 0.0), *apart)
    return found


def row(case: Any, class_name: str, finding: Any, folder: str, own: float | None) -> dict[str, Any]:
    """One comparison as it is kept. own: of `own_errors`; where its double is more than the limit, it is the limit."""
    limit = finding.tolerance if own is None else max(finding.tolerance, 2 * own)
    return {
        **({} if own is None else {"own": own}),
        "model": case.name,
        "family": case.family,
        "class": class_name,
        "kind": finding.kind,
        "check": finding.check,
        "largest": None if finding.problem else finding.largest,
        "n": finding.n,
        "limit": limit,
        "ok": not finding.problem and finding.largest <= limit,
        "problem": finding.problem.replace(folder, "…"),
    }


def document(device: str, dtype: str, only: str) -> dict[str, Any]:
    """The rows with what they were measured on."""
    from backend.engine.storage.record import cpu_name
    from backend.models.device import device_name, resolve_device
    from backend.models.torch_model import versions

    rows = measure(device, dtype, only)
    name = device_name(resolve_device(device))
    machine = cpu_name() if name == "cpu" else name
    today = datetime.now(UTC).date().isoformat()
    return {"date": today, "machine": machine, "dtype": dtype, "versions": versions(LIBRARIES), "rows": rows}


def main() -> int:
    """Measure, keep the numbers under docs/fidelity/, write the page; 1 where something is outside its limit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--only", default="", help="only models or families whose name contains this; writes nothing")
    parser.add_argument("--page", action="store_true", help="write the page from the kept numbers, measure nothing")
    args = parser.parse_args()
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    if args.page:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    found = document(args.device, args.dtype, args.only)
    if not args.only:
        file = KEPT / f"parity-{args.device.partition(':')[0]}-{args.dtype}.json.gz"
        kept_study.write(file, found, indent=None)
        PAGE.write_text(page(), encoding="utf-8")
    return 0 if all(row["ok"] for row in found["rows"]) else 1


if __name__ == "__main__":
    sys.exit(main())
