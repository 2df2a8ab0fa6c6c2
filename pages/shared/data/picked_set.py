"""What is said of picked items that an address names and that are not to be had here."""


def gone(key: str, kept: bool, benchmark: str) -> str:
    """A sentence. key: the name in the address; kept: whether such a set is kept, of another benchmark then; benchmark:
    the name of the one that is shown.

    >>> gone("abc", False, "world")
    'The picked items “abc” are not kept here: they were picked in another cache. So nothing is picked.'
    >>> gone("abc", True, "world")
    'The picked items “abc” are of another benchmark than world. So nothing is picked.'
    """
    why = f"of another benchmark than {benchmark}" if kept else "not kept here: they were picked in another cache"
    return f"The picked items “{key[:60]}” are {why}. So nothing is picked."
