"""Stores of RDF: under pyoxigraph's names, and as tables."""

import os
import pathlib
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any, TypeAlias, final

from typing_extensions import Self

from ._handles import GraphTables

_Path: TypeAlias = str | os.PathLike[str]
_Document: TypeAlias = str | bytes | IO[str] | IO[bytes]
_Target: TypeAlias = _Path | IO[bytes]
_Node: TypeAlias = NamedNode | BlankNode
_Term: TypeAlias = NamedNode | BlankNode | Literal | Triple
_GraphName: TypeAlias = NamedNode | BlankNode | DefaultGraph

__all__ = [
    "BlankNode",
    "Dataset",
    "DefaultGraph",
    "Graph",
    "Literal",
    "NamedNode",
    "Quad",
    "QuadParser",
    "QueryBoolean",
    "QueryResultsFormat",
    "QuerySolution",
    "QuerySolutions",
    "QueryTriples",
    "RdfFormat",
    "Store",
    "Transaction",
    "Triple",
    "Variable",
    "parse",
    "parse_query_results",
    "serialize",
]

class Graph(GraphTables):
    """A store of RDF as tables. ``manicule.graph("store")`` makes one."""

@final
class NamedNode:
    """An IRI.

    >>> str(NamedNode("x:lamp"))
    '<x:lamp>'
    """

    __match_args__ = ("value",)
    def __new__(cls, value: str) -> Self:
        """:raises ValueError: if it is no absolute IRI."""
    @property
    def value(self) -> str:
        """The IRI."""
    def __lt__(self, other: NamedNode, /) -> bool: ...
    def __le__(self, other: NamedNode, /) -> bool: ...
    def __gt__(self, other: NamedNode, /) -> bool: ...
    def __ge__(self, other: NamedNode, /) -> bool: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...
    def __getnewargs__(self) -> tuple[str]: ...

@final
class BlankNode:
    """A blank node.

    A store knows the label of a node as long as it is open; then the node has one of the store's
    own, ``b`` and a number.
    """

    __match_args__ = ("value",)
    def __new__(cls, value: str | None = None) -> Self:
        """Without a label it has a random one.

        :raises ValueError: if it is no label.
        """
    @property
    def value(self) -> str:
        """The label."""
    def __lt__(self, other: BlankNode, /) -> bool: ...
    def __le__(self, other: BlankNode, /) -> bool: ...
    def __gt__(self, other: BlankNode, /) -> bool: ...
    def __ge__(self, other: BlankNode, /) -> bool: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...
    def __getnewargs__(self) -> tuple[str]: ...

@final
class Literal:
    """A literal. Of an int, a float or a bool without a datatype it has the one of that.

    >>> str(Literal("lamp", language="en"))
    '"lamp"@en'
    >>> str(Literal("lamp", language="en", direction="ltr"))
    '"lamp"@en--ltr'
    """

    __match_args__ = ("value",)
    def __new__(
        cls,
        value: str | int | float | bool,
        *,
        datatype: NamedNode | None = None,
        language: str | None = None,
        direction: str | None = None,
    ) -> Self:
        """``direction`` is ``ltr`` or ``rtl``: the base direction of RDF 1.2.

        :raises ValueError: if the language is none, the datatype isn't that of a language, or a
            direction has no language.
        """
    @property
    def value(self) -> str:
        """Its text."""
    @property
    def datatype(self) -> NamedNode:
        """Its datatype."""
    @property
    def language(self) -> str | None:
        """The tag of its language, in lower case."""
    @property
    def direction(self) -> str | None:
        """Its base direction, ``ltr`` or ``rtl``."""
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...
    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]: ...

@final
class DefaultGraph:
    """The name of the graph that has none."""
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...
    def __getnewargs__(self) -> tuple[()]: ...

@final
class Variable:
    """A variable of a query."""

    __match_args__ = ("value",)
    def __new__(cls, value: str) -> Self:
        """:raises ValueError: if it is no name of a variable."""
    @property
    def value(self) -> str:
        """Its name, without the question mark."""
    def __lt__(self, other: Variable, /) -> bool: ...
    def __le__(self, other: Variable, /) -> bool: ...
    def __gt__(self, other: Variable, /) -> bool: ...
    def __ge__(self, other: Variable, /) -> bool: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...
    def __getnewargs__(self) -> tuple[str]: ...

@final
class Triple:
    """Three terms; as an object, or a value of an answer, a triple term of RDF 1.2.

    >>> subject, predicate, object = Triple(NamedNode("x:lamp"), NamedNode("x:is"), Literal("lit"))
    """

    __match_args__ = ("subject", "predicate", "object")
    def __new__(cls, subject: _Node, predicate: NamedNode, object: _Term) -> Self: ...
    @property
    def subject(self) -> _Node: ...
    @property
    def predicate(self) -> NamedNode: ...
    @property
    def object(self) -> _Term: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> _Term: ...
    def __iter__(self) -> Iterator[_Term]: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...
    def __getnewargs__(self) -> tuple[Any, ...]: ...

@final
class Quad:
    """A triple in a graph."""

    __match_args__ = ("subject", "predicate", "object", "graph_name")
    def __new__(
        cls, subject: _Node, predicate: NamedNode, object: _Term, graph_name: _GraphName | None = None
    ) -> Self: ...
    @property
    def subject(self) -> _Node: ...
    @property
    def predicate(self) -> NamedNode: ...
    @property
    def object(self) -> _Term: ...
    @property
    def graph_name(self) -> _GraphName: ...
    @property
    def triple(self) -> Triple: ...
    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> Any: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...
    def __getnewargs__(self) -> tuple[Any, ...]: ...

@final
class RdfFormat:
    """A format of documents. Stores load and write all but N3, which :func:`parse` reads."""

    JSON_LD: RdfFormat
    STREAMING_JSON_LD: RdfFormat
    N3: RdfFormat
    N_QUADS: RdfFormat
    N_TRIPLES: RdfFormat
    RDF_XML: RdfFormat
    TRIG: RdfFormat
    TURTLE: RdfFormat
    @property
    def iri(self) -> str: ...
    @property
    def media_type(self) -> str: ...
    @property
    def file_extension(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def supports_datasets(self) -> bool:
        """Whether its documents have named graphs."""
    @staticmethod
    def from_media_type(media_type: str) -> RdfFormat | None: ...
    @staticmethod
    def from_extension(extension: str) -> RdfFormat | None: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...

@final
class QueryResultsFormat:
    """A format of answers."""

    CSV: QueryResultsFormat
    JSON: QueryResultsFormat
    TSV: QueryResultsFormat
    XML: QueryResultsFormat
    @property
    def iri(self) -> str: ...
    @property
    def media_type(self) -> str: ...
    @property
    def file_extension(self) -> str: ...
    @property
    def name(self) -> str: ...
    @staticmethod
    def from_media_type(media_type: str) -> QueryResultsFormat | None: ...
    @staticmethod
    def from_extension(extension: str) -> QueryResultsFormat | None: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...

@final
class QuerySolution:
    """A row: a term for each variable, or ``None``."""

    def __len__(self) -> int: ...
    def __getitem__(self, key: int | str | Variable, /) -> _Term | None: ...
    def __iter__(self) -> Iterator[_Term | None]: ...
    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: Any, /) -> Self: ...

@final
class QuerySolutions:
    """The rows of a SELECT. They come while the query goes on, which ends when nobody holds them."""

    @property
    def variables(self) -> list[Variable]: ...
    def __iter__(self) -> QuerySolutions: ...
    def __next__(self) -> QuerySolution: ...
    def serialize(self, output: _Target | None = None, format: QueryResultsFormat | None = None) -> bytes | None:
        """Writes the rows that are left; returns the document where no output is given."""

@final
class QueryBoolean:
    """The answer of an ASK."""

    def __bool__(self) -> bool: ...
    def serialize(self, output: _Target | None = None, format: QueryResultsFormat | None = None) -> bytes | None:
        """Writes it; returns the document where no output is given."""

@final
class QueryTriples:
    """The triples of a CONSTRUCT or DESCRIBE. They come as :class:`QuerySolutions` do."""

    def __iter__(self) -> QueryTriples: ...
    def __next__(self) -> Triple: ...
    def serialize(self, output: _Target | None = None, format: RdfFormat | None = None) -> bytes | None:
        """Writes the triples that are left; returns the document where no output is given."""

@final
class Store:
    """A store of RDF, which one process writes at a time and any number read.

    Each method that changes it is one commit: all of it is on the disk when the method returns, or
    nothing is changed. Threads' commits are synced together.

    >>> store = Store()
    >>> store.add(Quad(NamedNode("x:lamp"), NamedNode("x:is"), Literal("lit")))
    >>> len(store)
    1
    """

    def __new__(cls, path: _Path | None = None) -> Self:
        """Opens a store to be written; makes it where there is none. Without a path it is a folder
        among temporary files that vanishes with the object.

        :raises BusyError: if somebody else writes it.
        """
    @staticmethod
    def read_only(path: _Path) -> Store:
        """Opens a store, or one at an address, to be read, whoever writes it. It shows the moment at
        which it was opened or last :meth:`look_again`-ed."""
    @property
    def path(self) -> pathlib.Path:
        """Its folder."""
    def add(self, quad: Quad) -> None:
        """Adds a quad."""
    def extend(self, quads: Iterable[Quad]) -> None:
        """Adds quads, all in one commit."""
    def bulk_extend(self, quads: Iterable[Quad]) -> None:
        """As :meth:`extend`."""
    def remove(self, quad: Quad) -> None:
        """Removes a quad, if it is there."""
    def add_graph(self, graph_name: _GraphName) -> None:
        """Makes a graph, be it empty."""
    def clear_graph(self, graph_name: _GraphName) -> None:
        """Removes the quads of a graph, which stays."""
    def remove_graph(self, graph_name: _GraphName) -> None:
        """Removes a graph and its quads."""
    def clear(self) -> None:
        """Removes all quads and graphs."""
    def named_graphs(self) -> Iterator[_Node]:
        """The names of the named graphs."""
    def contains_named_graph(self, graph_name: _GraphName) -> bool:
        """Whether there is a graph of a name."""
    def quads_for_pattern(
        self,
        subject: _Node | None,
        predicate: NamedNode | None,
        object: _Term | None,
        graph_name: _GraphName | None = None,
    ) -> Iterator[Quad]:
        """The quads that have these terms, as they are now, whatever is written meanwhile."""
    def query(
        self,
        query: str,
        *,
        base_iri: str | None = None,
        prefixes: Mapping[str, str] | None = None,
        use_default_graph_as_union: bool = False,
        default_graph: _GraphName | Iterable[_GraphName] | None = None,
        named_graphs: Iterable[_Node] | None = None,
        substitutions: None = None,
        custom_functions: None = None,
        custom_aggregate_functions: None = None,
    ) -> QuerySolutions | QueryBoolean | QueryTriples:
        """Asks a query of SPARQL 1.2.

        The last three arguments are pyoxigraph's, and refused.

        :raises QuerySyntaxError: if it is none; the place is said.
        """
    def update(
        self,
        update: str,
        *,
        base_iri: str | None = None,
        prefixes: Mapping[str, str] | None = None,
        custom_functions: None = None,
        custom_aggregate_functions: None = None,
    ) -> None:
        """Does a request of SPARQL 1.2 Update, all of it in one commit.

        :raises QuerySyntaxError: if it is none; the place is said.
        """
    def load(
        self,
        input: _Document | None = None,
        format: RdfFormat | None = None,
        *,
        path: _Path | None = None,
        base_iri: str | None = None,
        to_graph: NamedNode | DefaultGraph | None = None,
        lenient: bool = False,
    ) -> None:
        """Loads a document in one commit, beside other changes. Files may be compressed. With
        ``lenient`` a bad statement is left out.

        :raises DocumentSyntaxError: if it is none of its format; the place is said.
        """
    def bulk_load(
        self,
        input: _Document | None = None,
        format: RdfFormat | None = None,
        *,
        path: _Path | None = None,
        base_iri: str | None = None,
        to_graph: NamedNode | DefaultGraph | None = None,
        lenient: bool = False,
    ) -> None:
        """As :meth:`load`; a store to which nothing was ever written is filled by several threads,
        without the log."""
    def transaction(self) -> Transaction:
        """Changes that hold together.

        >>> store = Store()
        >>> with store.transaction() as changes:
        ...     changes.add(Quad(NamedNode("x:lamp"), NamedNode("x:is"), Literal("lit")))
        ...     changes.update("DELETE WHERE { ?s <x:was> ?o }")

        They are committed at its end, and forgotten where it is left by an exception. Other threads
        that write wait for it.
        """
    def dump(
        self,
        output: _Target | None = None,
        format: RdfFormat | None = None,
        *,
        from_graph: _GraphName | None = None,
        prefixes: Mapping[str, str] | None = None,
        base_iri: str | None = None,
    ) -> bytes | None:
        """Writes all quads, or the triples of a graph, as a document."""
    def optimize(self) -> None:
        """Writes the store from scratch: all commits in full leaves."""
    def flush(self) -> None:
        """Waits for a merge that is being made. Commits are durable already."""
    def backup(self, target_directory: _Path) -> None:
        """Copies the store into a folder that isn't there or is empty."""
    def look_again(self) -> None:
        """Has a store that is open to be read show what others have committed since."""
    def __len__(self) -> int: ...
    def __bool__(self) -> bool: ...
    def __iter__(self) -> Iterator[Quad]: ...
    def __contains__(self, quad: Quad, /) -> bool: ...

@final
class Transaction:
    """Changes of a store that hold together, or not at all. The store shows them when they are
    committed. An error of a method ends them: nothing is changed then."""

    def __enter__(self) -> Self: ...
    def __exit__(self, kind: Any, error: Any, trace: Any) -> None: ...
    def add(self, quad: Quad) -> None:
        """Adds a quad."""
    def extend(self, quads: Iterable[Quad]) -> None:
        """Adds quads."""
    def remove(self, quad: Quad) -> None:
        """Removes a quad, if it is there."""
    def update(
        self, update: str, *, base_iri: str | None = None, prefixes: Mapping[str, str] | None = None
    ) -> None:
        """Does a request of SPARQL 1.2 Update, which sees what was changed before it."""
    def load(
        self,
        input: _Document | None = None,
        format: RdfFormat | None = None,
        *,
        path: _Path | None = None,
        base_iri: str | None = None,
        to_graph: NamedNode | DefaultGraph | None = None,
        lenient: bool = False,
    ) -> None:
        """Loads a document, as :meth:`Store.load`."""

@final
class Dataset:
    """A set of quads in memory. Terms stay in memory when their quads are removed."""

    def __new__(cls, quads: Iterable[Quad] | None = None) -> Self: ...
    def add(self, quad: Quad) -> None: ...
    def remove(self, quad: Quad) -> None:
        """:raises KeyError: if it isn't there."""
    def discard(self, quad: Quad) -> None: ...
    def clear(self) -> None: ...
    def quads_for_subject(self, subject: _Node) -> Iterator[Quad]: ...
    def quads_for_predicate(self, predicate: NamedNode) -> Iterator[Quad]: ...
    def quads_for_object(self, object: _Term) -> Iterator[Quad]: ...
    def quads_for_graph_name(self, graph_name: _GraphName) -> Iterator[Quad]: ...
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[Quad]: ...
    def __contains__(self, quad: Quad, /) -> bool: ...

@final
class QuadParser:
    """Quads of a document, read as they are taken."""

    @property
    def prefixes(self) -> dict[str, str]:
        """Those that were declared so far."""
    @property
    def base_iri(self) -> str | None: ...
    def __iter__(self) -> QuadParser: ...
    def __next__(self) -> Quad: ...

def parse(
    input: _Document | None = None,
    format: RdfFormat | None = None,
    *,
    path: _Path | None = None,
    base_iri: str | None = None,
    without_named_graphs: bool = False,
    rename_blank_nodes: bool = False,
    lenient: bool = False,
) -> QuadParser:
    """Reads a document without a store. With ``lenient`` IRIs and languages are not checked.

    >>> [str(quad) for quad in parse("<x:lamp> <x:is> 7 .", RdfFormat.TURTLE)]
    ['<x:lamp> <x:is> "7"^^<http://www.w3.org/2001/XMLSchema#integer>']
    """

def parse_query_results(
    input: _Document | None = None, format: QueryResultsFormat | None = None, *, path: _Path | None = None
) -> QuerySolutions | QueryBoolean:
    """Reads an answer from a document in JSON, XML or TSV."""

def serialize(
    input: Iterable[Triple] | Iterable[Quad],
    output: _Target | None = None,
    format: RdfFormat | None = None,
    *,
    prefixes: Mapping[str, str] | None = None,
    base_iri: str | None = None,
) -> bytes | None:
    """Writes triples or quads as a document; returns it where no output is given."""
