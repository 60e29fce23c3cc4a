"""Manicule: the indexes that real systems keep, and one question over all of them: where is it?

>>> import manicule
>>> for hit in manicule.find("fn main", "src"):
...     print(hit.path, hit.line_number)
src/main.rs 1

Each system has a handle with its tables as methods: :func:`series`, :func:`rows`, :func:`graph`,
:func:`blobs`, :func:`code`. A table is a stream of Arrow: pyarrow, polars, DuckDB and pandas take
it as it is, and it can be walked without them.
"""

from __future__ import annotations

import os as _os

from . import _native, graph
from ._errors import (
    AskedError,
    BusyError,
    DamagedError,
    DeniedError,
    DocumentSyntaxError,
    Error,
    FailedError,
    MissingError,
    QuerySyntaxError,
    StoppedError,
    TooMuchError,
    UnsupportedError,
)
from ._find import Hit, find
from ._command import command
from ._handles import files
from ._reports import inspect, verify
from ._systems import Blobs, Code, Rows, Series
from ._table import Column, Partition, Schema, Table, open_partition
from .graph import Graph

__version__: str = _native.version

series = Series
rows = Rows
blobs = Blobs
code = Code


def limit(*, memory: int | None = None, cache: int | None = None, threads: int | None = None) -> None:
    """Bounds what all calls together take from here on: bytes of memory, bytes of pages that are
    kept between calls, number of threads. A call that finds no room raises :class:`BusyError`, one
    that never would :class:`TooMuchError`."""
    _native.limit(memory, cache, threads)


def tables() -> list[str]:
    """Names of all tables."""
    return [table["name"] for table in _native.catalog()]


if hasattr(_os, "register_at_fork"):
    _os.register_at_fork(after_in_child=_native.after_fork)

__all__ = [
    "AskedError",
    "Blobs",
    "BusyError",
    "Code",
    "Column",
    "DamagedError",
    "DeniedError",
    "DocumentSyntaxError",
    "Error",
    "FailedError",
    "Graph",
    "Hit",
    "MissingError",
    "Partition",
    "QuerySyntaxError",
    "Rows",
    "Schema",
    "Series",
    "StoppedError",
    "Table",
    "TooMuchError",
    "UnsupportedError",
    "blobs",
    "code",
    "command",
    "files",
    "find",
    "graph",
    "inspect",
    "limit",
    "open_partition",
    "rows",
    "series",
    "tables",
    "verify",
]
