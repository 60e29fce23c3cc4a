"""Reads tables back by pyarrow, polars and DuckDB: python read_back.py MANICULE TABLE PATH [ARGUMENT...]

Writes the table as Arrow, Parquet, CSV and JSON lines. Each library has to read the same rows of each format that it reads: those that
pyarrow reads of Parquet. CSV and JSON lines have no types, so there values are compared as the text that they have in JSON.
"""

import datetime
import decimal
import json
import struct
import subprocess
import sys
import tempfile
import uuid
from pathlib import Path

import duckdb
import polars
import pyarrow
import pyarrow.ipc
import pyarrow.parquet


def plain(kind, value):
    """A value of a type of pyarrow as JSON lines have it."""
    types = pyarrow.types
    if value is None:
        return None
    if types.is_dictionary(kind):
        return plain(kind.value_type, value)
    if types.is_map(kind):
        return {as_key(plain(kind.key_type, key)): plain(kind.item_type, part) for key, part in value}
    if types.is_struct(kind):
        return {field.name: plain(field.type, value[field.name]) for field in kind}
    if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
        return [plain(kind.value_type, part) for part in value]
    if types.is_time64(kind):
        return time_of_day(value)
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    if isinstance(value, (uuid.UUID, decimal.Decimal)):
        return format(value, "f") if isinstance(value, decimal.Decimal) else str(value)
    if isinstance(value, float):
        return number(value, types.is_float32(kind))
    if isinstance(value, datetime.datetime):
        text = value.isoformat().replace("+00:00", "")
        whole, _, rest = text.partition(".")
        rest = rest.rstrip("0")
        return whole + ("." + rest if rest else "") + ("Z" if value.tzinfo else "")
    return value.isoformat() if isinstance(value, datetime.date) else value


def number(value, is_single):
    """The shortest digits that read back in its width; what JSON has no numbers for as text."""
    if value != value:
        return "NaN"
    if abs(value) == float("inf"):
        return ("-" if value < 0 else "") + "Infinity"
    if not is_single:
        return value
    short = (float(f"{value:.{digits}g}") for digits in range(1, 10))
    return next(it for it in short if struct.pack("f", it) == struct.pack("f", value))


def time_of_day(nanos):
    seconds, rest = divmod(nanos, 1_000_000_000)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return (clock + f".{rest:09}").rstrip("0").rstrip(".")


def as_key(value):
    """JSON's keys are texts."""
    return value if isinstance(value, str) else json.dumps(value)


def rows(table):
    """The rows of a table of pyarrow: maps are dictionaries, times of a day numbers until they are texts."""
    columns = []
    for field, column in zip(table.schema, table.columns):
        values = column.cast(pyarrow.int64()) if pyarrow.types.is_time64(field.type) else column
        columns.append([plain(field.type, value) for value in values.to_pylist()])
    return [dict(zip(table.schema.names, row)) for row in zip(*columns)]


def of_polars(found, want):
    """Polars has lists of keys and values for maps, bytes for UUIDs."""
    def change(value, like):
        if isinstance(value, list) and isinstance(like, dict):
            return {as_key(it["key"]): change(it["value"], like.get(as_key(it["key"]))) for it in value}
        if isinstance(value, list) and isinstance(like, list):
            return [change(one, other) for one, other in zip(value, like)] if len(value) == len(like) else value
        if isinstance(value, dict) and isinstance(like, dict):
            return {name: change(part, like.get(name)) for name, part in value.items()}
        if isinstance(value, str) and isinstance(like, str) and len(like) == 36 and like.replace("-", "") == value:
            return like
        return value

    return [change(row, like) for row, like in zip(found, want)] if len(found) == len(want) else found


def main():
    program, table, path, *arguments = sys.argv[1:]
    words = [program, "table", table, path] + [word for argument in arguments for word in ("-a", argument)]
    with tempfile.TemporaryDirectory() as folder:
        files = {ending: Path(folder, "rows." + ending) for ending in ("parquet", "arrow", "csv", "jsonl")}
        for file in files.values():
            subprocess.run(words + ["-o", file], check=True)
        stream = subprocess.run(words + ["--format", "arrow"], check=True, stdout=subprocess.PIPE).stdout

        want = rows(pyarrow.parquet.read_table(files["parquet"]))
        found = {
            "arrow by pyarrow": rows(pyarrow.ipc.open_file(files["arrow"]).read_all()),
            "a stream by pyarrow": rows(pyarrow.ipc.open_stream(stream).read_all()),
            "parquet by polars": of_polars(rows(polars.read_parquet(files["parquet"]).to_arrow()), want),
            "arrow by polars": of_polars(rows(polars.read_ipc(files["arrow"]).to_arrow()), want),
            "parquet by DuckDB": rows(duckdb.sql(f"SET TimeZone = 'UTC'; FROM '{files['parquet']}'").to_arrow_table()),
            "jsonl": [json.loads(line) for line in files["jsonl"].read_text().split("\n")[:-1]],
        }
        text = duckdb.sql(f"FROM read_csv('{files['csv']}', all_varchar = true, header = true, nullstr = '', allow_quoted_nulls = false)")
        in_text = [{name: as_text(value) for name, value in row.items()} for row in want]
        csv = [dict(zip(text.columns, row)) for row in text.fetchall()]
        for name, got in {**found, "csv by DuckDB": csv}.items():
            judge = in_text if name.startswith("csv") else want
            if [normal(row) for row in got] != [normal(row) for row in judge]:
                at = next((at for at, (one, other) in enumerate(zip(got, judge)) if normal(one) != normal(other)), None)
                sys.exit(f"{table}: {name} has {len(got)} rows of {len(judge)}; row {at}: "
                         f"{None if at is None else (got[at], judge[at])}")
        print(f"{table}: {len(want)} rows, the same in {len(found) + 1} readings")


def normal(row):
    """Null maps are empty ones to polars."""
    def change(value):
        if isinstance(value, dict):
            value = {name: change(part) for name, part in value.items()}
        if isinstance(value, list):
            value = [change(part) for part in value]
        return value if value not in ([], {}) else None

    return json.dumps({name: change(value) for name, value in row.items()}, sort_keys=True)


def as_text(value):
    """A value as CSV has it."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (dict, list)):
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return repr(value) if isinstance(value, float) else str(value)


main()
