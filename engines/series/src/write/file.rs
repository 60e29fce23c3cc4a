//! An index written to a file, and in the same pass what other systems keep of it beside.
//!
//! Callers: write; merge, rewrite, split, build, faces/manicule

use std::io::Write;

use manicule_core::sorted::Strings;
use manicule_format_prometheus::Toc;

use super::{IndexWriter, Part, Source, WriteError, WriteOptions};

/// How many bytes are encoded before they are written: they stay in the processor's cache.
const BUFFER_LEN: usize = 256 << 10;

/// What was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// How long the file is.
    pub len: u64,
    /// Where its sections begin.
    pub toc: Toc,
    /// How many series it has.
    pub series: u32,
    /// How many symbols.
    pub symbols: u32,
    /// How many posting lists, that of all series included.
    pub lists: u32,
}

/// Writes an index from its beginning to its end. The caller syncs and publishes the file.
pub fn write_index<T: Strings, S: Source>(
    strings: T,
    pairs: &[(u32, u32)],
    source: S,
    options: WriteOptions,
    file: &mut dyn Write,
) -> Result<Written, WriteError> {
    let mut writer = IndexWriter::new(strings, pairs, source, options)?;
    let mut buffer = Vec::with_capacity(BUFFER_LEN * 2);
    while writer.part() != Part::Done {
        buffer.clear();
        writer.step(&mut buffer, BUFFER_LEN)?;
        file.write_all(&buffer)?;
    }
    Ok(Written {
        len: writer.len(),
        toc: *writer.toc(),
        series: writer.series_count(),
        symbols: writer.symbol_count(),
        lists: writer.list_count(),
    })
}
