"""Stores of RDF: under pyoxigraph's names, and as tables.

>>> from manicule.graph import Literal, NamedNode, Quad, Store
>>> store = Store()
>>> store.add(Quad(NamedNode("x:lamp"), NamedNode("x:is"), Literal("lit")))
>>> [row["o"].value for row in store.query("SELECT ?o { <x:lamp> ?p ?o }")]
['lit']

``manicule.graph("store")`` is a :class:`Graph`: the store in that folder as tables.
"""

from __future__ import annotations

import os
import sys
import types

from ._handles import GraphTables
from ._native import (
    BlankNode,
    Dataset,
    DefaultGraph,
    Literal,
    NamedNode,
    Quad,
    QuadParser,
    QueryBoolean,
    QueryResultsFormat,
    QuerySolution,
    QuerySolutions,
    QueryTriples,
    RdfFormat,
    Store,
    Transaction,
    Triple,
    Variable,
    parse,
    parse_query_results,
    serialize,
)


class Graph(GraphTables):
    """A store of RDF as tables."""

    __slots__ = ()


class _CallableModule(types.ModuleType):
    """The module, which makes a :class:`Graph` when it is called as ``manicule.graph``."""

    def __call__(self, *paths: str | os.PathLike[str], at: str | None = None) -> Graph:
        return Graph(*paths, at=at)


sys.modules[__name__].__class__ = _CallableModule

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
