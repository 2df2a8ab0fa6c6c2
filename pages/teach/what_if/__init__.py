"""The losses on one quad whose scores one edits. Begin with `view.py`."""
