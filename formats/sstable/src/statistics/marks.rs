//! Level and time of repair, changed in a Statistics.db that is otherwise as it was.
//!
//! Bytes:   docs/formats/sstable.md, Statistics

use manicule_core::bytes::DecodeError;

use super::fields::{MarkPlaces, Marks};
use super::sections::StatisticsFile;
use super::write::put_sections;
use crate::Version;
use crate::error::SstableError;

/// A Statistics.db with other marks.
///
/// # Errors
/// Bytes that contradict the format, and sections that don't lie as writers put them: what is
/// between them would be lost.
pub fn put_marks(bytes: &[u8], version: Version, marks: &Marks) -> Result<Vec<u8>, SstableError> {
    let file = StatisticsFile::open(bytes, version)?;
    let places = MarkPlaces::find(&mut file.section(2)?, version)?;
    let mut sections = file.in_order();
    let mut same = Vec::new();
    put_sections(&sections, version, &mut same);
    if same != bytes {
        let (want, got) = (same.len() as u64, bytes.len() as u64);
        return Err(DecodeError::Corrupt { what: "sections in a row", at: 0, want, got }.into());
    }
    let own = sections.iter_mut().find(|(kind, _)| *kind == 2).map(|(_, bytes)| bytes);
    let mut marked = Vec::new();
    if let Some(own) = own {
        places.put(own, marks, &mut marked);
        *own = &marked;
    }
    let mut out = Vec::new();
    put_sections(&sections, version, &mut out);
    Ok(out)
}
