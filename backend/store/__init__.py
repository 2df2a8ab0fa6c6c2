"""What has been computed, in DuckDB: generations, the import of shards, and the queries behind the pages.

`reader.open_store()` is the door. Everything in here can be rebuilt from shards, except notes (`notes.py`).
"""
