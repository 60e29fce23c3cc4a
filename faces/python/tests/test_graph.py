"""Stores of RDF under pyoxigraph's names."""

import copy
import io
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import manicule
from manicule.graph import (
    BlankNode,
    Dataset,
    DefaultGraph,
    Literal,
    NamedNode,
    Quad,
    QueryResultsFormat,
    RdfFormat,
    Store,
    Triple,
    Variable,
    parse,
    parse_query_results,
    serialize,
)

XSD = "http://www.w3.org/2001/XMLSchema#"
LAMP, IS, GRAPH = NamedNode("x:lamp"), NamedNode("x:is"), NamedNode("x:graph")
LIT = Quad(LAMP, IS, Literal("lit"))
IN_GRAPH = Quad(LAMP, IS, Literal("dark", language="en"), GRAPH)


def numbers(count):
    return [Quad(NamedNode(f"x:{number}"), IS, Literal(number)) for number in range(count)]


# Terms.


@pytest.mark.parametrize(
    "term, text, representation",
    [
        (LAMP, "<x:lamp>", "<NamedNode value=x:lamp>"),
        (BlankNode("b"), "_:b", "<BlankNode value=b>"),
        (Variable("v"), "?v", "<Variable value=v>"),
        (DefaultGraph(), "DEFAULT", "<DefaultGraph>"),
        (Literal("a"), '"a"', f"<Literal value=a datatype=<NamedNode value={XSD}string>>"),
        (Literal("a", language="EN"), '"a"@en', "<Literal value=a language=en>"),
        (Literal("a", language="ar", direction="rtl"), '"a"@ar--rtl', "<Literal value=a language=ar direction=rtl>"),
        (Literal(7), f'"7"^^<{XSD}integer>', f"<Literal value=7 datatype=<NamedNode value={XSD}integer>>"),
        (Triple(LAMP, IS, LAMP), "<x:lamp> <x:is> <x:lamp>", None),
        (LIT, '<x:lamp> <x:is> "lit"', None),
        (IN_GRAPH, '<x:lamp> <x:is> "dark"@en <x:graph>', None),
        (RdfFormat.TURTLE, "Turtle", "<RdfFormat Turtle>"),
        (QueryResultsFormat.CSV, None, None),
    ],
)
def test_a_value_is_a_value(term, text, representation):
    for other in (pickle.loads(pickle.dumps(term)), copy.copy(term), copy.deepcopy(term)):
        assert other == term and hash(other) == hash(term)
    assert text is None or str(term) == text
    assert representation is None or repr(term) == representation
    assert term != 1 and term not in [None, "x"]


def test_terms_of_values():
    for value, text, datatype in [
        ("a", "a", "string"),
        (True, "true", "boolean"),
        (10**30, "1" + "0" * 30, "integer"),
        (0.5, "0.5", "double"),
        (float("-inf"), "-INF", "double"),
    ]:
        literal = Literal(value)
        assert (literal.value, literal.datatype.value) == (text, XSD + datatype)
    assert NamedNode("x:a") < NamedNode("x:b") and sorted([BlankNode("b"), BlankNode("a")])[0].value == "a"
    assert BlankNode() != BlankNode()
    match IN_GRAPH:
        case Quad(NamedNode(subject), _, Literal(text, language=language), graph):
            assert (subject, text, language, graph) == ("x:lamp", "dark", "en", GRAPH)
    subject, predicate, object, graph = IN_GRAPH
    assert Triple(subject, predicate, object) == IN_GRAPH.triple and graph == IN_GRAPH[3]


def test_what_is_no_term_is_refused():
    for make in [
        lambda: NamedNode("a b"),
        lambda: BlankNode("a b"),
        lambda: Variable("a b"),
        lambda: Literal(None),
        lambda: Literal("a", language="a b"),
        lambda: Literal("a", language="en", datatype=LAMP),
        lambda: Literal("a", direction="rtl"),
        lambda: Literal("a", language="ar", direction="up"),
    ]:
        with pytest.raises(ValueError):
            make()
    for make in [lambda: Quad(Literal("a"), IS, LAMP), lambda: Quad(LAMP, BlankNode(), LAMP), lambda: Triple(LAMP, IS, LIT)]:
        with pytest.raises(TypeError, match="is wanted"):
            make()
    with pytest.raises(IndexError):
        LIT[4]


# A store.


def test_quads_come_and_go():
    store = Store()
    assert not store and len(store) == 0 and list(store) == []
    store.extend([LIT, IN_GRAPH, LIT])
    assert store and len(store) == 2 and LIT in store and IN_GRAPH in store
    assert list(store) == [LIT, IN_GRAPH]
    assert list(store.quads_for_pattern(None, IS, None, DefaultGraph())) == [LIT]
    assert list(store.quads_for_pattern(LAMP, None, IN_GRAPH.object)) == [IN_GRAPH]
    assert list(store.quads_for_pattern(NamedNode("x:none"), None, None)) == []
    assert list(store.named_graphs()) == [GRAPH] and store.contains_named_graph(GRAPH)
    store.add_graph(NamedNode("x:empty"))
    store.clear_graph(GRAPH)
    store.remove(LIT)
    store.remove(LIT)
    assert not store and set(store.named_graphs()) == {GRAPH, NamedNode("x:empty")}
    store.remove_graph(GRAPH)
    assert not store.contains_named_graph(GRAPH) and store.contains_named_graph(DefaultGraph())
    store.clear()
    assert list(store.named_graphs()) == []


def test_what_is_read_is_one_moment():
    store = Store()
    store.bulk_extend(numbers(3000))
    quads = iter(store)
    first = next(quads)
    rows = iter(store.query("SELECT ?s { ?s ?p ?o }"))
    store.clear()
    assert {first, *quads} == set(numbers(3000))
    assert len(list(rows)) == 3000 and len(store) == 0


def test_a_label_is_the_same_node_as_long_as_the_handle(tmp_path):
    store = Store(tmp_path / "store")
    # One of them looks like those of the store.
    nodes = [BlankNode("node"), BlankNode("b1"), BlankNode("b0"), BlankNode()]
    for node in nodes:
        store.add(Quad(node, IS, node))
    store.add(Quad(nodes[0], IS, nodes[3], nodes[1]))
    assert len(store) == 5 and {quad.subject for quad in store} == set(nodes)
    assert list(store.named_graphs()) == [nodes[1]] and store.contains_named_graph(nodes[1])
    assert Quad(nodes[1], IS, nodes[1]) in store and Quad(nodes[1], IS, nodes[2]) not in store
    assert [row[0] for row in store.query("SELECT ?s { ?s ?p ?s }", default_graph=[DefaultGraph()])] != []
    assert {row["s"] for row in store.query("SELECT ?s { ?s ?p ?s }")} == set(nodes)
    store.update("INSERT DATA { _:b0 <x:is> 7 . _:b9 <x:is> 7 }")
    made = [quad.subject for quad in store.quads_for_pattern(None, None, Literal(7))]
    assert len(set(made)) == 2 and not set(made) & set(nodes)
    del store
    again = Store(tmp_path / "store")
    assert len({quad.subject for quad in again}) == 6


def test_a_store_is_a_folder(tmp_path):
    place = tmp_path / "store"
    store = Store(place)
    store.add(LIT)
    store.update("INSERT DATA { GRAPH <x:graph> { <x:lamp> <x:is> 'dark'@en } }")
    with pytest.raises(manicule.BusyError):
        Store(place)
    reader = Store.read_only(place)
    store.load(b"<x:a> <x:b> <x:c> .", RdfFormat.N_TRIPLES)
    assert len(reader) == 2
    reader.look_again()
    assert len(reader) == 3
    with pytest.raises(manicule.AskedError, match="read only"):
        reader.add(LIT)
    store.backup(tmp_path / "copy")
    del store
    for path in (place, tmp_path / "copy"):
        assert set(Store(path)) == {LIT, IN_GRAPH, Quad(NamedNode("x:a"), NamedNode("x:b"), NamedNode("x:c"))}
    assert len(manicule.graph(place).quads().to_dicts()) == 3
    with pytest.raises(FileNotFoundError):
        Store.read_only(tmp_path / "none")


def test_a_path_holds_in_any_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = Store("store")
    store.add(LIT)
    os.mkdir("below")
    monkeypatch.chdir("below")
    store.backup("copy")
    assert list(Store("copy")) == [LIT] and store.path == tmp_path / "store"


def test_what_is_acknowledged_is_durable(tmp_path):
    script = """
        import os, sys
        from manicule.graph import *
        store = Store(sys.argv[1])
        store.add(Quad(NamedNode("x:a"), NamedNode("x:b"), Literal(1)))
        store.update("INSERT DATA { <x:a> <x:b> 2 }")
        store.load("<x:a> <x:b> 3 .", RdfFormat.TURTLE)
        print(len(store), flush=True)
        os.kill(os.getpid(), 9)
    """
    command = [sys.executable, "-c", textwrap.dedent(script), str(tmp_path / "store")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout == "3\n" and done.returncode == -signal.SIGKILL
    assert len(Store(tmp_path / "store")) == 3


def test_a_temporary_store_vanishes():
    store = Store()
    path = store.path
    assert os.path.isdir(path)
    del store
    assert not os.path.exists(path)


def test_a_change_that_fails_changes_nothing():
    store = Store()
    with pytest.raises(TypeError):
        store.extend([LIT, LAMP])
    with pytest.raises(SyntaxError):
        store.load("<x:a> <x:b> <x:c> .\n<x:a> .", RdfFormat.N_TRIPLES)
    with pytest.raises(manicule.AskedError):
        store.update("INSERT DATA { <x:a> <x:b> 1 } ; CLEAR GRAPH <x:none>")
    assert not store
    store.load("<x:a> <x:b> <x:c> .\n<x:a> .", RdfFormat.N_TRIPLES, lenient=True)
    assert len(store) == 1


def test_changes_over_several_calls_hold_together():
    store = Store()
    node = BlankNode("node")
    with store.transaction() as changes:
        changes.extend([LIT, IN_GRAPH])
        changes.add(Quad(node, IS, node))
        changes.update("DELETE WHERE { ?s ?p 'lit' } ; INSERT DATA { <x:a> <x:b> 1 }")
        changes.load("<x:a> <x:b> 2 .", RdfFormat.TURTLE)
        changes.remove(IN_GRAPH)
        assert not store
        with pytest.raises(manicule.AskedError, match="transaction"):
            store.add(LIT)
    assert len(store) == 3 and Quad(node, IS, node) in store
    with pytest.raises(KeyError):
        with store.transaction() as changes:
            changes.add(LIT)
            raise KeyError
    with pytest.raises(manicule.AskedError, match="has ended"):
        with store.transaction() as changes:
            changes.add(LIT)
            with pytest.raises(SyntaxError):
                changes.update("no update")
    assert LIT not in store
    with pytest.raises(manicule.AskedError, match="has ended"):
        changes.add(LIT)
    store.add(LIT)
    assert len(store) == 4


def test_a_transaction_waits_for_that_of_another_thread():
    store = Store()
    done = []

    def write():
        store.add(IN_GRAPH)
        done.append(len(store))

    with store.transaction() as changes:
        thread = threading.Thread(target=write)
        thread.start()
        time.sleep(0.05)
        assert not done
        changes.add(LIT)
    thread.join()
    assert done == [2]


# Queries.


def test_rows():
    store = Store()
    store.extend([LIT, IN_GRAPH])
    rows = store.query("SELECT ?s ?none ?o { ?s ?p ?o }")
    assert rows.variables == [Variable("s"), Variable("none"), Variable("o")]
    row = next(rows)
    assert row["s"] == row[0] == row[Variable("s")] == LAMP and row["none"] is None and row["x"] is None
    assert list(row) == [LAMP, None, Literal("lit")] and len(row) == 3
    assert repr(row) == f"<QuerySolution s={LAMP!r} o={LIT.object!r}>"
    with pytest.raises(IndexError):
        row[3]
    assert list(rows) == []


def test_answers_of_each_form():
    store = Store()
    store.extend([LIT, IN_GRAPH])
    assert store.query("ASK { ?s <x:is> 'lit' }") and not store.query("ASK { ?s <x:is> 'blue' }")
    assert list(store.query("CONSTRUCT { ?o0 ?p ?s } { ?s ?p ?o BIND(<x:o> AS ?o0) }")) == [Triple(NamedNode("x:o"), IS, LAMP)]
    assert len(list(store.query("SELECT * { ?s ?p ?o }", use_default_graph_as_union=True))) == 2
    assert len(list(store.query("SELECT * { ?s ?p ?o }", default_graph=GRAPH))) == 1
    assert len(list(store.query("SELECT * { ?s ?p ?o }", default_graph=[GRAPH, DefaultGraph()]))) == 2
    assert len(list(store.query("SELECT * { GRAPH ?g { ?s ?p ?o } }", named_graphs=[]))) == 0
    assert len(list(store.query("SELECT * { ?s ?p ?o }", named_graphs=[GRAPH]))) == 1
    assert store.query("ASK { <lamp> x:is 'lit' }", base_iri="x:", prefixes={"x": "x:"})
    with pytest.raises(manicule.UnsupportedError):
        store.query("ASK {}", substitutions={Variable("s"): LAMP})


def test_triple_terms_and_directions_are_terms_like_others():
    red = Triple(LAMP, IS, Literal("أحمر", language="ar", direction="rtl"))
    said = Quad(BlankNode(), NamedNode("x:says"), Triple(LAMP, IS, red))
    store = Store()
    store.extend([said, Quad(LAMP, IS, red.object)])
    [stored] = store.quads_for_pattern(None, None, said.object)
    assert stored.object == said.object and len(store) == 2
    [row] = store.query("SELECT * { ?who <x:says> <<( ?s ?p <<( ?s ?p ?red )>> )>> }")
    assert (row["s"], row["red"]) == (LAMP, red.object)
    [row] = store.query("SELECT (TRIPLE(<x:lamp>, <x:is>, ?red) AS ?t) { <x:lamp> <x:is> ?red }")
    assert row["t"] == red
    store.update("DELETE WHERE { ?who <x:says> <<( ?s ?p <<( ?s ?p ?red )>> )>> }")
    assert len(store) == 1
    deep = red
    for _ in range(63):
        deep = Triple(LAMP, IS, deep)
    store.add(Quad(LAMP, IS, deep))
    with pytest.raises(ValueError):
        Triple(LAMP, IS, deep)


def test_a_long_answer_comes_while_the_query_goes_on():
    store = Store()
    store.bulk_extend(numbers(1000))
    # A thousand million rows: who waits for all of them waits for ever.
    rows = store.query("SELECT * { ?a <x:is> ?b . ?c <x:is> ?d . ?e <x:is> ?f }")
    assert len([next(rows) for _ in range(5000)]) == 5000
    del rows
    triples = store.query("CONSTRUCT { ?a <x:near> ?c } { ?a <x:is> ?b . ?c <x:is> ?d }")
    assert isinstance(next(triples), Triple)


def test_errors_say_their_place(tmp_path):
    store = Store()
    with pytest.raises(SyntaxError) as caught:
        store.query("SELECT *\nWHERE { ?s ?p }")
    assert isinstance(caught.value, manicule.AskedError)
    assert (caught.value.lineno, caught.value.offset) == (2, 15) and "}" in caught.value.msg
    with pytest.raises(manicule.QuerySyntaxError):
        store.update("INSERT DATA { ?s ?p 1 }")
    document = tmp_path / "a.ttl"
    document.write_text("<x:a> <x:b> 1 .\n<x:a> 2 3 .\n")
    for read in (lambda: store.load(path=document), lambda: store.bulk_load(path=document), lambda: list(parse(path=document))):
        with pytest.raises(manicule.DocumentSyntaxError) as caught:
            read()
        assert (caught.value.filename, caught.value.lineno, caught.value.offset) == (str(document), 2, 7)
    with pytest.raises(ValueError, match="format"):
        store.load(b"")
    with pytest.raises(FileNotFoundError):
        store.load(path=tmp_path / "none.ttl")


def test_answers_as_documents(tmp_path):
    store = Store()
    store.add(LIT)
    ask = lambda: store.query("SELECT ?s ?o { ?s ?p ?o }")
    assert ask().serialize(format=QueryResultsFormat.CSV) == b"s,o\r\nx:lamp,lit\r\n"
    ask().serialize(tmp_path / "a.srj")
    assert list(parse_query_results(path=tmp_path / "a.srj")) == list(ask())
    for format in (QueryResultsFormat.JSON, QueryResultsFormat.XML, QueryResultsFormat.TSV):
        out = io.BytesIO()
        ask().serialize(out, format)
        assert list(parse_query_results(out.getvalue(), format)) == list(ask())
        boolean = store.query("ASK { ?s ?p ?o }").serialize(format=format)
        assert parse_query_results(io.StringIO(boolean.decode()), format)
    triples = store.query("CONSTRUCT WHERE { ?s ?p ?o }").serialize(format=RdfFormat.N_TRIPLES)
    assert triples == b'<x:lamp> <x:is> "lit" .\n'


# Documents.


def test_documents_come_from_anywhere(tmp_path):
    text = '<x:lamp> <x:is> "lit" .\n'
    document = tmp_path / "a.nt"
    document.write_text(text)
    sources = [
        lambda: {"input": text, "format": RdfFormat.N_TRIPLES},
        lambda: {"input": text.encode(), "format": RdfFormat.TURTLE},
        lambda: {"input": io.StringIO(text), "format": RdfFormat.TURTLE},
        lambda: {"input": io.BytesIO(text.encode()), "format": RdfFormat.N_TRIPLES},
        lambda: {"path": document},
    ]
    for source in sources:
        for load in ("load", "bulk_load"):
            store = Store()
            getattr(store, load)(**source())
            getattr(store, load)(**source(), to_graph=GRAPH)
            assert set(store) == {LIT, Quad(*LIT.triple, GRAPH)}
        assert list(parse(**source())) == [LIT]
    store = Store()
    store.load("<lamp> <is> 'lit' .", RdfFormat.TURTLE, base_iri="x:")
    assert list(store) == [LIT]


def test_documents_go_anywhere(tmp_path):
    store = Store()
    store.extend([LIT, IN_GRAPH])
    both = b'<x:lamp> <x:is> "lit" .\n<x:lamp> <x:is> "dark"@en <x:graph> .\n'
    assert store.dump(format=RdfFormat.N_QUADS) == both == serialize(store, format=RdfFormat.N_QUADS)
    assert str(store) == both.decode()
    out = io.BytesIO()
    assert store.dump(out, RdfFormat.N_QUADS) is None and out.getvalue() == both
    store.dump(tmp_path / "a.nq")
    assert (tmp_path / "a.nq").read_bytes() == both
    turtle = store.dump(format=RdfFormat.TURTLE, from_graph=GRAPH, prefixes={"x": "x:"})
    assert turtle == b'@prefix x: <x:> .\nx:lamp x:is "dark"@en .\n'
    with pytest.raises(ValueError):
        store.dump(format=RdfFormat.TURTLE)
    with pytest.raises(io.UnsupportedOperation):
        store.dump(open(os.devnull, "rb"), RdfFormat.N_QUADS)
    assert set(Dataset(store)) == set(store) and Dataset([LIT]) != Dataset(store)


# Threads, forks, signals.


def test_threads_write_and_read(tmp_path):
    store = Store(tmp_path / "store")

    def write(own):
        for number in range(20):
            store.add(Quad(NamedNode(f"x:{own}"), IS, Literal(number)))
            assert store.query(f"ASK {{ <x:{own}> <x:is> {number} }}")

    threads = [threading.Thread(target=write, args=(own,)) for own in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(store) == 120


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_child_reads_and_does_not_write(tmp_path):
    script = """
        import os, sys
        import manicule
        from manicule.graph import *
        quad = Quad(NamedNode("x:a"), NamedNode("x:b"), Literal(1))
        for store in (Store(sys.argv[1]), Store()):
            store.add(quad)
            rows = store.query("SELECT * { ?s ?p ?o }")
            child = os.fork()
            if child == 0:
                assert list(store) == [quad] and store.query("ASK { ?s ?p 1 }") and len(list(rows)) == 1
                try:
                    store.add(quad)
                except manicule.AskedError as error:
                    assert "fork" in str(error)
                    del store
                    os._exit(7)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
            store.update("INSERT DATA { <x:a> <x:b> 2 }")
            assert len(store) == 2
    """
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(script), str(tmp_path / "store")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no timers here")
def test_ctrl_c_ends_a_query():
    store = Store()
    store.bulk_extend(numbers(3000))
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        began = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, 0.2)
        with pytest.raises(KeyboardInterrupt):
            query = "SELECT (COUNT(*) AS ?n) { ?a <x:is> ?b . ?c <x:is> ?d . ?e <x:is> ?f FILTER(?b + ?d < ?f) }"
            next(store.query(query))
        assert time.monotonic() - began < 10
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(store) == 3000


# Beside pyoxigraph.

QUERIES = [
    "SELECT ?s ?p ?o { ?s ?p ?o } ORDER BY ?s ?p ?o",
    "SELECT ?s (COUNT(*) AS ?n) (SUM(?o) AS ?sum) { ?s <x:size> ?o } GROUP BY ?s ORDER BY ?s",
    "SELECT ?a ?b { ?a <x:next>+ ?b } ORDER BY ?a ?b",
    "SELECT ?s ?name { ?s <x:size> ?o OPTIONAL { ?s <x:name> ?name } FILTER(?o > 3) } ORDER BY ?s ?name",
    "SELECT ?g ?s { GRAPH ?g { ?s ?p ?o } } ORDER BY ?g ?s",
    "SELECT (STRLEN(?name) AS ?len) (UCASE(?name) AS ?upper) { ?s <x:name> ?name } ORDER BY ?len ?upper",
    "ASK { <x:1> <x:next> <x:2> }",
]


def test_answers_are_pyoxigraphs():
    other = pytest.importorskip("pyoxigraph", reason="pyoxigraph isn't installed: nothing to compare with")
    lines = []
    for number in range(20):
        lines.append(f"<x:{number}> <x:size> {number % 7}, {number % 3} .")
        lines.append(f"<x:{number}> <x:next> <x:{number + 1}> .")
        if number % 2:
            lines.append(f'<x:{number}> <x:name> "name {number}"@en .')
        lines.append(f"GRAPH <x:graph{number % 2}> {{ <x:{number}> <x:in> {number} }}")
    own, others = Store(), other.Store()
    for store, format in ((own, RdfFormat.TRIG), (others, other.RdfFormat.TRIG)):
        store.load("\n".join(lines), format)
    assert len(own) == len(others) and {str(quad) for quad in own} == {str(quad) for quad in others}
    for query in QUERIES:
        answers = own.query(query), others.query(query)
        if query.startswith("ASK"):
            assert bool(answers[0]) == bool(answers[1])
            continue
        rows, wanted = ([[str(term) for term in row] for row in answer] for answer in answers)
        assert rows == wanted, query
