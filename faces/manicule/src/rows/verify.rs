//! Whether SSTables are right.

use std::path::PathBuf;

use manicule_core::findings::FileFinding;
use manicule_core::watch::Watch;
use manicule_rows::table::{LeftOut, NO_SSTABLE, list_standing_at};
pub use manicule_rows::verify::Depth;
use manicule_rows::verify::{SstableCounts, all, verify as verify_one};
use manicule_rows::{Component, RowsError};

use super::error::Error;
use super::open::{place_of, reading_within, reads};
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

/// Number of times that a table is listed again for an SSTable that goes: its files do one after
/// the other.
const LISTED_AGAIN_MAX: u32 = 3;

/// Bytes that a verification may hold: a read, and the longest row.
const MEMORY_BYTES: u64 = 1 << 30;

/// Verifies all SSTables of a path, finished or not, but for those that don't count by the log of a
/// transaction. Those that can't be read are handed to `failed`.
///
/// # Errors
/// A path without SSTables, and where none can be read the last one's error.
pub fn verify(
    call: &VerifyCall,
    watch: &Watch<'_>,
    failed: &mut dyn FnMut(Error),
) -> Result<Verified, Error> {
    let (mut waiting, left_out) = list_standing_at(&place_of(&call.path)?)?;
    if waiting.is_empty() {
        let why = NO_SSTABLE.to_owned();
        return Err(RowsError::Missing { place: call.path.clone(), why }.into());
    }
    let options = reads()?;
    let (mut parts, mut errors) = (Vec::new(), Vec::new());
    let (mut seen, mut lists_left) = (Vec::new(), LISTED_AGAIN_MAX);
    waiting.reverse();
    while let Some(listed) = waiting.pop() {
        let verified = reading_within(MEMORY_BYTES, |reading| {
            verify_one(&listed, call.depth, &options, reading, watch)
        });
        let data = listed.path(&Component::Data);
        let is_vanished = match &verified {
            Ok(verified) => {
                verified.verdict.findings.count > 0 && !listed.is_there(&Component::Data)
            }
            Err(error) => error.is_vanished(),
        };
        match verified {
            Err(RowsError::Stopped(stopped)) => return Err(stopped.into()),
            _ if is_vanished && lists_left > 0 => {
                // A server has replaced it, by one that isn't in the list.
                lists_left -= 1;
                waiting = list_standing_at(&place_of(&call.path)?)?.0;
                waiting.retain(|listed| !seen.contains(&listed.descriptor));
                waiting.reverse();
                continue;
            }
            // What was listed without its data, again and again, is one that lacks them.
            Ok(_) if is_vanished && listed.components.contains(&Component::Data) => {
                let why = "it was removed while it was verified".to_owned();
                errors.push(RowsError::Missing { place: data, why }.into());
            }
            Ok(verified) => parts.push(verified),
            Err(error) => errors.push(Error::from(error)),
        }
        seen.push(listed.descriptor);
    }
    if parts.is_empty()
        && let Some(error) = errors.pop()
    {
        errors.into_iter().for_each(failed);
        return Err(error);
    }
    errors.into_iter().for_each(failed);
    let mut verified = all(parts);
    left_out.into_iter().for_each(|out| verified.verdict.warnings.push(not_counted(out)));
    let mut counts = verified.counts.fields();
    counts.push(("warnings", verified.verdict.warnings.count));
    let lines = lines(&verified.counts, call.depth);
    Ok(Verified { verdict: verified.verdict, counts, lines, tree_index: None })
}

/// An SSTable that doesn't count by the log of a transaction.
fn not_counted(LeftOut { path, why, .. }: LeftOut) -> FileFinding {
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let what = format!("not verified: {why}");
    FileFinding { file, section: Some("transaction".to_owned()), offset: None, what }
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
