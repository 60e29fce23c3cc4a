//! What broken packs lose: blobs that no sound place is left of.

use std::collections::{BTreeMap, HashMap, HashSet};

use manicule_format_restic::{BlobKind, Id};

use super::by_pack::{EntryNo, KINDS};
use super::finding::{Finding, FindingKind};
use super::packs::FileLens;
use crate::index::{Index, PackNo};
use crate::trees::{BlobNo, TreeNo};

/// A lost blob in one of the broken packs that had it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Share {
    /// The pack's place among the broken ones.
    pub(super) pack: usize,
    /// Length of the blob's plaintext.
    pub(super) plain_len: u64,
}

/// Broken packs, and the blobs that are lost with them.
#[derive(Debug, Default)]
pub(super) struct Loss {
    /// The packs, ordered by id.
    pub(super) packs: Vec<PackNo>,
    /// Number of the lost blobs of each.
    pub(super) counts: Vec<u64>,
    /// Kinds of the blobs of each, lost or not.
    pub(super) kinds: Vec<Vec<BlobKind>>,
    pub(super) data: HashMap<BlobNo, Vec<Share>>,
    pub(super) trees: HashMap<TreeNo, Vec<Share>>,
}

/// From the findings, the packs' files, the entries whose bytes were found to be bad, and the trees
/// that can't be read from any place.
pub(super) fn loss(
    index: &Index,
    lens: &FileLens,
    findings: &[Finding],
    bad: &[EntryNo],
    unreadable: &[TreeNo],
) -> Loss {
    let mut bad: HashSet<EntryNo> = bad.iter().copied().collect();
    for tree in unreadable {
        let id = index.of(BlobKind::Tree).entry(tree.0).0;
        bad.extend(index.entry_numbers(BlobKind::Tree, &id).map(|number| (BlobKind::Tree, number)));
    }
    let mut packs: BTreeMap<Id, PackNo> =
        findings.iter().filter_map(|f| broken(index, f)).collect();
    for &(kind, number) in &bad {
        let pack = index.of(kind).entry(number).1.pack;
        packs.insert(index.pack(pack).id, pack);
    }
    if packs.is_empty() {
        return Loss::default();
    }
    let packs: Vec<PackNo> = packs.into_values().collect();
    let mut loss = Loss {
        counts: vec![0; packs.len()],
        kinds: vec![Vec::new(); packs.len()],
        packs,
        ..Loss::default()
    };
    let unreadable: HashSet<PackNo> = findings
        .iter()
        .filter(|finding| finding.kind == FindingKind::PackUnreadable)
        .filter_map(|finding| index.find_pack(&finding.id?))
        .collect();
    loss.take_entries(index, |pack, entry, end| {
        let is_within = lens.of(pack).is_some_and(|len| end <= len);
        !is_within || unreadable.contains(&pack) || bad.contains(&entry)
    });
    loss
}

/// The pack of the index that a finding is about, if its file is broken.
fn broken(index: &Index, finding: &Finding) -> Option<(Id, PackNo)> {
    let id = finding.id?;
    let is_broken = matches!(
        finding.kind,
        FindingKind::PackMissing
            | FindingKind::PackMisplaced
            | FindingKind::PackSize
            | FindingKind::PackUnreadable
            | FindingKind::PackDamaged
            | FindingKind::HeaderDamaged
            | FindingKind::BlobDamaged
    );
    is_broken.then(|| index.find_pack(&id))?.map(|pack| (id, pack))
}

impl Loss {
    /// Goes through all entries of the broken packs. `is_bad` judges one by its pack, its number
    /// and its end in the pack.
    fn take_entries(&mut self, index: &Index, is_bad: impl Fn(PackNo, EntryNo, u64) -> bool) {
        let mut at = vec![None; index.packs().len()];
        for (place, pack) in self.packs.iter().enumerate() {
            at[pack.0 as usize] = Some(place);
        }
        let is_bad_entry = |kind: BlobKind, number: u32| {
            let (_, stored) = index.of(kind).entry(number);
            is_bad(stored.pack, (kind, number), stored.place.end())
        };
        for kind in KINDS {
            for (first, _, id, stored) in index.of(kind).entries_by_blob() {
                let Some(pack) = at[stored.pack.0 as usize] else { continue };
                if self.kinds[pack].last() != Some(&kind) {
                    self.kinds[pack].push(kind);
                }
                if !index.entry_numbers(kind, &id).all(|number| is_bad_entry(kind, number)) {
                    continue;
                }
                let share = Share { pack, plain_len: stored.place.plain_len().into() };
                let shares = match kind {
                    BlobKind::Data => self.data.entry(BlobNo(first)).or_default(),
                    BlobKind::Tree => self.trees.entry(TreeNo(first)).or_default(),
                };
                // A pack may have a blob twice.
                if shares.last().is_none_or(|last| last.pack != pack) {
                    shares.push(share);
                    self.counts[pack] += 1;
                }
            }
        }
    }
}
