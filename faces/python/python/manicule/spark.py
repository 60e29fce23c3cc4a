"""Tables in Spark 4: a data source of Python's, whose partitions are those of the table.

>>> import manicule.spark
>>> frame = manicule.spark.read(spark, "rows.rows", "ks/orders-0123", where="_token > 0")
>>> frame.groupBy("country").count().show()

A partition is a text of less than a kilobyte, which an executor opens where it runs: it needs the
same files at the same paths, or addresses. What has to be merged (SSTables of a token range, blocks
that overlap) is in one partition. Passwords don't travel: executors take them from where restic
does.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from ._errors import AskedError
from ._native import catalog
from ._table import Partition, Table

#: Options that are no arguments of tables.
_OPTIONS = ("table", "path", "paths", "columns", "where", "limit", "partitions")
#: Number of partitions, unless an option says another one: a few for each core of a small cluster.
_PARTITIONS = 64


class ManiculeSource(DataSource):
    """The format ``manicule``. Options: ``table``; ``path``, or ``paths`` as a list of JSON; the
    table's arguments by their names, texts as lists of JSON where they are several; ``columns`` as a
    list of JSON; ``where``; ``limit``; ``partitions``, the number wanted.

    Filters of a query are not pushed: Spark 4.3 keeps what a source has taken, and a frame that is
    filtered and then read as a whole would lack rows. ``where`` is, and what a query selects of its
    columns; :func:`read` makes a fresh frame.
    """

    @classmethod
    def name(cls) -> str:
        return "manicule"

    def schema(self) -> StructType:
        return from_arrow_schema(pyarrow.schema(_table(self.options).schema))

    def reader(self, schema: StructType) -> DataSourceReader:
        return _Reader(dict(self.options), schema.fieldNames())


class _Part(InputPartition):
    def __init__(self, part: Table | Partition):
        super().__init__(None)
        self.part = part


class _Reader(DataSourceReader):
    def __init__(self, options: dict[str, str], names: list[str]):
        self._options = options
        self._names = names

    def partitions(self) -> list[InputPartition]:
        wanted = int(self._options.get("partitions", _PARTITIONS))
        return [_Part(part) for part in _table(self._options)._parts(wanted)]

    def read(self, partition: _Part) -> Iterator[pyarrow.RecordBatch]:
        with partition.part._own_errors() as stream:
            yield from pyarrow.RecordBatchReader.from_stream(stream)


def _table(options: Any) -> Table:
    """The table of a reader's options, in types that Spark knows. Their names are in lower case."""
    name = options.get("table")
    if name is None:
        raise AskedError("the option table is missing: one of " + ", ".join(table["name"] for table in catalog()))
    declared = next((table for table in catalog() if table["name"] == name), None)
    if declared is None:
        raise AskedError(f"there is no table {name!r}")
    paths = json.loads(options["paths"]) if "paths" in options else [options["path"]] if "path" in options else []
    arguments: dict[str, Any] = {}
    for key, value in options.items():
        if key in _OPTIONS:
            continue
        takes = next((own["takes"] for own in declared["arguments"] if own["name"] == key), None)
        arguments[key] = json.loads(value) if takes == "texts" and value.startswith("[") else value
    columns = json.loads(options["columns"]) if "columns" in options else None
    limit = int(options["limit"]) if "limit" in options else None
    return Table(name, paths, arguments, columns=columns, where=options.get("where"), limit=limit).plain()


def read(
    spark: SparkSession,
    table: str,
    *paths: str | os.PathLike[str],
    columns: Iterable[str] | None = None,
    where: str | None = None,
    limit: int | None = None,
    partitions: int | None = None,
    **arguments: Any,
) -> DataFrame:
    """A frame of a table of the catalogue, with conditions of its own: each call makes another one.

    ``partitions`` is the number of tasks that is wanted; ``arguments`` are the table's.
    """
    spark.dataSource.register(ManiculeSource)
    reader = spark.read.format("manicule").option("table", table)
    reader = reader.option("paths", json.dumps([os.fspath(path) for path in paths]))
    if columns is not None:
        reader = reader.option("columns", json.dumps(list(columns)))
    for name, value in (("where", where), ("limit", limit), ("partitions", partitions)):
        if value is not None:
            reader = reader.option(name, value)
    for name, said in Table(table, paths, arguments).arguments().items():
        reader = reader.option(name, json.dumps(said) if isinstance(said, list) else said)
    return reader.load()
