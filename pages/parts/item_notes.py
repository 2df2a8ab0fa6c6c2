"""Tags and notes of an item."""


def draw(benchmark: str, item_id: str) -> None:
    del benchmark, item_id
