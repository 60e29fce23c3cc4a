//! Repositories that restic makes of generated files: its chunks, packs and trees as users have
//! them.
//!
//! Ids differ from run to run, as restic's random numbers do; the files and the order of the calls
//! come from a seed.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use manicule_testkit::Rng;

use crate::growing_tree::GrowingTree;
use crate::restic::{BackupOptions, Restic};
use crate::writer::Writer;

/// Hosts, and the tags that their snapshots may have.
const HOSTS: [&str; 3] = ["ash", "birch", "cedar"];
const TAGS: [&[&str]; 4] = [&[], &["daily"], &["daily", "weekly"], &["before upgrade"]];
/// Folders below the tree's root; a snapshot has one, two or all of them.
const AREAS: [&str; 3] = ["etc", "home", "srv"];
/// One snapshot in this many is forgotten later, so that some blobs are in no snapshot.
const FORGOTTEN_ONE_IN: usize = 6;
/// One step in this many is a writer that doesn't see what another one wrote meanwhile.
const TWO_WRITERS_ONE_IN: usize = 5;

/// Size of a repository that restic makes.
#[derive(Clone, Copy, Debug)]
pub struct MadeOptions {
    /// Seed of the files and of the order of the calls.
    pub seed: u64,
    /// Number of files before the first snapshot.
    pub file_count: usize,
    /// Number of snapshots made; some are forgotten again.
    pub snapshot_count: usize,
    /// Number of changes between two snapshots.
    pub change_count: usize,
}

/// Makes a repository at `folder` from files that are kept in `source`; both must be new or empty.
///
/// # Errors
/// If a file can't be written, or restic fails.
pub fn make_with_restic(
    restic: &Restic,
    folder: &Path,
    source: &Path,
    options: &MadeOptions,
) -> io::Result<()> {
    Writer::create(folder, options.seed)?.end()?;
    let mut rng = Rng::new(options.seed);
    let areas = AREAS.map(|area| source.join(area));
    let mut trees = Vec::new();
    for area in &areas {
        trees.push(GrowingTree::plant(area, rng.bits())?);
    }
    trees.iter_mut().try_for_each(|tree| tree.grow(options.file_count / AREAS.len()))?;
    for number in 0..options.snapshot_count {
        let backup = Backup::draw(&mut rng, &areas, number);
        if number > 0 && rng.one_in(TWO_WRITERS_ONE_IN) {
            let second = Backup::draw(&mut rng, &areas, number);
            two_writers(restic, folder, &source.join("other"), [&backup, &second])?;
        } else {
            backup.run(restic, folder)?;
        }
        for tree in &mut trees {
            tree.change(options.change_count / AREAS.len())?;
        }
    }
    forget_some(restic, folder, &mut rng)
}

/// One call of `restic backup`.
struct Backup {
    host: &'static str,
    tags: &'static [&'static str],
    time: String,
    paths: Vec<PathBuf>,
}

impl Backup {
    fn draw(rng: &mut Rng, areas: &[PathBuf], number: usize) -> Backup {
        let first = rng.below(areas.len());
        let count = 1 + rng.below(areas.len());
        let (hour, minute, second) = (number / 60 % 24, number % 60, rng.below(60));
        Backup {
            host: rng.pick(&HOSTS),
            tags: rng.pick(&TAGS),
            time: format!(
                "2025-03-{:02} {hour:02}:{minute:02}:{second:02}",
                1 + number / 1440 % 28
            ),
            paths: (0..count).map(|at| areas[(first + at) % areas.len()].clone()).collect(),
        }
    }

    fn run(&self, restic: &Restic, folder: &Path) -> io::Result<()> {
        let options = BackupOptions { host: self.host, tags: self.tags, time: &self.time };
        restic.backup(folder, &options, &self.paths)
    }
}

/// Two backups, of which neither sees the blobs of the other, so that some are stored twice: one
/// goes to a copy, whose new files are brought over then. Their names are hashes, so that none can
/// meet another.
fn two_writers(
    restic: &Restic,
    folder: &Path,
    other: &Path,
    backups: [&Backup; 2],
) -> io::Result<()> {
    copy_missing(folder, other)?;
    backups[0].run(restic, folder)?;
    backups[1].run(restic, other)?;
    copy_missing(other, folder)?;
    fs::remove_dir_all(other)
}

/// Copies the files that the other folder lacks.
fn copy_missing(from: &Path, to: &Path) -> io::Result<()> {
    let mut folders = vec![(from.to_owned(), to.to_owned())];
    while let Some((from, to)) = folders.pop() {
        fs::create_dir_all(&to)?;
        for entry in fs::read_dir(&from)? {
            let entry = entry?;
            let target = to.join(entry.file_name());
            if entry.file_type()?.is_dir() {
                folders.push((entry.path(), target));
            } else if !target.exists() {
                fs::copy(entry.path(), target)?;
            }
        }
    }
    Ok(())
}

/// Forgets some of the snapshots; their blobs stay.
fn forget_some(restic: &Restic, folder: &Path, rng: &mut Rng) -> io::Result<()> {
    let list = restic.answer(folder, ["list", "--quiet", "snapshots"])?;
    let mut ids: Vec<&str> = list.lines().collect();
    ids.sort_unstable();
    let forgotten: Vec<&str> = ids.into_iter().filter(|_| rng.one_in(FORGOTTEN_ONE_IN)).collect();
    if forgotten.is_empty() {
        return Ok(());
    }
    let words = ["forget", "--quiet"].into_iter().chain(forgotten);
    restic.answer(folder, words).map(drop)
}
