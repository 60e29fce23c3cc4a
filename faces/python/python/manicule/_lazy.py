"""Tables as lazy frames of polars: what a query says is pushed into the reading."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import polars
from polars.io.plugins import register_io_source

from ._errors import AskedError

if TYPE_CHECKING:
    from . import _native
    from ._table import Table

#: Comparisons of polars as conditions have them, and with their sides exchanged.
_COMPARED = {"Eq": ("=", "="), "NotEq": ("<>", "<>"), "Lt": ("<", ">"), "LtEq": ("<=", ">="), "Gt": (">", "<"), "GtEq": (">=", "<=")}


def scan(table: Table) -> polars.LazyFrame:
    """A lazy frame, read when it is collected, each time again."""
    # What the types become is asked of polars itself, by no rows.
    empty = polars.DataFrame(table.head(0))

    def source(
        columns: list[str] | None, predicate: polars.Expr | None, rows: int | None, _batch: int | None
    ) -> Iterator[polars.DataFrame]:
        asked = table if columns is None else table.select(*columns)
        pushed, is_whole = conditions(predicate) if predicate is not None else ([], True)
        stream = _opened(asked, pushed, rows if is_whole else None)
        while rows is None or rows > 0:
            batch = stream.next_batch()
            if batch is None:
                return
            frame = polars.DataFrame(batch)
            if predicate is not None:
                frame = frame.filter(predicate)
            if rows is not None:
                frame = frame.head(rows)
                rows -= frame.height
            yield frame

    return register_io_source(source, schema=empty.schema)


def _opened(table: Table, pushed: list[str], rows: int | None) -> _native.Stream:
    if not pushed:
        return (table if rows is None else table.head(rows))._stream()
    try:
        return _opened(table.where(" AND ".join(pushed)), [], rows)
    except AskedError:
        # Polars compares what conditions don't, such as a number with 2.5: it is filtered afterwards.
        return table._stream()


def conditions(predicate: polars.Expr) -> tuple[list[str], bool]:
    """The parts of a predicate that conditions can say, and whether they are all of it. What can't be
    said is filtered afterwards."""
    try:
        tree = json.loads(predicate.meta.serialize(format="json"))
    except Exception:  # Whatever a version of polars can't write is filtered afterwards.
        return [], False
    said: list[str] = []
    is_whole = _conjuncts(tree, said)
    return said, is_whole


def _conjuncts(tree: Any, said: list[str]) -> bool:
    """Adds what can be said of a tree's parts that all have to hold; whether that is all of it."""
    binary = tree.get("BinaryExpr") if isinstance(tree, dict) else None
    if binary and binary.get("op") in ("And", "LogicalAnd"):
        left = _conjuncts(binary["left"], said)
        return _conjuncts(binary["right"], said) and left
    condition = _condition(tree)
    if condition is not None:
        said.append(condition)
    return condition is not None


def _condition(tree: Any) -> str | None:
    if not isinstance(tree, dict):
        return None
    binary = tree.get("BinaryExpr")
    if binary and binary.get("op") in _COMPARED:
        forth, back = _COMPARED[binary["op"]]
        for name, value, word in ((binary["left"], binary["right"], forth), (binary["right"], binary["left"], back)):
            column, text = _column(name), _literal(value)
            if column is not None and text is not None:
                return f"{column} {word} {text}"
    function = tree.get("Function")
    if function:
        return _function(function)
    return None


def _function(function: dict[str, Any]) -> str | None:
    what, inputs = function.get("function"), function.get("input", [])
    column = _column(inputs[0]) if inputs else None
    if column is None or not isinstance(what, dict):
        return None
    boolean = what.get("Boolean")
    if boolean == "IsNull":
        return f"{column} IS NULL"
    if boolean == "IsNotNull":
        return f"{column} IS NOT NULL"
    if isinstance(boolean, dict) and boolean.get("IsIn") == {"nulls_equal": False}:
        values = _list(inputs[1])
        return f"{column} IN ({', '.join(values)})" if values else None
    if what.get("StringExpr") == "StartsWith":
        prefix = _literal(inputs[1])
        return f"{column} LIKE {prefix[:-1]}%'" if prefix and not set(prefix) & set("%_") else None
    return None


def _list(tree: Any) -> list[str] | None:
    """The values of a list, which polars writes as a stream of Arrow."""
    try:
        held = polars.read_ipc_stream(bytes(tree["Literal"]["Scalar"]["List"])).to_series()
    except Exception:  # As above.
        return None
    kinds = {str: "String", bool: "Boolean", int: "Int", float: "Float"}
    texts = [_literal({"Literal": {kinds.get(type(value), "other"): value}}) for value in held]
    said = [text for text in texts if text is not None]
    return said if len(said) == len(texts) else None


def _column(tree: Any) -> str | None:
    name = tree.get("Column") if isinstance(tree, dict) else None
    return None if not isinstance(name, str) else '"' + name.replace('"', '""') + '"'


def _literal(tree: Any) -> str | None:
    """A literal as a condition has it; those whose form isn't known can't be said."""
    literal = tree.get("Literal") if isinstance(tree, dict) else None
    while isinstance(literal, dict) and len(literal) == 1:
        [(kind, value)] = literal.items()
        if kind in ("Scalar", "Dyn"):
            literal = value
        elif kind in ("Str", "String", "StringOwned") and isinstance(value, str):
            return "'" + value.replace("'", "''") + "'"
        elif kind == "Boolean" and isinstance(value, bool):
            return "true" if value else "false"
        elif kind in ("Int", "Int8", "Int16", "Int32", "Int64", "UInt8", "UInt16", "UInt32", "UInt64") and isinstance(value, int):
            return str(value) if -(2**63) <= value < 2**63 else None
        elif kind in ("Float", "Float64") and isinstance(value, float):
            return repr(value) if value == value and abs(value) != float("inf") else None
        elif kind in ("DateTime", "Datetime", "DatetimeOwned"):
            return _time(value)
        else:
            return None
    return None


def _time(value: Any) -> str | None:
    if not isinstance(value, list) or len(value) < 2:
        return None
    number, unit = value[0], value[1]
    per_second = {"Milliseconds": 10**3, "Microseconds": 10**6, "Nanoseconds": 10**9}.get(unit)
    if per_second is None or not isinstance(number, int) or (number * 1000) % per_second:
        # Conditions have times in milliseconds.
        return None
    millis = number * 1000 // per_second
    try:
        at = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc) + datetime.timedelta(milliseconds=millis)
    except OverflowError:
        return None
    return "'" + at.isoformat(timespec="milliseconds").replace("+00:00", "Z") + "'"
