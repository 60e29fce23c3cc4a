//! A folder of a snapshot as an archive, as `restic dump` writes it.
//!
//! Bytes:   docs/formats/restic.md, section Archives

mod entry;
mod put;
mod tar;
mod zip;

pub use entry::ArchiveError;
pub use put::{ArchiveForm, put_archive};
