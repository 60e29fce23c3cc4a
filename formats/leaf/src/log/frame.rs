//! A frame of the log: one commit, written and read.
//!
//! ```text
//! payload: | u64 next blank | u32 term_count | u32 added_count | u32 removed_count | u32 created_count | u32 dropped_count |
//!          | added, 32 each | removed, 32 each | created, 8 each | dropped, 8 each | terms: | u64 id | u32 len | text | |
//! ```
//!
//! Bytes:   docs/formats/leaf.md, section *log*
//! Callers: log/read, engines/graph

use manicule_core::bytes::{DecodeError, Reader};

use crate::head::{FileKind, put_head};
use crate::id::Id;

pub(super) const MAGIC: [u8; 4] = *b"MFRM";
pub(super) const FRAME_HEAD_LEN: usize = 3 * size_of::<u32>() + 2 * size_of::<u64>();
pub(super) const SUM_LEN: usize = size_of::<u32>();
const QUAD_LEN: usize = 4 * size_of::<u64>();
const ID_LEN: usize = size_of::<u64>();

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

/// Appends what a log begins with.
pub fn put_log_head(out: &mut Vec<u8>) {
    put_head(FileKind::Log, [0; 4], out);
}

/// Appends the frame of a commit.
///
/// `synced` is how many bytes of the file were on the disk for certain when this frame was made: what is wrong before there is damage,
/// and not the end of a write that never finished.
pub fn put_frame(commit: &Commit<'_>, synced: u64, out: &mut Vec<u8>) {
    let head_at = out.len();
    let payload_at = head_at + FRAME_HEAD_LEN;
    out.resize(payload_at, 0);
    out.extend_from_slice(&commit.next_blank.to_le_bytes());
    let counts = [
        commit.terms.len(),
        commit.added.len(),
        commit.removed.len(),
        commit.created.len(),
        commit.dropped.len(),
    ];
    for count in counts {
        let count = u32::try_from(count).expect("a commit has fewer than 2^32 quads and terms");
        out.extend_from_slice(&count.to_le_bytes());
    }
    let ids = commit.added.iter().chain(commit.removed).flatten();
    for id in ids.chain(commit.created).chain(commit.dropped) {
        out.extend_from_slice(&id.0.to_le_bytes());
    }
    for (id, text) in commit.terms {
        let len = u32::try_from(text.len()).expect("a term has fewer than 2^32 bytes");
        out.extend_from_slice(&id.0.to_le_bytes());
        out.extend_from_slice(&len.to_le_bytes());
        out.extend_from_slice(text);
    }
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

/// A commit, as it lies in the log.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    number: u64,
    next_blank: u64,
    term_count: usize,
    added: &'a [[u8; QUAD_LEN]],
    removed: &'a [[u8; QUAD_LEN]],
    created: &'a [[u8; ID_LEN]],
    dropped: &'a [[u8; ID_LEN]],
    terms: &'a [u8],
}

impl<'a> Frame<'a> {
    /// Reads a payload, to its last byte.
    pub(super) fn read(number: u64, payload: &'a [u8], at: u64) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(payload, at);
        let next_blank = reader.u64_le("next blank node")?;
        let mut counts = [0; 5];
        for count in &mut counts {
            *count = reader.u32_le("count of a frame")? as usize;
        }
        let [term_count, added, removed, created, dropped] = counts;
        let added = reader.take("quads added", added.saturating_mul(QUAD_LEN))?.as_chunks().0;
        let removed = reader.take("quads removed", removed.saturating_mul(QUAD_LEN))?.as_chunks().0;
        let created = reader.take("graphs created", created.saturating_mul(ID_LEN))?.as_chunks().0;
        let dropped = reader.take("graphs dropped", dropped.saturating_mul(ID_LEN))?.as_chunks().0;
        let terms = reader.rest();
        for _ in 0..term_count {
            reader.u64_le("id of a term")?;
            let len = reader.u32_le("length of a term")?;
            reader.take("text of a term", len as usize)?;
        }
        if !reader.rest().is_empty() {
            let (at, got) = (reader.at(), reader.rest().len() as u64);
            return Err(DecodeError::Corrupt { what: "bytes after the terms", at, want: 0, got });
        }
        Ok(Frame { number, next_blank, term_count, added, removed, created, dropped, terms })
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
    pub fn terms(&self) -> impl Iterator<Item = (Id, &'a [u8])> + use<'a> {
        let mut reader = Reader::new(self.terms, 0);
        (0..self.term_count).map_while(move |_| {
            let id = reader.u64_le("id of a term").ok()?;
            let len = reader.u32_le("length of a term").ok()?;
            Some((Id(id), reader.take("text of a term", len as usize).ok()?))
        })
    }

    /// Quads that are added, as subject, predicate, object, graph.
    pub fn added(&self) -> impl ExactSizeIterator<Item = [Id; 4]> + use<'a> {
        self.added.iter().map(quad)
    }

    /// Quads that are removed.
    pub fn removed(&self) -> impl ExactSizeIterator<Item = [Id; 4]> + use<'a> {
        self.removed.iter().map(quad)
    }

    /// Graphs that are created.
    pub fn created(&self) -> impl ExactSizeIterator<Item = Id> + use<'a> {
        self.created.iter().map(|id| Id(u64::from_le_bytes(*id)))
    }

    /// Graphs that are dropped.
    pub fn dropped(&self) -> impl ExactSizeIterator<Item = Id> + use<'a> {
        self.dropped.iter().map(|id| Id(u64::from_le_bytes(*id)))
    }
}

fn quad(bytes: &[u8; QUAD_LEN]) -> [Id; 4] {
    let (words, _) = bytes.as_chunks::<8>();
    [0, 1, 2, 3].map(|place| Id(u64::from_le_bytes(words[place])))
}
