"""Writes python/manicule/_handles.py, the tables of the catalogue as methods, from the catalogue.

    python tools/handles.py [--check]

It is run with the package installed. With --check nothing is written: the exit code says whether the
file is what the catalogue has."""

import pathlib
import sys
import textwrap

from manicule import _native

PLACE = pathlib.Path(__file__).parent.parent / "python" / "manicule" / "_handles.py"

KINDS = {
    "series": ("SeriesTables", "Prometheus blocks: of a block, of a data folder, of several of both, or of a bucket of Thanos or Mimir."),
    "rows": ("RowsTables", "SSTables of Cassandra and ScyllaDB: a table's folder, one of its SSTables, a backup."),
    "graph": ("GraphTables", "A store of RDF, as tables."),
    "blobs": ("BlobsTables", "A restic repository. Its password comes from the arguments, or else from restic's own variables."),
    "code": ("CodeTables", "zoekt shards: files, or a folder of them."),
}

TYPES = {
    "text": "str | None",
    "texts": "str | Iterable[str] | None",
    "time": "str | int | datetime.datetime | None",
    "boolean": "bool",
    "number": "int | None",
}
MAPS = {"decimals": "Mapping[str, int] | Iterable[str] | None"}

HEAD = '''"""Tables of the systems as methods; what else their handles do stands in _systems.py.

Written by tools/handles.py from the catalogue of tables: what is said here is said there.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable, Mapping
from typing import Any

from ._handle import Handle
from ._table import Table
'''

ASKED = """\
        columns: Iterable[str] | None = None,
        where: str | None = None,
        limit: int | None = None,
"""

PASSED = "columns=columns, where=where, limit=limit"


def sentences(text, indent):
    return textwrap.fill(text, 100, initial_indent=indent, subsequent_indent=indent)


def parameters(arguments, indent):
    lines = []
    for argument in arguments:
        name, takes = argument["name"], argument["takes"]
        kind = MAPS.get(name, TYPES[takes])
        lines.append(f"{indent}{name}: {kind} = {'False' if takes == 'boolean' else 'None'},\n")
    return "".join(lines)


def documented(arguments, indent):
    if not arguments:
        return ""
    lines = [f"\n{indent}Arguments:\n"]
    for argument in arguments:
        said = f"{argument['name']}: {argument['about']}"
        lines.append(textwrap.fill(said, 100, initial_indent=f"{indent}    ", subsequent_indent=f"{indent}        ") + "\n")
    return "".join(lines)


def given(arguments):
    pairs = []
    for argument in arguments:
        name = argument["name"]
        # A boolean that is not set is not said.
        value = f"{name} or None" if argument["takes"] == "boolean" else name
        pairs.append(f'"{name}": {value}')
    return "{" + ", ".join(pairs) + "}"


def method(table, arguments):
    name = table["name"].split(".")[1]
    text = f"    def {name}(\n        self,\n{parameters(arguments, ' ' * 8)}        *,\n{ASKED}    ) -> Table:\n"
    text += '        """' + sentences(table["about"], " " * 8).lstrip() + "\n"
    text += documented(arguments, " " * 8)
    text += "\n" + sentences(f"Order: {table['order']}", " " * 8) + "\n"
    text += '        """\n'
    text += f"        arguments: dict[str, Any] = {given(arguments)}\n"
    text += f'        return self._table("{table["name"]}", arguments, {PASSED})\n'
    return text


def handle(kind, tables):
    name, about = KINDS[kind]
    of_all = [one for one in tables[0]["arguments"] if all(one in table["arguments"] for table in tables)]
    names = {one["name"] for one in of_all}
    text = f'\n\nclass {name}(Handle):\n    """' + sentences(about, "    ").lstrip()
    text += "\n" + documented(of_all, "    ") + '    """\n\n    __slots__ = ()\n\n' if of_all else '"""\n\n    __slots__ = ()\n\n'
    text += "    def __init__(\n        self,\n        *paths: str | os.PathLike[str],\n"
    text += parameters(of_all, " " * 8) + "    ):\n"
    text += f"        super().__init__(paths, {given(of_all)})\n"
    for table in tables:
        own = [one for one in table["arguments"] if one["name"] not in names]
        text += "\n" + method(table, own)
    return text


def written():
    tables = {table["name"]: table for table in _native.catalog()}
    text = HEAD
    for kind in KINDS:
        text += handle(kind, [table for name, table in tables.items() if name.startswith(f"{kind}.")])
    files = tables["files"]
    text += "\n\ndef files(\n    *paths: str | os.PathLike[str],\n" + parameters(files["arguments"], "    ")
    text += textwrap.indent(textwrap.dedent(ASKED), "    ") + ') -> Table:\n    """'
    text += sentences(files["about"], "    ").lstrip() + "\n" + documented(files["arguments"], "    ") + '    """\n'
    text += f'    arguments: dict[str, Any] = {given(files["arguments"])}\n'
    text += f'    return Table("files", paths or (".",), arguments, {PASSED})\n'
    known = {f"{kind}." for kind in KINDS}
    homeless = [name for name in tables if name not in ("find", "files") and not any(map(name.startswith, known))]
    assert not homeless, f"tables of no handle: {homeless}"
    return text


if __name__ == "__main__":
    text = written()
    if "--check" in sys.argv:
        sys.exit(PLACE.read_text() != text and f"{PLACE} is not what the catalogue has: run tools/handles.py")
    PLACE.write_text(text)
