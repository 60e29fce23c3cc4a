//! Solutions: rows of ids, whose terms are read as they are asked for.

use std::sync::Arc;

use oxrdf::{Term, Variable};

use super::super::error::SparqlError;
use super::super::graphs::QueryQuads;
use super::plan::operator::{Operator, Plan};
use super::state::Columns;
use super::stop::{Outcome, Stop};
use super::table::ids::Ids;
use super::table::rows::{Table, UNBOUND};
use super::table::spool::Spool;
use crate::view::View;

/// Solutions, read row by row.
pub(in crate::sparql) struct Solutions<'v, V: View + 'v> {
    pub(in crate::sparql) variables: Arc<[Variable]>,
    rows: Rows<'v, V>,
    pub(in crate::sparql) ids: Ids<'v, V>,
    /// The ids of a row.
    row: Vec<u64>,
}

/// Where rows come from.
pub(super) enum Rows<'v, V: View + 'v> {
    /// A table, and the number of the next row.
    Table(Table, usize),
    /// The quads of one pattern, which are read as they are asked for: none is held.
    Scan(Scan<'v, V>),
    /// Rows in a file.
    Spooled(Spool),
}

/// A scan of a pattern's quads.
pub(super) struct Scan<'v, V: View + 'v> {
    names: Vec<String>,
    /// The place of each variable among those of a quad; none of one that the pattern doesn't have.
    places: Vec<Option<usize>>,
    /// Places that have to have one id.
    equal: Vec<(usize, usize)>,
    quads: QueryQuads<'v, V>,
}

/// Maximum number of rows of one pattern that are all read before the first is given; more are
/// given as they are read.
const SCANNED_MAX: u64 = 8192;

impl<'v, V: View> Columns<'_, 'v, V> {
    /// The rows of a plan that is nothing but one long scan.
    pub(super) fn long_scan(&self, plan: &Plan<'_>) -> Outcome<Option<Scan<'v, V>>> {
        let (join, projected) = match &plan.operator {
            Operator::Join(join) => (join, None),
            Operator::Project { inner, names } => match &inner.operator {
                Operator::Join(join) => (join, Some(names)),
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let is_lone = join.early.is_empty() && join.late.is_empty() && join.filters.is_empty();
        let ([leaf], true) = (&join.patterns[..], is_lone) else { return Ok(None) };
        let Some(pattern) = leaf.quads.as_ref().filter(|quads| quads.count > SCANNED_MAX) else {
            return Ok(None);
        };
        self.session.count(|work| work.scans += 1);
        let names = projected.cloned().unwrap_or_else(|| pattern.names());
        let places = names.iter().map(|name| pattern.place_of(name).map(|role| role as usize));
        Ok(Some(Scan {
            places: places.collect(),
            names,
            equal: pattern.repeated(),
            quads: self.graphs.quads(&pattern.ids()),
        }))
    }
}

impl<'v, V: View> Solutions<'v, V> {
    pub(super) fn new(rows: Rows<'v, V>, ids: Ids<'v, V>) -> Self {
        let names = match &rows {
            Rows::Table(table, _) => &table.names,
            Rows::Scan(scan) => &scan.names,
            Rows::Spooled(spool) => &spool.names,
        };
        let variables = names.iter().map(Variable::new_unchecked).collect();
        Solutions { variables, rows, ids, row: Vec::new() }
    }

    /// The place of a variable in a row.
    pub(in crate::sparql) fn place(&self, name: &str) -> Option<usize> {
        self.variables.iter().position(|own| own.as_str() == name)
    }

    /// The ids of the next row; none after the last.
    pub(in crate::sparql) fn next_row(&mut self) -> Outcome<Option<&[u64]>> {
        let has_row = match &mut self.rows {
            Rows::Table(table, next) => {
                let has_row = *next < table.row_count;
                if has_row {
                    self.row.clear();
                    self.row.extend(table.columns.iter().map(|column| column[*next]));
                    *next += 1;
                }
                has_row
            }
            Rows::Scan(scan) => scan.next_into(&self.ids, &mut self.row)?,
            Rows::Spooled(spool) => spool.next_into(&mut self.row)?,
        };
        Ok(has_row.then_some(&self.row))
    }
}

impl<V: View> Scan<'_, V> {
    /// Puts the ids of the next row in place of others. Whether there is one.
    fn next_into(&mut self, ids: &Ids<'_, V>, row: &mut Vec<u64>) -> Outcome<bool> {
        let session = ids.session();
        for quad in &mut self.quads {
            let quad = quad.map_err(|error| Stop::Failed(error.into()))?;
            if session.pass_quad().is_err() {
                let ended = || SparqlError::Evaluation("ended by the store".to_owned());
                return Err(Stop::Failed(session.take_error().unwrap_or_else(ended)));
            }
            let quad = [quad.subject, quad.predicate, quad.object, quad.graph];
            if self.equal.iter().all(|(one, other)| quad[*one] == quad[*other]) {
                row.clear();
                row.extend(self.places.iter().map(|place| place.map_or(UNBOUND, |at| quad[at].0)));
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl<V: View> Iterator for Solutions<'_, V> {
    type Item = Result<Vec<Option<Term>>, SparqlError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.next_row() {
            Ok(Some(_)) => {}
            Ok(None) => return None,
            Err(stop) => return Some(Err(stop.into())),
        }
        let term = |id: &u64| match *id {
            UNBOUND => Ok(None),
            id => self.ids.term(id).map(Some),
        };
        let terms: Outcome<Vec<_>> = self.row.iter().map(term).collect();
        Some(terms.map_err(SparqlError::from))
    }
}
