//! Updates: a request is parsed and its operations done one after the other, each seeing what those before it did.
//!
//! Callers: faces/manicule, proof/graphs

mod graphs;
mod modify;
mod template;

use std::collections::HashMap;

use manicule_core::watch::Watch;
use oxrdf::{BlankNode, Triple};
use spargebra::{GraphUpdateOperation as Operation, SparqlParser};

use super::error::SparqlError;
use super::query::{DefaultGraphChoice, NamedDataset};
use super::session::QueryLimits;
use super::text::update_text;
use crate::quad::Quad;
use crate::term::TermRef;
use crate::view::View;
use crate::{GraphError, Id};

/// A view that can be changed, and shows its own changes. What is done through it holds, all of it or nothing, when its owner commits
/// it.
pub trait Writable: View {
    /// The id of a term, which is entered if it is new.
    fn enter_term(&mut self, term: TermRef<'_>) -> Result<Id, GraphError>;

    /// A blank node that the store has never had.
    fn new_blank(&mut self) -> Result<Id, GraphError>;

    /// Adds a quad, and says whether it was not there. Its graph exists from then on.
    fn insert(&mut self, quad: Quad) -> Result<bool, GraphError>;

    /// Removes a quad, and says whether it was there. Its graph stays.
    fn remove(&mut self, quad: Quad) -> Result<bool, GraphError>;

    /// Makes a graph exist.
    fn create_graph(&mut self, name: Id) -> Result<(), GraphError>;

    /// Makes a graph that has no quads exist no more.
    fn drop_graph(&mut self, name: Id) -> Result<(), GraphError>;
}

/// Gives the triples of a document to `add`.
pub type Load<'l> = dyn FnMut(&str, &mut dyn FnMut(&Triple)) -> Result<(), SparqlError> + 'l;

/// How an update is asked.
pub struct UpdateOptions<'q, 'l> {
    /// Base of relative IRIs.
    pub base: Option<&'q str>,
    /// The default graph of patterns.
    pub default_graph: DefaultGraphChoice,
    /// Graphs that the call names for patterns; a request that has USING or WITH itself is then refused.
    pub using: Option<&'q NamedDataset>,
    /// What the patterns may cost, each.
    pub limits: QueryLimits,
    /// What LOAD calls, with an IRI.
    pub load: &'l mut Load<'l>,
}

manicule_core::counts! {
    /// What an update did.
    pub struct UpdateWork {
        /// Operations.
        operations,
        /// Quads added that were not there.
        inserted,
        /// Quads removed that were there.
        removed,
    }
}

/// Does the operations of a request.
///
/// # Errors
/// If one can't be done. Some may have been done then: the owner of `store` drops it.
pub fn update<W: Writable>(
    store: &mut W,
    text: &str,
    options: &mut UpdateOptions<'_, '_>,
    watch: &Watch<'_>,
) -> Result<UpdateWork, SparqlError> {
    let text = update_text(text)?;
    let mut parser = SparqlParser::new();
    if let Some(base) = options.base {
        let wrong = |error| SparqlError::Syntax(format!("base IRI {base}: {error}"));
        parser = parser.with_base_iri(base).map_err(wrong)?;
    }
    let request =
        parser.parse_update(&text).map_err(|error| SparqlError::Syntax(error.to_string()))?;
    if options.using.is_some() && request.operations.iter().any(names_graphs) {
        let why = "the call names graphs, and so does USING or WITH in the request";
        return Err(SparqlError::Refused(why.to_owned()));
    }
    let mut run = Run { store, work: UpdateWork::default(), nodes: HashMap::new() };
    for operation in request.operations {
        watch.check()?;
        run.operation(operation, options, watch)?;
        run.work.operations += 1;
    }
    Ok(run.work)
}

fn names_graphs(operation: &Operation) -> bool {
    matches!(operation, Operation::DeleteInsert { using: Some(_), .. })
}

/// A request that is being done.
struct Run<'w, W> {
    store: &'w mut W,
    work: UpdateWork,
    /// Blank nodes of the request's data, and those that expressions have made.
    nodes: HashMap<BlankNode, Id>,
}

impl<W: Writable> Run<'_, W> {
    fn operation(
        &mut self,
        operation: Operation,
        options: &mut UpdateOptions<'_, '_>,
        watch: &Watch<'_>,
    ) -> Result<(), SparqlError> {
        match operation {
            Operation::InsertData { data } => {
                for quad in data {
                    let quad = self.enter_quad(&quad)?;
                    self.insert(quad)?;
                }
                Ok(())
            }
            Operation::DeleteData { data } => {
                for quad in data {
                    if let Some(quad) = self.find_quad(quad)? {
                        self.remove(quad)?;
                    }
                }
                Ok(())
            }
            Operation::DeleteInsert { delete, insert, using, pattern } => {
                if let Some(source) = graphs::checked_source(&delete, &insert, &pattern) {
                    return self.need_graph(source);
                }
                let modify = modify::Modify { delete, insert, using, pattern: *pattern };
                self.modify(modify, options, watch)
            }
            Operation::Load { silent, source, destination } => {
                let mut triples = Vec::new();
                let loaded =
                    (options.load)(source.as_str(), &mut |triple| triples.push(triple.clone()));
                match loaded {
                    Ok(()) => self.load(triples, &destination),
                    Err(_) if silent => Ok(()),
                    Err(error) => Err(error),
                }
            }
            Operation::Clear { silent, graph } => self.clear(&graph, silent),
            Operation::Drop { silent, graph } => self.drop_graphs(&graph, silent),
            Operation::Create { silent, graph } => self.create(&graph, silent),
        }
    }

    fn insert(&mut self, quad: Quad) -> Result<(), SparqlError> {
        self.work.inserted += u64::from(self.store.insert(quad)?);
        Ok(())
    }

    fn remove(&mut self, quad: Quad) -> Result<(), SparqlError> {
        self.work.removed += u64::from(self.store.remove(quad)?);
        Ok(())
    }
}
