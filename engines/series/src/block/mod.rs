//! A block as it lies on disk: opened, read past damage, shown, verified.

pub(crate) mod catalogue;
pub(crate) mod data_folder;
mod elsewhere;
pub(crate) mod error;
pub(crate) mod file;
pub(crate) mod folder;
mod folders;
mod found;
pub(crate) mod inspect;
pub(crate) mod listed;
pub(crate) mod marks;
mod meta_sign;
pub(crate) mod open;
pub(crate) mod opened;
pub(crate) mod own;
pub(crate) mod parts;
mod prove;
pub(crate) mod salvage;
pub(crate) mod samples;
pub(crate) mod segments;
pub mod signs;
pub(crate) mod tenants;
pub(crate) mod verify;

pub(crate) use error::BlockError;
pub(crate) use open::Block;
