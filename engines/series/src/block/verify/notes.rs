//! Counts and findings of a verification of blocks, as its parts note them.

use std::path::Path;

use manicule_core::counts;
use manicule_core::findings::{FileFinding, Verdict};
use manicule_format_prometheus::{NamedChunk, VerifiedIndex};

counts! {
    /// Counts of what was verified of blocks.
    pub struct BlockCounts {
        /// Blocks, or indexes by themselves; none where another file of a block is verified.
        blocks,
        /// Bytes of their indexes and chunks.
        len,
        /// Series.
        series,
        /// Posting lists.
        lists,
        /// The series that they name together.
        postings,
        /// Chunks that were decoded.
        chunks,
        /// Samples in them; of aggregates the windows.
        samples,
    }
}

/// The verification of blocks under way.
pub(crate) type Verified = manicule_core::findings::Verified<BlockCounts>;

/// Notes something wrong about a file as a whole.
pub(super) fn find(verdict: &mut Verdict, path: &Path, what: String) {
    verdict.findings.push(FileFinding::whole(path.to_string_lossy(), what));
}

/// Notes something odd about a file as a whole.
pub(super) fn warn(verdict: &mut Verdict, path: &Path, what: String) {
    verdict.warnings.push(FileFinding::whole(path.to_string_lossy(), what));
}

/// Facts of an index that other files must agree with.
pub(super) struct Named {
    pub(super) index: VerifiedIndex,
    pub(super) series: Vec<u32>,
    pub(super) chunks: Vec<NamedChunk>,
    /// Whether nothing is wrong with the index, so that these are all.
    pub(super) is_whole: bool,
}
