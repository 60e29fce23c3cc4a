//! A block made visible whole: written into a folder aside, synced, then renamed.
//!
//! A block called `ULID` is written into `ULID.tmp-for-creation`, which no reader takes for a
//! block. Beside it lies `ULID.manicule-lock`, locked by the process that writes.
//! `ULID.tmp-for-deletion` is what a killed run of any program has begun to remove.
//!
//! Bytes:   docs/formats/prometheus.md

use std::io;
use std::path::{Path, PathBuf};

use manicule_format_prometheus::Ulid;
use manicule_store::publish::{self, DraftNames, Drafts};
use manicule_store::{Disk, OutFile, SharedFiles};

const NAMES: DraftNames = DraftNames {
    noun: "a block",
    is_name: |name| name.parse::<Ulid>().is_ok(),
    creation: ".tmp-for-creation",
    deletion: ".tmp-for-deletion",
    lock: ".manicule-lock",
};

/// A folder that blocks are put into.
#[derive(Clone, Debug)]
pub struct Target {
    drafts: Drafts,
}

impl Target {
    /// The folder at `folder`, made where it is missing. Removes what killed runs have left there.
    pub fn open(folder: &Path) -> io::Result<Self> {
        Self::open_through(&Disk::shared(), folder)
    }

    /// As [`Target::open`], with every file of a block written through `files`.
    pub fn open_through(files: &SharedFiles, folder: &Path) -> io::Result<Self> {
        Ok(Target { drafts: Drafts::open(files, folder, NAMES)? })
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        self.drafts.path()
    }

    /// A new block's folder aside. What is not published goes when the draft is dropped, or with
    /// the next [`Target::open`].
    pub fn draft(&self, ulid: Ulid) -> io::Result<Draft> {
        Ok(Draft { draft: self.drafts.draft(&ulid.to_string())?, ulid })
    }
}

/// A block that is being written, in its folder aside.
#[derive(Debug)]
pub struct Draft {
    draft: publish::Draft,
    ulid: Ulid,
}

impl Draft {
    /// The folder that the block's files are in meanwhile.
    pub fn path(&self) -> &Path {
        self.draft.path()
    }

    /// File system that its files are written through.
    pub fn files(&self) -> &SharedFiles {
        self.draft.files()
    }

    /// A new file of the block.
    pub fn create(&self, name: &str) -> io::Result<OutFile> {
        self.draft.create(name)
    }

    /// A new file of the block, of these bytes.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.draft.write(name, bytes)
    }

    /// The name that the block will have.
    pub fn ulid(&self) -> Ulid {
        self.ulid
    }

    /// Makes the block visible under its name: after `Ok` also after a power cut, after `Err` not
    /// at all, unless it was the last sync that failed. Returns where it is.
    pub fn publish(self) -> io::Result<PathBuf> {
        self.draft.publish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn ulid(number: u8) -> Ulid {
        Ulid::new(1_700_000_000_000, [number; 10])
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    fn draft(target: &Target, number: u8) -> Draft {
        let draft = target.draft(ulid(number)).unwrap();
        fs::create_dir(draft.path().join("chunks")).unwrap();
        fs::write(draft.path().join("chunks/000001"), "chunks").unwrap();
        fs::write(draft.path().join("meta.json"), "{}").unwrap();
        draft
    }

    #[test]
    fn a_block_is_seen_whole_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let target = Target::open(&folder.path().join("a/b")).unwrap();
        let block = ulid(1).to_string();
        let draft = draft(&target, 1);
        let aside = [format!("{block}.manicule-lock"), format!("{block}.tmp-for-creation")];
        assert_eq!(names(target.path()), aside);
        let path = draft.publish().unwrap();
        assert_eq!(path, target.path().join(&block));
        assert_eq!(names(target.path()), [block]);
        assert_eq!(names(&path), ["chunks", "meta.json"]);
        assert_eq!(names(&path.join("chunks")), ["000001"]);
    }

    #[test]
    fn the_next_run_sweeps_what_a_killed_one_left() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: String| folder.path().join(name);
        // A killed run's, before and after its rename; a removal; what others write; and what only
        // looks like any.
        let (left, done, removed, theirs) = (ulid(1), ulid(2), ulid(3), ulid(4));
        fs::create_dir_all(at(format!("{left}.tmp-for-creation/chunks"))).unwrap();
        fs::write(at(format!("{left}.manicule-lock")), "").unwrap();
        fs::create_dir(at(done.to_string())).unwrap();
        fs::write(at(format!("{done}.manicule-lock")), "").unwrap();
        fs::create_dir_all(at(format!("{removed}.tmp-for-deletion/chunks"))).unwrap();
        fs::create_dir(at(format!("{theirs}.tmp-for-creation"))).unwrap();
        fs::create_dir(at("wal.tmp-for-deletion".to_owned())).unwrap();
        Target::open(folder.path()).unwrap();
        let want =
            [done.to_string(), format!("{theirs}.tmp-for-creation"), "wal.tmp-for-deletion".into()];
        assert_eq!(names(folder.path()), want);
    }
}
