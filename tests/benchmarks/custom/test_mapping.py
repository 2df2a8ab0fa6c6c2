"""Which column is what: guessed from names, said by options or a file, refused in a sentence where it is unclear."""

import json
from pathlib import Path

import pytest

from backend.benchmarks.custom.columns import Mapping, columns, described
from backend.benchmarks.custom.mapping import from_document, from_options, guess, of_table, preview
from backend.errors import FlipsideError, UsageError


def table(folder: Path, header: str, *rows: str, name: str = "t.csv") -> Path:
    path = folder / name
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def guessed(folder: Path, header: str, *rows: str) -> Mapping:
    return guess(columns(table(folder, header, *(rows or ("x.jpg" + ",a" * header.count(","),)))))


@pytest.mark.parametrize(
    ("header", "protocol", "roles"),
    [
        ("filename,caption,negative_caption", "choice",
         {"image": "filename", "caption": "caption", "negative": "negative_caption"}),
        ("image,text,foil_1,foil_2", "choice", {"image": "image", "caption": "text", "negative": "foil_1 foil_2"}),
        ("img,sentence,neg", "choice", {"image": "img", "caption": "sentence", "negative": "neg"}),
        ("image_path,pos,hard_negative,category", "choice",
         {"image": "image_path", "caption": "pos", "negative": "hard_negative", "concept": "category"}),
        ("filename,caption,second positive,negative_caption", "triplet",
         {"image": "filename", "caption": "caption", "paraphrase": "second positive", "negative": "negative_caption"}),
        ("image,sent1,sent2,negative", "triplet",
         {"image": "image", "caption": "sent1", "paraphrase": "sent2", "negative": "negative"}),
        ("p1,p2,n", "triplet", {"caption": "p1", "paraphrase": "p2", "negative": "n"}),
        ("id,image_0,image_1,caption_0,caption_1", "quad",
         {"id": "id", "image_0": "image_0", "image_1": "image_1", "caption_0": "caption_0", "caption_1": "caption_1"}),
        ("image1,image2,text1,text2", "quad",
         {"image_0": "image1", "image_1": "image2", "caption_0": "text1", "caption_1": "text2"}),
        ("image,caption", "retrieval", {"image": "image", "caption": "caption"}),
        ("image,caption_0,caption_1,caption_2", "retrieval",
         {"image": "image", "caption": "caption_0 caption_1 caption_2"}),
        ("image,caption_0,caption_1,label", "labelled",
         {"image": "image", "candidate": "caption_0 caption_1", "label": "label"}),
        ("item_id,subset,protocol,images,texts,truth,tags,source", "items", {}),
        ("trueCaption,falseCaption,ImageFile", "choice",
         {"image": "ImageFile", "caption": "trueCaption", "negative": "falseCaption"}),
    ],
)  # fmt: skip
def test_names_tell_what_is_what(tmp_path, header, protocol, roles):
    found = guessed(tmp_path, header)
    assert found.protocol == protocol
    assert {role: " ".join(names) for role, names in found.roles.items()} == roles


@pytest.mark.parametrize(
    ("header", "says"),
    [
        ("image,caption,label", "a label beside one caption a row: in a pool every caption is a true one"),
        ("image,caption,text,foil", "'caption' and 'text' could each be caption"),
        ("image,caption_0,caption_1", "two captions and one picture: which caption is true, or are both"),
        ("image,foil", "no column for the true one"),
        ("image,a,b", "do not tell what is what"),
    ],
)
def test_what_is_unclear_is_asked_with_the_columns(tmp_path, header, says):
    with pytest.raises(UsageError, match=says) as raised:
        guessed(tmp_path, header, "x.jpg" + ",some words" * header.count(","))
    for name in header.split(","):
        assert f"'{name}'" in str(raised.value)
    assert "--map" in str(raised.value)
    assert "mapping.json" in str(raised.value)


def test_a_column_of_file_names_is_the_picture_whatever_it_is_called(tmp_path):
    found = guessed(tmp_path, "what,caption,foil", "a.png,a cat,a dog", "b.png,a cup,a mug")
    assert found.column("image") == "what"
    assert [column.kind for column in columns(tmp_path / "t.csv")] == ["image", "text", "text"]


def test_a_list_of_captions_with_a_label_is_no_pool(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"image": "x.jpg", "captions": ["a dog", "a cat"], "label": 1}\n', encoding="utf-8")
    found = guess(columns(path))
    assert found == Mapping("labelled", {"image": ("image",), "candidate": ("captions",), "label": ("label",)})
    (item,), _ = preview(path, found)
    assert item.texts == ("a cat", "a dog")


def test_options_say_some_and_names_tell_the_rest(tmp_path):
    known = columns(table(tmp_path, "image,caption,text,foil,kind", "a.png,x,y,z,colour"))
    found = from_options(["caption=text", "concept=kind"], known)
    assert found.roles == {"image": ("image",), "caption": ("text",), "negative": ("foil",), "concept": ("kind",)}
    twice = from_options(["protocol=choice", "caption=text", "negative=foil", "negative=caption"], known)
    assert twice.roles["negative"] == ("foil", "caption")
    assert twice.unused(known) == ["kind"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["caption"], "expected role=column"),
        (["protocol=pairs"], "expected triplet, choice"),
        (["caption=none"], "there is no column 'none' for caption"),
        (["protocol=choice", "paraphrase=text"], "choice has no role 'paraphrase'"),
        (["protocol=quad"], "quad needs a column for image_0"),
        (["protocol=choice", "caption=text", "caption=caption"], "only one column can be caption"),
    ],
)
def test_wrong_options_say_what_is_wrong(tmp_path, options, says):
    known = columns(table(tmp_path, "image,caption,text,foil", "a.png,x,y,z"))
    with pytest.raises(UsageError, match=says):
        from_options(options, known)


def test_a_mapping_beside_the_table_comes_first_and_its_errors_name_it(tmp_path):
    path = table(tmp_path, "image,caption,text,foil", "a.png,x,y,z")
    beside = tmp_path / "mapping.json"
    beside.write_text(
        json.dumps({"protocol": "choice", "roles": {"image": "image", "caption": "text", "negative": ["foil"]}})
    )
    assert of_table(path).column("caption") == "text"
    assert from_document(of_table(path).document()) == of_table(path)
    beside.write_text('{"protocol": "choice", "roles": {"caption": 3}}')
    with pytest.raises(UsageError, match=r"mapping\.json: role 'caption' must be"):
        of_table(path)
    beside.write_text("{")
    with pytest.raises(UsageError, match=r"mapping\.json: cannot be read as JSON"):
        of_table(path)


def test_a_preview_shows_items_and_why_others_are_none(tmp_path):
    path = table(tmp_path, "image,caption,foil", "a.png,a cat,a dog", "b.png,,a dog", "c.png,a cup,a mug", "d.png,e,f")
    items, skipped = preview(path, guess(columns(path)), n=2)
    assert [item.item_id for item in items] == ["t/1", "t/3"]
    assert [(entry.line, entry.reason) for entry in skipped] == [(3, "'caption' is blank")]


def test_a_table_without_rows_is_no_table(tmp_path):
    with pytest.raises(FlipsideError, match="holds no record"):
        columns(table(tmp_path, "image,caption"))
    assert described(()) == ""
    for name, text, said in (
        ("a.jsonl", "[" * 200_000, "line 1 is no JSON .* with one JSON object a line"),
        ("b.jsonl", "\0" * 200_000, "line 1 is no JSON .* with one JSON object a line"),
        ("c.jsonl", '{"score": 1, "score": 2}', "line 1 has the key 'score' twice"),
    ):
        (tmp_path / name).write_text(text)
        with pytest.raises(FlipsideError, match=said):
            columns(tmp_path / name)
    (tmp_path / "d.jsonl.gz").write_bytes(b"x")
    with pytest.raises(FlipsideError, match=r"is compressed\. Unpack it first \(gunzip"):
        columns(tmp_path / "d.jsonl.gz")
