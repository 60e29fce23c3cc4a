//! What is kept of a shard between calls, beside its bytes.
//!
//! Bytes:   docs/formats/zoekt.md

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use manicule_format_zoekt::{Repository, Shard, ShardHead};

/// What is decoded of a shard, and kept as long as it is mapped: a call opens it again for next to
/// nothing.
#[derive(Debug)]
pub(super) struct Decoded {
    /// Of the shard, with what its sidecar says.
    pub(super) head: ShardHead,
    /// The name of each language, by its code; codes that the shard does not name are missing.
    pub(super) languages: BTreeMap<u16, String>,
    /// Nothing in it is dead, so that nobody need ask.
    pub(super) all_live: bool,
    /// The sub-repository of each document, once one was asked for.
    pub(super) sub_repositories: OnceLock<Vec<u32>>,
    /// A bit for each document whose content was compared with its checksum and is right.
    whole: Box<[AtomicU64]>,
}

impl Decoded {
    /// Of a shard that was opened, with what its sidecar says.
    pub(super) fn of(shard: &Shard<'_>) -> Self {
        let map = &shard.metadata().language_map;
        let languages = map.iter().map(|(name, code)| (*code, name.clone())).collect();
        let is_live = |repository: &Repository| {
            let tombstones = repository.file_tombstones.as_ref();
            !repository.tombstone && tombstones.is_none_or(BTreeMap::is_empty)
        };
        let all_live = shard.repositories().iter().all(is_live);
        let sub_repositories = OnceLock::new();
        let words = shard.document_count().div_ceil(u64::BITS as usize);
        let whole = (0..words).map(|_| AtomicU64::new(0)).collect();
        Decoded { head: shard.head(), languages, all_live, sub_repositories, whole }
    }

    /// Does `check` of a document's content, if nobody has: a shard that stays mapped is asked
    /// again and again.
    pub(super) fn check_once<E>(
        &self,
        document: usize,
        check: impl FnOnce() -> Result<(), E>,
    ) -> Result<(), E> {
        let (word, bit) = (document / u64::BITS as usize, 1 << (document % u64::BITS as usize));
        if self.whole[word].load(Relaxed) & bit == 0 {
            check()?;
            self.whole[word].fetch_or(bit, Relaxed);
        }
        Ok(())
    }
}
