//! Head of every file of the store: a magic, the kind of file, the version, four bytes of the
//! kind's own.
//!
//! Bytes:   | 4 magic "MANL" | 4 kind | u32 version | 4 detail |, docs/formats/leaf.md, section *head*

use manicule_core::bytes::{DecodeError, Reader};

/// The version that is written, and the only one that is read, but of manifests and logs.
pub const VERSION: u32 = 1;
/// 2: the log that the manifest names is there from then on (in version 1 it may never have been
/// made). Those of version 1 stay readable.
pub const MANIFEST_VERSION: u32 = 2;
/// 3: triple terms are numbered too, tag 6. Written where there are some, so that what has none is
/// readable as before.
pub const MANIFEST_VERSION_TRIPLES: u32 = 3;
/// 2: frames may bring triple terms. Written once there are some; those of version 1 stay readable.
pub const LOG_VERSION_TRIPLES: u32 = 2;

const MAGIC: [u8; 4] = *b"MANL";
pub(crate) const VERSION_AT: usize = 4 + 4;
pub(crate) const HEAD_LEN: usize = VERSION_AT + size_of::<u32>() + 4;

/// Kind of a file of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Quads of one order.
    Leaf,
    /// Texts of terms.
    Dictionary,
    /// Commits.
    Log,
    /// The root of a generation.
    Manifest,
    /// What a planner asks.
    Statistics,
    /// How far the log was synced.
    Synced,
}

impl FileKind {
    const ALL: [FileKind; 6] = [
        FileKind::Leaf,
        FileKind::Dictionary,
        FileKind::Log,
        FileKind::Manifest,
        FileKind::Statistics,
        FileKind::Synced,
    ];

    /// The newest version that is read. Those from 1 to it are.
    fn version_max(self) -> u32 {
        match self {
            FileKind::Manifest => MANIFEST_VERSION_TRIPLES,
            FileKind::Log => LOG_VERSION_TRIPLES,
            _ => VERSION,
        }
    }

    fn word(self) -> [u8; 4] {
        match self {
            FileKind::Leaf => *b"LEAF",
            FileKind::Dictionary => *b"DICT",
            FileKind::Log => *b"FLOG",
            FileKind::Manifest => *b"ROOT",
            FileKind::Statistics => *b"STAT",
            FileKind::Synced => *b"SYNC",
        }
    }
}

/// Kind of a file of the store, by its first bytes; `None` if it is no such file.
pub fn kind_of(head: &[u8]) -> Option<FileKind> {
    let word = head.strip_prefix(&MAGIC)?.first_chunk::<4>()?;
    FileKind::ALL.into_iter().find(|kind| kind.word() == *word)
}

pub(crate) fn put_head(kind: FileKind, detail: [u8; 4], out: &mut Vec<u8>) {
    put_head_of(kind, VERSION, detail, out);
}

/// As [`put_head`], of a version.
pub(crate) fn put_head_of(kind: FileKind, version: u32, detail: [u8; 4], out: &mut Vec<u8>) {
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&kind.word());
    out.extend_from_slice(&version.to_le_bytes());
    out.extend_from_slice(&detail);
}

/// Reads the head of a file of a kind: its detail.
pub(crate) fn read_head(bytes: &[u8], kind: FileKind) -> Result<[u8; 4], DecodeError> {
    let mut head = Reader::new(bytes, 0);
    check("magic", 0, u32::from_le_bytes(MAGIC).into(), head.u32_le("magic")?.into())?;
    check("kind", 4, u32::from_le_bytes(kind.word()).into(), head.u32_le("kind")?.into())?;
    let version = u64::from(head.u32_le("version")?);
    check_max("version", 8, kind.version_max().into(), version)?;
    check_max("version, the least", 8, version, VERSION.into())?;
    Ok(head.u32_le("detail")?.to_le_bytes())
}

/// The version that a head says, which was read before.
pub(crate) fn version_of(bytes: &[u8]) -> u32 {
    let version = bytes.get(VERSION_AT..HEAD_LEN - 4).and_then(|version| version.try_into().ok());
    version.map_or(0, u32::from_le_bytes)
}

/// An error unless the file says what the format wants.
pub(crate) fn check(what: &'static str, at: u64, want: u64, got: u64) -> Result<(), DecodeError> {
    if want == got {
        return Ok(());
    }
    Err(DecodeError::Corrupt { what, at, want, got })
}

/// An error unless a number is at most the given one.
pub(crate) fn check_max(
    what: &'static str,
    at: u64,
    max: u64,
    got: u64,
) -> Result<(), DecodeError> {
    if got <= max {
        return Ok(());
    }
    Err(DecodeError::Corrupt { what, at, want: max, got })
}

/// An error unless bytes have the sum that is stored of them.
pub(crate) fn check_sum(
    what: &'static str,
    at: u64,
    stored: u32,
    bytes: &[u8],
) -> Result<(), DecodeError> {
    let computed = crc32fast::hash(bytes);
    if stored == computed {
        return Ok(());
    }
    Err(DecodeError::Checksum { what, at, stored, computed })
}
