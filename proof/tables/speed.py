"""Tables as Python takes them, beside what users pick today: CPU seconds of a process each, imports included.

    python speed.py --manicule PROGRAM [--sql PROGRAM] [--promtool P] [--restic P] [--cassandra FOLDER]
                    [--folder FOLDER] [--turns N] [--save FILE]

It runs with the wheel, pyarrow, polars, pandas, DuckDB and pyoxigraph installed. What isn't given or installed is
said to be left out. The data are made in the folder once: 1 M samples, 1 M rows of an SSTable, a restic repository
of 40,000 files, 1 M triples, and 10 M samples for SQL."""

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
import tempfile
import time

READ = {
    "pyarrow": "import manicule; t = {table}; print(t.to_arrow().num_rows)",
    "polars": "import manicule; t = {table}; print(t.to_polars().height)",
    "DuckDB": "import manicule, duckdb; t = {table}; print(duckdb.sql('SELECT count(*), count(COLUMNS(*)) FROM t').fetchall()[0][0])",
    "pandas": "import manicule; t = {table}; print(len(t.to_pandas()))",
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
    return statistics.median(run[0] for run in runs), runs[0][2]


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


class Page:
    """Rows that are printed, and kept."""

    def __init__(self):
        self.lines = []
        self.rows = []

    def say(self, line=""):
        print(line, flush=True)
        self.lines.append(line)

    def row(self, what, rows, ours, theirs, peer):
        ratio = theirs / ours
        self.rows.append({"what": what, "rows": rows, "cpu": ours, "peer": peer, "peer_cpu": theirs, "ratio": ratio})
        self.say(f"| {what} | {rows:,} | {ours:.2f} | {rows / ours:,.0f} | {peer} | {theirs:.2f} | {ratio:.1f} |")


def main():
    options = argparse.ArgumentParser()
    for name in ("manicule", "sql", "promtool", "restic", "cassandra", "save"):
        options.add_argument(f"--{name}")
    options.add_argument("--folder", default=os.path.join(tempfile.gettempdir(), "manicule-speed"))
    options.add_argument("--turns", type=int, default=3)
    given = options.parse_args()
    folder, page = pathlib.Path(given.folder), Page()
    os.environ["RESTIC_PASSWORD"] = "speed"
    os.environ.setdefault("MANICULE_CACHE_DIR", str(folder / "cache"))
    subjects = []
    data = made(folder / "samples", lambda place: samples(given.manicule, place, 2000, 500)) / "data"
    peer = given.promtool and ("promtool dump, pandas", PROMTOOL.format(promtool=given.promtool, data=str(data)))
    subjects.append(("series.samples", f"manicule.series({str(data)!r}).samples()", peer))
    data = made(folder / "rows", lambda place: sstable(given.manicule, place)) / "t"
    file = next(data.glob("*-Data.db"))
    peer = given.cassandra and ("sstabledump, pandas", SSTABLEDUMP.format(run=f"{given.cassandra}/run", data=str(file)))
    subjects.append(("rows.rows", f"manicule.rows({str(data)!r}).rows()", peer))
    if given.restic:
        data = made(folder / "blobs", lambda place: repository(given.restic, place)) / "repo"
        peer = ("restic ls --json, pandas", RESTIC.format(restic=given.restic, data=str(data)))
        subjects.append(("blobs.files", f"manicule.blobs({str(data)!r}).files(snapshots='latest')", peer))
    else:
        page.say("left out: restic")
    data = made(folder / "graph", lambda place: triples(given.manicule, place))
    peer = ("pyoxigraph, pandas", PYOXIGRAPH.format(data=str(data / "oxigraph"))) if (data / "oxigraph").exists() else None
    query = "SELECT ?s ?p ?o WHERE { ?s ?p ?o }"
    subjects.append(("graph.solutions", f"manicule.Graph({str(data / 'store')!r}).solutions({query!r})", peer))
    page.say("| table, into | rows | CPU s | rows a CPU s | beside | CPU s | ratio |")
    page.say("|---|---:|---:|---:|---|---:|---:|")
    for name, table, peer in subjects:
        theirs = python(peer[1], given.turns) if peer else None
        for library, code in READ.items():
            used, counted = python(code.format(table=table), given.turns)
            if theirs:
                # restic's listing has folders that lead to what was backed up.
                assert abs(int(theirs[1]) - int(counted)) <= 8, (name, theirs[1], counted)
                page.row(f"{name}, {library}", int(counted), used, theirs[0], peer[0])
            else:
                page.say(f"| {name}, {library} | {int(counted):,} | {used:.2f} | {int(counted) / used:,.0f} | left out | | |")
    overhead(given, page, subjects)
    weight(page)
    if given.sql:
        sql(given, folder, page)
    if given.save:
        pathlib.Path(given.save).write_text("\n".join(page.lines) + "\n")
        pathlib.Path(given.save).with_suffix(".json").write_text(json.dumps(page.rows, indent=1) + "\n")


def overhead(given, page, subjects):
    """What a reading through Arrow's stream takes beside one whose batches nobody takes further."""
    page.say()
    page.say("| table | batches, CPU s | pyarrow, CPU s | over it | without imports |")
    page.say("|---|---:|---:|---:|---:|")
    batches = "import manicule\ns = ({table})._open()\nwhile s.next_batch() is not None: pass"
    through = "import manicule, pyarrow; t = {table}\nfor b in pyarrow.RecordBatchReader.from_stream(t): pass"
    bare = {name: python(code, given.turns)[0] for name, code in (("batches", "import manicule"), ("pyarrow", "import manicule, pyarrow"))}
    for name, table, _ in subjects:
        own, stream = (python(code.format(table=table), given.turns)[0] for code in (batches, through))
        over = (stream - bare["pyarrow"]) / (own - bare["batches"]) - 1
        page.say(f"| {name} | {own:.2f} | {stream:.2f} | {100 * (stream / own - 1):.0f} % | {100 * over:.0f} % |")


def weight(page):
    """The wheel's import and its size."""
    code = "import time; start = time.perf_counter(); import manicule; print(time.perf_counter() - start)"
    times = sorted(float(cpu([sys.executable, "-c", code])[2]) for _ in range(9))
    import manicule

    size = sum(path.stat().st_size for path in pathlib.Path(manicule.__file__).parent.rglob("*.so"))
    page.say()
    page.say(f"`import manicule` takes {1000 * times[4]:.0f} ms (median of 9); its module has {size / 1e6:.1f} MB unpacked.")


QUERIES = {
    "count": "SELECT count(*) FROM {t}",
    "count of some": "SELECT count(*) FROM {t} WHERE value > 100",
    "group": "SELECT job, count(*), avg(value) FROM {t} GROUP BY job ORDER BY job",
    "join": "SELECT n.name, count(*) FROM {t} AS t JOIN (VALUES ('j1', 'one'), ('j2', 'two')) AS n(job, name) ON t.job = n.job GROUP BY n.name ORDER BY 1",
}


def sql(given, folder, page):
    """10 M samples asked in SQL, beside DuckDB over the same in Parquet."""
    place = made(folder / "ten", lambda place: samples(given.manicule, place, 20_000, 500))
    parquet = place / "samples.parquet"
    if not parquet.exists():
        cpu([given.manicule, "table", "series.samples", str(place / "data"), "labels=job", "-o", str(parquet)])
    page.say()
    page.say("| 10 M samples | manicule sql, CPU s | s | DuckDB over Parquet, CPU s | s | ratio (s) |")
    page.say("|---|---:|---:|---:|---:|---:|")
    for what, query in QUERIES.items():
        ours = query.format(t=f"series_samples('{place / 'data'}', labels => ['job'])")
        theirs = query.format(t=f"'{parquet}'")
        own = min((cpu([given.sql, "--format", "csv", ours]) for _ in range(given.turns)), key=lambda run: run[1])
        code = f"import duckdb; print(duckdb.sql({theirs!r}).fetchall())"
        peer = min((cpu([sys.executable, "-c", code]) for _ in range(given.turns)), key=lambda run: run[1])
        page.rows.append({"what": f"SQL: {what}", "cpu": own[0], "s": own[1], "peer_cpu": peer[0], "peer_s": peer[1]})
        page.say(f"| {what} | {own[0]:.2f} | {own[1]:.2f} | {peer[0]:.2f} | {peer[1]:.2f} | {own[1] / peer[1]:.1f} |")


if __name__ == "__main__":
    main()
