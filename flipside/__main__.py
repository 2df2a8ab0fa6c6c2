"""`python -m flipside VERB`, and the installed command `flipside`."""

import sys

import flipside  # noqa: F401 - makes backend importable


def run() -> None:
    """One verb of the command line; the process ends with its exit code."""
    from backend.starting import ending_quietly
    from backend.systems import refusal

    if said := refusal():
        sys.exit(f"flipside: {said}")
    with ending_quietly():
        from backend.cli import run as one_verb

    one_verb()


if __name__ == "__main__":
    run()
