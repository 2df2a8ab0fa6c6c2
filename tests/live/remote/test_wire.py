"""Messages: what is written is read to the bit, and nothing else is believed."""

import contextlib
import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.live.remote import wire

ARRAYS = [
    np.arange(12, dtype=np.uint8).reshape(2, 2, 3),
    np.array([[0.1, np.nan], [np.inf, -0.0]], dtype=np.float32),
    np.array([1e-300, 2.5]),
    np.array([True, False]),
    np.zeros((0, 7), dtype=np.int64),
]


@pytest.mark.parametrize("small", [False, True])
def test_a_message_is_read_as_it_was_written(small):
    arrays = [*ARRAYS, np.zeros((50, 50), dtype=np.float32)]
    data = wire.packed({"texts": ["é", "b\n"], "n": 3}, arrays, small=small)
    head, found = wire.unpacked(data, 20_000)
    assert (head["texts"], head["n"], head["format"]) == (["é", "b\n"], 3, wire.FORMAT)
    assert (len(data) < 2000) == small
    for one, other in zip(arrays, found, strict=True):
        assert one.dtype == other.dtype
        assert one.shape == other.shape
        assert one.tobytes() == other.tobytes()


def changed(**entry):
    """A message of one array whose head says something else of it."""
    said = {"dtype": "uint8", "shape": [4], "bytes": 4, "packed": False, **entry}
    head = json.dumps({"format": 1, "arrays": [said]}).encode()
    return len(head).to_bytes(4, "big") + head + b"\0\1\2\3"


def test_a_message_of_one_array_is_taken():
    assert wire.unpacked(changed(), 10)[1][0].tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "cut short"), (b"\0\0", "cut short"), (b"\xff\xff\xff\xff{}", "cut short"),
        (b"\0\0\0\2{]", "no JSON"), (b"\0\0\0\2[]", "lists no arrays"), (b"\0\0\0\2{}", "lists no arrays"),
        (changed(dtype="object"), "no type that is sent"), (changed(dtype="float16"), "no type that is sent"),
        (changed(packed=1), "no type that is sent"), (changed(shape=[-4]), "no shape"),
        (changed(shape="4"), "no shape"),
        (changed(shape=[True]), "no shape"), (changed(shape=[1, 1, 1, 1, 4]), "no shape"),
        (changed(bytes=5), "cut short"), (changed(bytes=3), "has 3 bytes"), (changed(shape=[5]), "asks for 5"),
        (changed(shape=[2**20, 2**20]), "more than 10 bytes"), (changed(packed=True), "damaged"),
        (changed(dtype="bool"), "neither 0 nor 1"), (changed() + b"x", "follows its end"),
        (wire.packed({}, [np.zeros(11, dtype=np.uint8)], small=True), "more than 10 bytes"),
    ],
)  # fmt: skip
def test_what_is_no_message_is_refused(data, said):
    with pytest.raises(wire.BrokenError, match=said):
        wire.unpacked(data, 10)


def test_what_unpacks_to_more_than_it_says_takes_no_memory():
    bomb = wire.packed({}, [np.zeros(1_000_000, dtype=np.uint8)], small=True)
    n = int.from_bytes(bomb[:4], "big")
    head = json.loads(bomb[4 : 4 + n])
    head["arrays"][0]["shape"] = [9]
    written = json.dumps(head).encode()
    with pytest.raises(wire.BrokenError, match="has 10 bytes"):
        wire.unpacked(len(written).to_bytes(4, "big") + written + bomb[4 + n :], 10)


def test_objects_are_not_sent():
    with pytest.raises(wire.BrokenError, match="not sent"):
        wire.packed({}, [np.array([{}], dtype=object)])


@given(st.binary(max_size=300))
def test_no_bytes_end_in_anything_but_a_sentence(data):
    for tried in (data, changed()[:-4] + data, len(data).to_bytes(4, "big") + data):
        with contextlib.suppress(wire.BrokenError):
            wire.unpacked(tried, 100)
