"""Tables: what is asked of one, and what it becomes in other libraries."""

from __future__ import annotations

import contextlib
import datetime
import html
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _native

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow
    import pyarrow.dataset

#: Rows of a table that a notebook shows.
_SHOWN_ROWS = 20


class Column(NamedTuple):
    """A column of a table."""

    name: str
    #: Type of its values in words, as the pages of the tables have it.
    type: str
    nullable: bool
    #: Whether its values take reading that no other column needs.
    dear: bool
    #: What its values are.
    about: str


class Schema:
    """Columns of a table. Other libraries take it by ``__arrow_c_schema__``."""

    __slots__ = ("_native", "columns")

    def __init__(self, native: _native.Schema):
        self._native = native
        self.columns: tuple[Column, ...] = tuple(Column(*column) for column in native.columns())

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self.columns]

    def __arrow_c_schema__(self) -> object:
        return self._native.__arrow_c_schema__()

    def __iter__(self) -> Iterator[Column]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

    def __repr__(self) -> str:
        return "\n".join(f"{column.name}{'?' if column.nullable else ''}: {column.type}" for column in self.columns)


def _text(value: Any) -> str:
    """An argument as the catalogue takes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return (value if value.tzinfo else value.astimezone()).isoformat()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return str(value)


def _texts(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, own in value.items():
            yield name, f"{key}={_text(own)}"
    elif isinstance(value, Iterable) and not isinstance(value, (str, os.PathLike)):
        for own in value:
            yield name, _text(own)
    elif value is not None:
        yield name, _text(value)


class _Readable:
    """What can be read as a stream of Arrow any number of times."""

    __slots__ = ("_last",)

    _last: _native.Stream | None

    def _open(self) -> _native.Stream:
        raise NotImplementedError

    def _stream(self) -> _native.Stream:
        self._last = self._open()
        return self._last

    @property
    def receipt(self) -> dict[str, int] | None:
        """Counts of the work of the last reading that came to its end, by name."""
        return None if self._last is None else self._last.receipt

    @contextlib.contextmanager
    def _own_errors(self) -> Iterator[_native.Stream]:
        """Has errors of a reading raised as what they are: other libraries keep the text alone."""
        stream = self._stream()
        try:
            yield stream
        except Exception as error:
            try:
                stream.check()
            except Exception as own:
                raise own from error
            raise

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._stream().__arrow_c_stream__(requested_schema)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """The rows, each by the names of its columns. Needs no other library."""
        stream = self._stream()
        names = stream.names()
        for row in _rows(stream):
            yield dict(zip(names, row))

    def to_dicts(self) -> list[dict[str, Any]]:
        """All rows, each by the names of its columns."""
        return list(self)

    def to_arrow(self) -> pyarrow.Table:
        """All rows as a table of pyarrow."""
        import pyarrow

        with self._own_errors() as stream:
            return pyarrow.RecordBatchReader.from_stream(stream).read_all()

    def to_reader(self) -> pyarrow.RecordBatchReader:
        """The rows as a reader of pyarrow, which takes them batch by batch."""
        import pyarrow

        return pyarrow.RecordBatchReader.from_stream(self._stream())

    def to_polars(self) -> polars.DataFrame:
        """All rows as a frame of polars. Needs no pyarrow."""
        import polars

        with self._own_errors() as stream:
            return polars.DataFrame(stream)

    def to_pandas(self, **options: Any) -> pandas.DataFrame:
        """All rows as a frame of pandas, by way of pyarrow, whose ``to_pandas`` takes the options."""
        return self.to_arrow().to_pandas(**options)


def _rows(stream: _native.Stream) -> Iterator[tuple[Any, ...]]:
    while (rows := stream.next_rows()) is not None:
        yield from rows


class Table(_Readable):
    """A table of the catalogue: nothing is read before somebody takes its rows, and each reading
    reads again.

    What takes streams of Arrow takes it as it is: ``pyarrow.table(t)``, ``polars.DataFrame(t)``,
    ``duckdb.sql("SELECT * FROM t")``. Such a reading is of all its rows: :meth:`select`,
    :meth:`where` and :meth:`head` say what it reads less for, and :meth:`scan` and :meth:`dataset`
    have it said by the query.
    """

    __slots__ = ("name", "paths", "_named", "_columns", "_where", "_limit", "_plain")

    def __init__(
        self,
        name: str,
        paths: Iterable[str | os.PathLike[str]],
        arguments: Mapping[str, Any] | None = None,
        *,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        limit: int | None = None,
    ):
        #: Its name in the catalogue: the system, a dot, what a row is of.
        self.name = name
        #: What is read.
        self.paths = [os.fspath(path) for path in paths]
        self._named = [pair for key, value in (arguments or {}).items() for pair in _texts(key, value)]
        self._columns = None if columns is None else list(columns)
        self._where = where
        self._limit = limit
        self._plain = False
        self._last = None

    def _with(self, **changes: Any) -> Table:
        table = Table.__new__(Table)
        for name in Table.__slots__:
            setattr(table, name, changes.get(name, getattr(self, name)))
        table._last = None
        return table

    def select(self, *columns: str) -> Table:
        """The table of these columns alone; what the others need is not read."""
        return self._with(_columns=list(columns))

    def where(self, conditions: str) -> Table:
        """The rows that fulfil conditions too: ``=``, ``<>``, ``<``, ``<=``, ``>``, ``>=``, ``IN``,
        ``LIKE``, ``IS NULL`` of a column, with ``NOT`` and joined by ``AND``.

        >>> import manicule
        >>> manicule.series("data").samples().where("metric = 'up' AND value = 0").name
        'series.samples'
        """
        both = conditions if self._where is None else f"{self._where} AND {conditions}"
        return self._with(_where=both)

    def head(self, rows: int) -> Table:
        """The first rows: the reading ends after them."""
        return self._with(_limit=rows if self._limit is None else min(rows, self._limit))

    def plain(self) -> Table:
        """The table in types that each reader of Arrow knows: words and UUIDs as texts, all times in
        microseconds, lists of any length, and values of each column may lack."""
        return self._with(_plain=True)

    @property
    def limit(self) -> int | None:
        """Maximum number of rows."""
        return self._limit

    def arguments(self) -> dict[str, str | list[str]]:
        """The arguments by their names, as texts; of one that was given several times a list."""
        said: dict[str, str | list[str]] = {}
        for name, text in self._named:
            before = said.get(name)
            if before is None:
                said[name] = text
            elif isinstance(before, list):
                before.append(text)
            else:
                said[name] = [before, text]
        return said

    def _open(self) -> _native.Stream:
        return _native.open(self._question(), self._plain)

    def _question(self) -> _native.Question:
        return self.name, self.paths, self._named, self._columns, self._where, self._limit

    @property
    def schema(self) -> Schema:
        """Its columns. Where they come from the data, that is opened."""
        return Schema(_native.fields(self._question(), self._plain))

    def __arrow_c_schema__(self) -> object:
        return self.schema.__arrow_c_schema__()

    def partitions(self, wanted: int) -> list[Partition]:
        """About as many parts, for other processes and machines that have the same files: a part is
        a text of less than a kilobyte, and pickles as that."""
        texts = _native.partitions(self._question(), wanted)
        return [Partition(text, plain=self._plain) for text in texts]

    def _parts(self, wanted: int) -> list[Partition] | list[Table]:
        """What distributed engines read: partitions, or the table as one where a limit is of all rows,
        since several parts would give as many each."""
        return [self] if self._limit is not None else self.partitions(wanted)

    def scan(self) -> polars.LazyFrame:
        """A lazy frame of polars: its columns, conditions and limit are pushed into the reading."""
        from ._lazy import scan

        return scan(self)

    def dataset(self) -> pyarrow.dataset.Dataset:
        """A dataset of pyarrow, into which DuckDB pushes columns and conditions of a query:
        ``duckdb.from_arrow(t.dataset())``, or by the name of a variable that holds it."""
        from ._dataset import dataset

        return dataset(self)

    def __reduce__(self) -> Any:
        state = {name: getattr(self, name) for name in Table.__slots__}
        return _table_of, (state,)

    def __repr__(self) -> str:
        said = [repr(path) for path in self.paths]
        said += [f"{name}={text!r}" for name, text in self._named]
        if self._columns is not None:
            said.append(f"columns={self._columns!r}")
        if self._where is not None:
            said.append(f"where={self._where!r}")
        if self._limit is not None:
            said.append(f"limit={self._limit}")
        return f"<Table {self.name} ({', '.join(said)})>"

    def _repr_html_(self) -> str:
        rows = self.head(_SHOWN_ROWS + 1).to_dicts()
        return _as_html(self.schema.names, rows)


def _table_of(state: dict[str, Any]) -> Table:
    table = Table.__new__(Table)
    for name, value in state.items():
        setattr(table, name, value)
    table._last = None
    return table


def _as_html(names: list[str], rows: list[dict[str, Any]]) -> str:
    """The first rows as a table of HTML; whatever is in them is text."""

    def cell(value: Any) -> str:
        return "<i>null</i>" if value is None else html.escape(str(value))

    head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
    body = "".join(
        f"<tr>{''.join(f'<td>{cell(row[name])}</td>' for name in names)}</tr>" for row in rows[:_SHOWN_ROWS]
    )
    more = f"<p>the first {_SHOWN_ROWS} rows</p>" if len(rows) > _SHOWN_ROWS else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


class Partition(_Readable):
    """A part of a table. It can be read wherever the files are: it says which ones it stands on, and
    raises :class:`MissingError` once they have changed."""

    __slots__ = ("text", "_plain")

    def __init__(self, text: str, *, plain: bool = False):
        #: What describes it.
        self.text = text
        self._plain = plain
        self._last = None

    def _open(self) -> _native.Stream:
        return _native.open_partition(self.text, self._plain)

    def __reduce__(self) -> Any:
        return _partition_of, (self.text, self._plain)

    def __repr__(self) -> str:
        return f"<Partition {self.text}>"


def _partition_of(text: str, plain: bool) -> Partition:
    return Partition(text, plain=plain)


def open_partition(text: str) -> Partition:
    """The partition that a text describes."""
    return Partition(text)
