"""Asks SQL of golden data, and DuckDB the same over the same tables as Parquet: python sql.py MANICULE MANICULE_SQL

A query has the names of tables in braces. In ours each is a call of the table's function, so that filters, columns and limits are handed to
the index; in DuckDB it is the whole table as `manicule table` writes it. Rows are compared in their order where the query ends with one,
else sorted.
"""

import datetime
import decimal
import os
import subprocess
import sys
import tarfile
import tempfile
import uuid
from pathlib import Path

import duckdb
import pyarrow
import pyarrow.parquet

GOLDEN = Path(__file__).resolve().parent.parent / "golden"
ARCHIVES = ["series/golden", "rows/me", "code/shards", "blobs/fleet", "blobs/unused"]

# Name: (function, table, path, arguments as the command line has them).
TABLES = {
    "documents": ("code_documents", "code.documents", "code/shards/shards/git-ctags", []),
    "others": ("code_documents", "code.documents", "code/shards/shards/ctags", []),
    "lines": ("code_lines", "code.lines", "code/shards/shards/git-ctags", ["query=la"]),
    "symbols": ("code_symbols", "code.symbols", "code/shards/shards/ctags", []),
    "repositories": ("code_repositories", "code.repositories", "code/shards/shards/git-ctags", []),
    "series": ("series", "series.series", "series/golden/blocks/api", ["labels=job", "labels=instance", "labels=code"]),
    "samples": ("series_samples", "series.samples", "series/golden/blocks/api", ["labels=job", "labels=instance", "labels=code"]),
    "ups": ("series_samples", "series.samples", "series/golden/blocks/api", ["selector=up", "labels=instance"]),
    "gaps": ("series_samples", "series.samples", "series/golden/blocks/gaps", []),
    "labels": ("series_labels", "series.labels", "series/golden/blocks/api", []),
    "labels5k": ("series_labels", "series.labels", "series/golden/blocks/k5k", []),
    "blocks": ("series_blocks", "series.blocks", "series/golden/blocks/api", []),
    "rows": ("rows", "rows.rows", "rows/me/me/multi", ["now=1700000100", "extra=_token", "extra=_written_at", "extra=_expires_at"]),
    "wide": ("rows_rows", "rows.rows", "rows/me/me/wide", ["now=1700000100"]),
    "types": ("rows", "rows.rows", "rows/me/me/types", ["now=1700000100", "decimals=c15=2"]),
    "mixed": ("rows", "rows.rows", "rows/me/me/mixed", ["now=1700000100"]),
    "small": ("rows", "rows.rows", "rows/me/me/small", ["now=1700000100"]),
    "cells": ("rows_cells", "rows.cells", "rows/me/me/multi", []),
    "partitions": ("rows_partitions", "rows.partitions", "rows/me/me/multi", ["now=1700000100"]),
    "sstables": ("rows_sstables", "rows.sstables", "rows/me/me/multi", []),
    "files": ("blobs_files", "blobs.files", "blobs/fleet/repo", []),
    "latest": ("blobs_files", "blobs.files", "blobs/fleet/repo", ["snapshots=latest"]),
    "snapshots": ("blobs_snapshots", "blobs.snapshots", "blobs/fleet/repo", []),
    "versions": ("blobs_versions", "blobs.versions", "blobs/unused/repo", []),
    "costs": ("blobs_costs", "blobs.costs", "blobs/fleet/repo", []),
    "blobs": ("blobs_blobs", "blobs.blobs", "blobs/unused/repo", []),
    "packs": ("blobs_packs", "blobs.packs", "blobs/unused/repo", []),
    "contents": ("blobs_files", "blobs.files", "blobs/unused/repo", []),
    "quads": ("graph_quads", "graph.quads", "store", []),
    "predicates": ("graph_predicates", "graph.predicates", "store", []),
    "prices": ("graph_solutions", "graph.solutions", "store", [
        "query=PREFIX b: <http://bsbm.example.org/v/> SELECT ?offer ?vendor ?price { GRAPH ?g { ?offer b:price ?price ; b:vendor ?vendor } }",
        "types=of_values"]),
    "hosts": ("graph_solutions", "graph.solutions", "store", [
        'query=SELECT ?host ?owner { VALUES (?host ?owner) { ("anvil" "Ada") ("birch" "Bo") ("h0:80" "Cy") } }']),
    "tree": ("files", "files", "today", []),
    "hits": ("find", "find", "rules", ["text=expr"]),
}

# Queries: those that say their order are compared in it.
QUERIES = """
-- Code.
SELECT language, count(*) AS n, sum(size) AS size FROM {documents} GROUP BY 1
SELECT path, size FROM {documents} WHERE language = 'Go' AND size > 10 ORDER BY size DESC NULLS LAST, path
SELECT checksum, count(*) AS copies, min(path) AS first FROM {documents} GROUP BY 1 HAVING count(*) > 1
SELECT path FROM {documents} WHERE path LIKE '%.go' AND NOT path LIKE '%\\_test%' AND language IS NOT NULL
SELECT count(*), count(language), count(DISTINCT language) FROM {documents} WHERE skip_reason IS NULL
SELECT branch, count(*) FROM (SELECT unnest(branches) AS branch FROM {documents}) b GROUP BY 1
SELECT d.path, count(l.line_number) AS lines FROM {documents} d LEFT JOIN {lines} l ON l.path = d.path GROUP BY 1
SELECT path, line_number, rank() OVER (PARTITION BY path ORDER BY line_number NULLS LAST) AS r FROM {lines} WHERE NOT is_name_match
SELECT kind, count(*) AS n, count(parent) AS nested FROM {symbols} GROUP BY 1 HAVING count(*) > 1
SELECT s.name, d.language FROM {symbols} s JOIN {others} d ON d.path = s.path AND d.repository = s.repository WHERE s.kind = 'function'
SELECT repository, documents, has_symbols FROM {repositories} WHERE NOT is_tombstoned ORDER BY 1
SELECT a.path FROM {documents} a WHERE EXISTS (SELECT 1 FROM {others} b WHERE b.checksum = a.checksum)
-- Series.
SELECT name, count(*) AS "values", sum(series) AS series FROM {labels} GROUP BY 1 ORDER BY 1
SELECT name, value FROM {labels} WHERE name IN ('job', 'code') OR name = 'method' ORDER BY 1, 2
SELECT name, max(series) FROM {labels5k} WHERE name <> 'instance' AND name >= 'a' GROUP BY 1
SELECT count(*), sum(series) FROM {labels5k} WHERE value LIKE '%1%' AND name LIKE '%s%'
SELECT metric, job, count(*) AS n, min(first_at) AS first, max(last_at) AS last FROM {series} GROUP BY 1, 2
SELECT labels['instance'] AS instance, count(*) AS n FROM {series} WHERE job = 'api' GROUP BY 1 ORDER BY 1
SELECT job, count(*) FILTER (WHERE code = '500') AS failed, count(*) AS n FROM {series} WHERE metric = 'http_requests_total' GROUP BY 1
SELECT instance FROM {series} WHERE code IS NULL AND instance IS NOT NULL EXCEPT SELECT instance FROM {series} WHERE job = 'none'
SELECT job, code, count(*) AS n, avg(value) AS mean, max(value) AS most FROM {samples} WHERE code IS NOT NULL GROUP BY 1, 2
SELECT date_trunc('hour', timestamp) AS hour, count(*) AS n FROM {samples} GROUP BY 1 ORDER BY 1
SELECT count(*), min(value), max(value) FROM {samples} WHERE timestamp >= TIMESTAMPTZ '2023-11-14 23:00:00+00' AND timestamp < TIMESTAMPTZ '2023-11-15 00:05:00+00'
SELECT instance, sum(value) AS up FROM {ups} WHERE timestamp BETWEEN TIMESTAMPTZ '2023-11-14 22:30:00+00' AND TIMESTAMPTZ '2023-11-14 22:40:00+00' GROUP BY 1
SELECT series_id, timestamp, value - lag(value) OVER (PARTITION BY series_id ORDER BY timestamp) AS step FROM {gaps}
SELECT series_id, count(*) AS n, sum(CASE WHEN is_stale THEN 1 ELSE 0 END) AS stale FROM {gaps} GROUP BY 1
SELECT series_id, timestamp, row_number() OVER (PARTITION BY series_id ORDER BY timestamp DESC NULLS LAST) AS r FROM {gaps} WHERE NOT is_stale
SELECT s.job, count(DISTINCT u.instance) AS n FROM {series} s JOIN {ups} u ON u.series_id = s.series_id GROUP BY 1
SELECT series, samples, min_time FROM {blocks} ORDER BY min_time
SELECT a.block, b.block AS other FROM {blocks} a JOIN {blocks} b ON a.block < b.block AND a.min_time < b.max_time AND b.min_time < a.max_time
-- Rows.
SELECT pk, count(*) AS n, min(ck) AS low, max(ck) AS high FROM {rows} GROUP BY 1 ORDER BY 1
SELECT ck, v FROM {rows} WHERE pk = 1 AND ck > 30 AND ck <= 60 ORDER BY ck
SELECT pk, ck FROM {rows} WHERE pk IN (1, 3) AND v IS NULL
SELECT pk, ck, v FROM {rows} WHERE pk = 3 ORDER BY ck DESC NULLS LAST LIMIT 7
SELECT _token, count(*) AS n FROM {rows} WHERE _token BETWEEN -4000000000000000000 AND 4000000000000000000 GROUP BY 1
SELECT pk, count(_expires_at) AS "expiring", max(_written_at) AS newest FROM {rows} GROUP BY 1
SELECT pk, ck, ntile(4) OVER (PARTITION BY pk ORDER BY ck) AS quarter FROM {rows}
SELECT pk, count(*) AS n FROM {wide} GROUP BY 1 HAVING count(*) > 500 ORDER BY 1
SELECT count(*) FROM {small}
SELECT pk, c1, c4, c12, c13 FROM {types} WHERE c12 >= DATE '2020-01-02' AND c10
SELECT c5, sum(c15) AS price, max(c16) AS most FROM {types} GROUP BY 1
SELECT pk, c3 FROM {types} WHERE c4 < TIMESTAMPTZ '2017-07-16 00:00:00+00' AND c1 < 0
SELECT st_item, count(*) AS n FROM (SELECT unnest(st) AS st_item FROM {mixed}) s GROUP BY 1
SELECT _sstable, _fact, count(*) AS n FROM {cells} GROUP BY 1, 2
SELECT _column, count(*) AS n, min(_written) AS first FROM {cells} WHERE _fact = 'cell' AND NOT _is_tombstone GROUP BY 1
SELECT p._key, p._bytes, p._rows, r.n FROM {partitions} p JOIN (SELECT pk, count(*) AS n FROM {rows} GROUP BY 1) r ON CAST(r.pk AS VARCHAR) = p._key
SELECT sstable, rows, compression_ratio FROM {sstables} WHERE rows > 10 ORDER BY rows DESC NULLS LAST, sstable
SELECT a.sstable, count(*) AS n FROM {sstables} a JOIN {sstables} b ON b.min_written < a.max_written AND b.sstable <> a.sstable GROUP BY 1
-- Blobs.
SELECT hostname, date_trunc('month', time) AS month, count(*) AS n, sum(data_added_packed) AS added FROM {snapshots} GROUP BY 1, 2
SELECT tag, count(*) AS n FROM (SELECT unnest(tags) AS tag FROM {snapshots}) t GROUP BY 1 ORDER BY 1
SELECT hostname, id, sum(coalesce(data_added, 0)) OVER (PARTITION BY hostname ORDER BY time, id) AS so_far FROM {snapshots}
SELECT snapshot_time, count(*) AS n, sum(size) AS size FROM {files} WHERE type = 'file' AND path LIKE '/srv/fleet/cedar/%' GROUP BY 1 ORDER BY 1
SELECT path, count(DISTINCT size) AS sizes FROM {files} WHERE hostname = 'anvil' AND size IS NOT NULL GROUP BY 1 HAVING count(DISTINCT size) > 1
SELECT f.hostname, max(f.mtime) AS newest FROM {files} f JOIN {snapshots} s ON s.id = f.snapshot WHERE s.time < TIMESTAMPTZ '2026-01-05 00:00:00+00' GROUP BY 1
SELECT path, hostname, version, state FROM {versions} WHERE state <> 'deleted' AND snapshots > 2
SELECT grouped_by, value, exclusive_bytes FROM {costs} WHERE grouped_by IN ('host', 'tag')
SELECT type, count(*) AS n, sum(length) AS bytes, sum(uncompressed_length) AS plain FROM {blobs} GROUP BY 1
SELECT p.id, p.blobs, count(b.id) AS listed FROM {packs} p LEFT JOIN {blobs} b ON b.pack = p.id GROUP BY 1, 2
SELECT fate, count(*) AS n, sum(unused_bytes) AS unused FROM {packs} GROUP BY 1
SELECT DISTINCT f.path FROM (SELECT path, unnest(content) AS id FROM {contents}) f JOIN {blobs} b ON b.id = f.id WHERE b.length > 100
-- Graph.
SELECT object_type, count(*) AS n FROM {quads} WHERE graph IS NULL GROUP BY 1
SELECT predicate FROM {predicates} WHERE subjects = quads AND objects = quads ORDER BY 1
SELECT predicate, count(DISTINCT object_type) AS types FROM {quads} GROUP BY 1 HAVING count(DISTINCT object_type) > 1
SELECT q.predicate, p.quads, count(*) AS n FROM {quads} q JOIN {predicates} p ON p.predicate = q.predicate AND p.scope = 'default' WHERE q.graph IS NULL GROUP BY 1, 2
SELECT vendor, count(*) AS n, min(price) AS low, max(price) AS high FROM {prices} GROUP BY 1
SELECT subject, count(*) AS n FROM {quads} WHERE predicate = 'http://bsbm.example.org/v/productFeature' AND object_type = 'iri' GROUP BY 1 ORDER BY n DESC NULLS LAST, subject LIMIT 10
-- Several kinds.
SELECT h.owner, count(*) AS n, sum(f.size) AS size FROM {latest} f JOIN {hosts} h ON h.host = f.hostname GROUP BY 1
SELECT f.path, b.size AS then_size, f.size FROM {tree} f JOIN {latest} b ON '/' || substr(f.path, 7) = b.path WHERE b.size <> f.size
SELECT h.owner, avg(u.value) AS up FROM {ups} u JOIN {hosts} h ON h.host = u.instance GROUP BY 1
SELECT l.value FROM {labels} l WHERE l.name = '__name__' AND NOT EXISTS (SELECT 1 FROM {hits} h WHERE h.text LIKE '%' || l.value || '%')
SELECT r.pk, count(*) AS n FROM {rows} r JOIN {snapshots} s ON r._written_at < s.time GROUP BY 1
SELECT kind, item, count(*) AS n FROM {hits} GROUP BY 1, 2
"""


def unpack(folder):
    for name in ARCHIVES:
        with pyarrow.input_stream(str(GOLDEN / (name + ".tar.zst")), compression="zstd") as archive:
            with tarfile.open(fileobj=archive, mode="r|") as files:
                files.extractall(folder / name, filter="data")
    with pyarrow.input_stream(str(GOLDEN / "graph/shop200.nq.zst"), compression="zstd") as quads:
        (folder / "shop200.nq").write_bytes(quads.read())
    etc = folder / "today/srv/fleet/anvil/home"
    etc.mkdir(parents=True)
    (etc / "anvil.txt").write_text("changed\n")
    (folder / "rules").mkdir()
    (folder / "rules/alerts.yml").write_text("- expr: up == 0\n- expr: sum(gone_total)\n")


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def call(function, path, arguments):
    """A table as a function: an argument that is given several times is a list."""
    named = {}
    for argument in arguments:
        name, _, text = argument.partition("=")
        named.setdefault(name, []).append(quoted(text))
    text = named.pop("text", None)
    words = (text or []) + [quoted(path)]
    words += [f"{name} => {texts[0] if len(texts) == 1 else '[' + ', '.join(texts) + ']'}" for name, texts in named.items()]
    return f"{function}({', '.join(words)})"


def plain(value):
    """A value that is compared: numbers of any width are equal, and doubles to 12 digits."""
    if isinstance(value, decimal.Decimal):
        return int(value) if value == int(value) else format(value.normalize(), "f")
    if isinstance(value, float):
        return "NaN" if value != value else int(value) if value == int(value) else float(f"{value:.12g}")
    if isinstance(value, datetime.datetime):
        return value.astimezone(datetime.timezone.utc).isoformat()
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    return str(value) if isinstance(value, (uuid.UUID, datetime.date, datetime.time)) else value


def rows(table):
    columns = [[plain(value) for value in as_python(column)] for column in table.columns]
    return list(zip(*columns))


def as_python(column):
    """A UUID of an extension type is one of Python; times of a day lose no digit that is compared."""
    if pyarrow.types.is_time(column.type):
        column = column.cast(pyarrow.time64("us"), safe=False)
    return column.to_pylist()


def main():
    program, asker = (str(Path(word).resolve()) for word in sys.argv[1:])
    os.environ["RESTIC_PASSWORD"] = "manicule-golden"
    os.environ["TZ"] = "UTC"
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        unpack(folder)
        os.chdir(folder)
        subprocess.run([program, "graph", "load", "-q", "store", "shop200.nq"], check=True)
        ours, theirs = {}, {}
        for name, (function, table, path, arguments) in TABLES.items():
            words = [word for argument in arguments for word in ("-a", argument)]
            subprocess.run([program, "table", table, path, *words, "-o", f"{name}.parquet"], check=True)
            ours[name] = call(function, path, arguments)
            theirs[name] = f"'{name}.parquet'"
        queries = [line for line in QUERIES.splitlines() if line and not line.startswith("--")]
        judge = duckdb.connect()
        judge.execute("SET TimeZone = 'UTC'")
        row_count, wrong = 0, []
        for query in queries:
            asked = subprocess.run([asker, "-o", "answer.parquet", filled(query, ours)], stderr=subprocess.PIPE, text=True)
            if asked.returncode != 0:
                wrong.append(f"{query}\n  {asked.stderr}")
                continue
            got = rows(pyarrow.parquet.read_table("answer.parquet"))
            want = rows(judge.sql(filled(query, theirs)).to_arrow_table())
            if "ORDER BY" not in query.rpartition(")")[2]:
                got, want = (sorted(own, key=repr) for own in (got, want))
            if got != want:
                at = next((at for at, (one, other) in enumerate(zip(got, want)) if one != other), min(len(got), len(want)))
                wrong.append(f"{query}\n  {len(got)} rows of {len(want)}; row {at}: {got[at:at + 1]}, DuckDB {want[at:at + 1]}")
            row_count += len(want)
        if wrong:
            sys.exit("\n".join(wrong))
        used = [name for name in TABLES if any("{" + name + "}" in query for query in queries)]
        assert used == list(TABLES), set(TABLES) - set(used)
        print(f"{len(queries)} queries over {len(TABLES)} tables: {row_count} rows, as DuckDB has them")


def filled(query, tables):
    for name, own in tables.items():
        query = query.replace("{" + name + "}", own)
    return query


main()
