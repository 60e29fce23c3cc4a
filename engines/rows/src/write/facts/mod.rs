//! Facts as an SSTable that says them and nothing else: no deletion hides another fact, nothing is
//! merged, nothing dropped.

mod buffer;
mod fact;
mod partition;

use manicule_format_sstable::Header;

use self::buffer::FactBuffer;
pub use self::fact::NewFact;
use self::partition::Partitions;
use super::draft::Target;
use super::load::{Bases, LoadOptions, Loaded, STREAMED_LEN};
use super::table::SstableWriter;
use crate::RowsError;

/// Takes the facts.
pub type TakeFact<'t> = &'t mut dyn FnMut(&NewFact<'_>) -> Result<(), RowsError>;

/// Writes the facts that `give` hands on, of one SSTable: of an export, changed or not, or made by
/// hand. They are sorted in memory, or written as they come where the options say that they are
/// sorted.
///
/// Memory: `memory`; of sorted ones some MiB, and the longest row.
///
/// # Errors
/// A fact that has no place in the table, more of them than the memory holds: the error of `take`.
/// A row or cell that is there twice, a range deletion that doesn't end or begin: at the end.
pub fn write_facts<E: From<RowsError>>(
    target: &Target,
    options: LoadOptions,
    give: impl FnOnce(TakeFact<'_>) -> Result<(), E>,
) -> Result<Loaded, E> {
    let bases = Bases::new(&options.header);
    let buffer = FactBuffer::default();
    let mut writing = Writing { target, options, bases, buffer, out: None, given_count: 0 };
    give(&mut |fact| writing.fact(fact))?;
    Ok(writing.finish()?)
}

/// Facts that are being written.
struct Writing<'l> {
    target: &'l Target,
    options: LoadOptions,
    bases: Bases,
    buffer: FactBuffer,
    /// Where they go, once there is something.
    out: Option<(Box<SstableWriter>, Partitions)>,
    given_count: u64,
}

impl Writing<'_> {
    fn fact(&mut self, fact: &NewFact<'_>) -> Result<(), RowsError> {
        let header: &Header = &self.options.header;
        fact.check(header)?;
        self.given_count += 1;
        self.bases.times(fact.timestamp, fact.ttl, fact.local_time);
        self.buffer.add(fact, header);
        match self.options.is_sorted {
            true if self.buffer.len() >= STREAMED_LEN => self.put(false),
            false if self.buffer.len() as u64 > self.options.memory => {
                let why = "the facts take more than the memory that they may be sorted in: give more, or facts in the order of \
                           the table, and say so";
                Err(RowsError::Unwritable { why: why.to_owned() })
            }
            _ => Ok(()),
        }
    }

    /// Writes what waits; of the last place there may be more.
    fn put(&mut self, is_last: bool) -> Result<(), RowsError> {
        let Writing { target, options, bases, buffer, out, .. } = self;
        let (mut writer, mut partitions) = match out.take() {
            Some(out) => out,
            None => {
                let described = options.described(bases);
                let writer = SstableWriter::create(target, described, options.compress)?;
                (Box::new(writer), Partitions::default())
            }
        };
        buffer.sort(&options.header);
        buffer.take(is_last, &options.header, |group| {
            partitions.put(group, &options.header, &mut writer)
        })?;
        *out = Some((writer, partitions));
        Ok(())
    }

    fn finish(mut self) -> Result<Loaded, RowsError> {
        let (given_count, run_count) = (self.given_count, 0);
        if given_count == 0 {
            return Ok(Loaded { given_count, run_count, written: None });
        }
        self.put(true)?;
        let written = match self.out.take() {
            Some((mut writer, mut partitions)) => {
                partitions.end(&self.options.header, &mut writer)?;
                writer.finish()?
            }
            None => None,
        };
        Ok(Loaded { given_count, run_count, written })
    }
}
