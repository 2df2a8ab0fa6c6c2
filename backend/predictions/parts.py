"""Rows of scores by their key, each cell once: what the statements of all files become."""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field

#: A row without its value: item_no, image_index, text_index, text_index_b, sample.
Key = tuple[int, int, int, int, int]


@dataclass
class Part:
    """The rows of one part by their key, with value and token count (-1: none)."""

    rows: dict[Key, int] = field(default_factory=dict)
    values: array = field(default_factory=lambda: array("f"))  # type: ignore[type-arg]
    n_tokens: array = field(default_factory=lambda: array("h"))  # type: ignore[type-arg]

    def add(self, key: Key, value: float, n_tokens: int = -1) -> bool:
        """Take a row; False where its cell has a value already, which stays."""
        if key in self.rows:
            return False
        self.rows[key] = len(self.values)
        self.values.append(value)
        self.n_tokens.append(n_tokens)
        return True

    def value(self, key: Key) -> float:
        """The value of a row that is there, in single precision."""
        return float(self.values[self.rows[key]])

    def __iter__(self) -> Iterator[tuple[Key, float, int]]:
        for key, at in self.rows.items():
            yield key, self.values[at], self.n_tokens[at]

    def __len__(self) -> int:
        return len(self.rows)
