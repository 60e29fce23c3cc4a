//! Reading any bytes as a trie gives entries or an error, never a panic; entries come in the order
//! of their paths, and the searches find what a look at all entries finds.
//!
//! The last byte's node is the root; keys to look for come from the first bytes.
//!
//! Seeds:
//! `mkdir -p corpus/sstable_trie; tar -xf ../proof/golden/rows/tries.tar.zst --wildcards '*-Rows.db' --to-command 'cat > corpus/sstable_trie/$(echo $TAR_FILENAME | tr / -)'`

#![no_main]

use libfuzzer_sys::fuzz_target;
use manicule_core::bytes::DecodeError;
use manicule_format_sstable::{
    Floor, Lookup, PartitionPayload, Payload, RowPayload, RowsEntry, Step, TriePage, TrieWalk,
    Until, Version, WalkFrom,
};

/// Of a trie with more entries, as several ways to a node make them, the first are looked at.
const ENTRY_COUNT_MAX: usize = 2_000;

fuzz_target!(|bytes: &[u8]| {
    let Some(key) = bytes.first_chunk::<4>() else { return };
    for at in (bytes.len() - 4)..bytes.len() {
        look(bytes, at as u64, &key[..usize::from(key[0] % 5)]);
    }
    for version in [Version::Da, Version::Mt] {
        if let Ok(entry) = RowsEntry::read(bytes, 0, version) {
            let _ = entry.last("entry", 0, bytes);
        }
    }
});

fn look(bytes: &[u8], root: u64, key: &[u8]) {
    let Ok((paths, is_whole)) = paths(bytes, root, WalkFrom::First) else { return };
    assert!(paths.is_sorted_by(|a, b| a < b));
    if !is_whole {
        return;
    }
    let from = |from| paths_of(bytes, root, from);
    let not_before: Vec<_> = paths.iter().filter(|path| path[..] >= *key).cloned().collect();
    assert_eq!(from(WalkFrom::NotBefore(key)), not_before);
    let is_covered = |path: &&Vec<u8>| path[..] >= *key || key.starts_with(path);
    let covering: Vec<_> = paths.iter().filter(is_covered).cloned().collect();
    assert_eq!(from(WalkFrom::Covering(key)), covering);
    let last =
        |is_wanted: &dyn Fn(&[u8]) -> bool| paths.iter().rfind(|path| is_wanted(path)).cloned();
    assert_eq!(floor(bytes, root, key, Until::Including), last(&|path| path <= key));
    assert_eq!(floor(bytes, root, key, Until::Before), last(&|path| path < key));
    assert_eq!(is_found(bytes, root, key), last(&|path| key.starts_with(path)).is_some());
}

fn paths_of(bytes: &[u8], root: u64, from: WalkFrom<'_>) -> Vec<Vec<u8>> {
    paths(bytes, root, from).expect("all of it was read before").0
}

/// Paths in order, and whether these are all.
fn paths(bytes: &[u8], root: u64, from: WalkFrom<'_>) -> Result<(Vec<Vec<u8>>, bool), DecodeError> {
    let (mut walk, mut paths) = (TrieWalk::new(root, from, 1 << 16), Vec::new());
    while let Some(number) = walk.page() {
        if let Step::Found(payload) = walk.step(TriePage::of(bytes, number))? {
            read(payload);
            paths.push(walk.path().to_vec());
        }
        if paths.len() > ENTRY_COUNT_MAX {
            return Ok((paths, false));
        }
    }
    Ok((paths, true))
}

fn read(payload: Payload<'_>) {
    let _ = PartitionPayload::read(payload);
    let _ = RowPayload::read(payload, Version::Da);
    let _ = RowPayload::read(payload, Version::Mt);
}

fn floor(bytes: &[u8], root: u64, key: &[u8], until: Until) -> Option<Vec<u8>> {
    let mut search = Floor::new(root, key, until);
    let mut number = search.first_page();
    loop {
        match search.step(TriePage::of(bytes, number)).expect("all of it was read before") {
            Step::Page(next) => number = next,
            Step::Found(_) => return Some(search.path().to_vec()),
            Step::Absent => return None,
        }
    }
}

fn is_found(bytes: &[u8], root: u64, key: &[u8]) -> bool {
    let mut search = Lookup::new(root, key);
    let mut number = search.first_page();
    loop {
        match search.step(TriePage::of(bytes, number)).expect("all of it was read before") {
            Step::Page(next) => number = next,
            Step::Found(_) => return true,
            Step::Absent => return false,
        }
    }
}
