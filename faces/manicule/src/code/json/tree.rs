//! Indexes of trees, as `inspect` and `cache` show them.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use manicule_code::tree::{BuildReport, Inspection, Kept, SegmentInspection, Staleness};

use super::Percentiles;
use crate::json::{Json, list, part, report};

/// The index of a tree, with the time at which it is looked at.
#[derive(Clone, Copy, Debug)]
pub struct TreeNow<'t> {
    /// The index.
    pub tree: &'t Inspection,
    /// The time.
    pub now: SystemTime,
}

report!(of: TreeNow<'_> {
    used_seconds_ago: of.tree.used_at.map(|used| seconds(used, of.now)); of.tree,
});

report!(of: Inspection {
    tree: of.root.to_string_lossy(), index: of.path.to_string_lossy(), made_at_ns, version,
    piece_len, folders = folder_count, files = file_count, files_with_nul = binary_count,
    files_unknown = unknown_count, files_unsure = unsure_count, names_left_out = other_count,
    rules_watched = watched_count, text_len, index_len: of.index_len(),
    index_files: list(of.files.iter().map(|(name, len)| IndexFile { name, len: *len })),
    segments: list(&of.segments), stale: part(&of.staleness),
});

struct IndexFile<'f> {
    name: &'f str,
    len: u64,
}

report!(of: IndexFile<'_> { name, len });

report!(of: SegmentInspection {
    name, len, pieces = piece_count, pieces_live = live_count, lists = list_count,
    postings = posting_count, list_pieces: Json(Percentiles(of.lengths)),
    densest: list(of.densest.iter().map(|(gram, pieces, len)| DenseList {
        gram, pieces: *pieces, len: *len,
    })),
});

struct DenseList<'d> {
    gram: &'d str,
    pieces: u32,
    len: u64,
}

report!(of: DenseList<'_> { gram, pieces, len });

report!(of: Staleness {
    folders_changed, folders_gone, rules_changed, files_changed, check_us,
});

/// The cached index of a tree, with the time at which it is looked at.
#[derive(Clone, Copy, Debug)]
pub struct KeptNow<'k> {
    /// The index.
    pub kept: &'k Kept,
    /// The time.
    pub now: SystemTime,
}

impl KeptNow<'_> {
    /// Age of the index in seconds.
    pub fn made_seconds_ago(&self) -> Option<u64> {
        let now_ns = self.now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
        self.kept.made_at_ns.map(|made_at_ns| now_ns.saturating_sub(made_at_ns) / 1_000_000_000)
    }
}

report!(of: KeptNow<'_> {
    tree: of.kept.root.as_deref().map(Path::to_string_lossy),
    state: of.kept.state.word(), path: of.kept.path.to_string_lossy(), len: of.kept.len,
    files: of.kept.file_count, made_seconds_ago: of.made_seconds_ago(),
    used_seconds_ago: seconds(of.kept.used_at, of.now),
});

fn seconds(from: SystemTime, to: SystemTime) -> u64 {
    to.duration_since(from).map_or(0, |age| age.as_secs())
}

report!(of: BuildReport {
    folders = folder_count, files = file_count, files_read = read_count, bytes_read = read_len,
    files_unknown = unknown_count, segments = segment_count, segments_merged = merged_count,
    index_len,
});
