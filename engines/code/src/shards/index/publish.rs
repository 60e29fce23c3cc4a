//! A run's shards made visible together: written aside, synced, then renamed by a plan that
//! outlives a crash.
//!
//! The files of a repository are `PREFIX_v16.00000.zoekt` and so on. A run writes `….zoekt.tmp`
//! files; once all are synced it puts a *plan* beside them, `PREFIX_v16.plan`, which says how many
//! there are. From then on the new shards are the index: they are renamed, what is left of the old
//! index is removed, and the plan goes last. A run that is killed before the plan is there leaves
//! the old index; one that is killed after it leaves the new one, which [`shards_of`] reads as the
//! plan says, and the next run finishes what was begun.
//!
//! Another reader sees a moment between two renames in which old and new shards stand side by side,
//! as it does when zoekt-index publishes.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io;
use std::path::PathBuf;

use manicule_store::publish::{Attempt, Lock, Moves, Plan, sweep};
use manicule_store::{OutFile, SharedFiles, Spill};

use super::super::exchange::Exchange;
use super::super::family::{ASIDE, ENDING, Family, PLAN_HEAD, SIDECAR};
#[cfg(doc)]
use super::super::listing::shards_of;

impl Family {
    /// The right to write this repository's shards, or `None` if another process has it. Finishes
    /// what an interrupted run has left.
    pub(in crate::shards) fn lease(&self, files: &SharedFiles) -> io::Result<Option<Lease>> {
        Exchange::finish_all(&self.folder, files)?;
        let lock_path = self.path(0, ASIDE);
        loop {
            let lock = match Lock::take(&**files, &lock_path)? {
                Attempt::Taken(lock) => lock,
                Attempt::Busy => return Ok(None),
                // It was published or removed meanwhile.
                Attempt::Lost => continue,
            };
            if self.planned()?.is_some() {
                self.carry_out(files)?;
                continue;
            }
            let (family, files) = (self.clone(), files.clone());
            let lease = Lease { family, files, is_published: false, _first: lock };
            lease.sweep(1)?;
            return Ok(Some(lease));
        }
    }

    /// The plan of a new index, and where it is written.
    fn plan_files(&self) -> Plan {
        let (folder, path) = (self.folder.clone(), self.plan());
        Plan { folder, aside: path.with_extension("plan.zoekt.tmp"), path }
    }

    /// Does what the plan says, and removes the plan.
    fn carry_out(&self, files: &SharedFiles) -> io::Result<()> {
        self.plan_files()
            .carry_out(files, || self.planned()?.map(|count| self.moves(count)).transpose())
    }

    /// Moves that make the first `count` shards aside the index.
    fn moves(&self, count: usize) -> io::Result<Moves> {
        let paths = |numbers: BTreeSet<usize>, ending: &str| -> Vec<PathBuf> {
            numbers.into_iter().map(|number| self.path(number, ending)).collect()
        };
        Ok(Moves {
            // They are of the old shards: a new one must not be read with such.
            first_removed: paths(self.numbers(SIDECAR)?, SIDECAR),
            renamed: self.renames(count).collect(),
            then_removed: paths(self.numbers(ENDING)?.split_off(&count), ENDING),
        })
    }
}

/// The right to write the shards of a repository. What is not published goes when it is dropped.
pub(in crate::shards) struct Lease {
    family: Family,
    files: SharedFiles,
    is_published: bool,
    /// Of the first shard's file, which is published or removed before the lock ends.
    _first: Lock,
}

impl Lease {
    /// The empty file of shard `number`, to be written and read.
    pub(in crate::shards) fn file(&mut self, number: usize) -> io::Result<(PathBuf, OutFile)> {
        let path = self.family.path(number, ASIDE);
        let mut options = OpenOptions::new();
        options.create(true).truncate(true).read(true).write(true);
        let file = OutFile::open(&self.files, &path, &options)?;
        Ok((path, file))
    }

    /// A file beside the shards for what does not fit into memory.
    pub(in crate::shards) fn spill(&self) -> io::Result<Spill> {
        Spill::create(&self.files, &self.family.path(0, ".spool.zoekt.tmp"))
    }

    /// Makes `count` shards, which are synced, the index of the repository.
    pub(super) fn publish(mut self, count: usize) -> io::Result<Vec<PathBuf>> {
        let text = format!("{PLAN_HEAD}{count}\n");
        let put = self.family.plan_files().put(&self.files, text.as_bytes());
        // Also one whose last sync failed is there: readers go by it, and the shards that it speaks
        // of must stay.
        self.is_published = !matches!(self.family.planned(), Ok(None));
        put?;
        self.family.carry_out(&self.files)?;
        self.family.shards()
    }

    /// Leaves the files aside to an exchange that names them.
    pub(in crate::shards) fn leave(mut self) {
        self.is_published = true;
    }

    /// Removes what interrupted runs have left: files aside from number `first` on.
    fn sweep(&self, first: usize) -> io::Result<()> {
        let is_left = |name: &str| {
            let rest = name.strip_prefix(&self.family.prefix);
            let number = rest.and_then(|rest| rest.strip_prefix('.')?.strip_suffix(ASIDE));
            number.is_some_and(|number| match number.strip_suffix(".spool") {
                Some(number) => number.parse::<usize>().is_ok(),
                None => number == "plan" || number.parse().is_ok_and(|n: usize| n >= first),
            })
        };
        sweep(&*self.files, &self.family.folder, is_left)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if !self.is_published {
            // What can't be removed now is swept by the next run.
            let _ = self.sweep(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::listing::shards_of;
    use super::super::super::open::map_shards;
    use super::*;
    use manicule_store::Disk;
    use std::fs;
    use std::path::Path;

    /// A folder with an old index of three shards, a sidecar, and another repository.
    fn folder() -> (tempfile::TempDir, Family) {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a_v16.00000.zoekt", "a_v16.00001.zoekt", "a_v16.00002.zoekt"] {
            fs::write(folder.path().join(name), "old").unwrap();
        }
        fs::write(folder.path().join("a_v16.00001.zoekt.meta"), "old").unwrap();
        fs::write(folder.path().join("ab_v16.00000.zoekt"), "other").unwrap();
        let family = Family::new(folder.path(), b"a");
        (folder, family)
    }

    fn texts(folder: &Path) -> Vec<String> {
        let shards = shards_of(folder).unwrap().shards;
        shards.iter().map(|path| fs::read_to_string(path).unwrap()).collect()
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn write(lease: &mut Lease, count: usize) {
        for number in 0..count {
            fs::write(lease.file(number).unwrap().0, "new").unwrap();
        }
    }

    #[test]
    fn shards_are_published_together_and_the_old_ones_go() {
        let (folder, family) = folder();
        let mut lease = family.lease(&Disk::shared()).unwrap().unwrap();
        assert!(family.lease(&Disk::shared()).unwrap().is_none(), "one at a time");
        write(&mut lease, 2);
        assert_eq!(texts(folder.path()), ["old", "old", "old", "other"]);
        lease.publish(2).unwrap();
        assert_eq!(texts(folder.path()), ["new", "new", "other"]);
        let want = ["a_v16.00000.zoekt", "a_v16.00001.zoekt", "ab_v16.00000.zoekt"];
        assert_eq!(names(folder.path()), want);
    }

    #[test]
    fn what_is_not_published_leaves_nothing() {
        let (folder, family) = folder();
        let before = names(folder.path());
        let mut lease = family.lease(&Disk::shared()).unwrap().unwrap();
        write(&mut lease, 2);
        drop(lease);
        assert_eq!(names(folder.path()), before);
    }

    #[test]
    fn a_killed_heir_spoils_nothing() {
        let (folder, family) = folder();
        let mut lease = family.lease(&Disk::shared()).unwrap().unwrap();
        write(&mut lease, 2);
        std::mem::forget(lease);
        fs::write(family.plan(), format!("{PLAN_HEAD}2\n")).unwrap();
        fs::rename(family.path(0, ASIDE), family.path(0, ENDING)).unwrap();
        // It has made the file that is the lock, and nothing more.
        fs::write(family.path(0, ASIDE), "").unwrap();
        assert_eq!(texts(folder.path()), ["new", "new", "other"]);
        drop(family.lease(&Disk::shared()).unwrap().unwrap());
        assert_eq!(texts(folder.path()), ["new", "new", "other"]);
        let want = ["a_v16.00000.zoekt", "a_v16.00001.zoekt", "ab_v16.00000.zoekt"];
        assert_eq!(names(folder.path()), want);
    }

    #[test]
    fn sweeping_spares_other_repositories() {
        let (folder, family) = folder();
        let left = ["a_v16.00000.spool.zoekt.tmp", "a_v16.00003.zoekt.tmp", "a_v16.plan.zoekt.tmp"];
        let others = ["a_v16.x_v16.00000.zoekt.tmp", "a_v16.00000.zoekt.17.tmp"];
        for name in left.iter().chain(&others) {
            fs::write(folder.path().join(name), "aside").unwrap();
        }
        drop(family.lease(&Disk::shared()).unwrap().unwrap());
        let names = names(folder.path());
        assert!(left.iter().all(|name| !names.contains(&(*name).to_owned())), "{names:?}");
        assert!(others.iter().all(|name| names.contains(&(*name).to_owned())), "{names:?}");
    }

    #[test]
    fn shards_are_mapped_as_of_one_moment() {
        let (folder, family) = folder();
        let mapped = |folder: &Path| {
            let maps = map_shards(folder).unwrap();
            maps.into_iter().map(|shard| shard.unwrap().bytes.to_vec()).collect::<Vec<_>>()
        };
        assert_eq!(mapped(folder.path()), [&b"old"[..], b"old", b"old", b"other"]);
        let done = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            let reader = scope.spawn(|| {
                while !done.load(std::sync::atomic::Ordering::Relaxed) {
                    let mut texts = mapped(folder.path());
                    assert_eq!(texts.pop().as_deref(), Some(&b"other"[..]));
                    assert!(texts.windows(2).all(|pair| pair[0] == pair[1]), "{texts:?}");
                }
            });
            for round in 0..100 {
                let mut lease = family.lease(&Disk::shared()).unwrap().unwrap();
                let count = 1 + round % 4;
                for number in 0..count {
                    fs::write(lease.file(number).unwrap().0, format!("{round}")).unwrap();
                }
                lease.publish(count).unwrap();
            }
            done.store(true, std::sync::atomic::Ordering::Relaxed);
            reader.join().unwrap();
        });
    }

    #[test]
    fn a_plan_is_read_as_done_wherever_it_was_interrupted() {
        for renamed in 0..=2 {
            let (folder, family) = folder();
            let mut lease = family.lease(&Disk::shared()).unwrap().unwrap();
            write(&mut lease, 2);
            std::mem::forget(lease);
            fs::write(family.plan(), format!("{PLAN_HEAD}2\n")).unwrap();
            for number in 0..renamed {
                fs::rename(family.path(number, ASIDE), family.path(number, ENDING)).unwrap();
            }
            assert_eq!(texts(folder.path()), ["new", "new", "other"], "{renamed} renamed");
            family.carry_out(&Disk::shared()).unwrap();
            assert_eq!(texts(folder.path()), ["new", "new", "other"], "{renamed} renamed");
            assert!(!family.plan().exists());
        }
    }
}
