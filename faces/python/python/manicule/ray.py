"""Tables in Ray: a datasource whose tasks are the partitions of a table.

>>> import ray, manicule, manicule.ray
>>> labels = manicule.series("s3://metrics/blocks").labels()
>>> ray.data.read_datasource(manicule.ray.source(labels)).count()
42
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow
from ray.data.block import BlockMetadata
from ray.data.datasource import Datasource, ReadTask

from ._table import Partition, Table


class TableDatasource(Datasource):
    """A table as a datasource: columns, conditions and arguments are those of the table, and are read
    less for before there is a task. Blocks of tasks that fail are read again as they were: a
    partition says which files it stands on."""

    def __init__(self, table: Table):
        super().__init__()
        self._table = table.plain()

    def estimate_inmemory_data_size(self) -> int | None:
        return None

    def get_read_tasks(self, parallelism: int, per_task_row_limit: int | None = None, **_: Any) -> list[ReadTask]:
        metadata = BlockMetadata(num_rows=None, size_bytes=None, exec_stats=None)
        return [ReadTask(_Task(part), metadata) for part in self._table._parts(parallelism)]


class _Task:
    """What a worker does: only a few words have travelled to it."""

    def __init__(self, part: Table | Partition):
        self._part = part

    def __call__(self) -> Iterator[pyarrow.Table]:
        with self._part._own_errors() as stream:
            for batch in pyarrow.RecordBatchReader.from_stream(stream):
                yield pyarrow.Table.from_batches([batch])


def source(table: Table) -> TableDatasource:
    """The datasource of a table, for ``ray.data.read_datasource``."""
    return TableDatasource(table)
