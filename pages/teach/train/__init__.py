"""A training from the page: what will be taught, with which data and recipe, and how it goes. Begin with `view.py`."""
