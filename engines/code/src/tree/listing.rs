//! Listing of a folder: the sum over its names that tells whether one came, went or became another kind.
//!
//! Callers: survey, check, sweep, verify, compare

use manicule_core::bytes::mix;
use manicule_store::{EntryKind, Listed};
use std::ffi::CStr;

/// The names that change which files count below the folder they lie in.
pub(crate) const RULE_NAMES: [&CStr; 5] =
    [c".gitignore", c".ignore", c".rgignore", c".git", c".jj"];

/// Orders paths name by name, as a sorted walk goes.
pub(crate) fn by_name(left: &[u8], right: &[u8]) -> std::cmp::Ordering {
    left.split(|byte| *byte == b'/').cmp(right.split(|byte| *byte == b'/'))
}

/// The names of a folder and their kinds, summed up in any order.
#[derive(Default)]
pub(crate) struct Listing(u64);

impl Listing {
    pub(crate) fn add(&mut self, listed: &Listed<'_>) {
        let name = listed.name.to_bytes();
        let words = name.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        });
        let hash = words.fold(name.len() as u64, mix);
        self.0 = self.0.wrapping_add(mix(hash, listed.kind as u64));
    }

    pub(crate) fn sum(&self) -> u64 {
        self.0
    }
}

/// The fingerprint of a name whose presence and kind decide.
pub(crate) fn presence_fingerprint(kind: EntryKind) -> u64 {
    match kind {
        EntryKind::File => 2,
        EntryKind::Folder => 3,
        EntryKind::Rest => 4,
    }
}
