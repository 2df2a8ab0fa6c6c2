"""`flipside doctor --model SPEC`: is a model's every score its reference library's, finite, and independent of what
else is in the batch? And where it computes in half precision: how far from float32?"""

import gc
from collections.abc import Sequence

import numpy as np

from backend.errors import FlipsideError, UsageError
from backend.models import Model, fidelity, load
from backend.models.odd_pictures import pictures
from backend.models.registry import reference_of
from backend.verbs.checking.checks import Check


def check_model(
    spec: str, device: str = "auto", dtype: str = "auto", *, trust_remote_code: bool = False
) -> list[Check]:
    """One check for loading, then each comparison of each kind; the last one is the verdict. UsageError where the spec
    or its folder is no model at all."""
    try:
        model = load(spec, device, dtype, trust_remote_code=trust_remote_code)
    except UsageError:
        raise
    except FlipsideError as error:
        return [Check("model", "failed", str(error))]
    about = model.describe()
    found = [Check("model", "ok", f"{model!r} on {about.get('device', '?')}, {about.get('dtype', '?')}")]
    reference = None
    try:
        reference = reference_of(model)
    except Exception as error:  # noqa: BLE001 - a library that refuses the folder is the finding
        found.append(Check("reference", "failed", f"{type(error).__name__}: {str(error).strip()[:200]}"))
    if reference is None and len(found) == 1:
        found.append(Check("reference", "note", f"family {model.family} has no reference library to compare with"))
    try:
        texts = fitting(model)
    except FlipsideError as error:
        texts = list(fidelity.TEXTS)
        found.append(Check("texts", "failed", str(error)))
    found += [_as_check(finding) for finding in fidelity.check(model, reference, texts)]
    if about.get("dtype") in fidelity.HALF:
        scores = _scores(model, texts)
        del model, reference
        gc.collect()
        found += _against_float32(spec, str(about["dtype"]), scores, texts, device, trust_remote_code)
    return [*found, verdict(found)]


def fitting(model: Model, texts: Sequence[str] = fidelity.TEXTS) -> list[str]:
    """The texts without the words behind a model's limit: an adapter cuts there, and most libraries do not."""
    found = []
    for text in texts:
        while text and model.truncated([text])[0]:
            text = text.rpartition(" ")[0]
        found.append(text)
    return found


def _as_check(finding: fidelity.Finding) -> Check:
    name = f"{finding.kind} {'batch invariance' if finding.check == 'company' else finding.check}"
    if finding.problem:
        return Check(name, "failed", finding.problem)
    said = f"largest difference {finding.largest:.2g} in {finding.n} numbers (limit {finding.tolerance:.2g})"
    return Check(name, "ok" if finding.ok else "failed", said)


def verdict(found: Sequence[Check]) -> Check:
    """What all of it means, in one sentence."""
    bad = [check.name for check in found if check.status == "failed"]
    unreferred = [check.name for check in found if check.status == "note"]
    if bad:
        return Check("verdict", "failed", f"do not trust this model's scores here: {', '.join(bad)} failed")
    if unreferred:
        return Check("verdict", "ok", "scores are finite and depend on nothing but their own image and text")
    return Check("verdict", "ok", "scores equal the reference library's and depend on nothing but their image and text")


def _scores(model: Model, texts: Sequence[str]) -> dict[str, list[np.ndarray]]:
    images = pictures()
    return {kind: ours(images, texts) for kind, (ours, _) in fidelity.scorers(model, None).items()}


def _against_float32(
    spec: str,
    dtype: str,
    half: dict[str, list[np.ndarray]],
    texts: Sequence[str],
    device: str,
    trust_remote_code: bool,
) -> list[Check]:
    """The same scores in float32: a failure means that this model needs it."""
    try:
        full = _scores(load(spec, device, "float32", trust_remote_code=trust_remote_code), texts)
    except Exception as error:  # noqa: BLE001 - float32 needs twice the memory: that it does not fit is no failure
        return [Check("against float32", "note", f"could not be compared ({type(error).__name__}: {str(error)[:160]})")]
    limit = fidelity.HALF[dtype]
    checks = []
    for kind, values in half.items():
        if kind not in full or not all(np.isfinite(v).all() for v in values):
            checks.append(
                Check(f"{kind} against float32", "failed", f"{dtype} gives scores that are no finite numbers")
            )
            continue
        apart = max(float(np.abs(a - b).max(initial=0.0)) for a, b in zip(values, full[kind], strict=True))
        said = f"largest difference of {dtype} {apart:.2g} (limit {limit:.2g})"
        checks.append(Check(f"{kind} against float32", "ok" if apart <= limit else "failed", said))
    return checks
