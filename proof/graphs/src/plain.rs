//! The plain twin of the store: quads in sets, terms in a vector. No block, no log, nothing
//! inlined.

use std::collections::{BTreeSet, HashMap};

use manicule_graph::sparql::Writable;
use manicule_graph::term::{Direction, TermRef, TripleBuf};
use manicule_graph::{ByQuads, GraphChoice, GraphError, Id, Pattern, Quad, Tag, View};

/// Maximum number of quads that an estimate counts.
const COUNTED_MAX: usize = 10_000;

/// A term that the vector holds: all but blank nodes, which are numbers.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum PlainTerm {
    Iri(String),
    Simple(String),
    Tagged(String, String),
    Directional(String, String, Direction),
    Typed(String, String),
    Triple(TripleBuf),
}

impl PlainTerm {
    fn of(term: TermRef<'_>) -> Option<PlainTerm> {
        let own = |text: &str| text.to_owned();
        Some(match term {
            TermRef::Blank(_) => return None,
            TermRef::Iri(iri) => PlainTerm::Iri(own(iri)),
            TermRef::Simple(text) => PlainTerm::Simple(own(text)),
            TermRef::Tagged(text, tag) => PlainTerm::Tagged(own(text), own(tag)),
            TermRef::Directional(text, tag, direction) => {
                PlainTerm::Directional(own(text), own(tag), direction)
            }
            TermRef::Typed(text, datatype) => PlainTerm::Typed(own(text), own(datatype)),
            TermRef::Triple(triple) => PlainTerm::Triple(triple.into()),
        })
    }

    fn as_ref(&self) -> TermRef<'_> {
        match self {
            PlainTerm::Iri(iri) => TermRef::Iri(iri),
            PlainTerm::Simple(text) => TermRef::Simple(text),
            PlainTerm::Tagged(text, tag) => TermRef::Tagged(text, tag),
            PlainTerm::Directional(text, tag, direction) => {
                TermRef::Directional(text, tag, *direction)
            }
            PlainTerm::Typed(text, datatype) => TermRef::Typed(text, datatype),
            PlainTerm::Triple(triple) => TermRef::Triple(triple.as_triple()),
        }
    }

    fn tag(&self) -> Tag {
        match self {
            PlainTerm::Iri(_) => Tag::IRI,
            PlainTerm::Simple(_) => Tag::STRING,
            PlainTerm::Tagged(..) | PlainTerm::Directional(..) => Tag::TAGGED,
            PlainTerm::Typed(..) => Tag::TYPED,
            PlainTerm::Triple(_) => Tag::TRIPLE,
        }
    }
}

/// Quads in memory, in three orders.
#[derive(Clone, Default, Debug)]
pub struct PlainGraph {
    /// Subject, predicate, object, graph.
    spo: BTreeSet<[Id; 4]>,
    /// Predicate, object, subject, graph.
    pos: BTreeSet<[Id; 4]>,
    /// Object, subject, predicate, graph.
    osp: BTreeSet<[Id; 4]>,
    terms: Vec<PlainTerm>,
    ids: HashMap<PlainTerm, Id>,
    graphs: BTreeSet<Id>,
    /// Number of blank nodes that were ever made.
    blanks: u64,
}

impl PlainGraph {
    /// One without quads.
    pub fn new() -> PlainGraph {
        PlainGraph::default()
    }

    /// Number of quads.
    pub fn len(&self) -> usize {
        self.spo.len()
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.spo.is_empty()
    }

    /// The id of a term, which is entered if it is new.
    pub fn enter(&mut self, term: TermRef<'_>) -> Id {
        let Some(term) = PlainTerm::of(term) else {
            let TermRef::Blank(number) = term else { unreachable!("all others are plain terms") };
            self.blanks = self.blanks.max(number + 1);
            return Id::new(Tag::BLANK, number);
        };
        if let Some(id) = self.ids.get(&term) {
            return *id;
        }
        let id = Id::new(term.tag(), self.terms.len() as u64);
        self.terms.push(term.clone());
        self.ids.insert(term, id);
        id
    }

    fn matching(&self, pattern: Pattern) -> impl Iterator<Item = Quad> + '_ {
        let Pattern { subject, predicate, object, .. } = pattern;
        let (set, columns, order) = match (subject, predicate, object) {
            (Some(_), None, Some(_)) => (&self.osp, [object, subject, predicate], [1, 2, 0]),
            (Some(_), ..) | (None, None, None) => {
                (&self.spo, [subject, predicate, object], [0, 1, 2])
            }
            (None, Some(_), _) => (&self.pos, [predicate, object, subject], [2, 0, 1]),
            (None, None, Some(_)) => (&self.osp, [object, subject, predicate], [1, 2, 0]),
        };
        let bound = columns.iter().take_while(|column| column.is_some()).count();
        let edge = |least| {
            let [a, b, c] = [0, 1, 2].map(|at| columns[at].filter(|_| at < bound).unwrap_or(least));
            [a, b, c, least]
        };
        set.range(edge(Id::MIN)..=edge(Id::MAX)).filter_map(move |row| {
            let [subject, predicate, object] = order.map(|at| row[at]);
            let quad = Quad { subject, predicate, object, graph: row[3] };
            pattern.admits(&quad).then_some(quad)
        })
    }
}

impl View for PlainGraph {
    type Quads<'v> = Box<dyn Iterator<Item = Result<Quad, GraphError>> + 'v>;
    type Blocks<'v> = ByQuads<Self::Quads<'v>>;
    type Graphs<'v> = Box<dyn Iterator<Item = Result<Id, GraphError>> + 'v>;

    fn find_term(&self, term: TermRef<'_>) -> Result<Option<Id>, GraphError> {
        Ok(match (term, PlainTerm::of(term)) {
            (TermRef::Blank(number), _) => {
                (number < self.blanks).then(|| Id::new(Tag::BLANK, number))
            }
            (_, term) => term.and_then(|term| self.ids.get(&term).copied()),
        })
    }

    fn read_term<R>(&self, id: Id, read: impl FnOnce(TermRef<'_>) -> R) -> Result<R, GraphError> {
        if id.tag() == Tag::BLANK {
            return Ok(read(TermRef::Blank(id.payload())));
        }
        Ok(read(self.terms[id.payload() as usize].as_ref()))
    }

    fn quads(&self, pattern: &Pattern) -> Self::Quads<'_> {
        Box::new(self.matching(*pattern).map(Ok))
    }

    fn blocks(&self, pattern: &Pattern, wanted: [bool; 4]) -> Result<Self::Blocks<'_>, GraphError> {
        Ok(ByQuads::new(self.quads(pattern), wanted))
    }

    fn graphs(&self) -> Self::Graphs<'_> {
        Box::new(self.graphs.iter().copied().map(Ok))
    }

    fn has_graph(&self, name: Id) -> Result<bool, GraphError> {
        Ok(self.graphs.contains(&name))
    }

    fn estimate(&self, pattern: &Pattern) -> Result<u64, GraphError> {
        Ok(self.matching(*pattern).take(COUNTED_MAX).count() as u64)
    }
}

impl Writable for PlainGraph {
    type View = PlainGraph;

    fn with_view<R>(&mut self, read: impl FnOnce(&PlainGraph) -> R) -> R {
        read(self)
    }

    fn intern(&mut self, term: TermRef<'_>) -> Result<Id, GraphError> {
        Ok(self.enter(term))
    }

    fn find(&self, term: TermRef<'_>) -> Result<Option<Id>, GraphError> {
        self.find_term(term)
    }

    fn new_blank(&mut self) -> Id {
        self.blanks += 1;
        Id::new(Tag::BLANK, self.blanks - 1)
    }

    fn insert(&mut self, quad: Quad) {
        let Quad { subject, predicate, object, graph } = quad;
        self.spo.insert([subject, predicate, object, graph]);
        self.pos.insert([predicate, object, subject, graph]);
        self.osp.insert([object, subject, predicate, graph]);
        if graph != Id::DEFAULT_GRAPH {
            self.graphs.insert(graph);
        }
    }

    fn remove(&mut self, quad: Quad) {
        let Quad { subject, predicate, object, graph } = quad;
        self.spo.remove(&[subject, predicate, object, graph]);
        self.pos.remove(&[predicate, object, subject, graph]);
        self.osp.remove(&[object, subject, predicate, graph]);
    }

    fn create_graph(&mut self, name: Id) {
        self.graphs.insert(name);
    }

    fn clear(&mut self, graph: GraphChoice) -> Result<(), GraphError> {
        let quads: Vec<Quad> = self.matching(all_of(graph)).collect();
        quads.into_iter().for_each(|quad| self.remove(quad));
        Ok(())
    }

    fn drop_graph(&mut self, name: Id) -> Result<(), GraphError> {
        self.clear(GraphChoice::Named(name))?;
        self.graphs.remove(&name);
        Ok(())
    }
}

/// The quads of a graph, as a pattern.
pub(crate) fn all_of(graph: GraphChoice) -> Pattern {
    Pattern { subject: None, predicate: None, object: None, graph }
}
