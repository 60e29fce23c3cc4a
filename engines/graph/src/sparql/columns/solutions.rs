//! Solutions: rows of ids, whose terms are read as they are asked for.

use std::sync::Arc;

use oxrdf::{Term, Variable};

use super::super::error::SparqlError;
use super::super::levels::Leveled;
use super::form::pattern::solved_of;
use super::pull::Cursor;
use super::state::{Columns, Request};
use super::stop::{Outcome, Stop};
use super::table::ids::Ids;
use super::table::rows::{Table, UNBOUND};
use crate::view::View;

/// Solutions, read row by row.
pub(in crate::sparql) struct Solutions<'v, V: View + 'v> {
    pub(in crate::sparql) variables: Arc<[Variable]>,
    rows: Table,
    /// The number of the next row.
    next: usize,
    /// What makes more rows.
    more: Option<Leveled<More<'v, V>>>,
    pub(in crate::sparql) ids: Ids<'v, V>,
    /// The ids of a row.
    row: Vec<u64>,
}

/// Rows that are made as they are asked for, some at a time: what is held is little, however many
/// they are. The query is planned again for each of these times, to the same plan.
pub(super) struct More<'v, V: View + 'v> {
    request: Request<'v, V>,
    cursor: Cursor<'v, V>,
}

impl<'v, V: View> More<'v, V> {
    /// All rows of a query, in little memory.
    pub(super) fn of(request: Request<'v, V>) -> Leveled<More<'v, V>> {
        let levels = request.levels;
        Leveled::new(More { request, cursor: Cursor::in_little_memory() }, levels)
    }

    fn pull(&mut self, ids: &Ids<'v, V>) -> Outcome<Option<Table>> {
        let pattern = solved_of(&self.request.query);
        let columns = Columns::new(&self.request, ids.clone());
        columns.pull(&columns.plan(&pattern)?, &mut self.cursor)
    }
}

impl<'v, V: View> Solutions<'v, V> {
    pub(super) fn new(
        rows: Table,
        more: Option<Leveled<More<'v, V>>>,
        ids: Ids<'v, V>,
    ) -> Solutions<'v, V> {
        let variables = rows.names.iter().map(Variable::new_unchecked).collect();
        Solutions { variables, rows, next: 0, more, ids, row: Vec::new() }
    }

    /// The place of a variable in a row.
    pub(in crate::sparql) fn place(&self, name: &str) -> Option<usize> {
        self.variables.iter().position(|own| own.as_str() == name)
    }

    /// Makes more rows, if there are any and none is held.
    pub(super) fn fill(&mut self) -> Outcome<()> {
        while self.next == self.rows.row_count
            && let Some(more) = &mut self.more
        {
            // Their room is used again.
            (self.rows, self.next) = (Table::default(), 0);
            let pulled = match more.with(|more| more.pull(&self.ids)) {
                Ok(pulled) => pulled,
                Err(error) => Err(Stop::Failed(error)),
            };
            match pulled {
                Ok(Some(rows)) => self.rows = rows,
                ended => {
                    self.more = None;
                    ended?;
                }
            }
        }
        Ok(())
    }

    /// The ids of the next row; none after the last.
    pub(in crate::sparql) fn next_row(&mut self) -> Outcome<Option<&[u64]>> {
        self.fill()?;
        if self.next == self.rows.row_count {
            return Ok(None);
        }
        self.row.clear();
        self.row.extend(self.rows.columns.iter().map(|column| column[self.next]));
        self.next += 1;
        Ok(Some(&self.row))
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
