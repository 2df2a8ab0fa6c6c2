"""What a page offers by itself: results that have come since it was drawn (`new_results.py`), and public results of
real models that can be fetched (`real_results.py`)."""
