"""One piece of work by a store of RDF that has a module for Python, so that the bench can measure it.

  ask.py sparq load FILE           loads a document of N-Triples into memory
  ask.py sparq questions DATA FILE  loads it, and asks the questions of a file: proof/bench/src/graph/steps.rs
  ask.py pyoxigraph load FOLDER FILE
  ask.py pyoxigraph questions FOLDER FILE
  ask.py pyoxigraph bursts FOLDER PLAN sparql|api each|own [flushed]
  ask.py pyoxigraph reader FOLDER PLAN sparql|api each|own SUBJECTS [flushed]
  ask.py pyoxigraph requests FOLDER FILE [flushed]

The steps are those of steps.rs. Rows are taken as Python values. A line of JSON for each row of questions.
"""

import itertools
import os
import sys
import threading
import time


class Sparq:
    def __init__(self, data):
        import sparq

        self.graph = sparq.Graph.load(data, format="ntriples")

    def query(self, text):
        rows = 0
        for row in self.graph.query(text):
            rows += 1
            for term in row.values():
                term.value
        return rows


class Oxigraph:
    def __init__(self, folder, flushed=False):
        import pyoxigraph

        self.store = pyoxigraph.Store(folder)
        self.node = pyoxigraph.NamedNode
        self.flushed = flushed

    def query(self, text):
        rows = 0
        for row in self.store.query(text):
            rows += 1
            for term in row:
                if term is not None:
                    term.value
        return rows

    def point(self, subject):
        rows = 0
        for quad in self.store.quads_for_pattern(self.node(subject), None, None, None):
            rows += 1
            quad.predicate.value
            quad.object.value
        return rows

    def update(self, text):
        self.store.update(text)
        if self.flushed:
            self.store.flush()
        return 1

    def asked(self, how, subject):
        if how == "api":
            return self.point(subject)
        return self.query(f"SELECT ?p ?o WHERE {{ <{subject}> ?p ?o }}")


class Times:
    def __init__(self, clock=time.thread_time):
        self.rows, self.wall, self.cpu, self.clock = 0, [], [], clock

    def take(self, work, *words):
        start, used = time.perf_counter(), self.clock()
        self.rows += work(*words)
        self.cpu.append((self.clock() - used) * 1e6)
        self.wall.append((time.perf_counter() - start) * 1e6)

    def say(self, row):
        lists = [",".join(f"{us:.1f}" for us in times) for times in (self.cpu, self.wall)]
        print(f'{{"row":"{row}","count":{self.rows},"cpu_us":[{lists[0]}],"wall_us":[{lists[1]}]}}', flush=True)

    def spread(self):
        self.rows = len(self.wall)
        for times in (self.wall, self.cpu):
            times.sort()
            times[:] = [times[round((len(times) - 1) * share)] for share in (0.5, 0.99, 1)]
        return self


def say_count(row, count):
    print(f'{{"row":"{row}","count":{count},"cpu_us":[],"wall_us":[]}}', flush=True)


def lines(file):
    return [line.rstrip("\n").split("\t") for line in open(file, encoding="utf-8")]


def field(file, name):
    for line in open(file):
        if line.startswith(name + ":"):
            return int(line.split()[1])


def folder_len(folder):
    return sum(os.path.getsize(os.path.join(at, file)) for at, _, files in os.walk(folder) for file in files)


def bursts(engine, folder, plan, how):
    commit = Times(time.process_time)
    rows = {row: Times() for row in ("read_new", "read_new2", "read_old", "read_old_random")}
    written = disk = memory = 0
    for turn, file, new, old, other in lines(plan):
        text, before = open(file).read(), field("/proc/self/io", "wchar")
        if turn == "warm":
            engine.update(text)
        else:
            commit.take(engine.update, text)
        for times, subject in zip(rows.values(), (new, new, old, other)):
            if turn == "warm":
                engine.asked(how, subject)
            else:
                times.take(engine.asked, how, subject)
        if turn != "warm":
            written += field("/proc/self/io", "wchar") - before
        disk = max(disk, folder_len(folder))
        memory = max(memory, field("/proc/self/status", "VmRSS") * 1024)
    commit.say("commit")
    for row, times in rows.items():
        times.say(row)
    say_count("bytes written", written)
    say_count("disk, largest", disk)
    say_count("disk at the end", folder_len(folder))
    say_count("memory, largest", memory)


def reader(engine, plan, how, subjects):
    subjects = [line[0] for line in lines(subjects)]

    def read(is_over):
        times = Times()
        for subject in itertools.cycle(subjects):
            if is_over():
                return times
            times.take(engine.asked, how, subject)

    read(lambda start=time.time(): time.time() > start + 1)
    read(lambda start=time.time(): time.time() > start + 3).spread().say("reader, idle")
    over, beside = threading.Event(), []
    thread = threading.Thread(target=lambda: beside.append(read(over.is_set)))
    thread.start()
    for fields in lines(plan):
        engine.update(open(fields[1]).read())
    over.set()
    thread.join()
    beside[0].spread().say("reader, beside the writer")


def requests(engine, file):
    times = Times(time.process_time)
    for line in open(file, encoding="utf-8"):
        times.take(engine.update, line)
    times.say("page")


def questions(engine, file):
    row, rows, wall, cpu = None, 0, [], []

    def say():
        if row is not None and wall:
            lists = [",".join(f"{us:.1f}" for us in times) for times in (cpu, wall)]
            print(f'{{"row":"{row}","count":{rows},"cpu_us":[{lists[0]}],"wall_us":[{lists[1]}]}}', flush=True)

    for line in open(file, encoding="utf-8"):
        name, how, turn, text = line.rstrip("\n").split("\t")
        if name != row:
            say()
            row, rows, wall, cpu = name, 0, [], []
        ask = engine.query if how == "sparql" else getattr(engine, "point", None)
        if ask is None:
            continue
        if turn == "warm":
            ask(text)
            continue
        start, used = time.perf_counter(), time.process_time()
        rows += ask(text)
        cpu.append((time.process_time() - used) * 1e6)
        wall.append((time.perf_counter() - start) * 1e6)
    say()


def main(engine, verb, *words):
    flushed = words[-1] == "flushed"
    words = words[:-1] if flushed else words
    if engine == "sparq":
        graph = Sparq(words[0])
        if verb == "questions":
            questions(graph, words[1])
    elif verb == "load":
        import pyoxigraph

        store = pyoxigraph.Store(words[0])
        store.bulk_load(path=words[1], format=pyoxigraph.RdfFormat.N_TRIPLES)
        store.flush()
    else:
        store = Oxigraph(words[0], flushed)
        if verb == "questions":
            questions(store, words[1])
        elif verb == "bursts":
            bursts(store, words[0], words[1], words[2])
        elif verb == "reader":
            reader(store, words[1], words[2], words[4])
        elif verb == "requests":
            requests(store, words[1])
        else:
            sys.exit(f"ask.py has no verb {verb}")


main(*sys.argv[1:])
