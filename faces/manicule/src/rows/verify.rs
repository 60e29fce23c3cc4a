//! Whether SSTables are right.
//!
//! Callers: faces, kinds

use std::path::PathBuf;

use manicule_core::watch::Watch;
use manicule_rows::RowsError;
use manicule_rows::table::{Access, list_all};
pub use manicule_rows::verify::Depth;
use manicule_rows::verify::{SstableCounts, all, verify as verify_one};

use super::error::Error;
use super::open::{CACHE_BYTES, reading_within, table_options};
use crate::inspect::{Part, Verified};

/// Arguments of a verification.
#[derive(Clone, Debug)]
pub struct VerifyCall {
    /// A folder of a table, or a file of one of its SSTables.
    pub path: PathBuf,
    /// How much is read.
    pub depth: Depth,
}

impl VerifyCall {
    /// Reads everything.
    pub fn new(path: PathBuf) -> Self {
        VerifyCall { path, depth: Depth::Whole }
    }
}

/// Bytes that a verification may hold: a read, and the longest row.
const MEMORY_BYTES: u64 = 1 << 30;

/// Verifies all SSTables of a path, finished or not. Those that can't be read are handed to `failed`.
pub fn verify(
    call: &VerifyCall,
    watch: &Watch<'_>,
    failed: &mut dyn FnMut(Error),
) -> Result<Verified, Error> {
    let listed = list_all(&call.path)?;
    if listed.is_empty() {
        let why = "no SSTable is in it".to_owned();
        return Err(RowsError::Missing { place: call.path.clone(), why }.into());
    }
    let options = table_options(Access::Mapped, CACHE_BYTES)?;
    let mut parts = Vec::new();
    for listed in &listed {
        let verified = reading_within(MEMORY_BYTES, |reading| {
            verify_one(listed, call.depth, &options, reading, watch)
        });
        match verified {
            Ok(verified) => parts.push(verified),
            Err(RowsError::Stopped(stopped)) => return Err(stopped.into()),
            // A path that names one SSTable has no others to go on with.
            Err(error) if call.path != listed.folder => return Err(error.into()),
            Err(error) => failed(error.into()),
        }
    }
    let verified = all(parts);
    let mut counts = verified.counts.fields();
    counts.push(("warnings", verified.verdict.warnings.count));
    let lines = lines(&verified.counts, call.depth);
    Ok(Verified { verdict: verified.verdict, counts, lines, tree_index: None })
}

fn lines(counts: &SstableCounts, depth: Depth) -> Vec<Vec<Part>> {
    use Part::{Count, Len, Text};
    let mut lines = vec![vec![
        Count(counts.sstables, "SSTable"),
        Text(" ("),
        Len(counts.len),
        Text("), "),
        Count(counts.partitions, "partition"),
        Text(", "),
        Count(counts.checksums, "checksum"),
        Text(" of data compared"),
    ]];
    lines.push(match depth {
        Depth::Quick => vec![Text("rows were not read")],
        Depth::Whole => vec![
            Count(counts.rows, "row"),
            Text(" and "),
            Count(counts.markers, "range tombstone marker"),
            Text(" with "),
            Count(counts.cells, "cell"),
            Text(", "),
            Count(counts.blocks, "block"),
            Text(" of indexes"),
        ],
    });
    lines
}
