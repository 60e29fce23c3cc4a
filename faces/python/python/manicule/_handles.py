"""Tables of the systems as methods; what else their handles do stands in _systems.py.

Written by tools/handles.py from the catalogue of tables: what is said here is said there.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Iterable, Mapping
from typing import Any

from ._handle import Handle
from ._table import Table


class SeriesTables(Handle):
    """Prometheus blocks: of a block, of a data folder, of several of both, or of a bucket of Thanos or
    Mimir."""

    __slots__ = ()

    def __init__(
        self,
        *paths: str | os.PathLike[str],
    ):
        super().__init__(paths, {})

    def blocks(
        self,
        *,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        limit: int | None = None,
    ) -> Table:
        """A Prometheus block of a data folder, by its meta.json, the head of its index (not read at
        addresses) and the lengths of its files.

        Order: min_time.
        """
        arguments: dict[str, Any] = {}
        return self._table("series.blocks", arguments, columns=columns, where=where, limit=limit)

    def labels(
        self,
        selector: str | Iterable[str] | None = None,
        start: str | int | datetime.datetime | None = None,
        end: str | int | datetime.datetime | None = None,
        per_block: bool = False,
        *,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        limit: int | None = None,
    ) -> Table:
        """A label pair of the series of Prometheus blocks, read from their indexes.

        Arguments:
            selector: Series that one of these selects, as in PromQL: `up{job="api"}`. Default: all.
            start: First time. Blocks that end before it stay closed.
            end: Last time, included. Blocks that begin after it stay closed.
            per_block: Whether each block is listed for itself, with its name in a further column
                `block`. Default: false.

        Order: name, value; with `per_block` block by block. Partitions follow each other in it.
        """
        arguments: dict[str, Any] = {"selector": selector, "start": start, "end": end, "per_block": per_block or None}
        return self._table("series.labels", arguments, columns=columns, where=where, limit=limit)

    def samples(
        self,
        selector: str | Iterable[str] | None = None,
        start: str | int | datetime.datetime | None = None,
        end: str | int | datetime.datetime | None = None,
        labels: str | Iterable[str] | None = None,
        *,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        limit: int | None = None,
    ) -> Table:
        """A sample of Prometheus blocks: blocks are merged, what tombstones delete is left out. Of
        downsampled blocks a point of an aggregate.

        Arguments:
            selector: Series that one of these selects, as in PromQL: `up{job="api"}`. Default: all.
            start: First time. Blocks that end before it stay closed.
            end: Last time, included. Blocks that begin after it stay closed.
            labels: Labels that are columns of their own, dictionaries of text.

        Order: labels, resolution, aggregate, time.
        """
        arguments: dict[str, Any] = {"selector": selector, "start": start, "end": end, "labels": labels}
        return self._table("series.samples", arguments, columns=columns, where=where, limit=limit)

    def series(
        self,
        selector: str | Iterable[str] | None = None,
        start: str | int | datetime.datetime | None = None,
        end: str | int | datetime.datetime | None = None,
        labels: str | Iterable[str] | None = None,
        per_block: bool = False,
        *,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        limit: int | None = None,
    ) -> Table:
        """A series of Prometheus blocks: a set of labels. One that several blocks have is one row.

        Arguments:
            selector: Series that one of these selects, as in PromQL: `up{job="api"}`. Default: all.
            start: First time. Blocks that end before it stay closed.
            end: Last time, included. Blocks that begin after it stay closed.
            labels: Labels that are columns of their own, dictionaries of text.
            per_block: Whether each block is listed for itself, with its name in a further column
                `block`. Default: false.

        Order: labels, name by name; with `per_block` block by block.
        """
        arguments: dict[str, Any] = {"selector": selector, "start": start, "end": end, "labels": labels, "per_block": per_block or None}
        return self._table("series.series", arguments, columns=columns, where=where, limit=limit)


class RowsTables(Handle):
    """SSTables of Cassandra and ScyllaDB: a table's folder, one of its SSTables, a backup."""

    __slots__ = ()

    def __init__(
        self,
        *paths: str | os.PathLike[str],
    ):
        super().__init__(paths, {})

    def backups(
        self,
        *,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        limit: int | None = None,
    ) -> Table:
        """A backup of a cluster by Medusa or ScyllaDB Manager, by the index or the manifests at its
        prefix.

        Order: started, backup.
        """
        arguments: dict[str, Any] = {}
        return self._table("rows.backups", arguments, columns=columns, where=where, limit=limit)

    def cells(
        self,
        key: str | Iterable[str] | None = None,
        tokens: str | None = None,
        schema: str | None = None,
        as_text: str | Iterable[str] | None = None,
        *,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        limit: int | None = None,
    ) -> Table:
        """What an SSTable of Cassandra or ScyllaDB says, not merged with what others say: a cell, the
        time of a row, a deletion; also what others hide or has expired.

        Arguments:
            key: Partitions with these keys, as CQL writes them: `7`, `(7, 'a')` of two columns.
                Default: all.
            tokens: Partitions with tokens from one to another, as `FROM..TO`; either may lack.
                Default: all.
            schema: A CQL file with the names of the key's columns, which SSTables don't have.
                Default: a `schema.cql` beside the SSTables, if it is there.
            as_text: Columns whose values are text as CQL writes them.

        Order: SSTable by version and generation, in it as its data has them.
        """
        arguments: dict[str, Any] = {"key": key, "tokens": tokens, "schema": schema, "as_text": as_text}
        return self._table("rows.cells", arguments, columns=columns, where=where, limit=limit)

    def partitions(
        self,
        now: str | int | datetime.datetime | None = None,
        gc_grace: int | None = None,
        *,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        limit: int | None = None,
    ) -> Table:
        """A partition, united from all SSTables of a table that have it.

        Arguments:
            now: Time at which it is judged what has expired. Default: now.
            gc_grace: Seconds for which no compaction drops a tombstone, the table's
                `gc_grace_seconds`. Default: 864000.

        Order: token; several paths follow each other. Partitions of one path follow each other in
        it.
        """
        arguments: dict[str, Any] = {"now": now, "gc_grace": gc_grace}
        return self._table("rows.partitions", arguments, columns=columns, where=where, limit=limit)

    def rows(
        self,
        key: str | Iterable[str] | None = None,
        tokens: str | None = None,
        now: str | int | datetime.datetime | None = None,
        schema: str | None = None,
        decimals: Mapping[str, int] | Iterable[str] | None = None,
        as_text: str | Iterable[str] | None = None,
        extra: str | Iterable[str] | None = None,
        *,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        limit: int | None = None,
    ) -> Table:
        """A row of a table of Cassandra or ScyllaDB as a reader sees it: its SSTables are merged, what
        is deleted or has expired is left out.

        Arguments:
            key: Partitions with these keys, as CQL writes them: `7`, `(7, 'a')` of two columns.
                Default: all.
            tokens: Partitions with tokens from one to another, as `FROM..TO`; either may lack.
                Default: all.
            now: Time at which it is judged what has expired. Default: now.
            schema: A CQL file with the names of the key's columns, which SSTables don't have.
                Default: a `schema.cql` beside the SSTables, if it is there.
            decimals: Columns of `decimal` or `varint` as decimals, each with its digits behind the
                point: `price=2`. A value that has others is an error.
            as_text: Columns whose values are text as CQL writes them.
            extra: Columns that follow those of the table: `_token`, `_written_at`, `_expires_at`,
                `_sstables`.

        Order: token, clustering. Partitions follow each other in it.
        """
        arguments: dict[str, Any] = {"key": key, "tokens": tokens, "now": now, "schema": schema, "decimals": decimals, "as_text": as_text, "extra": extra}
        return self._table("rows.rows", arguments, columns=columns, where=where, limit=limit)

    def sstables(
        self,
        now: str | int | datetime.datetime | None = None,
        gc_grace: int | None = None,
        *,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        limit: int | None = None,
    ) -> Table:
        """An SSTable of Cassandra or ScyllaDB, by its Statistics.db and other small files.

        Arguments:
            now: Time at which it is judged what has expired. Default: now.
            gc_grace: Seconds for which no compaction drops a tombstone, the table's
                `gc_grace_seconds`. Default: 864000.

        Order: version, generation.
        """
        arguments: dict[str, Any] = {"now": now, "gc_grace": gc_grace}
        return self._table("rows.sstables", arguments, columns=columns, where=where, limit=limit)


class GraphTables(Handle):
    """A store of RDF, as tables.

    Arguments:
        at: Name of a snapshot: the store is read as that has it. Default: as it is now.
    """

    __slots__ = ()

    def __init__(
        self,
        *paths: str | os.PathLike[str],
        at: str | None = None,
    ):
        super().__init__(paths, {"at": at})

    def predicates(
        self,
        *,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        limit: int | None = None,
    ) -> Table:
        """A predicate of a store of RDF, in its default graph or in its named graphs together, by the
        statistics that it keeps.

        Order: scope, the most used first.
        """
        arguments: dict[str, Any] = {}
        return self._table("graph.predicates", arguments, columns=columns, where=where, limit=limit)

    def quads(
        self,
        *,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        limit: int | None = None,
    ) -> Table:
        """A quad of a store of RDF.

        Order: the default graph first, then that of the index that answers.
        """
        arguments: dict[str, Any] = {}
        return self._table("graph.quads", arguments, columns=columns, where=where, limit=limit)

    def solutions(
        self,
        query: str | None = None,
        types: str | None = None,
        union: bool = False,
        timeout: int | None = None,
        memory: int | None = None,
        *,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        limit: int | None = None,
    ) -> Table:
        """A row of what a query in SPARQL answers. Of CONSTRUCT and DESCRIBE it is a triple, of ASK
        there is one.

        Arguments:
            query: The query: SELECT, ASK, CONSTRUCT or DESCRIBE.
            types: `text`, or `of_values`: a variable whose values are all of one datatype has its
                type, int64 of integers and what derives from them, decimal (38, the most digits
                behind the point), float64, float32, boolean, date, timestamp (us, UTC), or (us)
                where no time has a zone; what that has no place for makes all of them text. The
                query has ended then before the first row, and a limit doesn't end it: 32 MiB of its
                answer are held in memory, the rest in a file. Default: text.
            union: Whether the default graph is the union of all graphs, where the query names none.
                Default: false.
            timeout: Seconds after which the query ends with an error. Default: none.
            memory: Bytes that its tables may hold. Default: 1073741824.

        Order: that of the query.
        """
        arguments: dict[str, Any] = {"query": query, "types": types, "union": union or None, "timeout": timeout, "memory": memory}
        return self._table("graph.solutions", arguments, columns=columns, where=where, limit=limit)


class BlobsTables(Handle):
    """A restic repository. Its password comes from the arguments, or else from restic's own variables.

    Arguments:
        password_file: File with the password of the repository. Default: what
            `RESTIC_PASSWORD_FILE`, `RESTIC_PASSWORD_COMMAND` or `RESTIC_PASSWORD` gives.
        password_command: Command whose output is the password, run without a shell.
        key_hint: Beginning of the id of the key that is tried first. Default: `RESTIC_KEY_HINT`.
        index_cache: Whether the index is cached, encrypted with the repository's key, in the folder
            that `manicule cache` shows. Default: false. A cache that can't be written is left out.
        index_cache_dir: Folder in which the index is cached.
    """

    __slots__ = ()

    def __init__(
        self,
        *paths: str | os.PathLike[str],
        password_file: str | None = None,
        password_command: str | None = None,
        key_hint: str | None = None,
        index_cache: bool = False,
        index_cache_dir: str | None = None,
    ):
        super().__init__(paths, {"password_file": password_file, "password_command": password_command, "key_hint": key_hint, "index_cache": index_cache or None, "index_cache_dir": index_cache_dir})

    def blobs(
        self,
        *,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        limit: int | None = None,
    ) -> Table:
        """An entry of an index file of a restic repository: a blob at its place in a pack. A blob of
        two places is two rows, and so is one that two index files list. Packs that rustic has
        marked for deletion are left out.

        Order: index files by their ids, in each as it lists them. Partitions follow each other in
        it.
        """
        arguments: dict[str, Any] = {}
        return self._table("blobs.blobs", arguments, columns=columns, where=where, limit=limit)

    def costs(
        self,
        by: str | Iterable[str] | None = None,
        snapshots: str | Iterable[str] | None = None,
        *,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        limit: int | None = None,
    ) -> Table:
        """Snapshots of a restic repository that are weighed together: what they reach, and what only
        they reach, which deleting them frees. One walk over the distinct trees weighs all.

        Arguments:
            by: What is weighed: `snapshot`, `host`, `tag`, `path`. Default: all four, or nothing
                but the set of `snapshots`.
            snapshots: Beginnings of ids of snapshots, or `latest`, that are weighed together: the
                set.

        Order: what they are grouped by, as in the argument; snapshots by time, others by their
        value; the set.
        """
        arguments: dict[str, Any] = {"by": by, "snapshots": snapshots}
        return self._table("blobs.costs", arguments, columns=columns, where=where, limit=limit)

    def files(
        self,
        snapshots: str | Iterable[str] | None = None,
        below: str | Iterable[str] | None = None,
        *,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        limit: int | None = None,
    ) -> Table:
        """A path in a snapshot of a restic repository: a file, a folder, or what else lay there. A
        tree that snapshots next to each other share is read once.

        Arguments:
            snapshots: Beginnings of ids of snapshots, or `latest`. Default: all snapshots.
            below: Paths, from `/` on: these, and what lies below them. Default: all paths.

        Order: snapshots by time; in each a folder before what it holds, names as their tree has
        them. Partitions follow each other in it.
        """
        arguments: dict[str, Any] = {"snapshots": snapshots, "below": below}
        return self._table("blobs.files", arguments, columns=columns, where=where, limit=limit)

    def packs(
        self,
        max_unused: str | None = None,
        max_repack_size: int | None = None,
        repack_cacheable_only: bool = False,
        repack_uncompressed: bool = False,
        repack_smaller_than: int | None = None,
        *,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        limit: int | None = None,
    ) -> Table:
        """A pack of a restic repository: those of the index, and files that no index file names.

        Arguments:
            max_unused: Unused bytes that a prune tolerates: a share such as `5%`, a number, or
                `unlimited`. Default: `5%`.
            max_repack_size: Maximum bytes of packs that it repacks. Default: no maximum.
            repack_cacheable_only: Whether it repacks packs of trees only. Default: false.
            repack_uncompressed: Whether it repacks packs with blobs that are not compressed.
                Default: false.
            repack_smaller_than: Bytes below which a pack is small. Default: 80 % of the size below
                which 3 % of all packs are, or of 4 MiB if that is more.

        Order: id.
        """
        arguments: dict[str, Any] = {"max_unused": max_unused, "max_repack_size": max_repack_size, "repack_cacheable_only": repack_cacheable_only or None, "repack_uncompressed": repack_uncompressed or None, "repack_smaller_than": repack_smaller_than}
        return self._table("blobs.packs", arguments, columns=columns, where=where, limit=limit)

    def snapshots(
        self,
        *,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        limit: int | None = None,
    ) -> Table:
        """A snapshot of a restic repository, with what its backup has counted.

        Order: time, id.
        """
        arguments: dict[str, Any] = {}
        return self._table("blobs.snapshots", arguments, columns=columns, where=where, limit=limit)

    def versions(
        self,
        file: str | Iterable[str] | None = None,
        *,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        limit: int | None = None,
    ) -> Table:
        """A version of a path in a restic repository: snapshots of a host after each other in which it
        has the same content, tree or target, whatever its times. Snapshots that were not made of
        the path, nor of a folder above it, count for nothing.

        Arguments:
            file: Paths, from `/` on. Default: those that `path` is asked for by = or IN, or all
                paths of all snapshots, which takes reading all trees.

        Order: path, as it was given or a folder before what it holds; host, version. Partitions
        follow each other in it.
        """
        arguments: dict[str, Any] = {"file": file}
        return self._table("blobs.versions", arguments, columns=columns, where=where, limit=limit)


class CodeTables(Handle):
    """zoekt shards: files, or a folder of them."""

    __slots__ = ()

    def __init__(
        self,
        *paths: str | os.PathLike[str],
    ):
        super().__init__(paths, {})

    def documents(
        self,
        query: str | None = None,
        *,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        limit: int | None = None,
    ) -> Table:
        """A document of zoekt shards; those with a tombstone are left out.

        Arguments:
            query: Documents for which this holds, in zoekt's query language. Default: all.

        Order: shard, document. Partitions follow each other in it.
        """
        arguments: dict[str, Any] = {"query": query}
        return self._table("code.documents", arguments, columns=columns, where=where, limit=limit)

    def lines(
        self,
        query: str | None = None,
        *,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        limit: int | None = None,
    ) -> Table:
        """A line of zoekt shards that answers a query, or a document that does so by its name or by
        what it is.

        Arguments:
            query: Lines that answer this, in zoekt's query language. It is needed.

        Order: shard, document, line. Partitions follow each other in it.
        """
        arguments: dict[str, Any] = {"query": query}
        return self._table("code.lines", arguments, columns=columns, where=where, limit=limit)

    def repositories(
        self,
        *,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        limit: int | None = None,
    ) -> Table:
        """A repository in a zoekt shard, by the shard's metadata. One that several shards have is a
        row of each.

        Order: shard, repository. Partitions follow each other in it.
        """
        arguments: dict[str, Any] = {}
        return self._table("code.repositories", arguments, columns=columns, where=where, limit=limit)

    def symbols(
        self,
        *,
        columns: Iterable[str] | None = None,
        where: str | None = None,
        limit: int | None = None,
    ) -> Table:
        """A symbol of a document of zoekt shards, as ctags found it when they were made.

        Order: shard, document, place. Partitions follow each other in it.
        """
        arguments: dict[str, Any] = {}
        return self._table("code.symbols", arguments, columns=columns, where=where, limit=limit)


def files(
    *paths: str | os.PathLike[str],
    hidden: bool = False,
    no_ignore: bool = False,
    types: str | Iterable[str] | None = None,
    globs: str | Iterable[str] | None = None,
    columns: Iterable[str] | None = None,
    where: str | None = None,
    limit: int | None = None,
) -> Table:
    """A file that a search looks into as text, unless an index rules it out.

    Arguments:
        hidden: Whether files whose names begin with a dot count. Default: false.
        no_ignore: Whether files count that ignore files leave out. Default: false.
        types: File types of ripgrep's: `rust`, `py`. Default: all.
        globs: Globs of files, relative to the current folder; with `!` in front, of those that
            don't count. Default: all.
    """
    arguments: dict[str, Any] = {"hidden": hidden or None, "no_ignore": no_ignore or None, "types": types, "globs": globs}
    return Table("files", paths or (".",), arguments, columns=columns, where=where, limit=limit)
