"""The database is built here: generations, schema, what lies in the roots, rows into tables, what is derived at
import.

Begin with `importer.py` (from shards to the next generation) and `reader.py` (the door for everybody who reads).
"""
