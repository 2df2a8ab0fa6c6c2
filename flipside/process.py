"""Runs one module of `backend` as a program: `python -P …/flipside/process.py MODULE ARGUMENT …`.

Jobs, maps and other processes of our own are started so, by this file's path: it needs neither a working directory nor
anything on the path of modules, so it is the same from a checkout and from an installed copy.
"""

import runpy
import signal
import sys
from pathlib import Path


def main() -> None:
    """Make this copy's `backend` importable, then run the module as `__main__` with the arguments after its name."""
    heard = signal.getsignal(signal.SIGINT)
    if heard is signal.default_int_handler:  # until the module is there, Ctrl-C ends this without a traceback
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    folder = str(Path(__file__).resolve().parent.parent)
    sys.path.insert(0, folder)
    import flipside  # noqa: F401 - makes backend importable

    sys.path.remove(folder)
    signal.signal(signal.SIGINT, heard)
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
