//! An SSTable as several that have its partitions in turn, each about as long as wanted.

use manicule_core::watch::{Phase, Unit, Watch};
use manicule_store::pages::Reading;

use super::data::Compress;
use super::draft::Target;
use super::extract::{copy, describe};
use super::origin::check_version;
use super::table::{Sealed, SstableWriter};
use super::written::Written;
use crate::RowsError;
use crate::scan::Walk;
use crate::table::{Listed, Sstable, TableOptions};

/// How an SSTable is split.
#[derive(Clone, Debug)]
pub struct SplitOptions {
    /// Length in bytes of stored data above which a part ends with its partition.
    pub len_max: u64,
    /// How the new data is compressed; `None`: not.
    pub compress: Option<Compress>,
    /// Length in bytes from which on a block of rows ends in the index.
    pub block_len: u64,
}

/// Writes an SSTable as several, in its version, each partition whole in one of them, with
/// everything that it has. They have the generation of the target and those after it, level 0, and
/// are published when all are written.
///
/// Data.db is read once. Memory: some MiB and one row, and little for each part.
pub fn split(
    listed: &Listed,
    target: &Target,
    options: &SplitOptions,
    table: &TableOptions,
    reading: &mut Reading<'_>,
    watch: &Watch<'_>,
) -> Result<Vec<Written>, RowsError> {
    check_version(listed)?;
    let sstable = Sstable::open(listed, table, reading)?;
    let mut described = describe(&sstable, listed, options.block_len, table, reading)?;
    // As a node has it: its parts are to be compacted again.
    described.origin.level = 0;
    let (mut parts, mut next): (Vec<Sealed>, _) = (Vec::new(), target.clone());
    let mut open: Option<SstableWriter> = None;
    let mut rows = Walk::new(&sstable, 1);
    let meter = watch.phase(Phase::Reading, Unit::Bytes, sstable.data_len());
    while let Some(head) = rows.begin(reading)? {
        let mut writer = match open.take() {
            Some(writer) => writer,
            None => SstableWriter::create(&next, described.clone(), options.compress)?,
        };
        copy(&head, &mut rows, &sstable, &mut writer, &meter, reading)?;
        if writer.stored_len() <= options.len_max {
            open = Some(writer);
            continue;
        }
        next.generation = Some(writer.generation() + 1);
        parts.extend(writer.seal()?);
    }
    parts.extend(open.map(SstableWriter::seal).transpose()?.flatten());
    meter.end();
    parts.into_iter().map(Sealed::publish).collect()
}
