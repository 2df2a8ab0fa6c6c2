"""`backend.verbs.shared.serving` (see `paths.module_command`): what `python -m streamlit` is, in a process that Ctrl-C
ends without a traceback while Streamlit is still being imported."""

import importlib

from backend.starting import ending_quietly


def main() -> None:
    """Does not return: Streamlit ends the process by SystemExit."""
    with ending_quietly():
        streamlit = importlib.import_module("streamlit.web.cli")
    streamlit.main(prog_name="streamlit")


if __name__ == "__main__":
    main()
