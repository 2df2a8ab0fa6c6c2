"""Moments as files say them: ISO 8601 with a time zone, brought to UTC, where there is such a moment in UTC."""

from datetime import UTC, datetime


def utc(stamp: str) -> datetime | None:
    """The moment in UTC; None for what is none. Without a time zone it is taken for UTC.

    The first and the last hours that can be written have no moment in UTC, where their time zone lies beyond it:

    >>> utc("2026-01-02T10:00:00+02:00").isoformat(), utc("yesterday"), utc("0001-01-01T00:00:00+14:00")
    ('2026-01-02T08:00:00+00:00', None, None)
    """
    try:
        moment = datetime.fromisoformat(stamp)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None
