//! Verification of a block's files from their bytes: every checksum, offset, order and count.
//!
//! Of an index: that sections, series and lists lie back to back, that symbols, series, labels,
//! pairs and postings rise, and that each posting list names the series that have its pair, no more
//! and no fewer. What is wrong is noted and passed over, so that one damage doesn't hide the next.
//! This is the judge of the readers in this crate: it walks the bytes by itself, from the first to
//! the last, and believes no table.
//!
//! Beside the index this holds 16 bytes a symbol and about 100 a label pair.
//!
//! Bytes:   docs/formats/prometheus.md

mod aggregates;
mod frame;
mod headers;
mod legacy;
mod lists;
mod segment;
mod series;
mod shown;
mod symbols;
mod tombstones;

use manicule_core::findings::Report;

pub use headers::{verify_index_header, verify_sparse_header};
pub use segment::{
    ChunkCounts, Gaps, NamedChunk, verify_chunks, verify_lone_segment, verify_segment,
};
pub use series::FoundSeries;
pub use tombstones::verify_tombstones;

use crate::index::Index;
use crate::sections;

/// Result of an index's verification: how much was verified, and its findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerifiedIndex {
    /// Symbols.
    pub symbol_count: u64,
    /// Series that can be read.
    pub series_count: u64,
    /// Labels of all of them.
    pub label_count: u64,
    /// Chunks that they name.
    pub chunk_count: u64,
    /// Posting lists that can be read.
    pub list_count: u64,
    /// The series that they name together.
    pub posting_count: u64,
    /// Findings and warnings.
    pub report: Report,
}

/// Verifies the bytes of a whole index. `each` is called with every series that can be read, in the
/// order of the file.
pub fn verify_index(
    bytes: &[u8],
    findings_max: usize,
    each: &mut dyn FnMut(FoundSeries<'_>),
) -> VerifiedIndex {
    let mut verified =
        VerifiedIndex { report: Report::new(findings_max), ..VerifiedIndex::default() };
    if let Some(frame) = frame::check(bytes, &mut verified.report) {
        let symbols = symbols::check(&frame, &mut verified.report);
        let mut lists = lists::check(&frame, &symbols, &mut verified.report);
        verified.symbol_count = symbols.list.len() as u64;
        verified.list_count = lists.readable().count() as u64;
        verified.posting_count = lists.readable().map(|list| list.refs.len() as u64).sum();
        let series = series::Walk::new(&frame, &symbols, &mut lists, &mut verified.report);
        let counts = series.run(each);
        (verified.series_count, verified.label_count, verified.chunk_count) = counts;
        lists.finish(&symbols, &mut verified.report);
        legacy::check(&frame, &symbols, &lists, &mut verified.report);
    }
    // What opening refuses was looked for above, in more detail. Should that ever miss something,
    // it is reported here.
    if verified.report.findings.count == 0
        && let Err(error) = Index::open(bytes)
    {
        verified.report.error(sections::HEADER, &error);
    }
    verified
}
