"""Tables in Daft: a source whose tasks are the partitions of a table, into which a query's columns
and limit are pushed.

>>> import manicule, manicule.daft
>>> frame = manicule.daft.read(manicule.rows("ks/orders-0123").rows())
>>> frame.select("country").limit(3).show()
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import daft
import pyarrow
from daft.io.source import DataSource, DataSourceTask
from daft.recordbatch import RecordBatch

from ._table import Partition, Table

#: Number of partitions: a few for each core of a machine.
_PARTITIONS = 32


class _Task(DataSourceTask):
    def __init__(self, part: Table | Partition, schema: daft.Schema):
        self._part = part
        self._schema = schema

    @property
    def schema(self) -> daft.Schema:
        return self._schema

    async def read(self) -> AsyncIterator[RecordBatch]:
        with self._part._own_errors() as stream:
            for batch in pyarrow.RecordBatchReader.from_stream(stream):
                yield RecordBatch.from_arrow_record_batches([batch], batch.schema)


class TableSource(DataSource):
    """A table as a source."""

    def __init__(self, table: Table):
        self._table = table.plain()

    @property
    def name(self) -> str:
        return self._table.name

    @property
    def schema(self) -> daft.Schema:
        return daft.Schema.from_pyarrow_schema(pyarrow.schema(self._table.schema))

    async def get_tasks(self, pushdowns: Any) -> AsyncIterator[_Task]:
        table = self._table
        if pushdowns.columns is not None:
            # Daft filters afterwards, and doesn't count the columns of a filter among those it shows.
            needed = {*pushdowns.columns, *pushdowns.filter_required_column_names()}
            table = table.select(*(name for name in table.schema.names if name in needed))
        if pushdowns.limit is not None and pushdowns.filters is None:
            table = table.head(pushdowns.limit)
        schema = daft.Schema.from_pyarrow_schema(pyarrow.schema(table.schema))
        for part in table._parts(_PARTITIONS):
            yield _Task(part, schema)


def read(table: Table) -> daft.DataFrame:
    """A frame of a table, read when it is collected."""
    return TableSource(table).read()
