"""Handles of the systems: their tables, and what is drawn of them."""

from __future__ import annotations

from typing import Any

from ._handles import BlobsTables, CodeTables, RowsTables, SeriesTables
from ._treemap import Leaf, Treemap

#: Values of a label that a drawing has; the others are one.
_VALUES = 40


class Series(SeriesTables):
    __doc__ = SeriesTables.__doc__
    __slots__ = ()

    def cardinality(self, selector: Any = None, *, per: str | None = None) -> Treemap:
        """Who ate my cardinality: label names by the number of their values' series, or with ``per``
        the values of that label by the number of their series. A notebook draws it."""
        pairs = self.labels(selector, columns=["name", "value", "series"])
        if per is not None:
            quoted = per.replace("'", "''")
            leaves = [Leaf(row["value"], row["series"]) for row in pairs.where(f"name = '{quoted}'")]
            return Treemap(leaves, "series", f"{per} by series", _VALUES)
        values: dict[str, int] = {}
        for row in pairs.select("name"):
            values[row["name"]] = values.get(row["name"], 0) + 1
        return Treemap([Leaf(name, count) for name, count in values.items()], "values", "labels by values", _VALUES)


class Rows(RowsTables):
    __doc__ = RowsTables.__doc__
    __slots__ = ()

    def largest(self) -> Treemap:
        """The partitions by their bytes, from the index alone. A notebook draws it."""
        table = self.partitions(columns=["_key", "_bytes"])
        return Treemap([Leaf(row["_key"], row["_bytes"]) for row in table], "bytes", "partitions by bytes", _VALUES)


class Blobs(BlobsTables):
    __doc__ = BlobsTables.__doc__
    __slots__ = ()

    def cost(self) -> Treemap:
        """The snapshots by the bytes that none of the others needs: what deleting it would free. A
        notebook draws it."""
        table = self.costs(by="snapshot", columns=["value", "exclusive_bytes"])
        leaves = [Leaf(row["value"], row["exclusive_bytes"]) for row in table]
        return Treemap(leaves, "bytes", "snapshots by exclusive bytes", _VALUES)


class Code(CodeTables):
    __doc__ = CodeTables.__doc__
    __slots__ = ()

