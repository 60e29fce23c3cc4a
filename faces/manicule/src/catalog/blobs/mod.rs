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

pub(super) use costs::COSTS;
pub(super) use entries::BLOBS;
pub(super) use files::FILES;
pub(super) use packs::PACKS;
pub(super) use snapshots::SNAPSHOTS;
pub(super) use versions::VERSIONS;
