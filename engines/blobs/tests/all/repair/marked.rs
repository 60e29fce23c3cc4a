//! Packs that rustic has marked for deletion.

use std::collections::BTreeMap;
use std::path::Path;

use manicule_blobs::repair::ReadPacks;
use manicule_blobs::{Index, Indexed};
use manicule_core::watch::Watch;
use manicule_format_restic::{FileKind, Id};
use manicule_testkit::golden_repository;

use super::world::{open, repair};

/// Packs that are marked, with their times, and packs of the index.
fn listed(repo: &Path) -> (BTreeMap<Id, Option<String>>, Vec<Id>) {
    let repository = open(repo);
    let index =
        Index::load(&repository, Indexed::All, 1, 1, &Watch::none(), &mut Err).expect("an index");
    let marked = index.marked().iter().map(|pack| (pack.id, pack.time.clone())).collect();
    (marked, index.packs().iter().map(|pack| pack.id).collect())
}

#[test]
fn marks_outlive_the_file_that_they_lay_in() {
    let golden = golden_repository("rustic");
    let repo = golden.path().join("repo");
    let (before, packs) = listed(&repo);
    assert_eq!(before.len(), 2);
    // The archive has the small packs only, so that the only index file has to change.
    let is_there = |id: &&Id| repo.join(FileKind::Pack.path(id)).exists();
    let report = repair(&repo, ReadPacks::All);
    assert!(report.index_written == 1 && report.index_removed.len() == 1, "{report:?}");
    let (after, packs_after) = listed(&repo);
    let want: BTreeMap<_, _> = before.into_iter().filter(|(id, _)| is_there(&id)).collect();
    assert!(!want.is_empty() && want.values().all(Option::is_some), "{want:?}");
    assert_eq!(after, want);
    assert_eq!(packs_after, packs.iter().filter(is_there).copied().collect::<Vec<_>>());
    assert_eq!(report.marked as usize, want.len());
    assert!(!repair(&repo, ReadPacks::All).changes_anything());
}
