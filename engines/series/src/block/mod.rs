//! A block as it lies on disk: opened, read past damage, shown, verified.

pub(crate) mod file;
pub(crate) mod inspect;
pub(crate) mod open;
pub(crate) mod salvage;
pub(crate) mod samples;
pub mod signs;
pub(crate) mod verify;

pub(crate) use open::{Block, BlockError};
