//! The graphs that a query reads: FROM and FROM NAMED, or those that the call names, as a view's
//! quads.

use std::collections::HashSet;
use std::rc::Rc;

use manicule_format_leaf::Role;
use oxrdf::{GraphName, NamedOrBlankNode, TermRef};

use super::terms::with_term_ref;
use crate::quad::{GraphChoice, Pattern, Quad};
use crate::view::{Blocks, ByQuads, View};
use crate::{GraphError, Id};

/// What the default graph of a query is, where neither the query nor the call names graphs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DefaultGraphChoice {
    /// The default graph of the store.
    Own,
    /// The union of the default graph and all named graphs.
    Union,
}

/// Graphs that a call names: they take the place of the query's own FROM and FROM NAMED.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedDataset {
    /// The graphs whose union is the default graph; none for the choice of the call.
    pub default: Option<Vec<GraphName>>,
    /// The named graphs; none for all that exist.
    pub named: Option<Vec<NamedOrBlankNode>>,
}

/// What a query takes for its default graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum DefaultGraph {
    /// One graph of the store.
    One(GraphChoice),
    /// The union of some, as a set of triples.
    Union(Rc<[GraphChoice]>),
}

/// The default graph of a query over a view.
pub(crate) fn default_graph<V: View>(
    view: &V,
    dataset: Option<&NamedDataset>,
    choice: DefaultGraphChoice,
) -> Result<DefaultGraph, GraphError> {
    let Some(names) = dataset.and_then(|dataset| dataset.default.as_ref()) else {
        return Ok(match choice {
            DefaultGraphChoice::Own => DefaultGraph::One(GraphChoice::Default),
            DefaultGraphChoice::Union => {
                DefaultGraph::Union([GraphChoice::Default, GraphChoice::AnyNamed].into())
            }
        });
    };
    let mut choices = Vec::new();
    for name in names {
        let choice = match name {
            GraphName::DefaultGraph => Some(GraphChoice::Default),
            GraphName::NamedNode(node) => found(view, node.as_ref())?.map(GraphChoice::Named),
            GraphName::BlankNode(node) => found(view, node.as_ref())?.map(GraphChoice::Named),
        };
        choices.extend(choice.filter(|choice| !choices.contains(choice)));
    }
    Ok(match choices.as_slice() {
        [one] => DefaultGraph::One(*one),
        _ => DefaultGraph::Union(choices.into()),
    })
}

/// The id of the name of a graph, if a view holds it.
fn found<'n, V: View>(view: &V, name: impl Into<TermRef<'n>>) -> Result<Option<Id>, GraphError> {
    let found = with_term_ref(name, |term| view.find_term(term));
    Ok(found.transpose()?.flatten())
}

/// A view's quads as a query sees them: [`GraphChoice::Default`] is the query's default graph, and
/// named graphs that the query doesn't name aren't there.
pub(crate) struct QueryGraphs<'v, V> {
    view: &'v V,
    default: DefaultGraph,
    named: Option<Rc<[Id]>>,
    /// Graphs that the query names of which the view holds not even the name: they are empty.
    unknown: Rc<[NamedOrBlankNode]>,
}

// By hand: a view needn't be cloned for it.
impl<V> Clone for QueryGraphs<'_, V> {
    fn clone(&self) -> Self {
        QueryGraphs {
            view: self.view,
            default: self.default.clone(),
            named: self.named.clone(),
            unknown: self.unknown.clone(),
        }
    }
}

/// The graphs of a pattern, in the view.
enum InView {
    One(GraphChoice),
    /// A triple counts once, in whichever of the graphs it is.
    Union(Rc<[GraphChoice]>),
    Each(Rc<[GraphChoice]>),
}

impl<'v, V: View> QueryGraphs<'v, V> {
    /// The graphs of a query: none are named where all named graphs of the view are seen.
    pub(crate) fn new(
        view: &'v V,
        default: DefaultGraph,
        dataset: Option<&NamedDataset>,
    ) -> Result<QueryGraphs<'v, V>, GraphError> {
        let Some(names) = dataset.and_then(|dataset| dataset.named.as_ref()) else {
            return Ok(QueryGraphs { view, default, named: None, unknown: [].into() });
        };
        let (mut ids, mut unknown) = (Vec::new(), Vec::new());
        for name in names {
            match found(view, name.as_ref())? {
                Some(id) if !ids.contains(&id) => ids.push(id),
                None if !unknown.contains(name) => unknown.push(name.clone()),
                _ => {}
            }
        }
        Ok(QueryGraphs { view, default, named: Some(ids.into()), unknown: unknown.into() })
    }

    fn in_view(&self, graph: GraphChoice) -> InView {
        let several = |names: &[Id]| names.iter().copied().map(GraphChoice::Named).collect();
        match (graph, &self.default, &self.named) {
            (GraphChoice::Default, DefaultGraph::One(graph), _) => InView::One(*graph),
            (GraphChoice::Default, DefaultGraph::Union(graphs), _) => InView::Union(graphs.clone()),
            (GraphChoice::Named(name), _, Some(names)) if !names.contains(&name) => {
                InView::Each([].into())
            }
            (GraphChoice::AnyNamed, _, Some(names)) => InView::Each(several(names)),
            (graph, _, _) => InView::One(graph),
        }
    }

    /// As [`View::quads`].
    pub(crate) fn quads(&self, pattern: &Pattern) -> QueryQuads<'v, V> {
        let (graphs, seen) = match self.in_view(pattern.graph) {
            InView::One(graph) => {
                return QueryQuads::One(self.view.quads(&Pattern { graph, ..*pattern }));
            }
            InView::Union(graphs) => (graphs, Some(HashSet::new())),
            InView::Each(graphs) => (graphs, None),
        };
        QueryQuads::Several { view: self.view, graphs, at: 0, pattern: *pattern, quads: None, seen }
    }

    /// As [`View::blocks`].
    pub(crate) fn blocks(
        &self,
        pattern: &Pattern,
        wanted: [bool; 4],
    ) -> Result<QueryBlocks<'v, V>, GraphError> {
        let graphs = match self.in_view(pattern.graph) {
            InView::One(graph) => {
                let own = Pattern { graph, ..*pattern };
                return Ok(QueryBlocks::One(self.view.blocks(&own, wanted)?));
            }
            InView::Union(_) => {
                return Ok(QueryBlocks::Union(ByQuads::new(self.quads(pattern), wanted)));
            }
            InView::Each(graphs) => graphs,
        };
        let (view, pattern) = (self.view, *pattern);
        Ok(QueryBlocks::Each { view, graphs, at: 0, pattern, wanted, blocks: None })
    }

    /// Appends the ids of all quads of a pattern in the columns that are wanted. Returns the number
    /// of quads.
    pub(crate) fn columns(
        &self,
        pattern: &Pattern,
        wanted: [bool; 4],
        out: &mut [Vec<u64>; 4],
    ) -> Result<u64, GraphError> {
        let (mut blocks, mut count) = (self.blocks(pattern, wanted)?, 0);
        while let Some(rows) = blocks.next()? {
            count += rows as u64;
            let own = out.iter_mut().zip(blocks.ids()).zip(wanted).filter(|(_, is)| *is);
            own.for_each(|((out, ids), _)| out.extend_from_slice(ids));
        }
        Ok(count)
    }

    /// As [`View::count`].
    pub(crate) fn count(&self, pattern: &Pattern) -> Result<Option<u64>, GraphError> {
        match self.in_view(pattern.graph) {
            InView::One(graph) => self.view.count(&Pattern { graph, ..*pattern }),
            InView::Union(_) | InView::Each(_) => Ok(None),
        }
    }

    /// As [`View::counts_by`].
    pub(crate) fn counts_by(
        &self,
        pattern: &Pattern,
        place: Role,
    ) -> Result<Option<Vec<(Id, u64)>>, GraphError> {
        match self.in_view(pattern.graph) {
            InView::One(graph) => self.view.counts_by(&Pattern { graph, ..*pattern }, place),
            InView::Union(_) | InView::Each(_) => Ok(None),
        }
    }

    /// As [`View::estimate`]; of a union at most that.
    pub(crate) fn estimate(&self, pattern: &Pattern) -> Result<u64, GraphError> {
        let graphs = match self.in_view(pattern.graph) {
            InView::One(graph) => return self.view.estimate(&Pattern { graph, ..*pattern }),
            InView::Union(graphs) | InView::Each(graphs) => graphs,
        };
        let of = |graph: &GraphChoice| self.view.estimate(&Pattern { graph: *graph, ..*pattern });
        graphs.iter().try_fold(0_u64, |sum, graph| Ok(sum.saturating_add(of(graph)?)))
    }

    /// Number of ids that are held while a pattern of a number of quads is read: a union knows what
    /// it has seen.
    pub(crate) fn held(&self, count: u64, pattern: &Pattern) -> usize {
        /// A hash table has room for up to two and a bit times what it holds.
        const IDS_OF_ONE: usize = 7;
        match self.in_view(pattern.graph) {
            InView::Union(_) => (count as usize).saturating_mul(IDS_OF_ONE),
            InView::One(_) | InView::Each(_) => 0,
        }
    }

    /// The names of the named graphs: those that the query names are there, be they empty.
    pub(crate) fn names(&self) -> Result<Vec<Id>, GraphError> {
        match &self.named {
            None => self.view.graphs().collect(),
            Some(names) => Ok(names.to_vec()),
        }
    }

    /// Graphs that the query names of which the view holds not even the name.
    pub(crate) fn unknown(&self) -> &[NamedOrBlankNode] {
        &self.unknown
    }

    /// Whether a graph of this name exists.
    pub(crate) fn has_graph(&self, name: Id) -> Result<bool, GraphError> {
        match &self.named {
            None => self.view.has_graph(name),
            Some(names) => Ok(names.contains(&name)),
        }
    }
}

/// The quads of a pattern, in one graph of a view or in several.
pub(crate) enum QueryQuads<'v, V: View + 'v> {
    One(V::Quads<'v>),
    Several {
        view: &'v V,
        graphs: Rc<[GraphChoice]>,
        /// Index of the next graph.
        at: usize,
        pattern: Pattern,
        quads: Option<V::Quads<'v>>,
        /// Of a union: what came.
        seen: Option<HashSet<[Id; 3]>>,
    },
}

impl<'v, V: View + 'v> Iterator for QueryQuads<'v, V> {
    type Item = Result<Quad, GraphError>;

    fn next(&mut self) -> Option<Self::Item> {
        let (view, graphs, at, pattern, quads, seen) = match self {
            QueryQuads::One(quads) => return quads.next(),
            QueryQuads::Several { view, graphs, at, pattern, quads, seen } => {
                (view, graphs, at, pattern, quads, seen)
            }
        };
        let mut is_new = |quad: &Quad| {
            let triple = [quad.subject, quad.predicate, quad.object];
            seen.as_mut().is_none_or(|seen| seen.insert(triple))
        };
        loop {
            match quads.as_mut().and_then(Iterator::next) {
                Some(Ok(quad)) if !is_new(&quad) => {}
                Some(quad) => return Some(quad),
                None => {
                    let graph = *graphs.get(*at)?;
                    *at += 1;
                    *quads = Some(view.quads(&Pattern { graph, ..*pattern }));
                }
            }
        }
    }
}

/// The quads of a pattern, in one graph of a view or in several, column by column.
pub(crate) enum QueryBlocks<'v, V: View + 'v> {
    One(V::Blocks<'v>),
    Union(ByQuads<QueryQuads<'v, V>>),
    Each {
        view: &'v V,
        graphs: Rc<[GraphChoice]>,
        /// Index of the next graph.
        at: usize,
        pattern: Pattern,
        wanted: [bool; 4],
        blocks: Option<V::Blocks<'v>>,
    },
}

impl<'v, V: View + 'v> Blocks for QueryBlocks<'v, V> {
    fn next(&mut self) -> Result<Option<usize>, GraphError> {
        let (view, graphs, at, pattern, wanted, blocks) = match self {
            QueryBlocks::One(blocks) => return blocks.next(),
            QueryBlocks::Union(blocks) => return blocks.next(),
            QueryBlocks::Each { view, graphs, at, pattern, wanted, blocks } => {
                (view, graphs, at, pattern, wanted, blocks)
            }
        };
        loop {
            if let Some(own) = blocks
                && let Some(rows) = own.next()?
            {
                return Ok(Some(rows));
            }
            let Some(graph) = graphs.get(*at).copied() else { return Ok(None) };
            *at += 1;
            *blocks = Some(view.blocks(&Pattern { graph, ..*pattern }, *wanted)?);
        }
    }

    fn ids(&self) -> [&[u64]; 4] {
        match self {
            QueryBlocks::One(blocks) => blocks.ids(),
            QueryBlocks::Union(blocks) => blocks.ids(),
            QueryBlocks::Each { blocks, .. } => blocks.as_ref().map_or([&[]; 4], Blocks::ids),
        }
    }
}
