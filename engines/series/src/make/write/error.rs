//! Why an index was not written.

use std::error::Error;
use std::{fmt, io};

use manicule_core::ErrorClass;
use manicule_core::watch::Stopped;
use manicule_format_prometheus::{ChunkMeta, ChunkRef};

/// Error of writing an index. Series are named by their place in the order, from 0.
#[derive(Debug)]
#[non_exhaustive]
pub enum WriteError {
    /// A series whose labels come before those of the series in front of it. Sort them.
    UnsortedSeries {
        /// Number of the series, from 0.
        place: u64,
    },
    /// A series with the labels of the one in front of it. Join them.
    DuplicateSeries {
        /// Number of the series, from 0.
        place: u64,
    },
    /// Labels of a series that are not in the order of their names.
    UnsortedLabels {
        /// Of which.
        place: u64,
        /// The name that comes too late.
        name: Vec<u8>,
    },
    /// A series that has a name twice.
    DuplicateLabel {
        /// Number of the series, from 0.
        place: u64,
        /// The name.
        name: Vec<u8>,
    },
    /// A label without a name: the list of all series has its place.
    EmptyName {
        /// The pair that has it.
        pair: u32,
    },
    /// A series names a label pair that was not given.
    UnknownPair {
        /// The series.
        place: u64,
        /// The pair's number.
        pair: u32,
        /// Number of pairs.
        pairs: u32,
    },
    /// A label pair names a symbol that was not given.
    UnknownSymbol {
        /// The pair's number.
        pair: u32,
        /// The symbol's number.
        symbol: u32,
        /// Number of symbols.
        symbols: u32,
    },
    /// A chunk that lies in front of the chunk before it. References rise through the whole file.
    ChunkReferenceFalls {
        /// Of which series.
        place: u64,
        /// The chunk's reference.
        reference: ChunkRef,
        /// That of the chunk before.
        before: ChunkRef,
    },
    /// A chunk that begins before the one in front of it in its series has ended.
    ChunksOverlap {
        /// Of which series.
        place: u64,
        /// The chunk.
        chunk: ChunkMeta,
        /// The last time of the chunk before.
        before: i64,
    },
    /// A chunk whose last time is before its first.
    ChunkEndsEarly {
        /// Of which series.
        place: u64,
        /// The chunk.
        chunk: ChunkMeta,
    },
    /// A part would be longer than its length field, or the file longer than references reach.
    /// Split the series.
    TooLong {
        /// The part or the file.
        what: &'static str,
        /// Length that it would have, in bytes.
        len: u64,
        /// The most that fits.
        len_max: u64,
    },
    /// The source gave other series in a later pass than in the first.
    SourceChanged,
    /// The source of the series failed.
    Source(Box<dyn Error + Send + Sync>),
    /// The file could not be written.
    Io(io::Error),
    /// Its watch stopped it.
    Stopped,
}

impl WriteError {
    /// Class of the error.
    pub fn class(&self) -> ErrorClass {
        match self {
            WriteError::TooLong { .. } => ErrorClass::TooMuch,
            WriteError::Io(error) => ErrorClass::of_io(error),
            WriteError::Stopped => ErrorClass::Stopped,
            WriteError::SourceChanged | WriteError::Source(_) => ErrorClass::Failed,
            // What was given is no index that can be written.
            _ => ErrorClass::Asked,
        }
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WriteError::UnsortedSeries { place } => {
                write!(f, "out-of-order series: series {place} comes before the one in front of it")
            }
            WriteError::DuplicateSeries { place } => {
                write!(
                    f,
                    "duplicate series: series {place} has the labels of the one in front of it"
                )
            }
            WriteError::UnsortedLabels { place, name } => {
                let name = name.escape_ascii();
                write!(f, "out-of-order labels: \"{name}\" of series {place} comes too late")
            }
            WriteError::DuplicateLabel { place, name } => {
                write!(f, "duplicate label: series {place} has \"{}\" twice", name.escape_ascii())
            }
            WriteError::EmptyName { pair } => write!(f, "label pair {pair} has no name"),
            WriteError::UnknownPair { place, pair, pairs } => {
                write!(f, "unknown label pair: series {place} has pair {pair} of {pairs}")
            }
            WriteError::UnknownSymbol { pair, symbol, symbols } => {
                write!(f, "unknown symbol: pair {pair} has symbol {symbol} of {symbols}")
            }
            WriteError::ChunkReferenceFalls { place, reference, before } => {
                let (reference, before) = (reference.0, before.0);
                write!(f, "unsorted chunk reference: {reference} of series {place} behind {before}")
            }
            WriteError::ChunksOverlap { place, chunk, before } => {
                let (first, last) = (chunk.min_time, before);
                write!(
                    f,
                    "overlapping chunks: one of series {place} begins at {first}, the one before \
                     ends at {last}"
                )
            }
            WriteError::ChunkEndsEarly { place, chunk } => {
                let (first, last) = (chunk.min_time, chunk.max_time);
                write!(f, "a chunk of series {place} begins at {first} and ends at {last}")
            }
            WriteError::TooLong { what, len, len_max } => {
                write!(f, "{what} would have {len} bytes, the most is {len_max}: split the series")
            }
            WriteError::SourceChanged => {
                f.write_str("the series of a later pass are not those of the first")
            }
            WriteError::Source(error) => write!(f, "the series can't be read: {error}"),
            WriteError::Io(error) => write!(f, "the index can't be written: {error}"),
            WriteError::Stopped => Stopped.fmt(f),
        }
    }
}

impl Error for WriteError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            WriteError::Source(error) => Some(&**error),
            WriteError::Io(error) => Some(error),
            _ => None,
        }
    }
}

impl From<Stopped> for WriteError {
    fn from(_: Stopped) -> Self {
        WriteError::Stopped
    }
}

impl From<io::Error> for WriteError {
    fn from(error: io::Error) -> Self {
        WriteError::Io(error)
    }
}
