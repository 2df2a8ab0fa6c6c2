"""Models of the user's own code: `py:package.module:Class`, `py:path/to/file.py:Class`, and objects passed in Python.

In here: who may run code (`permission`), finding and importing it (`target`, `code`, `neighbours`), making the model
(`making`), what it can be asked and asking it (`asked`, `adapter`, `arrays`), and what its scores are known by
(`identity`, `settings`, `modules`). No torch is imported. Begin with `making`.
"""
