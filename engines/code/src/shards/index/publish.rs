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
//!
//! A delta build keeps the shards that are there: it adds new ones, and each that stays gets a new
//! sidecar, `….zoekt.meta.tmp` until the plan is carried out.

use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io;
use std::path::PathBuf;

use manicule_store::publish::{Attempt, Lock, Moves, Plan, sweep};
use manicule_store::{OutFile, SharedFiles, Spill};

use super::super::exchange::Exchange;
use super::super::family::{ASIDE, ENDING, Family, Planned, SIDECAR, SIDECAR_ASIDE};
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
            .carry_out(files, || self.planned()?.map(|planned| self.moves(planned)).transpose())
    }

    /// Moves that make what is aside the index that is planned.
    fn moves(&self, planned: Planned) -> io::Result<Moves> {
        let paths = |numbers: BTreeSet<usize>, ending: &str| -> Vec<PathBuf> {
            numbers.into_iter().map(|number| self.path(number, ending)).collect()
        };
        Ok(Moves {
            // They are of the old shards: a new one must not be read with such.
            first_removed: paths(self.numbers(SIDECAR)?.split_off(&planned.kept), SIDECAR),
            renamed: self.sidecars(planned).chain(self.renames(planned)).collect(),
            then_removed: paths(self.numbers(ENDING)?.split_off(&planned.count), ENDING),
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
    pub(in crate::shards) fn file(&self, number: usize) -> io::Result<(PathBuf, OutFile)> {
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

    /// Writes the new sidecar of a shard that stays, and syncs it.
    pub(super) fn put_sidecar(&self, number: usize, sidecar: &[u8]) -> io::Result<()> {
        let path = self.family.path(number, SIDECAR_ASIDE);
        let mut options = OpenOptions::new();
        options.create(true).truncate(true).write(true);
        let file = OutFile::open(&self.files, &path, &options)?;
        file.write_all_at(sidecar, 0)?;
        file.sync()
    }

    /// Makes shards and sidecars, which are synced, the index of the repository.
    pub(super) fn publish(mut self, planned: Planned) -> io::Result<Vec<PathBuf>> {
        let put = self.family.plan_files().put(&self.files, planned.text().as_bytes());
        // Also one whose last sync failed is there: readers go by it, and the shards that it speaks
        // of must stay.
        self.is_published = !matches!(self.family.planned(), Ok(None));
        put?;
        self.family.carry_out(&self.files)?;
        // Where the first shard stays, the lock's file has not become its own.
        self.is_published = planned.kept == 0;
        self.family.shards()
    }

    /// Leaves the files aside to an exchange that names them.
    pub(in crate::shards) fn leave(mut self) {
        self.is_published = true;
    }

    /// Removes what interrupted runs have left: files aside from number `first` on.
    fn sweep(&self, first: usize) -> io::Result<()> {
        let is_left = |name: &str| {
            let rest = name.strip_prefix(&self.family.prefix).and_then(|r| r.strip_prefix('.'));
            let sidecar = rest.and_then(|rest| rest.strip_suffix(SIDECAR_ASIDE));
            let number = rest.and_then(|rest| rest.strip_suffix(ASIDE));
            let is_sidecar = sidecar.is_some_and(|number| number.parse::<usize>().is_ok());
            is_sidecar
                || number.is_some_and(|number| match number.strip_suffix(".spool") {
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
    use manicule_store::planned::Rename;
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

    fn whole(count: usize) -> Planned {
        Planned { kept: 0, count }
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
        lease.publish(whole(2)).unwrap();
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
        fs::write(family.plan(), whole(2).text()).unwrap();
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
                let lease = family.lease(&Disk::shared()).unwrap().unwrap();
                let count = 1 + round % 4;
                for number in 0..count {
                    fs::write(lease.file(number).unwrap().0, format!("{round}")).unwrap();
                }
                lease.publish(whole(count)).unwrap();
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
            fs::write(family.plan(), whole(2).text()).unwrap();
            for number in 0..renamed {
                fs::rename(family.path(number, ASIDE), family.path(number, ENDING)).unwrap();
            }
            assert_eq!(texts(folder.path()), ["new", "new", "other"], "{renamed} renamed");
            family.carry_out(&Disk::shared()).unwrap();
            assert_eq!(texts(folder.path()), ["new", "new", "other"], "{renamed} renamed");
            assert!(!family.plan().exists());
        }
    }

    /// A folder with an index of two shards, the first with a sidecar, and the files of a delta
    /// build aside: a new sidecar for each, and a third shard.
    fn delta_folder() -> (tempfile::TempDir, Family, Lease) {
        let folder = tempfile::tempdir().unwrap();
        for name in ["a_v16.00000.zoekt", "a_v16.00000.zoekt.meta", "a_v16.00001.zoekt"] {
            fs::write(folder.path().join(name), "old").unwrap();
        }
        let family = Family::new(folder.path(), b"a");
        let lease = family.lease(&Disk::shared()).unwrap().unwrap();
        fs::write(lease.file(2).unwrap().0, "new").unwrap();
        (0..2).for_each(|number| lease.put_sidecar(number, b"new").unwrap());
        (folder, family, lease)
    }

    /// Texts of the shards and their sidecars, as a reader finds them.
    fn with_sidecars(folder: &Path) -> Vec<String> {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let found = map_shards(folder).unwrap().into_iter().map(Result::unwrap);
        let texts = found.map(|shard| {
            let sidecar = shard.sidecar.map_or(String::new(), |sidecar| text(&sidecar.bytes));
            format!("{} {sidecar}", text(&shard.bytes))
        });
        texts.collect()
    }

    const DELTA: Planned = Planned { kept: 2, count: 3 };
    const AFTER_DELTA: [&str; 3] = ["old new", "old new", "new "];

    #[test]
    fn a_delta_is_published_with_its_sidecars() {
        let (folder, _, lease) = delta_folder();
        assert_eq!(with_sidecars(folder.path()), ["old old", "old "]);
        lease.publish(DELTA).unwrap();
        assert_eq!(with_sidecars(folder.path()), AFTER_DELTA);
        let want = [
            "a_v16.00000.zoekt",
            "a_v16.00000.zoekt.meta",
            "a_v16.00001.zoekt",
            "a_v16.00001.zoekt.meta",
            "a_v16.00002.zoekt",
        ];
        assert_eq!(names(folder.path()), want);
    }

    #[test]
    fn a_delta_that_is_not_published_leaves_nothing() {
        let (folder, _, lease) = delta_folder();
        drop(lease);
        assert_eq!(with_sidecars(folder.path()), ["old old", "old "]);
        assert_eq!(names(folder.path()).len(), 3);
    }

    #[test]
    fn a_delta_is_read_as_done_wherever_it_was_interrupted() {
        for step in 0..4 {
            let (folder, family, lease) = delta_folder();
            lease.leave();
            fs::write(family.plan(), DELTA.text()).unwrap();
            let moves = family.moves(DELTA).unwrap();
            for Rename { aside, path } in moves.renamed.iter().take(step) {
                fs::rename(aside, path).unwrap();
            }
            assert_eq!(with_sidecars(folder.path()), AFTER_DELTA, "{step}");
            drop(family.lease(&Disk::shared()).unwrap().unwrap());
            assert_eq!(with_sidecars(folder.path()), AFTER_DELTA, "{step}");
            assert_eq!(names(folder.path()).len(), 5, "{step}");
        }
    }
}
