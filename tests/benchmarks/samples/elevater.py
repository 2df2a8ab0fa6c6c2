"""Some of ELEVATER's tasks as folders, with a made-up `prompts.py` of the toolkit's form."""

from pathlib import Path

from tests.benchmarks.samples.folder import picture

MODULE = """
# A module of the toolkit's form; importing it would fail.
import nothing_that_exists

mnist_classes = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]
mnist_templates = ['a photo of the number: "{}".']
memes_classes = ["harmless meme", "hateful meme"]
memes_templates = ["a {}.", "the {}."]
voc_classes = [
    "aeroplane", "bicycle", "bird", "boat", "bottle", "bus", "car", "cat", "chair", "cow", "diningtable", "dog",
    "horse", "motorbike", "person", "pottedplant", "sheep", "sofa", "train", "tvmonitor",
]
voc_templates = ["a photo of a {}."]
shared_templates = ["a blurry photo of a {}.", "a photo of the {}."]
pets_classes = ["Abyssinian", "American Bulldog", "Bengal"]

class_map = {
    "mnist": mnist_classes, "hateful-memes": memes_classes, "voc-2007-classification": voc_classes,
    "oxford-iiit-pets": pets_classes, "stl10": undefined_somewhere_else,
}
template_map = {
    "mnist": mnist_templates, "hateful-memes": memes_templates, "voc-2007-classification": voc_templates,
    "oxford-iiit-pets": shared_templates,
}
"""


def write(folder: Path) -> None:
    """mnist by label, hateful-memes below `test/`, pets by name, voc with a picture in two classes and one in none,
    dtd with its own names, and food-101, whose names nobody tells."""
    (folder / "prompts.py").write_text(MODULE)
    for digit in range(10):
        for n in range(2):
            picture(folder / "mnist" / str(digit) / f"{n}.png", 10 * digit + n)
    for label, name in enumerate(("harmless meme", "hateful meme")):
        for n in range(3):
            picture(folder / "hateful-memes" / "test" / name / f"{label}{n}.png", 200 + 10 * label + n)
        picture(folder / "hateful-memes" / "train" / name / "t.png", 300 + label)
    for n, name in enumerate(("abyssinian", "american_bulldog", "bengal")):
        picture(folder / "oxford-iiit-pets" / name / f"{n}.jpg", 400 + n)
    for name, pictures in {"dog": "ab", "person": "bc", "_none": "d"}.items():
        for letter in pictures:
            picture(folder / "voc-2007-classification" / name / f"{letter}.jpg", 500 + ord(letter))
    for n, name in enumerate(("banded", "blotchy")):
        picture(folder / "dtd" / name / "x.png", 600 + n)
    (folder / "dtd" / "classes.json").write_text('{"banded": "banded", "blotchy": "full of blots"}')
    (folder / "dtd" / "templates.txt").write_text("a {} texture.\n")
    picture(folder / "food-101" / "apple_pie" / "1.jpg", 700)
