//! Bytes of a document: of a file that is mapped, or of a stream that is decompressed as it is
//! read.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use manicule_store::Mapped;
use memchr::memrchr;

use super::lines::line_count;

/// First bytes of compressed files.
const GZIP: &[u8] = &[0x1f, 0x8b];
const ZSTANDARD: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];
const BZIP2: &[u8] = b"BZh";

/// Whether the first bytes say that what they begin is compressed. No document of RDF begins so.
pub fn is_packed(bytes: &[u8]) -> bool {
    [GZIP, ZSTANDARD, BZIP2].iter().any(|magic| bytes.starts_with(magic))
}

/// Number of bytes that are asked for at once when a stream is read.
const READ_LEN: usize = 1 << 16;

/// A place that documents come from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// A file.
    File(PathBuf),
    /// Standard input.
    Standard,
    /// Bytes at hand, by the name that messages call them.
    Memory(PathBuf, Arc<[u8]>),
}

impl Place {
    /// The place of a name: `-` is standard input.
    pub fn of_name(name: &Path) -> Place {
        if name == Path::new("-") { Place::Standard } else { Place::File(name.to_owned()) }
    }

    /// What messages call it.
    pub fn name(&self) -> &Path {
        match self {
            Place::File(path) | Place::Memory(path, _) => path,
            Place::Standard => Path::new("-"),
        }
    }

    /// Opens it. What is compressed is known by its first bytes, whatever its name.
    pub fn open(&self) -> io::Result<Source> {
        let file = match self {
            Place::Standard => return unpacked(Box::new(io::stdin())),
            Place::Memory(_, bytes) => return unpacked(Box::new(io::Cursor::new(bytes.clone()))),
            Place::File(path) => File::open(path)?,
        };
        if !file.metadata()?.is_file() {
            return unpacked(Box::new(file));
        }
        let mapped = Mapped::of(&file)?;
        if is_packed(&mapped) { unpacked(Box::new(file)) } else { Ok(Source::Mapped(mapped)) }
    }
}

/// Bytes of a document.
pub enum Source {
    /// A plain file.
    Mapped(Mapped),
    /// Anything else.
    Stream(Box<dyn Read + Send>),
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Source::Mapped(_) => "Source::Mapped",
            Source::Stream(_) => "Source::Stream",
        })
    }
}

/// A stream, decompressed if its first bytes say that it is compressed.
fn unpacked(mut stream: Box<dyn Read + Send>) -> io::Result<Source> {
    let mut head = Vec::new();
    stream.by_ref().take(4).read_to_end(&mut head)?;
    let whole = io::Cursor::new(head.clone()).chain(stream);
    Ok(Source::Stream(if head.starts_with(GZIP) {
        Box::new(flate2::read::MultiGzDecoder::new(whole))
    } else if head.starts_with(ZSTANDARD) {
        Box::new(zstd::stream::read::Decoder::new(whole)?)
    } else if head.starts_with(BZIP2) {
        Box::new(bzip2::read::MultiBzDecoder::new(whole))
    } else {
        Box::new(whole)
    }))
}

impl Source {
    /// The bytes of a plain file.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Source::Mapped(mapped) => Some(mapped),
            Source::Stream(_) => None,
        }
    }

    /// A buffered reader of the whole.
    pub fn into_reader(self) -> Box<dyn Read + Send> {
        match self {
            Source::Mapped(mapped) => Box::new(MappedReader { mapped, at: 0 }),
            Source::Stream(stream) => Box::new(BufReader::with_capacity(READ_LEN, stream)),
        }
    }
}

struct MappedReader {
    mapped: Mapped,
    at: usize,
}

impl Read for MappedReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let len = { &self.mapped[self.at..] }.read(buffer)?;
        self.at += len;
        Ok(len)
    }
}

/// Pieces of a document of lines, cut after line ends, handed out in order to any number of
/// threads.
pub struct Pieces {
    /// A document that is mapped.
    mapped: Option<Mapped>,
    state: Mutex<State>,
    len: usize,
}

struct State {
    /// Number of pieces that are handed out.
    number: usize,
    /// How much of a mapped document they are.
    offset: usize,
    /// What is read of a stream and not handed out; the stream, until its end.
    rest: Vec<u8>,
    stream: Option<Box<dyn Read + Send>>,
    /// Number of lines before each piece of a stream.
    lines_before: Vec<u64>,
}

/// Whole lines of a document: see [`Pieces::bytes`].
#[derive(Clone, Debug)]
pub struct Piece {
    text: Text,
    /// Which piece of the document it is, from 0.
    number: usize,
}

#[derive(Clone, Debug)]
enum Text {
    /// Bytes of a mapped document.
    Range(Range<usize>),
    /// Bytes of a stream.
    Read(Vec<u8>),
}

impl Pieces {
    /// Pieces of about `len` bytes each.
    pub fn new(source: Source, len: usize) -> Self {
        let (mapped, stream) = match source {
            Source::Mapped(mapped) => (Some(mapped), None),
            Source::Stream(stream) => (None, Some(stream)),
        };
        let (rest, lines_before) = (Vec::new(), vec![0]);
        let state = State { number: 0, offset: 0, rest, stream, lines_before };
        Pieces { mapped, state: Mutex::new(state), len }
    }

    /// The next piece, or none at the end.
    pub fn take(&self) -> io::Result<Option<Piece>> {
        let mut state = self.lock();
        let text = match &self.mapped {
            Some(bytes) => {
                let start = state.offset;
                let rest = &bytes[start..];
                let len = rest.len().min(self.len);
                // A line that is longer than a piece makes the piece longer.
                let end = memrchr(b'\n', &rest[..len])
                    .or_else(|| memchr::memchr(b'\n', &rest[len..]).map(|more| len + more));
                let end =
                    if len == rest.len() { len } else { end.map_or(rest.len(), |end| end + 1) };
                state.offset += end;
                Text::Range(start..start + end)
            }
            None => {
                let State { rest, stream, .. } = &mut *state;
                Text::Read(next_of_stream(rest, stream, self.len)?)
            }
        };
        let piece = Piece { text, number: state.number };
        let bytes = self.bytes(&piece);
        if bytes.is_empty() {
            return Ok(None);
        }
        state.number += 1;
        if self.mapped.is_none() {
            let before = state.lines_before.last().copied().unwrap_or_default();
            state.lines_before.push(before + line_count(bytes));
        }
        Ok(Some(piece))
    }

    /// The lines of a piece.
    pub fn bytes<'p>(&'p self, piece: &'p Piece) -> &'p [u8] {
        match &piece.text {
            Text::Range(range) => &self.mapped.as_deref().unwrap_or_default()[range.clone()],
            Text::Read(bytes) => bytes,
        }
    }

    /// The number of lines before a piece that was handed out.
    pub fn lines_before(&self, piece: &Piece) -> u64 {
        match &piece.text {
            Text::Range(range) => {
                line_count(&self.mapped.as_deref().unwrap_or_default()[..range.start])
            }
            Text::Read(_) => self.lock().lines_before[piece.number],
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder panics")
    }
}

/// About `len` bytes of whole lines, or what is left.
fn next_of_stream(
    rest: &mut Vec<u8>,
    stream: &mut Option<Box<dyn Read + Send>>,
    len: usize,
) -> io::Result<Vec<u8>> {
    let mut searched = 0;
    while let Some(reader) = stream {
        if rest.len() >= len
            && let Some(end) = memrchr(b'\n', &rest[searched..])
        {
            let after = rest.split_off(searched + end + 1);
            return Ok(std::mem::replace(rest, after));
        }
        // Without a line end in what is there, the next is searched in what comes.
        searched = if rest.len() >= len { rest.len() } else { 0 };
        let want = READ_LEN.max(len.saturating_sub(rest.len()));
        if reader.by_ref().take(want as u64).read_to_end(rest)? == 0 {
            *stream = None;
        }
    }
    Ok(std::mem::take(rest))
}

impl std::fmt::Debug for Pieces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pieces").field("len", &self.len).finish_non_exhaustive()
    }
}
