"""What several pages read. Begin with `stored.py`: the store, and its answers cached for one generation of the data."""
