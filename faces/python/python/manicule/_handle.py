"""What the handles of all systems have."""

from __future__ import annotations

import os
from typing import Any

from ._reports import Progress, inspect, verify
from ._table import Table


class Handle:
    """Paths or addresses of one system, and what all its tables are asked with."""

    __slots__ = ("paths", "_arguments")

    def __init__(self, paths: tuple[str | os.PathLike[str], ...], arguments: dict[str, Any]):
        #: What is read.
        self.paths = paths
        self._arguments = arguments

    def _table(self, name: str, arguments: dict[str, Any], **asked: Any) -> Table:
        return Table(name, self.paths, {**self._arguments, **arguments}, **asked)

    def inspect(self) -> list[dict[str, Any]]:
        """What each path is and holds: see :func:`manicule.inspect`."""
        return [report for path in self.paths for report in inspect(path)]

    def verify(self, *, progress: bool | Progress | None = None) -> list[dict[str, Any]]:
        """Whether each path is whole: see :func:`manicule.verify`."""
        return [verdict for path in self.paths for verdict in verify(path, progress=progress)]

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.paths))})"
