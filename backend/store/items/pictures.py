"""The pictures of a benchmark, as its items name them."""

from backend.store.build.store import Store


def pictures(store: Store, benchmark: str, n: int, seed: int = 0) -> list[tuple[str, str]]:
    """(key, URI) of n different images of a benchmark (hash), chosen by seed, the same n for the same seed."""
    rows = (
        store.cursor()
        .execute(
            "SELECT key, any_value(uri ORDER BY uri) FROM (SELECT unnest(image_keys) AS key, unnest(image_uris) AS uri "
            "FROM items WHERE benchmark = ?) GROUP BY key ORDER BY md5(key || ?), key LIMIT ?",
            [benchmark, str(seed), n],
        )
        .fetchall()
    )
    return [(str(key), str(uri)) for key, uri in rows]
