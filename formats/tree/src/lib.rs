//! The document-level index of a source tree: which files hold which grams, and how each file
//! looked when that was found out. Ours; it holds no contents.
//!
//! Bytes:   docs/formats/tree.md

mod frame;
pub mod grams;
mod listing;
pub mod manifest;
pub mod segment;
mod verify;

use manicule_core::bytes::{DecodeError, Outline};

use frame::Frame;
pub use frame::{Kind, VERSION, kind_of};
pub use listing::{ListedKind, Listing, by_name};
pub use verify::{Find, verify_manifest};

/// The parts of a file of the index.
///
/// Of a damaged file this shows the sections, without what they hold, as long as header, table and
/// footer are whole.
pub fn outline(bytes: &[u8]) -> Result<(Kind, Outline), DecodeError> {
    let Some(kind) = kind_of(bytes) else {
        let have = bytes.len() as u64;
        return Err(DecodeError::Short { what: "magic of a tree index", at: 0, need: 8, have });
    };
    let whole = match kind {
        Kind::Manifest => manifest::Manifest::open(bytes).map(|manifest| manifest.outline()),
        Kind::Segment => segment::Segment::open(bytes).map(|segment| segment.outline()),
    };
    let outline = whole.or_else(|_| {
        let name = match kind {
            Kind::Manifest => manifest::section_name,
            Kind::Segment => segment::section_name,
        };
        let frame = Frame::open(bytes, kind)?;
        Ok::<_, DecodeError>(frame.outline(kind, |id| (name(id).to_owned(), String::new())))
    })?;
    Ok((kind, outline))
}
