"""One record that is no item: what a reader raises, and what turns it into a skipped record."""


class Malformed(ValueError):  # noqa: N818 - what is wrong with a record, not with the program
    """Why a record of a benchmark's file is no item: a phrase without the file's name, which whoever reads knows."""
