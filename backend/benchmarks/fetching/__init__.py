"""Benchmarks' files from their own public sources, where their licence allows it: the table, and how it is fetched.

`sources.json` is the table: per benchmark its source, licence and files with address, size and checksum, or why nothing
is fetched and how to get it. A size or checksum that nobody has stated is null there, and said so, never guessed.
"""
