"""Questions over the whole of a graph, asked of a store in memory, of pyoxigraph or of a Virtuoso server, so that the bench can measure them.

  wide.py maplib DATA QUESTIONS SECONDS
  wide.py sparq DATA QUESTIONS SECONDS
  wide.py pyoxigraph FOLDER QUESTIONS SECONDS     a store that is loaded already
  wide.py virtuoso DATA QUESTIONS SECONDS PROGRAMS FOLDER
                                                 PROGRAMS: what ../virtuoso/build unpacked; FOLDER: where its data goes

DATA is a document of N-Triples. A line of QUESTIONS is a row's name, `sparql`, `warm` or `timed`, and a query. Printed is a line of JSON for
`load`, one for each row as soon as it is answered, and one for `peak memory`. A query that takes longer than SECONDS ends the process, so
that the rows after it can be asked of a new one; of Virtuoso only its server. Rows are taken as Python's values. CPU is the process's,
of Virtuoso its server's.
"""

import ctypes
import glob
import http.client
import itertools
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.parse

MASK = (1 << 64) - 1
# What takes longer is asked once.
SLOW_SECONDS = 1
# Answers of more rows are counted and not hashed.
HASHED_ROWS_MAX = 20_000
# The graph that Virtuoso loads into.
GRAPH = "http://bench/"


def hash_of(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = ((value ^ byte) * 0x100000001B3) & MASK
    return value


def is_hashed(datatype):
    """IRIs, strings, integers: what all stores spell alike."""
    return not datatype or datatype.endswith(("ring", "#integer"))


def field_of(pid, name):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith(name + ":"):
            return int(line.split()[1])


class Module:
    """A store in this process."""

    ends_with_process = True

    def cpu(self):
        return time.process_time()

    def peak_kib(self):
        return field_of("self", "VmHWM")

    def close(self):
        pass


class Maplib(Module):
    def __init__(self, data):
        from maplib import Model

        self.model = Model()
        self.model.read(data, format="ntriples")

    def rows(self, text):
        return self.model.query(text).rows()

    def text(self, value):
        # Columns of one type have numbers and strings as they are; in the others, and of IRIs, terms are spelled as in N-Triples.
        if not isinstance(value, str):
            return str(value) if type(value) is int else None
        if value.startswith("<") and value.endswith(">"):
            return value[1:-1]
        if value.startswith('"') and value.rfind('"') > 0:
            text, rest = value[1:].rsplit('"', 1)
            return text if is_hashed(rest[3:-1] if rest.startswith("^^") else "") else None
        return value


class Sparq(Module):
    def __init__(self, data):
        import sparq

        self.graph = sparq.Graph.load(data, format="ntriples")

    def rows(self, text):
        return [[(term, term.value) for term in row.values()] for row in self.graph.query(text)]

    def text(self, value):
        term, text = value
        datatype = str(getattr(term, "datatype", "") or "")
        return text if is_hashed(datatype.rstrip(">")) else None


class Oxigraph(Module):
    def __init__(self, folder):
        import pyoxigraph

        self.store = pyoxigraph.Store(folder)

    def rows(self, text):
        return [[term and (term, term.value) for term in row] for row in self.store.query(text)]

    def text(self, value):
        if value is None:
            return None
        term, text = value
        datatype = getattr(term, "datatype", None)
        return text if datatype is None or is_hashed(datatype.value) else None


class Virtuoso:
    ends_with_process = False

    def __init__(self, data, seconds, programs, folder):
        self.seconds, self.folder = seconds, folder
        self.bin = os.path.join(programs, "root/usr/bin")
        folders = ("root/usr/lib/*-linux-gnu", "root/lib/*-linux-gnu")
        libraries = [found for folder in folders for found in glob.glob(os.path.join(programs, folder))]
        self.environment = dict(os.environ, LD_LIBRARY_PATH=":".join(libraries))
        os.makedirs(folder, exist_ok=True)
        self.ports = [self.free_port(), self.free_port()]
        with open(os.path.join(folder, "virtuoso.ini"), "w") as file:
            file.write(self.settings(os.path.dirname(os.path.abspath(data))))
        self.start()
        where, name = os.path.split(os.path.abspath(data))
        self.isql(f"ld_dir('{where}', '{name}', '{GRAPH}'); rdf_loader_run(); checkpoint;")

    def free_port(self):
        with socket.socket() as one:
            one.bind(("127.0.0.1", 0))
            return one.getsockname()[1]

    def settings(self, data_folder):
        file = lambda name: os.path.join(self.folder, name)
        sections = {
            "Database": {
                "DatabaseFile": file("v.db"),
                "ErrorLogFile": file("v.log"),
                "LockFile": file("v.lck"),
                "TransactionFile": file("v.trx"),
                "xa_persistent_file": file("v.pxa"),
                "MaxCheckpointRemap": 2000,
            },
            "TempDatabase": {"DatabaseFile": file("temp.db"), "TransactionFile": file("temp.trx")},
            # 1.4 GB of pages of 8 KiB: all of the data.
            "Parameters": {
                "ServerPort": f"127.0.0.1:{self.ports[0]}",
                "NumberOfBuffers": 170000,
                "MaxDirtyBuffers": 130000,
                "ThreadsPerQuery": os.cpu_count(),
                "AsyncQueueMaxThreads": os.cpu_count(),
                "DirsAllowed": data_folder,
                "MaxQueryMem": "2G",
            },
            "HTTPServer": {"ServerPort": f"127.0.0.1:{self.ports[1]}", "ServerRoot": self.folder, "ServerThreads": 4},
            "SPARQL": {"ResultSetMaxRows": 10000000},
        }
        lines = []
        for section, keys in sections.items():
            lines += [f"[{section}]"] + [f"{key} = {value}" for key, value in keys.items()] + [""]
        return "\n".join(lines)

    def start(self):
        # The server goes with this process, however that ends.
        die_with_parent = lambda: ctypes.CDLL(None).prctl(1, signal.SIGKILL)
        self.server = subprocess.Popen(
            [os.path.join(self.bin, "virtuoso-t"), "+foreground", "+configfile", os.path.join(self.folder, "virtuoso.ini")],
            env=self.environment,
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=die_with_parent,
        )
        end = time.time() + 60
        while True:
            try:
                for port in self.ports:
                    socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                if time.time() > end or self.server.poll() is not None:
                    raise RuntimeError("the server doesn't answer")
                time.sleep(0.05)
        self.connect()

    def connect(self):
        self.connection = http.client.HTTPConnection("127.0.0.1", self.ports[1], timeout=self.seconds)

    def isql(self, statements):
        words = [os.path.join(self.bin, "isql-vt"), f"127.0.0.1:{self.ports[0]}", "dba", "dba", "ERRORS=STDOUT"]
        done = subprocess.run(words + [f"exec={statements}"], env=self.environment, capture_output=True, text=True)
        if done.returncode != 0 or "*** Error" in done.stdout:
            raise RuntimeError(f"isql: {done.stdout.strip()[-300:]}")

    def rows(self, text):
        # Without a graph it would ask its own ones too.
        words = {"query": text, "format": "application/sparql-results+json", "default-graph-uri": GRAPH}
        head = {"Content-Type": "application/x-www-form-urlencoded"}
        try:
            self.connection.request("POST", "/sparql", urllib.parse.urlencode(words), head)
            answer = self.connection.getresponse()
            body = answer.read()
        except (TimeoutError, http.client.HTTPException, OSError) as error:
            # Nothing but its end stops a query.
            self.server.kill()
            self.server.wait()
            self.start()
            raise RuntimeError(f"no answer in {self.seconds} s") from error
        if answer.status != 200:
            raise RuntimeError(body.decode(errors="replace").split("\n")[0][:120])
        result = json.loads(body)
        names = result["head"]["vars"]
        return [[row.get(name) for name in names] for row in result["results"]["bindings"]]

    def text(self, value):
        if value is None or value["type"] == "bnode":
            return None
        datatype = value.get("datatype", "")
        return value["value"] if is_hashed(datatype) else None

    def cpu(self):
        # Nanoseconds of each thread, where the clock of /proc/PID/stat has steps of 10 ms.
        total = 0
        for file in glob.glob(f"/proc/{self.server.pid}/task/*/schedstat"):
            try:
                total += int(open(file).read().split()[0])
            except OSError:
                pass
        return total / 1e9

    def peak_kib(self):
        return field_of(self.server.pid, "VmHWM")

    def close(self):
        self.server.kill()
        self.server.wait()


class Row:
    def __init__(self, name):
        self.name, self.count, self.hash, self.wall, self.cpu = name, 0, 0, [], []

    def take(self, engine, text):
        """Asks, and gives what was measured: seconds of wall and CPU, the answer."""
        start, used = time.perf_counter(), engine.cpu()
        rows = engine.rows(text)
        return time.perf_counter() - start, engine.cpu() - used, rows

    def add(self, engine, wall, cpu, rows):
        self.wall.append(wall * 1e6)
        self.cpu.append(cpu * 1e6)
        self.count += len(rows)
        if len(rows) > HASHED_ROWS_MAX:
            self.hash = None
        if self.hash is not None:
            texts = (engine.text(value) for row in rows for value in row)
            self.hash = (self.hash + sum(hash_of(text) for text in texts if text is not None)) & MASK

    def say(self, failed=""):
        figures = {"row": self.name, "count": self.count, "cpu_us": self.cpu, "wall_us": self.wall}
        figures["hash"] = "" if self.hash is None else f"{self.hash:x}"
        print(json.dumps(figures | ({"failed": failed} if failed else {})), flush=True)


def ask(engine, file, seconds):
    lines = (line.rstrip("\n").split("\t") for line in open(file, encoding="utf-8"))
    for name, group in itertools.groupby(lines, lambda fields: fields[0]):
        row, begun = Row(name), time.time()
        try:
            for _, _, turn, text in group:
                if engine.ends_with_process:
                    # Its default action, which no module can hold up.
                    signal.setitimer(signal.ITIMER_REAL, seconds)
                wall, cpu, rows = row.take(engine, text)
                if engine.ends_with_process:
                    signal.setitimer(signal.ITIMER_REAL, 0)
                is_slow = wall > SLOW_SECONDS
                if turn == "timed" or is_slow:
                    row.add(engine, wall, cpu, rows)
                if is_slow or time.time() > begun + seconds:
                    break
            row.say()
        except Exception as error:
            signal.setitimer(signal.ITIMER_REAL, 0)
            row.say(" ".join(f"{type(error).__name__}: {error}".split())[:160])
        except BaseException as error:
            # A panic, after which a store may answer nothing.
            row.say(" ".join(str(error).split())[:160] or "a panic")
            os._exit(3)


def main(engine, data, file, seconds, *more):
    seconds, load = int(seconds), Row("load")
    start = time.perf_counter()
    engines = {"maplib": Maplib, "sparq": Sparq, "pyoxigraph": Oxigraph}
    if engine == "virtuoso":
        engine = Virtuoso(data, seconds, *more)
    else:
        engine = engines[engine](data)
    load.wall.append((time.perf_counter() - start) * 1e6)
    load.cpu.append(engine.cpu() * 1e6)
    load.say()
    ask(engine, file, seconds)
    memory = Row("peak memory")
    memory.count = engine.peak_kib()
    memory.say()
    engine.close()


main(*sys.argv[1:])
