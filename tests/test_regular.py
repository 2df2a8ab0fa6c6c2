"""What people name as a file: only a file passes, and each other thing is called what it is."""

import os
from pathlib import Path

import pytest

from backend.errors import UsageError
from backend.regular import refuse_other


def test_a_file_passes_and_so_does_a_link_to_one(tmp_path):
    (tmp_path / "a.csv").write_text("x")
    (tmp_path / "b.csv").symlink_to(tmp_path / "a.csv")
    for name in ("a.csv", "b.csv"):
        refuse_other(tmp_path / name, "expected a table")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("/dev/zero", "is a device or a pipe and no file; expected a table."),
        ("pipe", "is a device or a pipe and no file; expected a table."),
        ("", "is a folder; expected a table."),
        ("gone", "no such file."),
        ("x" * 5000, "cannot be read (File name too long); expected a table."),
    ],
)
def test_anything_else_is_called_what_it_is(tmp_path, name, said):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UsageError) as raised:
        refuse_other(Path(tmp_path, name), "expected a table")
    assert str(raised.value).endswith(said)
