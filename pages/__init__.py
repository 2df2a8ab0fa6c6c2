"""The dashboard: a folder a page, each with its `page.py`; `shared/` holds what several use. No SQL, no torch."""
