//! What was loaded, updated, compacted, copied, kept under a name.

use std::path::Path;

use manicule_graph::NamedSnapshot;
use manicule_graph::load::Fault;

use crate::graph::{BackedUp, Compacted, Loaded, Updated};
use crate::json::report;

report!(of: Loaded { statements, added, faults = fault_count });

/// A bad statement with its file.
#[derive(Clone, Copy, Debug)]
pub struct LoadFault<'f> {
    /// The file.
    pub path: &'f Path,
    /// The fault.
    pub fault: &'f Fault,
}

report!(of: LoadFault<'_> {
    path: of.path.to_string_lossy(), line: of.fault.line, column: of.fault.column,
    what: of.fault.what,
});

report!(of: Updated { added, removed, commit });

/// What was compacted, if anything was.
#[derive(Clone, Copy, Debug)]
pub struct CompactedStore(pub Option<Compacted>);

report!(of: CompactedStore { compacted: of.0.is_some(); of.0 });

report!(of: Compacted { quads, terms_dropped, len_before, len });

report!(of: BackedUp { commit, files = file_count, len });

report!(of: NamedSnapshot { name, commit, quads = quad_count, len, own_len });
