"""The command line's verbs, one file each with a `command` function; `backend.cli.VERBS` is the table."""
