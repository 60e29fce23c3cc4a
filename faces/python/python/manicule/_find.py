"""The search through everything."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ._table import Table, _rows


class Hit(NamedTuple):
    """Something that was found, and where."""

    #: What was searched: ``text``, ``code``, ``series``, ``rows``, ``graph``, ``blobs``.
    kind: str
    #: What matches: ``line``, ``document``, ``label``, ``cell``, ``path``, ``term``.
    item: str
    #: The file or index, or a document in its shard.
    path: str
    path_bytes: bytes | None
    #: Where in an index: the label's name; key, clustering and column; the last snapshot.
    place: str | None
    #: Number of the line, from 1.
    line_number: int | None
    #: Where the line begins.
    byte_offset: int | None
    #: What matches, as the program prints it.
    text: str
    text_bytes: bytes | None
    #: Where the text matches: start and length in bytes.
    matches: list[dict[str, int]]

    def __str__(self) -> str:
        where = self.path if self.line_number is None else f"{self.path}:{self.line_number}"
        return f"{where}: {self.text}" if self.place is None else f"{where}: {self.place}: {self.text}"


def find(
    text: str | Iterable[str],
    *paths: str | os.PathLike[str],
    where: str | None = None,
    limit: int | None = None,
    **arguments: Any,
) -> Iterator[Hit]:
    """Looks for a regular expression in everything at the paths, by default the current folder:
    source trees, shards, blocks, SSTables, graph stores, and restic repositories whose password is
    given. Hits come while the search goes on; who stops taking them ends it.

    ``arguments`` are those of the table ``find``: ``fixed``, ``ignore_case``, ``word``, ``hidden``,
    ``no_ignore``, ``types``, ``globs``, ``password_file``. ``where`` has conditions on the fields of a
    :class:`Hit`.

    >>> import manicule
    >>> for hit in manicule.find("fn main", "src"):
    ...     print(hit.path, hit.line_number)
    src/main.rs 1
    """
    table = Table("find", paths or (".",), {"text": text, **arguments}, where=where, limit=limit)
    return map(Hit._make, _rows(table._stream()))
