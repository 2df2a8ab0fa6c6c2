"""Ctrl-C while a program is being imported."""

import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_a_program_that_is_still_being_imported_ends_by_the_signal_itself():
    code = "import signal; from backend.starting import ending_quietly; signal.signal(signal.SIGINT, {})\n"
    code += "with ending_quietly(): signal.raise_signal(signal.SIGINT)\nprint(signal.getsignal(signal.SIGINT))"
    ends = [
        subprocess.run([sys.executable, "-c", code.format(now)], cwd=ROOT, capture_output=True, text=True, check=False)
        for now in ("signal.default_int_handler", "signal.SIG_IGN")
    ]
    assert [(end.returncode, end.stdout, end.stderr) for end in ends] == [
        (-signal.SIGINT, "", ""),
        (0, f"{signal.SIG_IGN}\n", ""),
    ]
