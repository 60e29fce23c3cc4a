//! Updates: a request is parsed and its operations done one after the other, each seeing what those
//! before it did.

mod graphs;
mod modify;
mod options;
mod run;
mod template;
mod usual;
mod usual_run;
mod writable;

use std::collections::HashMap;

use manicule_core::watch::Watch;
use spargebra::{GraphUpdateOperation as Operation, SparqlParser, Update};

use super::error::SparqlError;
use super::levels::Levels;
use super::place::refusal;
use super::text::update_text;
use run::Run;
use usual::is_usual;

use crate::store::Transaction;

pub use options::{Load, UpdateOptions};
pub use run::UpdateWork;
pub use writable::Writable;

/// Does the operations of a request in a transaction, as [`update_any`]: compiled here, once.
///
/// # Errors
/// If one can't be done. Some may have been done then: the transaction is to be dropped.
pub fn update(
    transaction: &mut Transaction,
    text: &str,
    options: &mut UpdateOptions<'_, '_>,
    watch: &Watch<'_>,
) -> Result<UpdateWork, SparqlError> {
    update_any(transaction, text, options, watch)
}

/// Does the operations of a request in whatever can be written.
///
/// # Errors
/// If one can't be done. Some may have been done then: the owner of `store` drops it.
pub fn update_any<W: Writable>(
    store: &mut W,
    text: &str,
    options: &mut UpdateOptions<'_, '_>,
    watch: &Watch<'_>,
) -> Result<UpdateWork, SparqlError> {
    let (work, levels) = (UpdateWork::default(), Levels::NONE);
    let mut run = Run { store, work, levels, nodes: HashMap::new() };
    // Their IRIs are absolute: the parser leaves such as they are, whatever the base.
    if is_usual(text, options.leave_patterns()) {
        run.usual(text, watch)?;
        return Ok(run.work);
    }
    run.levels = Levels::of(text)?;
    run.levels.run(|| run.request(text, options, watch))??;
    Ok(run.work)
}

/// Whether a text is a request of SPARQL 1.2 Update.
///
/// # Errors
/// If it isn't, with the place.
pub fn check_update(text: &str, base: Option<&str>) -> Result<(), SparqlError> {
    Levels::of(text)?.run(|| parse(text, base).map(drop))?
}

fn parse(text: &str, base: Option<&str>) -> Result<Update, SparqlError> {
    let written = text;
    let text = update_text(text)?;
    let mut parser = SparqlParser::new();
    if let Some(base) = base {
        let wrong = |error| SparqlError::Syntax(format!("base IRI {base}: {error}"));
        parser = parser.with_base_iri(base).map_err(wrong)?;
    }
    let parsed = |text: &str| parser.clone().parse_update(text).map_err(|error| error.to_string());
    parsed(&text).map_err(|refused| {
        SparqlError::Syntax(refusal(written, &refused, |text| parsed(text).map(drop)))
    })
}

fn names_graphs(operation: &Operation) -> bool {
    matches!(operation, Operation::DeleteInsert { using: Some(_), .. })
}

impl<W: Writable> Run<'_, W> {
    /// Does the operations of a text, on a stack for its levels.
    fn request(
        &mut self,
        text: &str,
        options: &mut UpdateOptions<'_, '_>,
        watch: &Watch<'_>,
    ) -> Result<(), SparqlError> {
        let request = parse(text, options.base)?;
        if options.using.is_some() && request.operations.iter().any(names_graphs) {
            let why = "the call names graphs, and so does USING or WITH in the request";
            return Err(SparqlError::Refused(why.to_owned()));
        }
        for operation in request.operations {
            watch.check()?;
            self.operation(operation, options, watch)?;
            self.work.operations += 1;
        }
        Ok(())
    }

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
                    self.insert(quad);
                }
                Ok(())
            }
            Operation::DeleteData { data } => {
                for quad in data {
                    if let Some(quad) = self.find_quad(quad)? {
                        self.remove(quad);
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
}
