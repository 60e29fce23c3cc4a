//! What is kept of a shard between calls, beside its bytes.
//!
//! Bytes:   docs/formats/zoekt.md

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

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
    /// The byte offset of each hundredth rune of the contents, once it was looked up in them twice.
    rune_samples: OnceLock<Vec<u32>>,
    /// Whether places were looked up in its contents.
    was_asked: AtomicBool,
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
        let words = shard.document_count().div_ceil(u64::BITS as usize);
        let whole = (0..words).map(|_| AtomicU64::new(0)).collect();
        Decoded {
            head: shard.head(),
            languages,
            all_live,
            sub_repositories: OnceLock::new(),
            rune_samples: OnceLock::new(),
            was_asked: AtomicBool::new(false),
            whole,
        }
    }

    /// The byte offset of each hundredth rune of the contents; none the first time, as who asks
    /// once counts the runes of some documents for less than it takes to `read` those of all.
    pub(super) fn rune_samples<E>(
        &self,
        read: impl FnOnce() -> Result<Vec<u32>, E>,
    ) -> Result<&[u32], E> {
        if let Some(samples) = self.rune_samples.get() {
            return Ok(samples);
        }
        if !self.was_asked.swap(true, Relaxed) {
            return Ok(&[]);
        }
        let samples = read()?;
        Ok(self.rune_samples.get_or_init(|| samples))
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
