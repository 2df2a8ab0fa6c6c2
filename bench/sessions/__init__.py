"""Many people on Try it at once: do they see their own scores, and how long do they wait? Begin with `__main__.py`."""
