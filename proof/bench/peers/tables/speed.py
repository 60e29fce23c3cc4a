"""Tables as Python takes them, beside what users pick today: CPU seconds of a process each, beyond its imports.

The bench's kind `tables` runs it with the wheel, pyarrow, polars, pandas, DuckDB and pyoxigraph, and reads what it
prints: tables, figures with their targets, omissions. The data are made in the folder once: 1 M samples, 1 M rows of
an SSTable, a restic repository of 40,000 files, 1 M triples, and 10 M samples for SQL."""

import argparse
import json
import os
import pathlib
import random
import resource
import shutil
import statistics
import subprocess
import sys
import time
import zlib

READ = {
    "pyarrow": ("import manicule, pyarrow", "t = {table}; print(t.to_arrow().num_rows)"),
    "polars": ("import manicule, polars", "t = {table}; print(t.to_polars().height)"),
    "DuckDB": ("import manicule, duckdb", "t = {table}; print(duckdb.sql('SELECT count(*), count(COLUMNS(*)) FROM t').fetchall()[0][0])"),
    "pandas": ("import manicule, pyarrow, pandas", "t = {table}; print(len(t.to_pandas()))"),
}

PROMTOOL = """
import pandas, subprocess, sys
run = subprocess.Popen([{promtool!r}, "tsdb", "dump", {data!r}], stdout=subprocess.PIPE, text=True)
rows = []
for line in run.stdout:
    labels, value, at = line.rstrip().rsplit(" ", 2)
    rows.append((labels, float(value), int(at)))
frame = pandas.DataFrame(rows, columns=["labels", "value", "timestamp"])
print(len(frame))
"""

SSTABLEDUMP = """
import json, pandas, subprocess
out = subprocess.run([{run!r}, "org.apache.cassandra.tools.SSTableExport", {data!r}], stdout=subprocess.PIPE).stdout
rows = []
for partition in json.loads(out):
    for row in partition["rows"]:
        own = {{"p": partition["partition"]["key"][0], "c": row["clustering"][0]}}
        for cell in row["cells"]:
            own[cell["name"]] = cell["value"]
        rows.append(own)
print(len(pandas.DataFrame(rows)))
"""

RESTIC = """
import json, pandas, subprocess
run = subprocess.Popen([{restic!r}, "ls", "--json", "--no-lock", "latest", "-r", {data!r}], stdout=subprocess.PIPE)
rows = [json.loads(line) for line in run.stdout]
frame = pandas.DataFrame([row for row in rows if row.get("message_type", row.get("struct_type")) == "node"])
print(len(frame))
"""

PYOXIGRAPH = """
import pandas, pyoxigraph
store = pyoxigraph.Store.read_only({data!r})
rows = [(str(a), str(b), str(c)) for a, b, c in store.query("SELECT ?s ?p ?o WHERE {{ ?s ?p ?o }}")]
print(len(pandas.DataFrame(rows, columns=["s", "p", "o"])))
"""


def cpu(words, **options):
    """CPU seconds and seconds of a command, and what it prints."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    run = subprocess.run(words, capture_output=True, text=True, **options)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if run.returncode:
        raise SystemExit(f"{words[:3]}: {run.stderr[-2000:]}")
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return used, time.perf_counter() - start, run.stdout.strip()


def python(code, turns):
    runs = [cpu([sys.executable, "-c", code]) for _ in range(turns)]
    # DuckDB draws a bar before what is printed.
    return statistics.median(run[0] for run in runs), (runs[0][2].splitlines() or [""])[-1]


def beyond(imports, code, turns):
    """CPU seconds beyond those of the imports, and what the code prints."""
    bare = python(imports, turns)[0]
    used, printed = python(f"{imports}\n{code}", turns)
    return max(used - bare, 0.01), printed


def made(place, make):
    """A folder, made aside once."""
    if not place.exists():
        aside = place.with_name(place.name + ".aside")
        shutil.rmtree(aside, ignore_errors=True)
        aside.mkdir(parents=True)
        make(aside)
        aside.rename(place)
    return place


def samples(manicule, place, series, times):
    text = place / "metrics.om"
    with open(text, "w") as out:
        out.write("# TYPE load gauge\n")
        for number in range(series):
            labels = f'job="j{number % 7}",instance="10.0.{number // 250}.{number % 250}:9100",zone="z{number % 3}"'
            for at in range(times):
                out.write(f"load{{{labels}}} {(number * 31 + at * 7) % 1000 / 4} {1_700_000_000 + 15 * at}\n")
        out.write("# EOF\n")
    cpu([manicule, "series", "build", "-o", str(place / "data"), str(text)])
    # promtool opens no data folder without one.
    (place / "data" / "wal").mkdir()
    text.unlink()


def sstable(manicule, place):
    (place / "t.cql").write_text("CREATE TABLE ks.t (p int, c int, v text, n bigint, PRIMARY KEY (p, c));\n")
    with open(place / "t.csv", "w") as out:
        out.write("p,c,v,n\n")
        for number in range(1_000_000):
            out.write(f"{number // 100},{number % 100},value {number % 1000},{number * 7}\n")
    cpu([manicule, "rows", "write", "--schema", str(place / "t.cql"), "--timestamp", "1", "--now", "1", str(place / "t.csv"), "-o", str(place / "t")])
    shutil.copy(place / "t.cql", place / "t" / "schema.cql")
    (place / "t.csv").unlink()


def repository(restic, place):
    source = place / "source"
    dice = random.Random(1)
    for number in range(40_000):
        file = source / f"{number // 200}" / f"{number}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"{dice.random()}")
    environment = {**os.environ, "RESTIC_PASSWORD": "speed"}
    cpu([restic, "init", "-r", str(place / "repo")], env=environment)
    cpu([restic, "backup", "-q", "-r", str(place / "repo"), str(source)], env=environment)
    shutil.rmtree(source)


def triples(manicule, place):
    with open(place / "t.nt", "w") as out:
        for number in range(1_000_000):
            out.write(f'<http://a/{number // 5}> <http://a/p{number % 5}> "value {number % 5000}" .\n')
    cpu([manicule, "graph", "load", "-q", str(place / "store"), str(place / "t.nt")])
    try:
        import pyoxigraph

        pyoxigraph.Store(str(place / "oxigraph")).bulk_load(path=str(place / "t.nt"), format=pyoxigraph.RdfFormat.N_TRIPLES)
    except ImportError:
        pass


class Findings:
    """What the bench makes of the run: tables, figures beside their targets, omissions."""

    def __init__(self):
        self.tables, self.checks, self.left_out = [], [], []

    def table(self, title, note, *head):
        self.tables.append({"title": title, "note": note, "head": head, "rows": []})

    def row(self, *cells):
        print(*cells, sep="  ", file=sys.stderr)
        self.tables[-1]["rows"].append(list(map(str, cells)))

    def check(self, what, measure, sense, least, label, figure):
        self.checks.append({"what": what, "measure": measure, "sense": sense, "least": least, "label": label, "figure": figure})


def main():
    options = argparse.ArgumentParser(description=__doc__)
    for name in ("manicule", "sql", "promtool", "restic", "cassandra"):
        options.add_argument(f"--{name}")
    options.add_argument("--folder", required=True)
    options.add_argument("--turns", type=int, default=3)
    given = options.parse_args()
    folder, found = pathlib.Path(given.folder), Findings()
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["RESTIC_PASSWORD"] = "speed"
    os.environ.setdefault("MANICULE_CACHE_DIR", str(folder / "cache"))
    subjects = asked(given, folder, found)
    readings(given, subjects, found)
    overhead(given, subjects, found)
    weight(found)
    if given.sql:
        sql(given, folder, found)
    else:
        found.left_out.append("SQL: its program isn't given")
    print(json.dumps(vars(found)))


def asked(given, folder, found):
    """The tables: name, expression of Python, and the peer with its code."""
    data = made(folder / "samples", lambda place: samples(given.manicule, place, 2000, 500)) / "data"
    peer = given.promtool and ("promtool dump, pandas", PROMTOOL.format(promtool=given.promtool, data=str(data)))
    subjects = [("series.samples", f"manicule.series({str(data)!r}).samples(labels=['instance', 'job', 'zone'], columns={COLUMNS})", peer)]
    data = made(folder / "rows", lambda place: sstable(given.manicule, place)) / "t"
    file = next(data.glob("*-Data.db"))
    peer = given.cassandra and ("sstabledump, pandas", SSTABLEDUMP.format(run=f"{given.cassandra}/run", data=str(file)))
    subjects.append(("rows.rows", f"manicule.rows({str(data)!r}).rows()", peer))
    if given.restic:
        data = made(folder / "blobs", lambda place: repository(given.restic, place)) / "repo"
        peer = ("restic ls --json, pandas", RESTIC.format(restic=given.restic, data=str(data)))
        subjects.append(("blobs.files", f"manicule.blobs({str(data)!r}).files(snapshots='latest')", peer))
    else:
        found.left_out.append("restic, and the table of its files")
    data = made(folder / "graph", lambda place: triples(given.manicule, place))
    peer = ("pyoxigraph, pandas", PYOXIGRAPH.format(data=str(data / "oxigraph"))) if (data / "oxigraph").exists() else None
    query = "SELECT ?s ?p ?o WHERE { ?s ?p ?o }"
    subjects.append(("graph.solutions", f"manicule.Graph({str(data / 'store')!r}).solutions({query!r})", peer))
    found.left_out += [f"the peer of {name}" for name, _, peer in subjects if not peer]
    return subjects


def readings(given, subjects, found):
    note = "CPU seconds of a process each beyond those of its imports; medians. The peers parse a dump into pandas."
    found.table("A table into a library", note, "table, into", "rows", "CPU s", "rows a CPU s", "MB a CPU s", "beside", "CPU s", "times")
    for name, table, peer in subjects:
        theirs = beyond("import pandas", peer[1], given.turns) if peer else None
        size = int(python(f"import manicule; print(({table}).to_arrow().nbytes)", 1)[1])
        for library, (imports, code) in READ.items():
            used, counted = beyond(imports, code.format(table=table), given.turns)
            cells = [f"{name}, {library}", f"{int(counted):,}", f"{used:.2f}", f"{int(counted) / used:,.0f}", f"{size / used / 1e6:.0f}"]
            if theirs:
                # restic's listing has folders that lead to what was backed up.
                assert abs(int(theirs[1]) - int(counted)) <= 8, (name, theirs[1], counted)
                found.check(f"{name} into a library", "CPU of the peer / ours", "at least", 10, library, theirs[0] / used)
                found.row(*cells, peer[0], f"{theirs[0]:.2f}", f"{theirs[0] / used:.1f}")
            else:
                found.row(*cells, "", "", "")


def overhead(given, subjects, found):
    """What a reading through Arrow's stream takes beside one whose batches nobody takes further."""
    note = "The answer's batches, taken and dropped, beside the same through pyarrow; what imports take is taken off both."
    found.table("Over the engine's own loop", note, "table", "batches, CPU s", "pyarrow, CPU s", "more")
    batches = "import manicule\ns = ({table})._open()\nwhile s.next_batch() is not None: pass"
    through = "import manicule, pyarrow; t = {table}\nfor b in pyarrow.RecordBatchReader.from_stream(t): pass"
    bare = [python(code, 2 * given.turns)[0] for code in ("import manicule", "import manicule, pyarrow")]
    for name, table, _ in subjects:
        own, stream = (python(code.format(table=table), 2 * given.turns)[0] - less for code, less in zip((batches, through), bare))
        found.check("A stream beside the batches alone", "CPU, stream / batches", "at most", 1.15, name, stream / own)
        found.row(name, f"{own:.2f}", f"{stream:.2f}", f"{100 * (stream / own - 1):.0f} %")


def weight(found):
    """The wheel's import and its size."""
    code = "import time; start = time.perf_counter(); import manicule; print(time.perf_counter() - start)"
    times = sorted(float(cpu([sys.executable, "-c", code])[2]) for _ in range(9))
    import manicule

    modules = list(pathlib.Path(manicule.__file__).parent.rglob("*.so"))
    size = sum(path.stat().st_size for path in modules)
    packed = sum(len(zlib.compress(path.read_bytes(), 9)) for path in modules)
    found.table("The wheel", "", "what", "figure")
    found.row("import, ms, median of 9", f"{1000 * times[4]:.0f}")
    found.row("module, MB", f"{size / 1e6:.1f}")
    found.row("module as a wheel packs it, MB", f"{packed / 1e6:.1f}")
    found.check("The wheel", "ms of an import", "at most", 50, "import", 1000 * times[4])
    found.check("The wheel", "MB, packed", "at most", 15, "module", packed / 1e6)


#: What a line of promtool's dump says.
COLUMNS = ["metric", "instance", "job", "zone", "timestamp", "value"]

QUERIES = {
    "count": "SELECT count(*) FROM {t}",
    "count of some": "SELECT count(*) FROM {t} WHERE value > 100",
    "group": "SELECT job, count(*), avg(value) FROM {t} GROUP BY job ORDER BY job",
    "join": "SELECT n.name, count(*) FROM {t} AS t JOIN (VALUES ('j1', 'one'), ('j2', 'two')) AS n(job, name) ON t.job = n.job GROUP BY n.name ORDER BY 1",
}


def sql(given, folder, found):
    """10 M samples asked in SQL, beside DuckDB over the same in Parquet."""
    place = made(folder / "ten", lambda place: samples(given.manicule, place, 20_000, 500))
    parquet = place / "samples.parquet"
    if not parquet.exists():
        cpu([given.manicule, "table", "series.samples", "--argument", "labels=job", str(place / "data"), "-o", str(parquet)])
    note = "10 M samples of 20,000 series: the blocks themselves, and DuckDB over what was exported of them to Parquet. The quickest of some runs."
    found.table("SQL", note, "query", "manicule sql, CPU s", "s", "DuckDB, CPU s", "s", "times (s)")
    for what, query in QUERIES.items():
        ours = query.format(t=f"series_samples('{place / 'data'}', labels => ['job'])")
        theirs = query.format(t=f"'{parquet}'")
        own = min((cpu([given.sql, "--format", "csv", ours]) for _ in range(given.turns)), key=lambda run: run[1])
        code = f"import duckdb; print(duckdb.sql({theirs!r}).fetchall())"
        peer = min((cpu([sys.executable, "-c", code]) for _ in range(given.turns)), key=lambda run: run[1])
        found.check("SQL over 10 M samples", "s, ours / DuckDB over Parquet", "at most", 1.3, what, own[1] / peer[1])
        found.row(what, f"{own[0]:.2f}", f"{own[1]:.2f}", f"{peer[0]:.2f}", f"{peer[1]:.2f}", f"{own[1] / peer[1]:.1f}")


if __name__ == "__main__":
    main()
