//! Writers of SSTables, stopped and failed at every step: a reader sees the new SSTable whole or
//! not at all, and the next run leaves no litter.

use std::fs;
use std::path::{Path, PathBuf};

use manicule_core::watch::Watch;
use manicule_format_sstable::{Deletion, NO_LOCAL_TIME, Version, read_schema};
use manicule_rows::RowsError;
use manicule_rows::scan::Chosen;
use manicule_rows::table::{Access, Listed, list, list_all};
use manicule_rows::verify::{Depth, verify};
use manicule_rows::write::{
    ExtractOptions, LoadOptions, MergeOptions, NewRow, NewValue, Purge, RebuildOptions,
    SalvageOptions, Stamp, TakeRow, Target, extract, load, merge, rebuild, salvage,
};
use manicule_store::SharedFiles;
use manicule_store::context::Budget;
use manicule_store::pages::{ReadCounts, Reading};
use manicule_testkit::steps::{Publisher, Seen, at_every_step};
use tempfile::TempDir;

use crate::golden::support::{Golden, options};

/// What is written.
#[derive(Clone, Copy)]
enum Job {
    Rebuild,
    Salvage,
    Extract,
    Merge,
    /// By sorted runs.
    Load,
}

struct Write {
    folder: TempDir,
    _golden: Golden,
    source: Listed,
    job: Job,
}

impl Write {
    fn new(job: Job) -> Write {
        let (folder, golden) = (tempfile::tempdir().unwrap(), Golden::new());
        let table = golden.table("me", "mixed").expect("it is kept with the project");
        let source = list_all(&table).unwrap().remove(0);
        Write { folder, _golden: golden, source, job }
    }

    fn reading<T>(job: impl FnOnce(&mut Reading<'_>) -> T) -> T {
        let (mut counts, budget) = (ReadCounts::default(), Budget::new(16 << 20));
        job(&mut Reading { counts: &mut counts, budget: &budget })
    }

    fn write(&self, target: &Target, reading: &mut Reading<'_>) -> Result<(), RowsError> {
        let (table, watch, block_len) = (options(Access::Mapped), Watch::none(), 64 << 10);
        match self.job {
            Job::Rebuild => {
                let wanted =
                    RebuildOptions { filter_chance: None, block_len, index_interval: None };
                rebuild(&self.source, target, &wanted, &table, reading, &watch).map(drop)
            }
            Job::Salvage => {
                let wanted = SalvageOptions { compress: None, block_len };
                let lose = &mut |loss, _: &_| panic!("{loss:?}");
                salvage(&self.source, target, &wanted, &table, reading, &watch, lose).map(drop)
            }
            Job::Merge => {
                let purge = Purge { now: 0, before: None };
                let wanted = MergeOptions { purge, version: None, compress: None, block_len };
                let source = std::slice::from_ref(&self.source);
                merge(source, target, &wanted, &table, reading, &watch).map(drop)
            }
            Job::Load => {
                let cql = "CREATE TABLE t (k int PRIMARY KEY, v text)";
                let schema = read_schema(cql).expect("CQL");
                let wanted = LoadOptions {
                    header: schema[0].header(Version::Me).expect("a header"),
                    filter_chance: 0.01,
                    index_interval: 128,
                    compress: None,
                    block_len,
                    host: None,
                    is_sorted: false,
                    memory: 100,
                };
                let stamp = Stamp { timestamp: 1, ttl: 0, expires: NO_LOCAL_TIME, now: 1 };
                let row = |key: i32, take: TakeRow<'_>| {
                    take(&NewRow {
                        key: &key.to_be_bytes(),
                        clustering: Some(&[]),
                        stamp,
                        has_liveness: true,
                        deletion: Deletion::LIVE,
                        statics: &[],
                        regulars: &[(0, NewValue::Set(b"value"))],
                    })
                };
                let give = |take: TakeRow<'_>| (0..4).try_for_each(|key| row(key, &mut *take));
                let loaded = load(target, wanted, &table, reading, &watch, give)?;
                assert!(loaded.run_count > 1, "{loaded:?}");
                Ok(())
            }
            Job::Extract => {
                let wanted = ExtractOptions { chosen: Chosen::ALL, compress: None, block_len };
                extract(&self.source, target, &wanted, &table, reading, &watch).map(drop)
            }
        }
    }

    fn paths(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        entries.map(|entry| entry.unwrap().path()).collect()
    }
}

impl Publisher for Write {
    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn reset(&self) {
        for path in self.paths() {
            if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
        }
    }

    fn publish(&self, files: &SharedFiles) -> Result<(), String> {
        let (files, folder) = (files.clone(), self.folder.path().to_owned());
        let target = Target { files, folder, generation: None, is_dry: false };
        let written = Write::reading(|reading| self.write(&target, reading));
        written.map_err(|error| error.to_string())
    }

    fn seen(&self) -> Result<Seen, String> {
        let (listed, _) = list(self.folder.path()).map_err(|error| error.to_string())?;
        for listed in &listed {
            let verified = Write::reading(|reading| {
                let options = options(Access::Mapped);
                verify(listed, Depth::Whole, &options, reading, &Watch::none())
            });
            let verified = verified.map_err(|error| error.to_string())?;
            if verified.verdict.findings.count != 0 {
                return Err(format!("{:?}", verified.verdict));
            }
        }
        Ok(if listed.is_empty() { Seen::Old } else { Seen::New })
    }

    fn litter(&self) -> Vec<String> {
        let (listed, left_out) = list(self.folder.path()).unwrap();
        let is_of_one = |name: &str| {
            listed.iter().any(|listed| name.starts_with(&format!("{}-", listed.descriptor)))
        };
        let names = self
            .paths()
            .into_iter()
            .map(|path| path.file_name().unwrap_or_default().to_string_lossy().into_owned());
        let left_out = left_out.into_iter().map(|left_out| left_out.why);
        names.filter(|name| !is_of_one(name)).chain(left_out).collect()
    }
}

#[test]
fn a_rebuilt_sstable_is_there_whole_or_not_at_all() {
    let tally = at_every_step(&Write::new(Job::Rebuild));
    println!("{:#?}", tally.shown());
    assert!(tally.old > 20 && tally.new > 2, "{} {}", tally.old, tally.new);
}

#[test]
fn a_salvaged_sstable_is_there_whole_or_not_at_all() {
    let tally = at_every_step(&Write::new(Job::Salvage));
    assert!(tally.old > 20 && tally.new > 2, "{} {}", tally.old, tally.new);
}

#[test]
fn a_merged_sstable_is_there_whole_or_not_at_all() {
    let tally = at_every_step(&Write::new(Job::Merge));
    assert!(tally.old > 20 && tally.new > 2, "{} {}", tally.old, tally.new);
}

#[test]
fn a_loaded_sstable_is_there_whole_or_not_at_all() {
    let tally = at_every_step(&Write::new(Job::Load));
    assert!(tally.old > 30 && tally.new > 2, "{} {}", tally.old, tally.new);
}

#[test]
fn an_extracted_sstable_is_there_whole_or_not_at_all() {
    let tally = at_every_step(&Write::new(Job::Extract));
    assert!(tally.old > 20 && tally.new > 2, "{} {}", tally.old, tally.new);
    let last: Vec<&String> = tally.steps.iter().filter(|step| step.starts_with("rename")).collect();
    assert!(last.last().is_some_and(|step| step.ends_with("TOC.txt")), "{last:?}");
}
