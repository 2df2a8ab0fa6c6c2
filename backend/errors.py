"""The two kinds of error: the user's (one sentence, no traceback) and ours (a traceback in the log)."""


class FlipsideError(Exception):
    """Something the user can mend. The message names the file, line or item, what was expected and what to do next.

    `exit_code` is 1: the work failed, wholly or for some items.
    """

    exit_code = 1


class UsageError(FlipsideError):
    """Wrong use: an unknown spec, flag, kind or benchmark, a wrong folder. Exit code 2."""

    exit_code = 2
