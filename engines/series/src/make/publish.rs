//! A block made visible whole: written into a folder aside, synced, then renamed; or put into
//! another store from there, its meta file last.
//!
//! A block called `ULID` is written into `ULID.tmp-for-creation`, which no reader takes for a
//! block. Beside it lies `ULID.manicule-lock`, locked by the process that writes.
//! `ULID.tmp-for-deletion` is what a killed run of any program has begun to remove.
//!
//! Bytes:   docs/formats/prometheus.md

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use manicule_core::watch::Meter;
use manicule_format_prometheus::{ExternalLabels, INDEX_NAME, META_NAME, Meta, Ulid};
use manicule_store::publish::{self, DraftNames, Drafts, Upload};
use manicule_store::store::{Name, StoreError};
use manicule_store::{Disk, OutFile, SharedFiles};

use super::owner::{Untaken, owner_of};
use crate::block::error::BlockError;
use crate::block::open::CHUNKS;

const NAMES: DraftNames = DraftNames {
    noun: "a block",
    is_name: |name| name.parse::<Ulid>().is_ok(),
    creation: ".tmp-for-creation",
    deletion: ".tmp-for-deletion",
    lock: ".manicule-lock",
};

/// A folder that blocks are put into, or one of another store.
#[derive(Clone, Debug)]
pub struct Target {
    drafts: Drafts,
    path: PathBuf,
    upload: Option<Upload>,
    labels: ExternalLabels,
}

impl Target {
    /// The folder at `folder`, made where it is missing. Removes what killed runs have left there.
    pub fn open(folder: &Path) -> io::Result<Self> {
        Self::open_through(&Disk::shared(), folder)
    }

    /// As [`Target::open`], with every file of a block written through `files`.
    pub fn open_through(files: &SharedFiles, folder: &Path) -> io::Result<Self> {
        let drafts = Drafts::open(files, folder, NAMES)?;
        let (path, labels) = (folder.to_owned(), ExternalLabels::new());
        Ok(Target { drafts, path, upload: None, labels })
    }

    /// A folder of another store. A block is written in the local folder `scratch`, which is made
    /// where it is missing, one at a time, and goes from there when it is put.
    pub fn elsewhere(scratch: &Path, upload: Upload) -> io::Result<Self> {
        let path = upload.path();
        Ok(Target { upload: Some(upload), path, ..Self::open(scratch)? })
    }

    /// With external labels in the meta files of its blocks, in place of those that they have. Of
    /// none they keep theirs.
    #[must_use]
    pub fn with_labels(self, labels: ExternalLabels) -> Self {
        Target { labels, ..self }
    }

    /// Refuses blocks that the system would not take whose bucket it is: such as have these
    /// external labels, unless the target has some. Of a local folder nothing is asked.
    pub fn check_owner(&self, labels: &ExternalLabels) -> Result<Option<Untaken>, BlockError> {
        let Some(upload) = &self.upload else { return Ok(None) };
        let labels = if self.labels.is_empty() { labels } else { &self.labels };
        let refusal = owner_of(upload)?.refusal(labels);
        Ok(refusal.map(|why| Untaken { path: self.path.clone(), why }))
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A new block's folder aside. What is not published goes when the draft is dropped, or with
    /// the next [`Target::open`].
    pub fn draft(&self, ulid: Ulid) -> io::Result<Draft> {
        let (draft, upload) = (self.drafts.draft(&ulid.to_string())?, self.upload.clone());
        Ok(Draft { draft, ulid, upload, labels: self.labels.clone() })
    }
}

/// A block that is being written, in its folder aside.
#[derive(Debug)]
pub struct Draft {
    draft: publish::Draft,
    ulid: Ulid,
    upload: Option<Upload>,
    labels: ExternalLabels,
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

    /// Writes the meta file, after chunks and index: with the target's external labels, and in a
    /// bucket with what its systems want to know of the other files.
    pub fn write_meta(&self, meta: &mut Meta) -> io::Result<()> {
        if !self.labels.is_empty() {
            meta.set_external_labels(&self.labels);
        }
        if self.upload.is_some() {
            let len =
                |name: String| Ok((name.clone(), fs::metadata(self.path().join(name))?.len()));
            let files: io::Result<Vec<_>> = self.parts()?.into_iter().map(len).collect();
            meta.set_files(&files?);
        }
        self.write(META_NAME, &meta.encode())
    }

    /// The block's chunks and index. Tombstones don't go into buckets: a new block has none.
    fn parts(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(self.path().join(CHUNKS))? {
            let name = entry?.file_name();
            names.push(format!("{CHUNKS}/{}", name.display()));
        }
        names.sort();
        names.push(INDEX_NAME.to_owned());
        Ok(names)
    }

    /// Makes the block visible under its name: after `Ok` also after a power cut, after `Err` not
    /// at all, unless it was the last sync that failed. In another store its meta file comes last,
    /// without which it is no block, and `meter` counts the bytes. Returns where it is.
    pub fn publish(self, meter: &Meter<'_>) -> Result<PathBuf, StoreError> {
        let aside = self.path().to_owned();
        match self.upload {
            None => self.draft.publish().map_err(|source| StoreError { file: aside, source }),
            Some(_) => self.put(meter),
        }
    }

    fn put(&self, meter: &Meter<'_>) -> Result<PathBuf, StoreError> {
        let upload = self.upload.as_ref().expect("a draft that is put");
        let folder = Name::new(&self.ulid.to_string()).expect("a name");
        let upload = upload.below(&folder);
        let (path, aside) = (upload.path(), self.path());
        let failed = |source| StoreError { file: path.clone(), source };
        if !upload.list()?.is_empty() {
            let what = "there is one already; a block needs a name of its own";
            return Err(failed(io::Error::new(io::ErrorKind::AlreadyExists, what)));
        }
        let unread = |source| StoreError { file: aside.to_owned(), source };
        let mut names = self.parts().map_err(unread)?;
        names.push(META_NAME.to_owned());
        match upload.put_all(aside, &names, meter) {
            Err(error) if !error.is_stopped() => {
                let name = error.file.strip_prefix(&path).unwrap_or(&error.file).display();
                let what = format!("{name}: {}", error.source);
                Err(failed(io::Error::new(error.source.kind(), what)))
            }
            put => put.map(|()| path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use manicule_core::watch::Watch;

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
        let path = draft.publish(&Watch::none().silent()).unwrap();
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
