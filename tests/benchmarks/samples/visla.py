"""VISLA as it is published, with made-up content: no quoting, CRLF, no line end after the last row."""

from pathlib import Path

from tests.benchmarks.samples.pictures import picture

GENERIC = [
    "filename\tcaption\tsecond positive\tnegative_caption",
    "000000000001.jpg\tA dog under a table.\tUnder a table, a dog.\tA dog on a table.",
    '000000000002.jpg\tA sign that says "stop".\tA "stop" sign.\tA sign that says "go". ',
    "000000000002.jpg\tAn é.\tÉ, one.\tTwo é.",
]
SPATIAL = [
    "image\tsent1\tsent2\tBest reference (Semantically close)\tReference-2 (Completely irrelevant)",
    "000000000003.jpg\tThe mug is on the tray.\tThe tray is under the mug.\t\t",
    "000000000003.jpg\tThe mug is on the tray.\tThe tray is under the mug.\tThe mug is by the tray.\tA boat.",
]


def write(folder: Path) -> None:
    """Both files, and the pictures of all but the last image."""
    for name, rows in (("Generic_VISLA.tsv", GENERIC), ("Spatial_VISLA.tsv", SPATIAL)):
        (folder / name).write_bytes("\r\n".join(rows).encode())
    for number in (1, 2):
        picture(folder / "images" / "val2017" / f"{number:012d}.jpg", number)
