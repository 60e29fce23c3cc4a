//! Rows of a manifest, each of a fixed length, and the sections that hold them.
//!
//! Bytes:   docs/formats/tree.md, section *manifest*

use std::ffi::CStr;

use manicule_core::bytes::{DecodeError, Reader};

pub(super) const META: u32 = 1;
pub(super) const FOLDERS: u32 = 2;
pub(super) const FILES: u32 = 3;
pub(super) const OTHERS: u32 = 4;
pub(super) const WATCHED: u32 = 5;
pub(super) const SEGMENTS: u32 = 6;
pub(super) const NAMES: u32 = 7;
pub(super) const RULES: u32 = 8;

/// The fingerprint of what is not there.
pub const ABSENT: u64 = 0;
/// The fingerprint of what changed too shortly before it was looked at: equal to none, it counts as
/// changed.
pub const UNSURE: u64 = 1;
/// The parent of the root, and the first piece of a file that has none.
pub const NONE: u32 = u32::MAX;

/// Metadata of the whole tree.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// Time at which the walk began, in nanoseconds since 1970.
    pub made_at_ns: u64,
    /// Mixed into every fingerprint.
    pub key: u64,
    /// The bytes of all files together.
    pub text_len: u64,
    /// The number that the next segment gets.
    pub next_segment: u64,
    /// Approximate length of new pieces, in bytes.
    pub piece_len: u32,
    /// git's global excludes file, or an empty name.
    pub excludes: u32,
    /// The tree's absolute path.
    pub root: u32,
}

/// A folder of the tree. The root comes first and has an empty path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Folder {
    /// Its path below the root, in *names*.
    pub path: u32,
    /// The folder it lies in; [`NONE`] for the root.
    pub parent: u32,
    /// Its first file.
    pub first_file: u32,
    /// Number of its files.
    pub file_count: u32,
    /// The first of its names that the rules leave out.
    pub first_other: u32,
    /// Number of those.
    pub other_count: u32,
    /// Its fingerprint.
    pub fingerprint: u64,
    /// A sum over all names in it and their kinds, in any order.
    pub listing: u64,
}

/// A file that the rules let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct File {
    /// Its name, in *names*.
    pub name: u32,
    /// Row of *segments* that has its grams.
    pub segment: u16,
    /// See the `FLAG_` constants.
    pub flags: u16,
    /// Its first piece there; [`NONE`] where its grams are not known: it is a candidate always.
    pub first_piece: u32,
    /// Number of its pieces.
    pub piece_count: u32,
    /// Its bytes.
    pub size: u64,
    /// Its fingerprint.
    pub fingerprint: u64,
}

/// The file holds a NUL; its pieces end there.
pub const FLAG_BINARY: u16 = 1;
/// The file begins with the byte order mark of UTF-8, which searches take off before they count its
/// bytes.
pub const FLAG_MARKED: u16 = 2;

/// A name in a folder that the rules leave out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Other {
    /// The name, in *names*.
    pub name: u32,
    /// Its kind.
    pub kind: u32,
}

/// The [`Other`] is a folder.
pub const OTHER_FOLDER: u32 = 1;
/// The [`Other`] is a plain file.
pub const OTHER_FILE: u32 = 2;
/// The [`Other`] is a link, a socket or the like.
pub const OTHER_REST: u32 = 3;

/// A file whose contents, or a name whose presence, decides which files count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watched {
    /// Its path, absolute or below the root, in *names*.
    pub path: u32,
    /// The folder below which it decides; the root's number where it decides everywhere.
    pub folder: u32,
    /// See the `WATCH_` constants.
    pub how: u32,
    /// Its fingerprint, or a number for its presence.
    pub fingerprint: u64,
}

/// The contents decide: the fingerprint counts.
pub const WATCH_CONTENTS: u32 = 0;
/// The presence decides, and the kind of the entry.
pub const WATCH_PRESENCE: u32 = 1;

/// A segment that files refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentRow {
    /// Its number, which its file is named after.
    pub number: u64,
    /// The bytes of its file.
    pub file_len: u64,
    /// Number of its pieces.
    pub piece_count: u32,
    /// Number of those that a file of this manifest refers to.
    pub live_count: u32,
}

/// A row of fixed length.
pub(super) trait Entry: Sized {
    const LEN: usize;
    fn decode(row: Reader<'_>) -> Result<Self, DecodeError>;
    fn encode(&self, out: &mut Vec<u8>);
}

macro_rules! entry {
    ($name:ident, $len:literal, [$($field:ident: $kind:ident),+]) => {
        impl Entry for $name {
            const LEN: usize = $len;
            fn decode(mut row: Reader<'_>) -> Result<Self, DecodeError> {
                Ok($name { $($field: entry!(@read row, $field, $kind)),+ })
            }
            fn encode(&self, out: &mut Vec<u8>) {
                $(out.extend_from_slice(&self.$field.to_le_bytes());)+
            }
        }
        const _: () = assert!(0 $(+ size_of::<$kind>())+ == $len);
    };
    (@read $row:ident, $field:ident, u16) => {{
        let bytes = $row.take(stringify!($field), 2)?;
        u16::from_le_bytes([bytes[0], bytes[1]])
    }};
    (@read $row:ident, $field:ident, u32) => { $row.u32_le(stringify!($field))? };
    (@read $row:ident, $field:ident, u64) => { $row.u64_le(stringify!($field))? };
}

entry!(Meta, 44, [made_at_ns: u64, key: u64, text_len: u64, next_segment: u64, piece_len: u32,
    excludes: u32, root: u32]);
entry!(Folder, 40, [path: u32, parent: u32, first_file: u32, file_count: u32, first_other: u32,
    other_count: u32, fingerprint: u64, listing: u64]);
entry!(File, 32, [name: u32, segment: u16, flags: u16, first_piece: u32, piece_count: u32,
    size: u64, fingerprint: u64]);
entry!(Other, 8, [name: u32, kind: u32]);
entry!(Watched, 20, [path: u32, folder: u32, how: u32, fingerprint: u64]);
entry!(SegmentRow, 24, [number: u64, file_len: u64, piece_count: u32, live_count: u32]);

/// Name of a section in the format's document.
pub(crate) fn section_name(id: u32) -> &'static str {
    match id {
        META => "meta",
        FOLDERS => "folders",
        FILES => "files",
        OTHERS => "others",
        WATCHED => "watched",
        SEGMENTS => "segments",
        NAMES => "names",
        RULES => "rules",
        _ => "unknown",
    }
}

pub(super) fn name_at(names: &[u8], at: u32) -> &CStr {
    CStr::from_bytes_until_nul(&names[at as usize..]).expect("names end with a zero")
}
