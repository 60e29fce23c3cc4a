//! A prune that runs beside a call: what was listed is gone when it is read.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use manicule_blobs::{
    FileKind, FileName, Index, Indexed, KeySearch, Listed, Repository, RepositoryFiles, Snapshots,
    Storage,
};
use manicule_core::watch::Watch;
use manicule_format_restic::{Id, open_header, put_header};
use manicule_store::store::StoreError;

use super::damage::{LIMITS, PASSWORD, Repo, repo};

type Then = Box<dyn FnOnce() + Send>;

/// A folder in which something happens once files of a kind were listed.
struct Pruned {
    folder: RepositoryFiles,
    then: Mutex<Option<(FileKind, Then)>>,
}

impl std::fmt::Debug for Pruned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.folder.fmt(f)
    }
}

impl Storage for Pruned {
    fn list(&self, kind: FileKind) -> Result<Vec<Listed>, StoreError> {
        let listed = self.folder.list(kind);
        let mut then = self.then.lock().unwrap();
        if then.as_ref().is_some_and(|(of, _)| *of == kind) {
            let (_, happens) = then.take().unwrap();
            happens();
        }
        listed
    }

    fn read_at(&self, file: FileName, at: u64, out: &mut [u8]) -> Result<(), StoreError> {
        self.folder.read_at(file, at, out)
    }

    fn read(&self, file: FileName, len_max: u64, out: &mut Vec<u8>) -> Result<(), StoreError> {
        self.folder.read(file, len_max, out)
    }

    fn place(&self) -> String {
        self.folder.place()
    }

    fn name(&self, file: FileName) -> String {
        self.folder.name(file)
    }
}

fn open_pruned(repo: &Repo, kind: FileKind, then: Then) -> Repository {
    let search = KeySearch { hint: None, keys_max: 20, limits: LIMITS, threads: 1 };
    let then = Mutex::new(Some((kind, then)));
    let storage = Arc::new(Pruned { folder: RepositoryFiles::local(&repo.path), then });
    Repository::open(storage, PASSWORD, &search).expect("it opens").repository
}

fn load(repository: &Repository) -> Index {
    Index::load(repository, Indexed::All, 1, 2, &Watch::none(), &mut Err).expect("an index")
}

/// Writes each index file again, under another id, and says which are to go.
fn again(repo: &Repo) -> Vec<PathBuf> {
    let old = repo.files(FileKind::Index);
    for id in &old {
        let json = repo.json(FileKind::Index, id);
        repo.put(FileKind::Index, &format!("{json} "));
    }
    old.iter().map(|id| repo.path.join(FileKind::Index.path(id))).collect()
}

#[test]
fn index_files_that_are_gone_are_listed_again() {
    let repo = repo("unused");
    let want = load(&super::damage::open(&repo.path).unwrap()).entry_count();
    // As a prune does: the new ones are there before the old ones go.
    let old = again(&repo);
    let aside: Vec<(PathBuf, Vec<u8>)> = repo
        .files(FileKind::Index)
        .into_iter()
        .map(|id| repo.path.join(FileKind::Index.path(&id)))
        .filter(|path| !old.contains(path))
        .map(|path| {
            let bytes = fs::read(&path).unwrap();
            fs::remove_file(&path).unwrap();
            (path, bytes)
        })
        .collect();
    let prune = move || {
        aside.iter().for_each(|(path, bytes)| fs::write(path, bytes).unwrap());
        old.iter().for_each(|path| fs::remove_file(path).unwrap());
    };
    let repository = open_pruned(&repo, FileKind::Index, Box::new(prune));
    let index = load(&repository);
    assert_eq!((index.files().len(), index.entry_count()), (4, want));
}

#[test]
fn a_snapshot_that_is_forgotten_meanwhile_is_none() {
    let repo = repo("unused");
    let gone = repo.path.join(FileKind::Snapshot.path(&repo.files(FileKind::Snapshot)[0]));
    let forget = move || fs::remove_file(&gone).unwrap();
    let repository = open_pruned(&repo, FileKind::Snapshot, Box::new(forget));
    let snapshots = Snapshots::load(&repository, 2, &Watch::none()).expect("snapshots");
    assert_eq!((snapshots.kept.len(), snapshots.broken.len()), (1, 0));
}

#[test]
fn a_blob_is_read_where_a_prune_has_put_it() {
    let repo = repo("unused");
    let repository = super::damage::open(&repo.path).unwrap();
    let index = load(&repository);
    let snapshots = Snapshots::load(&repository, 1, &Watch::none()).unwrap();
    let tree = snapshots.kept[0].snapshot.tree.unwrap();
    let old = index.places(manicule_format_restic::BlobKind::Tree, &tree).next().unwrap();
    let old = index.pack(old.pack).id;
    let read = || repository.blob(&index, manicule_format_restic::BlobKind::Tree, &tree);
    let want = read().expect("it is there");
    // The same blobs under another header.
    let path = repo.path.join(FileKind::Pack.path(&old));
    let bytes = fs::read(&path).unwrap();
    let header = open_header(&repo.key, &mut bytes.clone(), bytes.len() as u64).unwrap();
    let mut pack = bytes[..header.blobs_end() as usize].to_vec();
    put_header(&repo.key, [7; 16], &header.blobs, &mut pack);
    let new = repo.put_bytes(FileKind::Pack, &pack);
    fs::remove_file(&path).unwrap();
    let gone = read().unwrap_err();
    assert!(gone.contains(&old.to_string()), "{gone}");
    drop(gone);
    repo.edit(FileKind::Index, &old.to_string(), &new.to_string());
    // What was asked in vain stays so: the next call asks again.
    let repository = super::damage::open(&repo.path).unwrap();
    let read = || repository.blob(&index, manicule_format_restic::BlobKind::Tree, &tree);
    assert_eq!(Id::of(&read().expect("it is found again")), Id::of(&want));
}
