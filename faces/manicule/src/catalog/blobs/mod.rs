//! Tables of restic repositories.

mod columns;
mod costs;
mod entries;
mod files;
mod node;
mod opened;
mod packs;
mod parts;
mod pushed;
mod snapshots;
mod versions;

pub(crate) use costs::COSTS;
pub(crate) use entries::BLOBS;
pub(crate) use files::FILES;
pub(crate) use packs::PACKS;
pub(crate) use snapshots::SNAPSHOTS;
pub(crate) use versions::VERSIONS;
