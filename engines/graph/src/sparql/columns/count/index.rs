//! COUNT of one pattern, in all or for each id at one of its places, without reading its quads.

use oxrdf::{Literal, Variable};

use super::super::plan::operator::{Group, IndexCounts, Wanted};
use super::super::scan::quads::QuadPattern;
use super::super::state::Columns;
use super::super::stop::{Outcome, Stop};
use super::super::table::rows::Table;
use crate::GraphError;
use crate::view::View;

impl<V: View> Columns<'_, '_, V> {
    /// The groups of a pattern, where the view has the counts that are asked of them; none
    /// elsewhere.
    pub(in crate::sparql) fn counts_of_index(
        &self,
        number: usize,
        group: &Group<'_>,
    ) -> Outcome<Option<Table>> {
        let Some(IndexCounts { pattern, wanted }) = &group.index else { return Ok(None) };
        let timer = self.start_timer();
        let Some(pattern) = self.resolved(pattern)? else { return Ok(None) };
        let table = match group.variables {
            [] => self.counted_in_all(&pattern, wanted)?,
            [key] => self.counted_by(&pattern, key, wanted)?,
            _ => None,
        };
        let Some(mut table) = table else { return Ok(None) };
        table.names = group.names();
        self.meter.scanned(0)?;
        self.meter.charge(&table)?;
        self.record_way(number, "counts of the index");
        self.record(number, timer, &table);
        Ok(Some(table))
    }

    fn counted_in_all(&self, pattern: &QuadPattern, wanted: &[Wanted]) -> Outcome<Option<Table>> {
        let ids = pattern.ids();
        let mut columns = Vec::with_capacity(wanted.len());
        for wanted in wanted {
            let count = match wanted {
                Wanted::Quads => self.graphs.count(&ids).map_err(failed)?,
                Wanted::Ids(place) => {
                    let counts = self.graphs.counts_by(&ids, *place).map_err(failed)?;
                    counts.map(|counts| counts.len() as u64)
                }
            };
            let Some(count) = count else { return Ok(None) };
            columns.push(vec![self.count_id(count)?]);
        }
        Ok(Some(Table { columns: columns.into(), row_count: 1, ..Table::default() }))
    }

    fn counted_by(
        &self,
        pattern: &QuadPattern,
        key: &Variable,
        wanted: &[Wanted],
    ) -> Outcome<Option<Table>> {
        let is_quads = |wanted: &Wanted| matches!(wanted, Wanted::Quads);
        let place = pattern.place_of(key.as_str()).filter(|_| wanted.iter().all(is_quads));
        let Some(place) = place else { return Ok(None) };
        let Some(counts) = self.graphs.counts_by(&pattern.ids(), place).map_err(failed)? else {
            return Ok(None);
        };
        let mut columns = vec![counts.iter().map(|(id, _)| id.0).collect()];
        let numbers: Vec<u64> =
            counts.iter().map(|(_, count)| self.count_id(*count)).collect::<Outcome<_>>()?;
        columns.extend(wanted.iter().map(|_| numbers.clone()));
        Ok(Some(Table { columns: columns.into(), row_count: counts.len(), ..Table::default() }))
    }

    /// The id of a number of rows.
    pub(super) fn count_id(&self, count: u64) -> Outcome<u64> {
        let count =
            i64::try_from(count).map_err(|_| Stop::Unsupported("count of more than 2^63 rows"))?;
        self.ids.id(&Literal::from(count).into())
    }
}

pub(super) fn failed(error: GraphError) -> Stop {
    Stop::Failed(error.into())
}
