//! Options that commands on SSTables share: the present, the grace period, how many partitions are
//! listed.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::command::spec::{Spec, spec};

pub(super) const NOW: Spec =
    spec("now", "", "Evaluate expiry and age at this time (Unix seconds).")
        .takes("SECONDS")
        .more("Default: now.");
pub(super) const GC_GRACE: Spec =
    spec("gc-grace", "", "The table's gc_grace_seconds, which no SSTable file records.")
        .takes("SECONDS")
        .more("Default: 864000 (ten days).");
pub(super) const TOP: Spec = spec("top", "n", "List NUM partitions.").takes("NUM");

/// Number of partitions that are listed unless another is said.
pub(super) const TOP_DEFAULT: usize = 20;

/// The system's time, in seconds since 1970.
pub(super) fn system_now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_secs() as i64)
}
