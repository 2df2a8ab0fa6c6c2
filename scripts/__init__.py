"""What `make` calls that is not part of the program: setup, checks, screenshots, timings."""
