from ._handles import GraphTables
class Graph(GraphTables): pass
