"""Numbers of columns as the standard library's dates and times."""

import datetime as _datetime

_ZONED = _datetime.datetime(1970, 1, 1, tzinfo=_datetime.timezone.utc)
_LOCAL = _datetime.datetime(1970, 1, 1)
_DAY = _datetime.date(1970, 1, 1)


def instant(number, is_millis, is_zoned):
    """A time of so many milli- or microseconds since 1970."""
    try:
        span = _datetime.timedelta(milliseconds=number) if is_millis else _datetime.timedelta(microseconds=number)
        return (_ZONED if is_zoned else _LOCAL) + span
    except OverflowError:
        unit = "milliseconds" if is_millis else "microseconds"
        raise OverflowError(f"{number} {unit} since 1970: datetime ends with the year 9999; as_text has it as a text") from None


def date(days):
    """A date of so many days since 1970."""
    try:
        return _DAY + _datetime.timedelta(days=days)
    except OverflowError:
        raise OverflowError(f"{days} days since 1970: date ends with the year 9999; as_text has it as a text") from None


def time(nanos):
    """A time of day; nanoseconds are cut to microseconds."""
    return (_datetime.datetime.min + _datetime.timedelta(microseconds=nanos // 1000)).time()
