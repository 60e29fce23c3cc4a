//! What a prune frees and would do, beside restic's own, where MANICULE_RESTIC names a restic.

use std::path::Path;
use std::process::Command;

use crate::engine::{Engine, fleets, subset, sums};
use manicule_blobs::usage::{Fate, PruneOptions, PrunePlan, UnusedMax};
use manicule_blobs::{BlobKind, Id};
use manicule_core::watch::Watch;
use manicule_repositories::{MadeOptions, Restic, make_with_restic};
use manicule_testkit::Rng;

/// Number and stored bytes of all entries.
fn stored(engine: &Engine) -> (u64, u64) {
    let kinds = [BlobKind::Data, BlobKind::Tree].into_iter();
    let all = kinds.flat_map(|kind| engine.index.blobs(kind));
    all.fold((0, 0), |(count, bytes), (_, at)| (count + 1, bytes + u64::from(at.place.len)))
}

fn copy_of(folder: &Path) -> tempfile::TempDir {
    let copy = tempfile::tempdir().expect("a folder");
    let from = folder.join(".");
    let status = Command::new("cp").arg("-a").arg(from).arg(copy.path()).status();
    assert!(status.expect("cp starts").success());
    copy
}

/// Forgets snapshots and prunes; the blobs and bytes that went from the index.
fn really_freed(restic: &Restic, folder: &Path, members: &[Id]) -> (u64, u64) {
    let copy = copy_of(folder);
    let before = stored(&Engine::open(copy.path()));
    let ids = members.iter().map(ToString::to_string);
    let words = ["forget".to_owned(), "--quiet".to_owned()];
    restic.answer(copy.path(), words.into_iter().chain(ids)).expect("forgotten");
    restic.answer(copy.path(), ["prune", "--quiet", "--max-unused", "0"]).expect("pruned");
    let after = stored(&Engine::open(copy.path()));
    (before.0 - after.0, before.1 - after.1)
}

/// A generated repository and one by restic, each pruned already: so all that goes later was used
/// before.
fn pruned(restic: &Restic, seed: u64) -> [tempfile::TempDir; 2] {
    let [fleet, made] = raw(restic, seed);
    for folder in [&fleet, &made] {
        restic.answer(folder.path(), ["prune", "--quiet", "--max-unused", "0"]).expect("pruned");
    }
    [fleet, made]
}

fn raw(restic: &Restic, seed: u64) -> [tempfile::TempDir; 2] {
    let (fleet, _) = fleets(seed).last().expect("a repository");
    let folders = tempfile::tempdir().expect("a folder");
    let made = tempfile::tempdir().expect("a folder");
    let options = MadeOptions { seed, file_count: 60, snapshot_count: 9, change_count: 24 };
    make_with_restic(restic, made.path(), &folders.path().join("source"), &options).expect("made");
    [fleet, made]
}

#[test]
fn restic_frees_what_the_cost_says() {
    let Some(restic) = Restic::for_test("what restic frees, beside the cost") else { return };
    for seed in 1..4 {
        let mut rng = Rng::new(seed);
        for folder in pruned(&restic, seed) {
            let engine = Engine::open(folder.path());
            let (costs, kept) = (engine.costs(), &engine.snapshots.kept);
            assert_eq!((costs.unused.blobs, costs.copies.blobs), (0, 0));
            let mut sets: Vec<Vec<usize>> = (0..3).map(|_| vec![rng.below(kept.len())]).collect();
            sets.push(subset(&mut rng, kept.len()));
            for members in sets.iter().filter(|members| !members.is_empty()) {
                let ids: Vec<Id> = members.iter().map(|&at| kept[at].id).collect();
                let want = really_freed(&restic, folder.path(), &ids);
                let exclusive = costs.of_group(members.iter().copied()).exclusive;
                assert_eq!(sums(&exclusive), want, "seed {seed}, {ids:?}");
            }
        }
    }
}

/// The number of a line of restic's plan, which begins with a word; restic leaves out some lines of
/// nothing.
fn number(said: &str, word: &str) -> u64 {
    let Some(rest) = said.lines().find_map(|line| line.strip_prefix(word)) else { return 0 };
    let number = rest.split_whitespace().next().expect("a number after it");
    number.parse().expect("a number")
}

fn plan_of(engine: &Engine, unused_max: UnusedMax) -> PrunePlan {
    let options = PruneOptions {
        unused_max,
        repack_bytes_max: None,
        only_trees: false,
        uncompressed: false,
        small_below: None,
        version: 2,
    };
    let Engine { repository, snapshots, index } = engine;
    PrunePlan::new(repository, index, snapshots, &options, 2, &Watch::none()).expect("a plan")
}

/// Compares a plan with what restic said. Which copy of a blob stays is chance to restic: where
/// there are copies, only what doesn't depend on it is compared.
fn assert_plan(plan: &PrunePlan, said: &str, what: &str) {
    let sums = &plan.sums;
    assert!(number(said, "used:") > 0, "{what}: {said}");
    let packs = |fate| plan.packs.iter().filter(|row| row.fate == fate).count() as u64;
    let always = [
        ("used:", sums.used.blobs),
        ("duplicates:", sums.duplicate.blobs),
        ("unused:", sums.unused.blobs),
    ];
    let without_copies = [
        ("to repack:", sums.repack.blobs),
        ("this removes:", sums.repack_remove.blobs),
        ("to delete:", sums.remove.blobs),
        ("totally used packs:", sums.packs_used),
        ("partly used packs:", sums.packs_partly_used),
        ("unused packs:", sums.packs_unused),
        ("to keep:", packs(Fate::Keep)),
    ];
    let compared = without_copies.into_iter().filter(|_| sums.duplicate.blobs == 0);
    for (word, want) in always.into_iter().chain(compared) {
        assert_eq!(number(said, word), want, "{what}, {word}\n{said}");
    }
}

#[test]
fn plans_are_those_of_restics_dry_run() {
    let Some(restic) = Restic::for_test("plans of a prune, beside restic's") else { return };
    let limits = [
        ("0", UnusedMax::Bytes(0)),
        ("5%", UnusedMax::Share(500)),
        ("40%", UnusedMax::Share(4000)),
        ("unlimited", UnusedMax::Unlimited),
    ];
    let mut without_copies = 0;
    for seed in 1..4 {
        for folder in raw(&restic, seed) {
            let engine = Engine::open(folder.path());
            for (word, unused_max) in limits {
                let plan = plan_of(&engine, unused_max);
                let words = ["prune", "--dry-run", "--no-lock", "-v", "--max-unused", word];
                let said = restic.answer(folder.path(), words).expect("a plan");
                assert_plan(&plan, &said, &format!("seed {seed}, --max-unused {word}"));
                without_copies += usize::from(plan.sums.duplicate.blobs == 0);
            }
        }
    }
    assert!(without_copies > 0, "each repository has copies");
}
