"""SPARQL clients as people have them, against a server: SPARQLWrapper, rdflib, and with --jena Jena's rsparql, rupdate and
RDFConnection. What they give is compared with what rdflib has of the same documents in memory.

    python3 sparql_clients.py MANICULE SERVER [--jena FOLDER]

Needs SPARQLWrapper 2.0.0 and rdflib 7.6.0; FOLDER holds Jena's jars, as jena/pom.xml gets them. Ends with 1 where anything differs.
"""

import argparse
import pathlib
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import rdflib
from rdflib.compare import isomorphic
from rdflib.plugins.stores.sparqlstore import SPARQLStore, SPARQLUpdateStore
from SPARQLWrapper import CSV, GET, JSON, JSONLD, N3, POST, POSTDIRECTLY, RDFXML, TSV, TURTLE, URLENCODED, XML, SPARQLWrapper
from SPARQLWrapper.SPARQLExceptions import QueryBadFormed

HERE = pathlib.Path(__file__).resolve().parent
DATA = HERE.parent / "golden" / "graph" / "clients" / "data.nq"
NS = "http://e.example/"
P = rdflib.URIRef(NS + "p")
SELECT = "SELECT * { ?s ?p ?o } ORDER BY ?s ?p"
CONSTRUCT = "CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }"

wrong = 0


def check(what, want, got):
    global wrong
    wrong += want != got
    print(("ok    " if want == got else "WRONG ") + what + ("" if want == got else f": {got!r} in place of {want!r}"), flush=True)


def iri(name):
    return rdflib.URIRef(NS + name)


class Server:
    """A server of the golden documents."""

    def __init__(self, manicule, server, folder):
        subprocess.run([manicule, "graph", "load", "-q", folder / "store", DATA], check=True)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.process = subprocess.Popen([server, "--listen", str(port), folder / "store"], stdin=subprocess.DEVNULL)
        for _ in range(500):
            try:
                urllib.request.urlopen(self.url + "/healthz").read()
                return
            except OSError:
                time.sleep(0.02)
        raise SystemExit("the server doesn't answer")


def bag(rows):
    """Rows as a bag; blank nodes are alike. rdflib reads what an XML or JSON answer says without a datatype as a plain literal."""
    def shown(term):
        return "_:" if isinstance(term, rdflib.BNode) else term if term is None else term.n3().replace("^^<http://www.w3.org/2001/XMLSchema#string>", "")
    return sorted((tuple(shown(term) for term in row) for row in rows), key=repr)


def wrapper(server, truth):
    def ask(query, form, method=GET, request=URLENCODED, path="/query", **parameters):
        client = SPARQLWrapper(server.url + path)
        client.setQuery(query)
        client.setReturnFormat(form)
        client.setMethod(method)
        client.setRequestMethod(request)
        for name, values in parameters.items():
            for value in values:
                client.addParameter(name.replace("_", "-"), value)
        return client.queryAndConvert()

    default = truth.default_graph
    count = len(default)
    check("SPARQLWrapper SELECT JSON", count, len(ask(SELECT, JSON)["results"]["bindings"]))
    check("SPARQLWrapper SELECT XML", count, len(ask(SELECT, XML).getElementsByTagName("result")))
    check("SPARQLWrapper SELECT CSV", b"s,p,o", ask(SELECT, CSV).split(b"\r\n")[0])
    check("SPARQLWrapper SELECT TSV", b"?s\t?p\t?o", ask(SELECT, TSV).split(b"\n")[0])
    check("SPARQLWrapper SELECT POST form", count, len(ask(SELECT, JSON, POST)["results"]["bindings"]))
    check("SPARQLWrapper SELECT POST direct", count, len(ask(SELECT, JSON, POST, POSTDIRECTLY)["results"]["bindings"]))
    for form in (JSON,):
        check("SPARQLWrapper ASK " + form, True, ask("ASK { ?s ?p 'Alice' }", form)["boolean"])
    check("SPARQLWrapper ASK XML", "true", ask("ASK { ?s ?p 'Alice' }", XML).getElementsByTagName("boolean")[0].firstChild.data)
    for form, syntax in ((TURTLE, "turtle"), (N3, "turtle")):
        got = rdflib.Graph().parse(data=ask(CONSTRUCT, form), format=syntax)
        check("SPARQLWrapper CONSTRUCT " + form, True, isomorphic(default, got))
    for form in (RDFXML, JSONLD, XML):
        got = rdflib.Graph()
        for triple in ask(CONSTRUCT, form):
            got.add(triple[:3])
        check("SPARQLWrapper CONSTRUCT " + form, True, isomorphic(default, got))
    described = rdflib.Graph().parse(data=ask(f"DESCRIBE <{NS}alice>", TURTLE, POST), format="turtle")
    check("SPARQLWrapper DESCRIBE", True, len(described) >= 4)
    graphs = [NS + "g1", NS + "g2"]
    check("SPARQLWrapper default-graph-uri", 3, len(ask(SELECT, JSON, default_graph_uri=graphs)["results"]["bindings"]))
    named = ask("SELECT * { GRAPH ?g { ?s ?p ?o } }", JSON, named_graph_uri=graphs[:1])
    check("SPARQLWrapper named-graph-uri", 2, len(named["results"]["bindings"]))
    try:
        ask("SELECT * { ?s ?p }", JSON)
        check("SPARQLWrapper bad query", "QueryBadFormed", "an answer")
    except QueryBadFormed as error:
        check("SPARQLWrapper bad query", True, "line 1, column" in str(error))
    ask(f"INSERT DATA {{ <{NS}w1> <{NS}p> 'wörld' }}", JSON, POST, path="/update")
    ask(f"INSERT DATA {{ <{NS}w2> <{NS}p> 2 }}", JSON, POST, POSTDIRECTLY, path="/update")
    move = f"DELETE {{ ?s <{NS}p> ?o }} INSERT {{ GRAPH <{NS}g3> {{ ?s <{NS}p> ?o }} }} WHERE {{ ?s <{NS}p> ?o }}"
    ask(move, JSON, POST, path="/update", using_graph_uri=[NS + "g1"])
    check("SPARQLWrapper updates", True, ask(f"ASK {{ <{NS}w1> ?p 'wörld' . <{NS}w2> ?p 2 . GRAPH <{NS}g3> {{ <{NS}x> ?p '1' }} }}", JSON)["boolean"])
    ask(f"DELETE DATA {{ <{NS}w1> <{NS}p> 'wörld' . <{NS}w2> <{NS}p> 2 }}; DROP GRAPH <{NS}g3>", JSON, POST, path="/update")


def stores(server, truth):
    query, update = server.url + "/query", server.url + "/update"
    default = truth.default_graph
    want = bag(default)
    pick = "SELECT ?s ?p ?o { ?s ?p ?o }"
    for method in ("GET", "POST", "POST_FORM"):
        check("rdflib query " + method, want, bag(rdflib.Graph(SPARQLStore(query, method=method)).query(pick)))
    for form in ("json", "xml", "tsv"):
        check("rdflib query " + form, want, bag(rdflib.Graph(SPARQLStore(query, returnFormat=form)).query(pick)))
    check("rdflib query csv", len(want), len(list(rdflib.Graph(SPARQLStore(query, returnFormat="csv")).query(pick))))
    graph = rdflib.Graph(SPARQLStore(query))
    check("rdflib ask", False, bool(graph.query("ASK { ?s ?p 'ü' }").askAnswer))
    check("rdflib construct", True, isomorphic(default, graph.query(CONSTRUCT).graph))
    check("rdflib triples", bag(default.triples((None, P, None))), bag(graph.triples((None, P, None))))
    check("rdflib contains", True, (iri("alice"), rdflib.RDF.type, None) in graph)
    check("rdflib len", len(default), len(graph))
    named = rdflib.Graph(SPARQLStore(query), identifier=iri("g2"))
    check("rdflib named graph", bag(truth.graph(iri("g2"))), bag(named.triples((None, None, None))))
    names = {str(each) for each in SPARQLStore(query).contexts()}
    check("rdflib graphs", {NS + "g1", NS + "g2"}, names)
    bound = graph.query(f"SELECT ?o {{ ?s <{NS}p> ?o }}", initBindings={"s": iri("ü")})
    check("rdflib initBindings", [("",)], [tuple(map(str, row)) for row in bound])
    check("rdflib SERVICE", len(default), len(list(rdflib.Graph().query("SELECT * { SERVICE <%s> { ?s ?p ?o } }" % query))))
    check("rdflib parse of a graph", bag(truth.graph(iri("g2"))), bag(rdflib.Graph().parse(server.url + "/store?graph=" + NS + "g2")))

    def changed(change, want, **options):
        store = SPARQLUpdateStore(query, update, **options)
        graph = rdflib.Graph(store, identifier=iri("g9"))
        change(graph, store)
        check(f"rdflib {change.__name__} {options or ''}".rstrip(), want, len(graph))

    def add(graph, _):
        graph.add((iri("d"), P, rdflib.Literal('é\n"', lang="fr")))

    def add_n(graph, _):
        graph.addN([(iri(f"e{at}"), P, rdflib.Literal(at), graph) for at in range(3)])

    def change(graph, _):
        graph.update(f"DELETE WHERE {{ <{NS}e1> ?p ?o }}")

    def remove(graph, _):
        graph.remove((iri("d"), None, None))

    def commit(graph, store):
        graph.add((iri("k1"), P, rdflib.Literal(1)))
        graph.add((iri("k2"), P, rdflib.Literal(2)))
        store.commit()

    changed(add, 1)
    changed(add_n, 4)
    changed(change, 3)
    changed(remove, 2)
    changed(commit, 4, autocommit=False)
    changed(add, 5, method="POST_FORM")
    dropped = urllib.request.Request(server.url + "/store?graph=" + NS + "g9", method="DELETE")
    check("DELETE of a graph", 204, urllib.request.urlopen(dropped).status)
    try:
        urllib.request.urlopen(server.url + "/store?graph=" + NS + "g9")
    except urllib.error.HTTPError as error:
        check("GET of what was deleted", 404, error.code)


def jena(server, jars, folder, truth):
    default = truth.default_graph
    classes = f"{jars}/*"

    def run(main, *words):
        done = subprocess.run(["java", "-cp", classes, main, *words], capture_output=True, text=True, cwd=folder)
        if done.returncode:
            check(f"{main} {' '.join(words)}", 0, f"{done.returncode}: {done.stderr}")
        return done.stdout

    def rsparql(query, *words):
        return run("arq.rsparql", f"--service={server.url}/query", *words, query)

    csv = rsparql(SELECT, "--results=csv")
    check("rsparql csv", len(default) + 2, csv.count("\n"))
    json = rsparql(SELECT, "--results=json")
    check("rsparql json", len(default), json.count('"s": {'))
    check("rsparql xml", len(default), rsparql(SELECT, "--results=xml").count("<result>"))
    check("rsparql tsv", len(default) + 1, rsparql(SELECT, "--results=tsv").count("\n"))
    check("rsparql text", True, "Alice" in rsparql(SELECT, "--results=text"))
    check("rsparql ask", True, "Yes" in rsparql("ASK {}", "--results=text"))
    check("rsparql post", len(default), rsparql(SELECT, "--post", "--results=json").count('"s": {'))
    got = rdflib.Graph().parse(data=rsparql(CONSTRUCT), format="turtle")
    check("rsparql construct", True, isomorphic(default, got))
    described = rdflib.Graph().parse(data=rsparql(f"DESCRIBE <{NS}alice>"), format="turtle")
    check("rsparql describe", True, len(described) >= 4)
    (folder / "insert.ru").write_text(f'INSERT DATA {{ <{NS}ru> <{NS}p> "rü" }}')
    run("arq.rupdate", f"--service={server.url}/update", "--update=insert.ru")
    check("rupdate", True, "Yes" in rsparql(f"ASK {{ <{NS}ru> ?p 'rü' }}", "--results=text"))
    (folder / "empty.ttl").write_text("")
    federated = "SELECT * { SERVICE <%s/query> { ?s <%sp> ?o } }" % (server.url, NS)
    check("arq SERVICE", True, "rü" in run("arq.arq", "--data=empty.ttl", "--results=csv", federated))
    connection = subprocess.run(["java", "-cp", classes, str(HERE / "jena" / "Connection.java"), server.url], cwd=folder)
    check("RDFConnection", 0, connection.returncode)


def main():
    words = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    words.add_argument("manicule", type=pathlib.Path)
    words.add_argument("server", type=pathlib.Path)
    words.add_argument("--jena", type=pathlib.Path)
    asked = words.parse_args()
    truth = rdflib.Dataset()
    truth.parse(DATA, format="nquads")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        server = Server(asked.manicule.resolve(), asked.server.resolve(), folder)
        try:
            wrapper(server, truth)
            stores(server, truth)
            if asked.jena:
                jena(server, asked.jena.resolve(), folder, truth)
        finally:
            server.process.terminate()
            server.process.wait()
    print(f"{wrong} differ" if wrong else "nothing differs")
    sys.exit(bool(wrong))


main()
