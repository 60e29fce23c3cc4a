//! A repair that is killed, and that meets a full disk, at each of its steps; judged by restic too,
//! where `MANICULE_RESTIC` names one.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use manicule_blobs::repair::ReadPacks;
use manicule_format_restic::{FileKind, Id};
use manicule_repositories::{Patient, Restic, Victims, damage};
use manicule_store::SharedFiles;
use manicule_testkit::steps::{Publisher, Seen, at_every_step};
use manicule_testkit::{contents, golden_repository, restore};
use tempfile::TempDir;

use super::world::repair_through;

/// Repair of a repository with several damages at once.
struct Repair {
    _golden: TempDir,
    repo: PathBuf,
    damaged: BTreeMap<String, Vec<u8>>,
    /// Places that the damaged index lists and the packs' headers show.
    right: BTreeSet<String>,
    /// Places after a repair.
    wanted: BTreeSet<String>,
    /// Judges the state after a repair, unless packs are lost.
    restic: Option<Restic>,
}

impl Repair {
    fn new(damages: &[&str]) -> Repair {
        let golden = golden_repository("unused");
        let repo = golden.path().join("repo");
        damages.iter().for_each(|name| damage(name, &repo, &Victims::of_unused()).expect(name));
        let patient = Patient::open(&repo);
        let wanted = patient.headers();
        let right = patient.places().intersection(&wanted).cloned().collect();
        let damaged = contents(&repo);
        let is_lossy = damages.iter().any(|name| name.starts_with("pack-missing"));
        let restic = Restic::for_test("restic's judgement of repairs that were stopped");
        let restic = restic.filter(|_| !is_lossy);
        Repair { _golden: golden, repo, damaged, right, wanted, restic }
    }
}

impl Publisher for Repair {
    fn root(&self) -> &Path {
        &self.repo
    }

    fn reset(&self) {
        restore(&self.repo, &self.damaged);
    }

    fn publish(&self, files: &SharedFiles) -> Result<(), String> {
        let repaired = repair_through(files, &self.repo, ReadPacks::Doubtful);
        repaired.map(drop).map_err(|error| error.to_string())
    }

    /// What was right in the index is in it at any moment.
    fn seen(&self) -> Result<Seen, String> {
        let patient = Patient::open(&self.repo);
        let places = patient.places();
        if let Some(lost) = self.right.difference(&places).next() {
            return Err(format!("lost: {lost}"));
        }
        let files: Result<Vec<_>, _> =
            patient.ids(FileKind::Index).iter().map(|id| patient.index(id)).collect();
        // All files are sound, and list no pack twice.
        let is_whole = files.is_ok_and(|files| {
            let (packs, once): (Vec<Id>, BTreeSet<Id>) =
                files.concat().into_iter().map(|(pack, _)| (pack, pack)).unzip();
            packs.len() == once.len()
        });
        if places != self.wanted || !is_whole {
            return Ok(Seen::Old);
        }
        let words = ["check", "--no-lock", "--read-data"];
        match self.restic.as_ref().map(|restic| restic.answer(&self.repo, words)) {
            Some(Err(error)) => Err(format!("restic: {error}")),
            _ => Ok(Seen::New),
        }
    }

    fn litter(&self) -> Vec<String> {
        let is_litter = |name: &String| name.contains("-tmp-") || name.starts_with("locks/");
        contents(&self.repo).into_keys().filter(is_litter).collect()
    }
}

#[test]
fn no_blob_is_lost_whatever_ends_a_repair() {
    let repair = Repair::new(&["index-wrong-length", "pack-missing-tree", "index-flip"]);
    let tally = at_every_step(&repair);
    let kinds: Vec<String> = tally.shown().iter().map(|step| kind(step)).collect();
    let put = |folder: &str| {
        let steps = ["open", "write", "sync", "rename", "sync folder"];
        steps.map(|step| format!("{step} {folder}"))
    };
    let removed = ["remove index"; 2].map(str::to_owned);
    let want = [&put("locks")[..], &put("index"), &removed, &["remove locks".to_owned()]].concat();
    assert_eq!(kinds, want);
}

#[test]
fn packs_in_no_index_are_listed_before_the_damaged_files_go() {
    at_every_step(&Repair::new(&["index-none", "index-not-json"]));
    at_every_step(&Repair::new(&["index-wrong-length", "pack-orphan", "index-cut"]));
    at_every_step(&Repair::new(&["index-split-pack", "index-listed-again"]));
}

/// A step without ids.
fn kind(step: &str) -> String {
    let folder = if step.contains("locks") { "locks" } else { "index" };
    let verb = step.split(folder).next().unwrap_or_default().trim();
    format!("{verb} {folder}")
}
