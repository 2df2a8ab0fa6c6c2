"""Any image folder, ImageNet and ELEVATER: classes, names, prompts, and what cannot be told is said."""

import json

import pytest

from backend.benchmarks import load_benchmark, recognise
from backend.benchmarks.classification.toolkit_prompts import read_prompts
from backend.errors import FlipsideError, UsageError
from backend.items import Protocol
from scripts import imagenet_classes
from tests.benchmarks.samples import elevater, folder, imagenet


@pytest.fixture
def own(tmp_path):
    folder.write(tmp_path)
    return tmp_path


def test_folders_in_sorted_order_are_the_classes(own):
    benchmark = load_benchmark("folder", own)
    found = list(benchmark)
    assert [item.item_id for item in found] == [
        "images/03/1.png", "images/cat/1.png", "images/cat/2.png", "images/hot_dog/1.png", "images/hot_dog/2.png",
        "images/hot_dog/more/3.JPEG",
    ]  # fmt: skip
    assert {item.texts for item in found} == {("Third thing", "tabby cat", "hot dog")}
    assert [item.truth for item in found] == [((0, n),) for n in (0, 1, 1, 2, 2, 2)]
    assert found[0].protocol is Protocol.CLASSIFY
    assert found[1].tags["class"] == ("tabby cat",)
    assert found[-1].images[0].uri == str(own / "hot_dog/more/3.JPEG")
    assert benchmark.templates == {"images": ("a photo of a {}.", "a sketch of the {}.")}
    assert recognise(own) == ["folder"]


@pytest.mark.parametrize(
    ("file", "content", "names"),
    [
        ("classes.json", '{"cat": "puss", "zebra": "striped {horse}"}', ("03", "puss", "hot dog", "striped {horse}")),
        ("classnames.txt", "third\npuss\nsausage\n", ("third", "puss", "sausage")),
        ("classnames.txt", "cat big puss\n03 third\n", ("third", "big puss", "hot dog")),
    ],
)
def test_names_are_read_in_each_of_their_forms(own, file, content, names):
    (own / "classnames.txt").unlink()
    (own / file).write_text(content)
    assert next(iter(load_benchmark("folder", own))).texts == names


@pytest.mark.parametrize(
    ("file", "content", "said"),
    [
        ("classes.json", '{"cat": 3}', r"classes\.json, 'cat': is no name"),
        ("classes.json", "[]", r"classes\.json: expected an object"),
        ("classnames.txt", "one\ntwo\n", r"classnames\.txt: 2 names for 3 folders"),
        ("classnames.txt", "cat\tpuss\nnothing\n", r"classnames\.txt, line 2: expected a folder and a name"),
        ("templates.txt", "a photo.\n", r"templates\.txt, line 1: 'a photo\.' has 0 places"),
        ("templates.txt", "{} and {}\n", r"has 2 places for a name"),
        ("templates.txt", "\n", r"templates\.txt: holds no prompt"),
    ],
)
def test_faulty_names_and_prompts_are_named(own, file, content, said):
    (own / file).write_text(content)
    with pytest.raises(FlipsideError, match=said):
        list(load_benchmark("folder", own))


def test_other_prompts_are_another_benchmark(own):
    before = load_benchmark("folder", own).content_hash()
    (own / "templates.txt").unlink()
    after = load_benchmark("folder", own)
    assert after.templates == {"images": ("a photo of a {}.",)}
    assert after.content_hash() != before


def test_a_folder_without_classes_gets_a_sentence(tmp_path):
    with pytest.raises(UsageError, match="expected two or more class folders"):
        load_benchmark("folder", tmp_path)
    folder.picture(tmp_path / "train" / "cat" / "1.png", 0)
    folder.picture(tmp_path / "val" / "cat" / "1.png", 0)
    with pytest.raises(UsageError, match=r"train, val are no classes\. Point --data at"):
        load_benchmark("folder", tmp_path)


@pytest.mark.slow
def test_names_and_prompts_of_imagenet_are_open_clips_own():
    pytest.importorskip("open_clip")
    assert json.loads(imagenet_classes.TARGET.read_text(encoding="utf-8")) == imagenet_classes.document()
    found = imagenet_classes.document()
    assert (len(found["folders"]), len(found["names"]), len(found["prompts"])) == (1000, 1000, 80)
    assert found["folders"] == sorted(found["folders"])
    assert all(prompt.count("{}") == 1 for prompt in found["prompts"])
    twice = {n for n in found["names"] if found["names"].count(n) > 1}
    assert twice == {"missile", "sunglasses"}
    assert [n for n, name in enumerate(found["names"]) if name in twice] == [657, 744, 836, 837]


def test_imagenet_is_found_by_its_wordnet_folders(tmp_path):
    imagenet.write(tmp_path)
    benchmark = load_benchmark("imagenet", tmp_path)
    found = list(benchmark)
    assert len(found) == 12
    assert [item.truth[0][1] for item in found[::2]] == [0, 1, 657, 744, 836, 837]
    assert found[0].item_id == "imagenet/n01440764/ILSVRC2012_val_00000000.JPEG"
    assert found[0].texts[0] == "tench"
    assert len(found[0].texts) == 1000
    assert found[0].tags["split"] == ("val",)
    assert len(benchmark.templates["imagenet"]) == 80
    train = list(load_benchmark("imagenet", tmp_path, "train"))
    assert [item.tags["split"] for item in train] == [("train",)]
    assert len(list(load_benchmark("imagenet", tmp_path, "all"))) == 13
    (tmp_path / "templates.txt").write_text("a {}.\n")
    assert load_benchmark("imagenet", tmp_path).templates == {"imagenet": ("a {}.",)}


def test_imagenet_needs_wordnet_folders(own):
    with pytest.raises(UsageError, match=r"expected val/<WordNet id>/<image> \(n01440764, …\)"):
        load_benchmark("imagenet", own)
    folder.picture(own / "val" / "n01440764" / "1.JPEG", 0)
    with pytest.raises(UsageError, match="has no train images; it has val"):
        load_benchmark("imagenet", own, "train")


def test_elevaters_tasks_are_subsets_with_names_and_prompts_of_the_toolkit(tmp_path):
    elevater.write(tmp_path)
    benchmark = load_benchmark("elevater", tmp_path)
    found = list(benchmark)
    counts = {item.subset: sum(other.subset == item.subset for other in found) for item in found}
    assert counts == {
        "dtd": 2, "hateful-memes": 6, "mnist": 20, "oxford-iiit-pets": 3, "voc-2007-classification": 4,
    }  # fmt: skip
    by_id = {item.item_id: item for item in found}
    assert by_id["mnist/7/1.png"].truth == ((0, 7),)
    assert by_id["hateful-memes/hateful meme/12.png"].truth == ((0, 1),)
    assert by_id["oxford-iiit-pets/american_bulldog/1.jpg"].texts == ("Abyssinian", "American Bulldog", "Bengal")
    voc = {letter: by_id[f"voc-2007-classification/{letter}.jpg"] for letter in "abcd"}
    assert [voc[letter].truth for letter in "abcd"] == [((0, 11),), ((0, 11), (0, 14)), ((0, 14),), ()]
    assert voc["b"].tags["class"] == ("dog", "person")
    assert by_id["dtd/blotchy/x.png"].texts == ("banded", "full of blots")
    assert benchmark.templates["mnist"] == ('a photo of the number: "{}".',)
    assert benchmark.templates["oxford-iiit-pets"] == ("a blurry photo of a {}.", "a photo of the {}.")
    assert benchmark.templates["dtd"] == ("a {} texture.",)
    (skipped,) = benchmark.skipped()
    assert (skipped.item, skipped.reason[:24]) == ("food-101", "no names for its classes")


def test_folders_that_no_name_fits_leave_their_task_out(tmp_path):
    elevater.write(tmp_path)
    folder.picture(tmp_path / "mnist" / "12" / "1.png", 0)
    folder.picture(tmp_path / "oxford-iiit-pets" / "beagle" / "1.png", 0)
    benchmark = load_benchmark("elevater", tmp_path)
    reasons = {entry.item: entry.reason for entry in benchmark.skipped()}
    assert reasons["mnist"] == "its folders are numbers, but not labels from 0 to 9"
    assert reasons["oxford-iiit-pets"].startswith("which class is in folder 'beagle' cannot be told from its name")
    assert "mnist" not in benchmark.templates


def test_the_toolkits_module_is_read_and_never_run(tmp_path):
    path = tmp_path / "prompts.py"
    path.write_text(f"import pathlib\npathlib.Path({str(tmp_path / 'ran')!r}).touch()\n{elevater.MODULE}")
    found = read_prompts(path)
    assert len(found.names["mnist"]) == 10
    assert "stl10" not in found.names
    assert not (tmp_path / "ran").exists()
    for content, said in (
        ("class_map = {", r"prompts\.py, line 1: is no Python module"),
        ("a = [1]", "has no class_map"),
        ('t = ["no place"]\nclass_map = {}\ntemplate_map = {"mnist": t}', "mnist: 'no place' has 0 places"),
    ):
        path.write_text(content)
        with pytest.raises(FlipsideError, match=said):
            read_prompts(path)


def test_a_folder_without_tasks_gets_a_sentence(own):
    with pytest.raises(
        UsageError, match=r"expected folders of ELEVATER's tasks \(caltech-101, cifar-10, cifar-100, …\)"
    ):
        load_benchmark("elevater", own)


def test_a_wordnet_id_outside_the_thousand_is_named(tmp_path):
    imagenet.write(tmp_path)
    folder.picture(tmp_path / "ILSVRC" / "val" / "n00000001" / "1.JPEG", 7)
    benchmark = load_benchmark("imagenet", tmp_path)
    (only,) = benchmark.skipped()
    assert (only.file, only.item) == ("ILSVRC/val/n00000001", "n00000001")
    assert "no class of ImageNet-1k has this WordNet id" in only.reason
