//! Seeds: the values that a part's variables may have, known from what it is joined with.

use std::borrow::Cow;

use spargebra::algebra::GraphPattern;

use super::super::super::rewrite::always_bound;
use super::super::scan::quads::QuadPattern;
use super::super::stop::Outcome;
use super::super::table::meter::Meter;
use super::super::table::rows::Table;
use super::tables;

/// Maximum number of rows of a seed: a larger one saves less than it costs.
const SEED_ROWS_MAX: usize = 1 << 20;
/// Quads of a pattern for each row of a seed from which on it is worth to have the seed joined
/// first.
const SEED_PAYS: u64 = 8;

/// The values of what a pattern always binds, where the table has them.
pub(in crate::sparql) fn seed_of(
    table: &Table,
    pattern: &GraphPattern,
    meter: &Meter<'_, '_>,
) -> Outcome<Option<Table>> {
    if table.row_count > SEED_ROWS_MAX {
        return Ok(None);
    }
    let sure = always_bound(pattern);
    let names: Vec<&str> = sure
        .iter()
        .map(String::as_str)
        .filter(|name| table.place(name).is_some_and(|place| !table.has_unbound(place)))
        .collect();
    (!names.is_empty()).then(|| tables::distinct(table, &names, meter)).transpose()
}

/// Whether patterns that are joined with each other alone become smaller by a seed than they are
/// without. Those that share a variable, and are not much longer than the seed, have hardly more
/// rows without it.
pub(super) fn pays(seed: &Table, patterns: &[Cow<'_, QuadPattern>]) -> bool {
    let Some((first, others)) = patterns.split_first() else { return true };
    let is_common = |name: &String| others.iter().all(|pattern| pattern.place_of(name).is_some());
    let mut shared = first.names().into_iter().filter(is_common);
    let quads_max = SEED_PAYS.saturating_mul(seed.row_count as u64);
    shared.next().is_none() || patterns.iter().any(|pattern| pattern.count > quads_max)
}
