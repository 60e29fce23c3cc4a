//! A frame of the log: one commit, written and read.
//!
//! ```text
//! payload: | varint next blank | varint term_count | varint added_count | varint removed_count |
//!          | varint created_count | varint dropped_count | quads added | quads removed | created: ids | dropped: ids | terms |
//! quad:    | u8 places that have the id of the quad before: 1 subject, 2 predicate, 4 object, 8 graph | id of each other place |
//! term:    | id | u8 shared | varint rest len | rest |
//! ```
//!
//! Bytes:   docs/formats/leaf.md, section *log*

use manicule_core::bytes::{DecodeError, Reader, put_uvarint};

use super::ids::Before;
use crate::head::{FileKind, HEAD_LEN, check, check_max, put_head_of, version_of};
use crate::id::Id;

pub(super) const MAGIC: [u8; 4] = *b"MFRM";
pub(super) const FRAME_HEAD_LEN: usize = 3 * size_of::<u32>() + 2 * size_of::<u64>();
pub(super) const SUM_LEN: usize = size_of::<u32>();
/// What a frame says of the bytes before it whose writer didn't know which of them were synced: the
/// first of each process said so, before it was kept in a file of its own.
pub(super) const SYNCED_UNKNOWN: u64 = 0;
/// The most bytes that a term shares with the one before. So a reader's memory is bounded by the
/// bytes at hand.
const SHARED_MAX: usize = 255;
const NOTHING: [Id; 4] = [Id::MIN; 4];

/// What a commit changes.
#[derive(Clone, Copy, Debug)]
pub struct Commit<'a> {
    /// Its number, above that of the commit before.
    pub number: u64,
    /// The number that the next blank node gets.
    pub next_blank: u64,
    /// Terms that the store did not hold, with their ids.
    pub terms: &'a [(Id, &'a [u8])],
    /// Quads that are added, as subject, predicate, object, graph.
    pub added: &'a [[Id; 4]],
    /// Quads that are removed.
    pub removed: &'a [[Id; 4]],
    /// Graphs that are created.
    pub created: &'a [Id],
    /// Graphs that are dropped.
    pub dropped: &'a [Id],
}

/// Appends what a log of a version begins with: [`VERSION`](crate::VERSION), or
/// [`LOG_VERSION_TRIPLES`](crate::LOG_VERSION_TRIPLES) where there are triple terms.
pub fn put_log_head(version: u32, out: &mut Vec<u8>) {
    put_head_of(FileKind::Log, version, [0; 4], out);
}

/// Number of bytes of a log before its first frame.
pub const LOG_HEAD_LEN: usize = HEAD_LEN;

/// The version of a log by its first [`LOG_HEAD_LEN`] bytes, which were checked before.
pub fn log_version(head: &[u8; LOG_HEAD_LEN]) -> u32 {
    version_of(head)
}

/// Appends the frame of a commit.
///
/// `synced` is how many bytes of the file were on the disk for certain when this frame was made:
/// what is wrong before there is damage, and not the end of a write that never finished.
pub fn put_frame(commit: &Commit<'_>, synced: u64, out: &mut Vec<u8>) {
    let head_at = out.len();
    let payload_at = head_at + FRAME_HEAD_LEN;
    out.resize(payload_at, 0);
    let counts = [
        commit.terms.len(),
        commit.added.len(),
        commit.removed.len(),
        commit.created.len(),
        commit.dropped.len(),
    ];
    put_uvarint(commit.next_blank, out);
    counts.iter().for_each(|count| put_uvarint(*count as u64, out));
    put_quads(commit.added, out);
    put_quads(commit.removed, out);
    for graphs in [commit.created, commit.dropped] {
        let mut before = Before::new();
        graphs.iter().for_each(|id| before.put(*id, out));
    }
    put_terms(commit.terms, out);
    let len = u32::try_from(out.len() - payload_at).expect("a frame has fewer than 2^32 bytes");
    let mut head = Vec::with_capacity(FRAME_HEAD_LEN);
    head.extend_from_slice(&MAGIC);
    head.extend_from_slice(&len.to_le_bytes());
    head.extend_from_slice(&commit.number.to_le_bytes());
    head.extend_from_slice(&synced.to_le_bytes());
    let sum = crc32fast::hash(&head);
    head.extend_from_slice(&sum.to_le_bytes());
    out[head_at..payload_at].copy_from_slice(&head);
    let sum = crc32fast::hash(&out[payload_at..]);
    out.extend_from_slice(&sum.to_le_bytes());
}

fn put_quads(quads: &[[Id; 4]], out: &mut Vec<u8>) {
    let (mut before, mut last) = ([(); 4].map(|()| Before::new()), NOTHING);
    for quad in quads {
        let same_at = out.len();
        out.push(0);
        for (place, before) in before.iter_mut().enumerate() {
            if quad[place] == last[place] {
                out[same_at] |= 1 << place
            } else {
                before.put(quad[place], out)
            }
        }
        last = *quad;
    }
}

fn put_terms(terms: &[(Id, &[u8])], out: &mut Vec<u8>) {
    let (mut before, mut last) = (Before::new(), &[][..]);
    for (id, text) in terms {
        before.put(*id, out);
        let shared = last.iter().zip(*text).take(SHARED_MAX);
        let shared = shared.take_while(|(left, right)| left == right).count();
        out.push(shared as u8);
        put_uvarint((text.len() - shared) as u64, out);
        out.extend_from_slice(&text[shared..]);
        last = text;
    }
}

/// The head of a frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameHead {
    pub(super) len: usize,
    pub(super) number: u64,
    pub(super) synced: u64,
}

/// The head at the beginning of `bytes`; `None` if there is no whole one.
pub(super) fn read_head(bytes: &[u8]) -> Option<FrameHead> {
    let head = bytes.get(..FRAME_HEAD_LEN)?;
    let (covered, sum) = head.split_at(FRAME_HEAD_LEN - SUM_LEN);
    let word = |at: usize| u32::from_le_bytes(covered[at..at + 4].try_into().expect("four bytes"));
    let wide = |at: usize| u64::from_le_bytes(covered[at..at + 8].try_into().expect("eight bytes"));
    let is_whole = covered.starts_with(&MAGIC) && crc32fast::hash(covered).to_le_bytes() == *sum;
    is_whole.then(|| FrameHead { len: word(4) as usize, number: wide(8), synced: wide(16) })
}

/// A commit that was read from the log.
#[derive(Clone, Debug)]
pub struct Frame {
    number: u64,
    next_blank: u64,
    added: Vec<[Id; 4]>,
    removed: Vec<[Id; 4]>,
    created: Vec<Id>,
    dropped: Vec<Id>,
    /// Ids of the terms, and where the text of each ends.
    terms: Vec<(Id, usize)>,
    texts: Vec<u8>,
}

impl Frame {
    /// Reads a payload, to its last byte.
    pub(super) fn read(number: u64, payload: &[u8], at: u64) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(payload, at);
        let next_blank = reader.uvarint("next blank node")?;
        let mut counts = [0; 5];
        for count in &mut counts {
            let at = reader.at();
            let read = reader.uvarint("count of a frame")?;
            // Each takes at least a byte.
            check_max("count of a frame", at, reader.rest().len() as u64, read)?;
            *count = read as usize;
        }
        let [term_count, added, removed, created, dropped] = counts;
        let added = read_quads(&mut reader, added)?;
        let removed = read_quads(&mut reader, removed)?;
        let created = read_graphs(&mut reader, created)?;
        let dropped = read_graphs(&mut reader, dropped)?;
        let (terms, texts) = read_terms(&mut reader, term_count)?;
        check("bytes after the terms", reader.at(), 0, reader.rest().len() as u64)?;
        Ok(Frame { number, next_blank, added, removed, created, dropped, terms, texts })
    }

    /// Number of the commit.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// The number that the next blank node gets.
    pub fn next_blank(&self) -> u64 {
        self.next_blank
    }

    /// Terms that the store did not hold, with their ids.
    pub fn terms(&self) -> impl ExactSizeIterator<Item = (Id, &[u8])> {
        let mut start = 0;
        self.terms.iter().map(move |(id, end)| {
            let text = &self.texts[start..*end];
            start = *end;
            (*id, text)
        })
    }

    /// Quads that are added, as subject, predicate, object, graph.
    pub fn added(&self) -> &[[Id; 4]] {
        &self.added
    }

    /// Quads that are removed.
    pub fn removed(&self) -> &[[Id; 4]] {
        &self.removed
    }

    /// Graphs that are created.
    pub fn created(&self) -> &[Id] {
        &self.created
    }

    /// Graphs that are dropped.
    pub fn dropped(&self) -> &[Id] {
        &self.dropped
    }
}

fn read_quads(reader: &mut Reader<'_>, count: usize) -> Result<Vec<[Id; 4]>, DecodeError> {
    let (mut before, mut quad) = ([(); 4].map(|()| Before::new()), NOTHING);
    let mut quads = Vec::with_capacity(count);
    for _ in 0..count {
        let at = reader.at();
        let same = reader.u8("places of a quad")?;
        check_max("places of a quad", at, 15, same.into())?;
        for (place, before) in before.iter_mut().enumerate() {
            if same & 1 << place == 0 {
                quad[place] = before.read("id of a quad", reader)?;
            }
        }
        quads.push(quad);
    }
    Ok(quads)
}

fn read_graphs(reader: &mut Reader<'_>, count: usize) -> Result<Vec<Id>, DecodeError> {
    let mut before = Before::new();
    (0..count).map(|_| before.read("graph", reader)).collect()
}

type Texts = (Vec<(Id, usize)>, Vec<u8>);

fn read_terms(reader: &mut Reader<'_>, count: usize) -> Result<Texts, DecodeError> {
    let (mut before, mut terms, mut texts) = (Before::new(), Vec::with_capacity(count), Vec::new());
    let mut last = 0..0;
    for _ in 0..count {
        let id = before.read("id of a term", reader)?;
        let at = reader.at();
        let shared = usize::from(reader.u8("shared length of a term")?);
        check_max("shared length of a term", at, last.len() as u64, shared as u64)?;
        let len = reader.uvarint("length of a term")?;
        let rest = reader.take("text of a term", usize::try_from(len).unwrap_or(usize::MAX))?;
        let start = texts.len();
        texts.extend_from_within(last.start..last.start + shared);
        texts.extend_from_slice(rest);
        last = start..texts.len();
        terms.push((id, texts.len()));
    }
    Ok((terms, texts))
}
