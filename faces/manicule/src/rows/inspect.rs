//! What SSTables say of themselves, and the shape of a partition's index.

use std::path::PathBuf;

use manicule_core::watch::Watch;
use manicule_rows::inspect::inspect as inspect_one;
pub use manicule_rows::inspect::{
    BlockShape, CompressionShown, FilterShown, IndexKind, KeyShown, PartitionShape,
    SstableInspection,
};
use manicule_rows::table::{Access, LeftOut, Listed, read_header};
use manicule_store::pages::SystemCache;

use super::error::Error;
use super::open::{CACHE_BYTES, reading_within, table_options, with_listed};
use super::slice::read_key;

/// Arguments of an inspection.
#[derive(Clone, Debug)]
pub struct InspectCall {
    /// A folder of a table, or a file of one of its SSTables.
    pub path: PathBuf,
    /// Key of the partition whose index is shown, as CQL writes it; of none the largest.
    pub key: Option<String>,
}

/// The SSTables of a path.
#[derive(Debug)]
pub struct TableInspection {
    /// The path.
    pub path: PathBuf,
    /// Those that could be read, by version and generation.
    pub sstables: Vec<SstableInspection>,
    /// Files that are no finished SSTable.
    pub left_out: Vec<LeftOut>,
    /// Those that could not be read, and why.
    pub broken: Vec<Error>,
}

/// Bytes that an inspection may hold beside the cache.
const MEMORY_BYTES: u64 = 256 << 20;

/// Inspects the SSTables of a path. The index of each is read once.
///
/// # Errors
/// Where none of them can be read.
pub fn inspect(call: &InspectCall, watch: &Watch<'_>) -> Result<TableInspection, Error> {
    let ((sstables, mut broken), _, left_out) =
        with_listed(&call.path, |listed| inspect_each(listed, call, watch))?;
    match (sstables.is_empty(), broken.pop()) {
        (true, Some(error)) => Err(error),
        (_, last) => {
            broken.extend(last);
            Ok(TableInspection { path: call.path.clone(), sstables, left_out, broken })
        }
    }
}

/// Those that could be read, and the errors of the others.
fn inspect_each(
    listed: &[Listed],
    call: &InspectCall,
    watch: &Watch<'_>,
) -> Result<(Vec<SstableInspection>, Vec<Error>), Error> {
    let options = table_options(Access::Positioned(SystemCache::Used), CACHE_BYTES)?;
    let (mut sstables, mut broken) = (Vec::new(), Vec::new());
    for listed in listed {
        let inspected = reading_within(MEMORY_BYTES, |reading| {
            let header = read_header(listed, &options, reading)?;
            let key = call.key.as_deref().map(|text| read_key(&header, text)).transpose()?;
            Ok(inspect_one(listed, key.as_deref(), &options, reading, watch)?)
        });
        match inspected {
            Ok(inspected) => sstables.push(inspected),
            // A text that is no key of one is none of any.
            Err(error @ Error::Literal { .. }) => return Err(error),
            Err(Error::Rows(error)) if error.is_vanished() => return Err(error.into()),
            Err(error) => broken.push(error),
        }
    }
    Ok((sstables, broken))
}
