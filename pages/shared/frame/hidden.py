"""Messages without the folders of the cache, for a browser user knows files by their own names, and with commands that
can be pasted."""

import re

from backend import paths
from backend.called import on_pages, pasteable

#: Where uploads lie while they are looked at, and as a job's inputs.
_LAID = re.compile(r"(?:uploads/tables/[0-9a-f]{16}|jobs/[\w.-]+/inputs)/")


def hide(message: str) -> str:
    """A message in which files of the cache are named from there on, and uploads by their names alone; commands in it
    begin as they can be typed in the project's folder.

    >>> hide(f"{paths.cache_dir().resolve()}/uploads/tables/0123456789abcdef/a.csv: is empty.")
    'a.csv: is empty.'
    """
    cache = paths.cache_dir()
    for folder in sorted({str(cache), str(cache.absolute()), str(cache.resolve())}, key=len, reverse=True):
        message = message.replace(f"{folder}/", "").replace(folder, "the cache folder") if len(folder) > 1 else message
    return pasteable(_LAID.sub("", message), on_pages())
