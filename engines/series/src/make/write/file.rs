//! An index written to a file, and in the same pass what other systems keep of it beside.

use std::fmt;
use std::io::{self, Seek, SeekFrom, Write};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use manicule_core::sorted::Strings;
use manicule_core::watch::Meter;
use manicule_format_prometheus::{
    INDEX_HEADER_START_LEN, Toc, index_header_end, index_header_start,
};
use manicule_store::threads;

use super::{IndexWriter, Part, Source, WriteError, WriteOptions};

/// Number of bytes encoded before they are written: they stay in the processor's cache.
const BUFFER_LEN: usize = 256 << 10;

/// Number of buffers when one thread encodes and another writes.
const BUFFERS: usize = 3;

/// Summary of a written index.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Written {
    /// Length of the file in bytes.
    pub len: u64,
    /// Offsets of its sections.
    pub toc: Toc,
    /// Number of its series.
    pub series: u32,
    /// Number of symbols.
    pub symbols: u32,
    /// Number of posting lists, that of all series included.
    pub lists: u32,
}

/// Writes an index from its beginning to its end; `meter` counts its bytes. The caller syncs and
/// publishes the file.
pub fn write_index<T: Strings, S: Source>(
    strings: T,
    pairs: Vec<(u32, u32)>,
    source: S,
    options: WriteOptions,
    file: &mut dyn Write,
    meter: &Meter<'_>,
) -> Result<Written, WriteError> {
    let mut writer = IndexWriter::new(strings, pairs, source, options);
    let mut buffer = Vec::with_capacity(BUFFER_LEN * 2);
    while writer.part() != Part::Done {
        buffer.clear();
        writer.step(&mut buffer, BUFFER_LEN)?;
        file.write_all(&buffer)?;
        meter.step(buffer.len() as u64)?;
    }
    Ok(written(&writer))
}

/// A file whose beginning is known last.
pub trait SideFile: Write + Seek + Send {}

impl<T: Write + Seek + Send> SideFile for T {}

/// Outputs of an index: its file, and what is kept beside it.
pub struct Outputs<'f> {
    /// The index.
    pub index: &'f mut (dyn Write + Send),
    /// Thanos's index-header, written from the file's present position.
    pub index_header: Option<&'f mut dyn SideFile>,
    /// Mimir's sparse header.
    pub sparse_header: Option<&'f mut dyn Write>,
}

impl fmt::Debug for Outputs<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outputs")
            .field("index_header", &self.index_header.is_some())
            .field("sparse_header", &self.sparse_header.is_some())
            .finish_non_exhaustive()
    }
}

/// Like [`write_index`], with files beside the index; from two threads on, one encodes and another
/// writes. The same bytes for every number of threads.
pub fn write_index_with<T: Strings, S: Source>(
    strings: T,
    pairs: Vec<(u32, u32)>,
    source: S,
    options: WriteOptions,
    mut outputs: Outputs<'_>,
    threads: usize,
    meter: &Meter<'_>,
) -> Result<Written, WriteError> {
    let mut writer = IndexWriter::new(strings, pairs, source, options);
    let sparse_header = outputs.sparse_header.take();
    let mut sinks = Sinks::begin(outputs.index, outputs.index_header)?;
    if threads > 1 {
        encode_beside(&mut writer, &mut sinks, meter)?;
    } else {
        let mut buffer = Vec::with_capacity(BUFFER_LEN * 2);
        while writer.part() != Part::Done {
            buffer.clear();
            let part = writer.step(&mut buffer, BUFFER_LEN)?;
            sinks.put(part, &buffer)?;
            meter.step(buffer.len() as u64)?;
        }
    }
    let written = written(&writer);
    sinks.finish(&written.toc)?;
    if let Some(file) = sparse_header {
        writer.sparse_header().write(written.toc.label_indices_table, file)?;
    }
    Ok(written)
}

fn written<T: Strings, S: Source>(writer: &IndexWriter<T, S>) -> Written {
    Written {
        len: writer.len(),
        toc: *writer.toc(),
        series: writer.series_count(),
        symbols: writer.symbol_count(),
        lists: writer.list_count(),
    }
}

/// Some bytes on their way, and the part that they belong to.
type Piece = (Part, Vec<u8>);

/// Encodes on this thread while another writes.
fn encode_beside<T: Strings, S: Source>(
    writer: &mut IndexWriter<T, S>,
    sinks: &mut Sinks<'_>,
    meter: &Meter<'_>,
) -> Result<(), WriteError> {
    let (full, pieces) = sync_channel::<Piece>(BUFFERS);
    let (emptied, empty) = sync_channel(BUFFERS);
    for _ in 0..BUFFERS {
        emptied.send(Vec::with_capacity(BUFFER_LEN * 2)).expect("both ends are here");
    }
    let write = move || write_pieces(sinks, &pieces, &emptied);
    let encode = move || encode_pieces(writer, &full, &empty, meter);
    let (written, encoded) = threads::beside(write, encode);
    // An error of the encoder is why the file ends early; without one the file's own error counts.
    encoded.and(written.map_err(WriteError::Io))
}

/// Encodes until all is done or nobody takes the pieces any more: then the other thread has the
/// error.
fn encode_pieces<T: Strings, S: Source>(
    writer: &mut IndexWriter<T, S>,
    full: &SyncSender<Piece>,
    empty: &Receiver<Vec<u8>>,
    meter: &Meter<'_>,
) -> Result<(), WriteError> {
    while writer.part() != Part::Done {
        let Ok(mut buffer) = empty.recv() else { break };
        let part = writer.step(&mut buffer, BUFFER_LEN)?;
        meter.step(buffer.len() as u64)?;
        if full.send((part, buffer)).is_err() {
            break;
        }
    }
    Ok(())
}

fn write_pieces(
    sinks: &mut Sinks<'_>,
    pieces: &Receiver<Piece>,
    emptied: &SyncSender<Vec<u8>>,
) -> io::Result<()> {
    for (part, mut buffer) in pieces {
        sinks.put(part, &buffer)?;
        buffer.clear();
        // The encoder has gone when it has no more to send: the buffer is of no more use.
        let _ = emptied.send(buffer);
    }
    Ok(())
}

/// The files that get bytes as they come, each with its parts.
struct Sinks<'f> {
    index: &'f mut (dyn Write + Send),
    index_header: Option<&'f mut dyn SideFile>,
    /// Offset of the index-header in its file.
    header_at: u64,
}

impl<'f> Sinks<'f> {
    fn begin(
        index: &'f mut (dyn Write + Send),
        mut index_header: Option<&'f mut dyn SideFile>,
    ) -> io::Result<Self> {
        let mut header_at = 0;
        if let Some(header) = &mut index_header {
            header_at = header.stream_position()?;
            header.write_all(&[0; INDEX_HEADER_START_LEN])?;
        }
        Ok(Sinks { index, index_header, header_at })
    }

    fn put(&mut self, part: Part, bytes: &[u8]) -> io::Result<()> {
        self.index.write_all(bytes)?;
        match (&mut self.index_header, part) {
            (Some(header), Part::Symbols | Part::PostingsTable | Part::Toc) => {
                header.write_all(bytes)
            }
            _ => Ok(()),
        }
    }

    fn finish(self, toc: &Toc) -> io::Result<()> {
        if let Some(header) = self.index_header {
            header.write_all(&index_header_end(toc))?;
            header.seek(SeekFrom::Start(self.header_at))?;
            header.write_all(&index_header_start(toc))?;
            header.seek(SeekFrom::End(0))?;
        }
        Ok(())
    }
}
