//! Flags of several commands of rows, and what they say of SSTables that were left out.

use manicule::rows::{LeftOut, Named};

use crate::command::spec::{Spec, spec};
use crate::messages::say;

pub(super) const SCHEMA: Spec = spec("schema", "", "CQL file that has the table.")
    .takes("FILE")
    .more("It names the columns of the key.");

pub(super) const TIMES: Spec =
    spec("times", "", "When each value was written, and when it expires.");

pub(super) const RAW: Spec =
    spec("raw", "", "What each SSTable has, rows and tombstones, not merged.");

/// Names on standard error what was left out of a table.
pub(super) fn name_left_out(left_out: &[LeftOut]) {
    for LeftOut { path, why, .. } in left_out {
        say(&format_args!("left out {}: {why}", path.display()));
    }
}

/// The same, and why a schema beside it was not used.
pub(super) fn tell(left_out: &[LeftOut], named: &Named) {
    name_left_out(left_out);
    if let Some(error) = &named.passed_over {
        say(&format_args!("names of the key's columns are placeholders: {error}"));
    }
}
