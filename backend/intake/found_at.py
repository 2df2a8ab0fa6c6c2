"""Where the pictures of a benchmark were found, for `backend.recorded`: what is opened later has to lie there."""

import os
from pathlib import Path

from backend import environment, recorded
from backend.inside import FOLLOW_LINKS


class FoundAt:
    """pictures: folders besides the data folder in which pictures lie, as they are spelled.

    data_dir: the data folder, or the table of one's own. is_import: whether the pictures were found just now, by what
    their owner says of links; an earlier import's are where that one recorded them, whatever links there are by now.
    """

    def __init__(self, data_dir: str, *, is_import: bool) -> None:
        self.pictures: set[str] = set()
        self._data_dir, self._is_import = data_dir, is_import
        self._inside = f"{data_dir}/"
        self._follows = environment.switched(FOLLOW_LINKS, False)
        self._folders: set[str] = set()
        self._links: set[Path] = set()

    def note(self, uri: str) -> None:
        """The URI of an item's picture."""
        if not (path := recorded.file_of(uri)):
            return
        folder, outside = path.rpartition("/")[0], not path.startswith(self._inside)
        if outside:
            self.pictures.add(folder)
        if self._follows or (outside and self._is_import):
            self._folders.add(folder)
            if (picture := Path(path)).is_symlink():
                self._links.add(Path(os.path.realpath(picture)).parent)

    def links(self) -> set[str]:
        """The folders behind all links that the owner let lead out of the data folder, and those of a table: its
        pictures are looked for beside it, wherever `--images` is."""
        data = Path(os.path.realpath(self._data_dir))
        found = self._links | {Path(os.path.realpath(folder)) for folder in self._folders}
        if found and data.is_file():
            found.add(data.parent)
        return {str(folder) for folder in found if not folder.is_relative_to(data)}
