"""The help at the foot of every sidebar: the guided first visit and the glossary. Begin with `help_entry.py`."""
