"""`flipside doctor`: what is here, what is missing, and whether one model behaves."""

from typing import Annotated

import typer

from backend import environment
from backend.errors import UsageError
from backend.verbs.checking import checks
from backend.verbs.shared.output import print_json, print_table

MARKS = {"ok": "✓", "note": "·", "failed": "✗"}


def command(
    model: Annotated[str | None, typer.Option("--model", metavar="SPEC", help="Load this model and check it.")] = None,
    device: Annotated[str, typer.Option("--device", help="auto, cpu, cuda, cuda:N or mps.")] = "auto",
    dtype: Annotated[str, typer.Option("--dtype", help="auto, float32, float16 or bfloat16.")] = "auto",
    trust_remote_code: Annotated[
        bool, typer.Option("--trust-remote-code", help="Run Python files that came with the model, with your rights.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    """Check this installation, or one model with --model; exits 1 on any failure."""
    code = 1
    wrong = next(iter(environment.put_aside().values()), "")
    if model is None:
        from backend.verbs.checking import results as checks_results

        found = [checks.of(check) for check in (*checks.ALL, *checks_results.ALL)]
    elif wrong:
        found, code = [checks.Check("model", "failed", wrong)], 2
    else:
        from backend.verbs.checking.model import check_model

        try:
            found = check_model(model, device, dtype, trust_remote_code=trust_remote_code)
        except UsageError as error:
            found, code = [checks.Check("model", "failed", str(error))], 2
    healthy = all(check.status != "failed" for check in found)
    if as_json:
        rows = [{"name": check.name, "status": check.status, "detail": check.detail} for check in found]
        print_json({"ok": healthy, "model": model, "checks": rows})
    else:
        print_table(("", "check", "found"), [(MARKS[check.status], check.name, check.detail) for check in found])
    if not healthy:
        raise typer.Exit(code)
