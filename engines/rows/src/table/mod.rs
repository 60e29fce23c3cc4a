//! A table: the SSTables in a folder that are finished, and their files.
//!
//! Callers: lookup, slice, faces/manicule

mod chunks;
mod data;
mod file;
mod folder;
mod resident;
mod sstable;
mod window;

pub use file::{Access, TableOptions};
pub use folder::{LeftOut, Listed, list};
pub use sstable::Sstable;

pub(crate) use data::DataFile;
pub(crate) use file::OpenFile;
pub(crate) use resident::Resident;
pub(crate) use sstable::IndexFiles;
pub(crate) use window::Window;
