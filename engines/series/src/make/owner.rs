//! Whose blocks lie in a folder of a bucket, and which new ones that system takes.

use std::fmt;
use std::path::PathBuf;

use manicule_format_prometheus::{
    BUCKET_INDEX_NAME, ExternalLabels, MARKERS_NAME, META_NAME, MIMIR_CLUSTER_NAME, Meta,
};
use manicule_store::publish::Upload;
use manicule_store::store::{Listed, Name};

use crate::block::error::BlockError;
use crate::block::open::part;
use crate::block::tenants::is_block_folder;

/// Number of blocks whose meta files are asked, the newest ones: one of them may be partial.
const BLOCKS_ASKED: usize = 16;

/// The system that keeps its blocks in a folder, by what lies there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// Nothing says it: there is no block, or none out of a bucket.
    Unknown,
    /// Thanos: its blocks have external labels.
    Thanos,
    /// A tenant of Mimir's: an index of blocks or marks, or blocks that have no external labels.
    Mimir,
    /// Mimir, whose tenants have a folder each.
    MimirTenants,
}

/// A bucket's system would not take a block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untaken {
    /// The folder.
    pub path: PathBuf,
    /// Why, and what to do.
    pub why: &'static str,
}

impl fmt::Display for Untaken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.why)
    }
}

/// Whose folder it is: a listing, and where that doesn't say it, a round of meta files.
pub(crate) fn owner_of(upload: &Upload) -> Result<Owner, BlockError> {
    let listed = upload.list()?;
    let has = |name: &str| listed.iter().any(|entry| entry.name == name);
    if has(BUCKET_INDEX_NAME) || has(MARKERS_NAME) {
        return Ok(Owner::Mimir);
    }
    if has(MIMIR_CLUSTER_NAME) {
        return Ok(Owner::MimirTenants);
    }
    let mut blocks: Vec<&Listed> = listed.iter().filter(|entry| is_block_folder(entry)).collect();
    blocks.sort_by(|one, other| other.name.cmp(&one.name));
    let files = blocks.iter().take(BLOCKS_ASKED);
    let files: Vec<Name> =
        files.map(|block| part(&block.file_in(&Name::root()), META_NAME)).collect();
    if files.is_empty() {
        return Ok(Owner::Unknown);
    }
    let read = upload.store().read_all(&files, u64::MAX).into_iter();
    // Partial and damaged blocks say nothing.
    let metas = read.filter_map(|json| Meta::decode(&json.ok()?).ok());
    let metas: Vec<Meta> = metas.filter(Meta::is_of_bucket).collect();
    Ok(match metas.iter().any(|meta| !meta.external_labels().is_empty()) {
        true => Owner::Thanos,
        false if metas.is_empty() => Owner::Unknown,
        false => Owner::Mimir,
    })
}

impl Owner {
    /// Why it would not take a block with these external labels.
    pub(crate) fn refusal(self, labels: &ExternalLabels) -> Option<&'static str> {
        match (self, labels.is_empty()) {
            (Owner::Unknown, _) | (Owner::Thanos, false) | (Owner::Mimir, true) => None,
            (Owner::Thanos, true) => Some(
                "its blocks are Thanos's, which takes none without external labels: say them with \
                 --external-label NAME=VALUE",
            ),
            (Owner::Mimir, false) => Some(
                "its blocks are of a tenant of Mimir's, which have no external labels as this one \
                 would: leave out --external-label, or take blocks without them",
            ),
            (Owner::MimirTenants, _) => Some(
                "it is a bucket of Mimir's, in which each tenant has a folder: blocks go into that \
                 of one",
            ),
        }
    }
}
