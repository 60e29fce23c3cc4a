//! DELETE and INSERT with a pattern: it is evaluated once, over the state before; all removals come
//! before all additions.

use std::collections::{BTreeSet, HashMap};

use manicule_core::watch::Watch;
use oxrdf::Variable;
use spareval::QuerySolution;
use spargebra::Query;
use spargebra::algebra::{GraphPattern, QueryDataset};
use spargebra::term::{
    GraphNamePattern, GroundQuadPattern, GroundTermPattern, NamedNodePattern, QuadPattern,
};

use super::super::answer::Answer;
use super::super::error::SparqlError;
use super::super::levels::Levels;
use super::super::query::{QueryOptions, ask, named_dataset};
use super::super::rewrite::of_term;
use super::options::UpdateOptions;
use super::run::Run;
use super::template::{fill_delete, fill_insert};
use super::writable::Writable;

/// A DELETE/INSERT.
pub(super) struct Modify {
    pub(super) delete: Vec<GroundQuadPattern>,
    pub(super) insert: Vec<QuadPattern>,
    pub(super) using: Option<QueryDataset>,
    pub(super) pattern: GraphPattern,
}

impl<W: Writable> Run<'_, W> {
    pub(super) fn modify(
        &mut self,
        modify: Modify,
        options: &UpdateOptions<'_, '_>,
        watch: &Watch<'_>,
    ) -> Result<(), SparqlError> {
        let Modify { delete, insert, using, pattern } = modify;
        let solutions = self.solutions(&delete, &insert, using, pattern, options, watch)?;
        let mut removed = BTreeSet::new();
        for solution in &solutions {
            for quad in &delete {
                if let Some(terms) = fill_delete(quad, solution) {
                    removed.extend(self.find_terms(&terms)?);
                }
            }
        }
        removed.into_iter().for_each(|quad| self.remove(quad));
        for solution in &solutions {
            let mut nodes = HashMap::new();
            for quad in &insert {
                if let Some(terms) = fill_insert(quad, solution, &mut nodes) {
                    let quad = self.enter_terms(&terms)?;
                    self.insert(quad);
                }
            }
        }
        Ok(())
    }

    fn solutions(
        &mut self,
        delete: &[GroundQuadPattern],
        insert: &[QuadPattern],
        using: Option<QueryDataset>,
        pattern: GraphPattern,
        options: &UpdateOptions<'_, '_>,
        watch: &Watch<'_>,
    ) -> Result<Vec<QuerySolution>, SparqlError> {
        let mut variables = BTreeSet::new();
        delete.iter().for_each(|quad| of_delete(quad, &mut variables));
        insert.iter().for_each(|quad| of_insert(quad, &mut variables));
        let variables = variables.into_iter().map(Variable::new_unchecked).collect();
        let pattern = GraphPattern::Project { inner: Box::new(pattern), variables };
        let query = Query::Select { dataset: None, pattern, base_iri: None };
        let using = using.as_ref().map(named_dataset);
        let options = QueryOptions {
            base: None,
            default_graph: options.default_graph,
            dataset: using.as_ref().or(options.using),
            limits: options.limits,
        };
        self.store.with_view(|view| match ask(view, query, &options, Levels::NONE, watch)? {
            Answer::Rows(rows) => rows.collect(),
            Answer::Boolean(..) | Answer::Triples(_) => unreachable!("a SELECT has rows"),
        })
    }
}

fn of_delete(quad: &GroundQuadPattern, variables: &mut BTreeSet<String>) {
    let mut add = |variable: &Variable| variables.extend([variable.as_str().to_owned()]);
    [&quad.subject, &quad.object].into_iter().for_each(|term| of_ground(term, &mut add));
    of_names(&quad.predicate, &quad.graph_name, variables);
}

fn of_ground(term: &GroundTermPattern, each: &mut dyn FnMut(&Variable)) {
    match term {
        GroundTermPattern::Variable(variable) => each(variable),
        GroundTermPattern::Triple(triple) => {
            of_ground(&triple.subject, each);
            if let NamedNodePattern::Variable(variable) = &triple.predicate {
                each(variable);
            }
            of_ground(&triple.object, each);
        }
        GroundTermPattern::NamedNode(_) | GroundTermPattern::Literal(_) => {}
    }
}

fn of_insert(quad: &QuadPattern, variables: &mut BTreeSet<String>) {
    let mut add = |variable: &Variable| variables.extend([variable.as_str().to_owned()]);
    [&quad.subject, &quad.object].into_iter().for_each(|term| of_term(term, &mut add));
    of_names(&quad.predicate, &quad.graph_name, variables);
}

fn of_names(
    predicate: &NamedNodePattern,
    graph: &GraphNamePattern,
    variables: &mut BTreeSet<String>,
) {
    if let NamedNodePattern::Variable(variable) = predicate {
        variables.insert(variable.as_str().to_owned());
    }
    if let GraphNamePattern::Variable(variable) = graph {
        variables.insert(variable.as_str().to_owned());
    }
}
