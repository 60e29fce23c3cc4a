"""Tables as datasets of pyarrow: what a query of DuckDB says is pushed into the reading."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.dataset

from ._errors import AskedError

if TYPE_CHECKING:
    from ._table import Table

#: The parts of an expression of pyarrow's as it is printed: texts in quotes, names, numbers, signs.
_TOKEN = re.compile(r'\s*(?:("(?:[^"\\]|\\.)*")|([A-Za-z_][A-Za-z_0-9]*)|(-?\d[\w.:+-]*(?: \d[\d:.]*Z?)?)|(==|!=|<=|>=|\.\.\.|\S))')
_COMPARED = {"==": "=", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}


class TableDataset(pyarrow.dataset.Dataset):
    """A table that is asked as a dataset: by its columns and a filter. What conditions of the table
    can't say of a filter is filtered afterwards."""

    def __init__(self, table: Table):
        self._table = table
        self._schema = pyarrow.schema(table.schema)

    @property
    def schema(self) -> pyarrow.Schema:
        return self._schema

    def scanner(self, columns: Any = None, filter: Any = None, **options: Any) -> pyarrow.dataset.Scanner:
        names = list(columns) if columns is not None else None
        pushed = _conditions(filter) if filter is not None else []
        # Columns that are filtered afterwards have to be there.
        needed = names
        if names is not None and filter is not None:
            said = set(_names(str(filter)))
            needed = names + [name for name in self._schema.names if name in said and name not in names]
        asked = self._table if needed is None else self._table.select(*needed)
        stream = _opened(asked, pushed)
        reader = pyarrow.RecordBatchReader.from_stream(stream)
        known = {"batch_size", "use_threads", "memory_pool"}
        return pyarrow.dataset.Scanner.from_batches(
            reader,
            columns=names,
            filter=filter,
            **{name: value for name, value in options.items() if name in known},
        )

    def to_batches(self, **options: Any) -> Iterator[pyarrow.RecordBatch]:
        return self.scanner(**options).to_batches()

    def to_table(self, **options: Any) -> pyarrow.Table:
        return self.scanner(**options).to_table()

    def head(self, num_rows: int, **options: Any) -> pyarrow.Table:
        return TableDataset(self._table.head(num_rows)).scanner(**options).to_table()

    def count_rows(self, **options: Any) -> int:
        return self.scanner(columns=[], **options).count_rows()

    def get_fragments(self, filter: Any = None) -> Iterator[Any]:
        raise NotImplementedError("a table has partitions, not fragments: Table.partitions")

    def __reduce__(self) -> Any:
        return TableDataset, (self._table,)


def dataset(table: Table) -> TableDataset:
    """A table as a dataset."""
    return TableDataset(table)


def _opened(table: Table, pushed: list[str]) -> Any:
    if not pushed:
        return table._stream()
    try:
        return table.where(" AND ".join(pushed))._stream()
    except AskedError:
        return table._stream()


def _names(text: str) -> list[str]:
    return [match[2] for match in _TOKEN.finditer(text) if match[2]]


def _conditions(expression: Any) -> list[str]:
    """The parts of an expression, all of which have to hold, that conditions can say."""
    text = str(expression)
    tokens, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            return []
        tokens.append(match.groups())
        at = match.end()
    said: list[str] = []
    _conjuncts(tokens, said)
    return said


def _conjuncts(tokens: list[Any], said: list[str]) -> None:
    """`((a == "x") and (b > 3))`: both, or one comparison."""
    while len(tokens) > 2 and tokens[0][3] == "(" and _closes(tokens) == len(tokens) - 1:
        tokens = tokens[1:-1]
    depth = 0
    for at, token in enumerate(tokens):
        depth += {"(": 1, ")": -1}.get(token[3], 0)
        if depth == 0 and token[1] == "or":
            return
    for at, token in enumerate(tokens):
        depth += {"(": 1, ")": -1}.get(token[3], 0)
        if depth == 0 and token[1] == "and":
            _conjuncts(tokens[:at], said)
            _conjuncts(tokens[at + 1 :], said)
            return
    if [token[1] for token in tokens[:1]] == ["is_in"]:
        said += _is_in(tokens)
    elif len(tokens) == 3 and tokens[0][1] and tokens[1][3] in _COMPARED:
        value = _value(tokens[2])
        if value is not None:
            said.append(f'"{tokens[0][1]}" {_COMPARED[tokens[1][3]]} {value}')


def _is_in(tokens: list[Any]) -> list[str]:
    """`is_in(a, {value_set=string:["x", "y"], null_matching_behavior=MATCH})`; longer lists are printed
    with dots."""
    signs = [token[3] for token in tokens]
    if signs[1:2] != ["("] or not tokens[2][1] or signs[3] != "," or signs.count("[") != 1 or "..." in signs:
        return []
    inner = tokens[signs.index("[") + 1 : signs.index("]")]
    values = [_value(token) for token in inner if token[3] != ","]
    return [] if not values or None in values else [f'"{tokens[2][1]}" IN ({", ".join(map(str, values))})']


def _closes(tokens: list[Any]) -> int:
    depth = 0
    for at, token in enumerate(tokens):
        depth += {"(": 1, ")": -1}.get(token[3], 0)
        if depth == 0:
            return at
    return -1


def _value(token: Any) -> str | None:
    text, word, number, _ = token
    if text is not None:
        inner = text[1:-1]
        return None if "\\" in inner else "'" + inner.replace("'", "''") + "'"
    if word in ("true", "false"):
        return word
    if number is None:
        return None
    if re.fullmatch(r"-?\d+(\.\d+)?([eE][+-]?\d+)?", number):
        return number
    if re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,3}0*)?Z?", number):
        day, time = number.rstrip("Z").split(" ")
        return f"'{day}T{time}Z'"
    return None
