"""Items of a benchmark as such, whoever has judged them or nobody: which there are under a subset and a word."""

from backend.store.build.store import Store


def item_ids(store: Store, benchmark: str, subset: str = "", text: str = "") -> list[str]:
    """The ids of a benchmark's items (its hash), in its order. subset: "" for any; text: a part of one of the captions,
    in capital letters or not."""
    rows = store.cursor().execute(
        """SELECT item_id FROM items WHERE benchmark = $benchmark AND ($subset = '' OR subset = $subset)
        AND ($text = '' OR contains(lower(array_to_string(texts, chr(10))), lower($text))) ORDER BY item_no""",
        {"benchmark": benchmark, "subset": subset, "text": text.strip()},
    )
    return [str(row[0]) for row in rows.fetchall()]
