"""Prints what manicule.graph and pyoxigraph cost for the same work: seconds of processor time, then
of the clock; of questions that are asked many times the microseconds of one.

    python proof/python/graph.py [--triples 1000000] [--only manicule|pyoxigraph]

Each library has a process of its own, and a store in a folder."""

import argparse
import importlib
import json
import pathlib
import subprocess
import sys
import tempfile
import time

PREDICATES = "x:name", "x:city", "x:age", "x:knows", "x:knows2"
JOIN = """SELECT ?name ?other { ?person <x:city> <x:city/7> ; <x:name> ?name ; <x:knows> ?friend .
    ?friend <x:city> <x:city/217> ; <x:name> ?other }"""
GROUPS = "SELECT ?city (COUNT(?person) AS ?n) (AVG(?age) AS ?mean) { ?person <x:city> ?city ; <x:age> ?age } GROUP BY ?city"


def document(path, triples):
    people = triples // len(PREDICATES)
    with open(path, "w") as out:
        for number in range(people):
            person = f"<x:person/{number}>"
            out.write(f'{person} <x:name> "Person {number}" .\n')
            out.write(f"{person} <x:city> <x:city/{number * 7919 % 1000}> .\n")
            out.write(f'{person} <x:age> "{number % 90}"^^<http://www.w3.org/2001/XMLSchema#integer> .\n')
            out.write(f"{person} <x:knows> <x:person/{number * 31 % people}> .\n")
            out.write(f"{person} <x:knows2> <x:person/{number * 17 % people}> .\n")
    return people


def measured(name, path, people, folder):
    graph = importlib.import_module("manicule.graph" if name == "manicule" else name)
    node = graph.NamedNode
    store = graph.Store(folder)
    figures = {}

    def measure(what, job, times=1):
        processor, clock = time.process_time(), time.perf_counter()
        for number in range(times):
            job(number)
        processor, clock = time.process_time() - processor, time.perf_counter() - clock
        figures[what] = [processor / times, clock / times]

    def point(number):
        person = number * 7 % people
        (row,) = store.query(f"SELECT ?name {{ <x:person/{person}> <x:name> ?name }}")
        assert row["name"].value == f"Person {person}"

    def pattern(number):
        (quad,) = store.quads_for_pattern(node(f"x:person/{number * 7 % people}"), node("x:name"), None)
        assert quad.object.value.startswith("Person")

    def rows(query):
        assert sum(1 for _ in store.query(query)) > 0

    def add(number):
        store.add(graph.Quad(node(f"x:new/{number}"), node("x:name"), graph.Literal("new")))

    quads = [
        graph.Quad(node(f"x:more/{number}"), node("x:age"), graph.Literal(number)) for number in range(100_000)
    ]
    measure("bulk_load of all", lambda _: store.bulk_load(path=path, format=graph.RdfFormat.N_TRIPLES))
    measure("ASK, from Python and back", lambda _: store.query("ASK { <x:person/1> <x:age> 1 }"), 5000)
    measure("point query", point, 5000)
    measure("quads_for_pattern of one", pattern, 5000)
    measure("join of 5 patterns", lambda _: rows(JOIN), 20)
    measure("groups over all", lambda _: rows(GROUPS))
    measure("iteration over all", lambda _: sum(1 for _ in store))
    measure("SELECT of all rows", lambda _: rows("SELECT ?s ?p ?o { ?s ?p ?o }"))
    measure("len", lambda _: len(store))
    measure("extend by 100,000", lambda _: store.extend(quads))
    measure("add of one", add, 200)
    measure("dump of all", lambda _: store.dump(format=graph.RdfFormat.N_QUADS))
    return figures


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--triples", type=int, default=1_000_000)
    parser.add_argument("--only", choices=["manicule", "pyoxigraph"])
    parser.add_argument("--measure", nargs=4, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        name, path, people, folder = asked.measure
        print(json.dumps(measured(name, path, int(people), folder)))
        return
    names = [asked.only] if asked.only else ["manicule", "pyoxigraph"]
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "all.nt"
        people = document(path, asked.triples)
        all_figures = {}
        for name in names:
            words = [sys.executable, __file__, "--measure", name, path, people, pathlib.Path(folder) / name]
            done = subprocess.run(list(map(str, words)), check=True, stdout=subprocess.PIPE)
            all_figures[name] = json.loads(done.stdout)
    print(f"{'':28}" + "".join(f"{name + ' CPU':>18}{'clock':>12}" for name in names))
    for what in all_figures[names[0]]:
        line = f"{what:28}"
        for name in names:
            processor, clock = all_figures[name][what]
            line += f"{shown(processor):>18}{shown(clock):>12}"
        print(line)


def shown(seconds):
    if seconds < 0.01:
        return f"{seconds * 1e6:.1f} us"
    return f"{seconds:.3f} s"


if __name__ == "__main__":
    main()
