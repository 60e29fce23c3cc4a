//! SSTables opened, and the arguments that judge their tombstones.

use std::path::PathBuf;

use crate::cache::now_ns;
use crate::catalog::arguments::{Argument, Arguments, Concerns, Takes};
use crate::failure::Failure;
use crate::rows::{GC_GRACE_S, OpenCall, Overview, Table, Times};

pub(super) const NOW: Argument = Argument {
    name: "now",
    takes: Takes::Time,
    concerns: Concerns::Question,
    about: "Time at which it is judged what has expired. Default: now.",
};
pub(super) const GC_GRACE: Argument = Argument {
    name: "gc_grace",
    takes: Takes::Number,
    concerns: Concerns::Question,
    about: "Seconds for which no compaction drops a tombstone, the table's `gc_grace_seconds`. Default: 864000.",
};

/// By which times tombstones are judged.
pub(super) fn times(arguments: &Arguments) -> Result<Times, Failure> {
    let given = arguments.time(NOW.name)?.map(|ms| ms.div_euclid(1000));
    let now = given.unwrap_or_else(|| (now_ns() / 1_000_000_000) as i64);
    Ok(Times { now, gc_grace_s: arguments.number(GC_GRACE.name)?.unwrap_or(GC_GRACE_S) })
}

/// Opens the SSTables of each path.
pub(super) fn opened(arguments: &Arguments) -> Result<Vec<Table>, Failure> {
    let open = |path: &PathBuf| Ok(Table::open(&OpenCall::new(path.clone()))?);
    arguments.paths.iter().map(open).collect()
}

/// What SSTables say of themselves; of their data nothing is read.
pub(super) fn overviewed(table: &Table) -> Result<Vec<Overview>, Failure> {
    let all = table.overviews()?;
    match all.errors.into_iter().next() {
        None => Ok(all.list),
        Some(error) => Err(error.into()),
    }
}
