//! What Statistics.db says of an SSTable that none of its rows says.

use manicule_format_sstable::{Component, LogPosition, Statistics, Version};

use crate::RowsError;
use crate::table::Listed;

/// Where an SSTable is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    /// Level of leveled compaction.
    pub(super) level: i32,
    /// When it was repaired, in milliseconds since 1970; 0 for never.
    pub(super) repaired_at: i64,
    /// From where on the commit log is in it.
    pub(super) log_lower: LogPosition,
    /// Up to where the commit log is in it.
    pub(super) log_upper: LogPosition,
    /// Intervals of the commit log.
    pub(super) log_intervals: Vec<(LogPosition, LogPosition)>,
    /// The session of repair that it waits for; of versions from `na` on.
    pub(super) pending_repair: Option<[u8; 16]>,
    /// Whether it is of transient replication; of versions from `na` on.
    pub(super) is_transient: bool,
    /// The host that wrote it; of `me` and `nb`.
    pub(super) host: Option<[u8; 16]>,
}

impl Origin {
    /// Of no log, never repaired, by no host.
    pub(super) const NONE: Origin = Origin {
        level: 0,
        repaired_at: 0,
        log_lower: LogPosition::NONE,
        log_upper: LogPosition::NONE,
        log_intervals: Vec::new(),
        pending_repair: None,
        is_transient: false,
        host: None,
    };

    /// That of an SSTable.
    pub(super) fn of(statistics: &Statistics) -> Origin {
        Origin {
            level: statistics.level,
            repaired_at: statistics.repaired_at,
            log_lower: statistics.log_lower.unwrap_or(LogPosition::NONE),
            log_upper: statistics.log_upper,
            log_intervals: statistics.log_intervals.clone(),
            pending_repair: statistics.pending_repair,
            is_transient: statistics.is_transient,
            host: statistics.host,
        }
    }
}

/// Refuses versions that aren't written.
pub(super) fn check_version(listed: &Listed) -> Result<(), RowsError> {
    check_written(listed.descriptor.version, listed)
}

/// Refuses a version that isn't written, of or for an SSTable.
pub(super) fn check_written(version: Version, listed: &Listed) -> Result<(), RowsError> {
    if !version.has_trie_index() && !version.has_covered_slice() {
        return Ok(());
    }
    let (file, what) = (
        listed.path(&Component::Data),
        format!("version {version} is read, and not written: mc, md, me, na and nb are"),
    );
    Err(RowsError::Unsupported { file, what })
}

/// Numbers of buckets of partition sizes and of numbers of cells that the writers of a version
/// have.
pub(super) fn bucket_counts(version: Version) -> [usize; 2] {
    match version {
        Version::Ma | Version::Mb | Version::Mc => [150, 114],
        _ => [150, 118],
    }
}
