"""Rows of unit length, put in any order."""

import numpy as np
import torch

from backend.models.unit_rows import UnitRows


def test_rows_stand_where_they_belong_whatever_the_order_and_dtype():
    features = torch.randn(7, 5, generator=torch.Generator().manual_seed(0))
    rows = UnitRows(7)
    rows.put(np.array([6, 0, 3]), features[[6, 0, 3]])
    rows.put(np.array([1, 2]), features[[1, 2]].to(torch.float64))
    rows.put(np.array([5, 4]), features[[5, 4]])
    expected = features.numpy() / np.linalg.norm(features.numpy(), axis=1, keepdims=True)
    assert rows.array().dtype == np.float32
    assert np.abs(rows.array() - expected).max() < 1e-6


def test_no_rows():
    assert UnitRows(0).array().shape == (0, 0)


def test_rows_are_read_back_one_batch_behind_and_each_when_it_has_come(monkeypatch):
    """The order on a GPU, with one that keeps a record: a batch is waited for when the next has been given to it."""
    told = []

    class Event:
        def __init__(self):
            self.number = sum(1 for line in told if line[0] == "given")

        def record(self, stream):
            told.append(("given", self.number))

        def synchronize(self):
            told.append(("waited", self.number))

    class OnGpu(torch.Tensor):
        """Says that it lies on a GPU; its values lie here."""

        @property
        def device(self):
            return torch.device("cuda")

    monkeypatch.setattr(torch.cuda, "Event", Event)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda device: None)
    monkeypatch.setattr(OnGpu, "to", lambda self, where, non_blocking: self.as_subclass(torch.Tensor), raising=False)
    rows, features = UnitRows(4), torch.eye(4).as_subclass(OnGpu)
    rows.put(np.array([0, 1]), features[:2])
    rows.put(np.array([2, 3]), features[2:])
    assert told == [("given", 0), ("given", 1), ("waited", 0)]
    assert np.array_equal(rows.array(), np.eye(4, dtype=np.float32))
    assert told[-1] == ("waited", 1)
