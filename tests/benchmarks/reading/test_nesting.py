import io
import json
import tracemalloc

import ijson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.benchmarks.reading.nesting import DEEPEST, Shallow, UnboundedError
from backend.benchmarks.reading.records import json_lines, json_list, json_object
from backend.errors import FlipsideError

DOCUMENTS = st.recursive(
    st.none() | st.text(alphabet='ab"\\[]{}\n é', max_size=8) | st.integers(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(alphabet='a"\\[{', max_size=4), inner, max_size=3)
    ),
    max_leaves=25,
)


def depth(document):
    if isinstance(document, dict | list):
        inside = document.values() if isinstance(document, dict) else document
        return 1 + max(map(depth, inside), default=0)
    return 0


@given(DOCUMENTS, st.integers(1, 9), st.booleans())
def test_brackets_count_outside_of_texts_alone(document, step, ascii_only):
    """However the file is cut into blocks, the depth comes back to 0, and the bytes are the file's."""
    raw = json.dumps(document, ensure_ascii=ascii_only).encode()
    file, seen = Shallow(io.BytesIO(raw)), []
    deepest = 0
    while block := file.read(step):
        seen.append(block)
        deepest = max(deepest, file.depth)
    assert b"".join(seen) == raw
    assert (file.depth, file.in_text, file.escaped) == (0, False, False)
    assert deepest <= depth(document)
    if step == 1:
        assert deepest == depth(document)


@pytest.mark.parametrize("step", [1, 3, 64, 10_000])
def test_the_limit(step):
    for opening, closing in (("[", "]"), ('{"a":', "}")):
        fine = (opening * DEEPEST + "1" + closing * DEEPEST).encode()
        assert list(ijson.items(Shallow(io.BytesIO(fine)), "", buf_size=step))
        deep = (opening * (DEEPEST + 1) + "1" + closing * (DEEPEST + 1)).encode()
        with pytest.raises(UnboundedError):
            list(ijson.items(Shallow(io.BytesIO(deep)), "", buf_size=step))


@pytest.mark.parametrize(("start", "level", "read"), [("[", "[", json_list), ("{", '"a":{', json_object)])
def test_a_deep_file_is_named_before_it_fills_the_memory(tmp_path, start, level, read):
    path = tmp_path / "deep.json"
    path.write_text(start + level * 1_000_000)
    tracemalloc.start()
    with pytest.raises(FlipsideError, match=r"deep\.json: is nested deeper than 100 levels"):
        list(read(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 32 << 20


def test_an_endless_text_is_named_before_it_fills_the_memory(tmp_path):
    path = tmp_path / "long.json"
    with path.open("wb") as out:
        out.write(b'[{"a": "fine"}, {"a": "')
        for _ in range(100):
            out.write(b"x" * 1_000_000)
        out.write(b'"}]')
    tracemalloc.start()
    with pytest.raises(FlipsideError, match=r"long\.json: holds a text of more than 4 MB"):
        list(json_list(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 32 << 20


@pytest.mark.long
@pytest.mark.parametrize("step", [1000, 1 << 16, 1 << 24])
def test_many_texts_are_not_one_long_one(step):
    raw = json.dumps(["y" * 99_999] * 60 + ['"' * 50_000] * 60).encode()
    file = Shallow(io.BytesIO(raw))
    while file.read(step):
        pass
    assert (file.depth, file.in_text, file.length) == (0, False, 0)


def test_a_deep_line_is_skipped(tmp_path):
    path = tmp_path / "deep.jsonl"
    path.write_text('{"a": 1}\n' + "[" * 100_000 + '\n{"a": 2}\n')
    (_, first), (line, deep), (_, last) = json_lines(path)
    assert (first, last) == ({"a": 1}, {"a": 2})
    assert line == 2
    assert "nested deeper" in str(deep)
