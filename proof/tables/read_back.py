"""Reads tables back by pyarrow, polars and DuckDB: python read_back.py MANICULE TABLE PATH [ARGUMENT...]

Writes the table as Arrow, Parquet, CSV and JSON lines. Each library has to read the same rows of each format that it reads: those that
pyarrow reads of Parquet. CSV and JSON lines have no types, so there values are compared as the text that they have in JSON.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import polars
import pyarrow
import pyarrow.ipc
import pyarrow.parquet


def plain(value):
    """A value as JSON lines have it."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    if isinstance(value, float):
        if value != value:
            return "NaN"
        return value if abs(value) != float("inf") else ("-" if value < 0 else "") + "Infinity"
    if hasattr(value, "isoformat"):
        text = value.isoformat().replace("+00:00", "")
        whole, _, rest = text.partition(".")
        rest = rest.rstrip("0")
        return whole + ("." + rest if rest else "") + "Z"
    return value


def rows(table):
    """The rows of a table of pyarrow: maps are dictionaries."""
    columns = []
    for field, column in zip(table.schema, table.columns):
        values = column.to_pylist()
        if pyarrow.types.is_map(field.type):
            values = [None if value is None else dict(value) for value in values]
        columns.append([plain(value) for value in values])
    return [dict(zip(table.schema.names, row)) for row in zip(*columns)]


def without_maps(found):
    """Libraries without maps have lists of keys and values."""
    def change(value):
        if isinstance(value, list) and value and all(isinstance(it, dict) and set(it) == {"key", "value"} for it in value):
            return {it["key"]: it["value"] for it in value}
        return value

    return [{name: change(value) for name, value in row.items()} for row in found]


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
            "parquet by polars": without_maps(rows(polars.read_parquet(files["parquet"]).to_arrow())),
            "arrow by polars": without_maps(rows(polars.read_ipc(files["arrow"]).to_arrow())),
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
    return json.dumps({name: value if value not in ([], {}) else None for name, value in row.items()}, sort_keys=True)


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
