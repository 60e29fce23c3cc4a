//! A repository that can be damaged in every way: its files opened, changed and sealed again.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use manicule_blobs::check::{CheckOptions, Checked, ReadPacks, check};
use manicule_blobs::{FileKind, Id, KeyLimits, KeySearch, RepoError, Repository, RepositoryFiles};
use manicule_core::watch::Watch;
use manicule_format_restic::{
    BlobKind, Decompressor, IndexWriter, Key, KeyFile, PackedBlob, Place, Version, pack_unpacked,
    put_header, unpack,
};
use manicule_testkit::golden_repository;
use tempfile::TempDir;

pub(crate) const PASSWORD: &[u8] = b"manicule-golden";
pub(crate) const LIMITS: KeyLimits = KeyLimits { memory_bytes_max: 1 << 30, work_max: 1 << 24 };

pub(crate) struct Repo {
    _golden: TempDir,
    pub(crate) path: PathBuf,
    pub(crate) key: Key,
}

/// A golden repository, to be damaged.
pub(crate) fn repo(name: &str) -> Repo {
    let golden = golden_repository(name);
    let path = golden.path().join("repo");
    let key = fs::read_dir(path.join("keys")).unwrap().next().unwrap().unwrap().path();
    let key = KeyFile::parse(&fs::read(key).unwrap()).unwrap().open(PASSWORD, &LIMITS).unwrap();
    Repo { _golden: golden, path, key }
}

pub(crate) fn open(path: &Path) -> Result<Repository, RepoError> {
    let search = KeySearch { hint: None, keys_max: 20, limits: LIMITS, threads: 1 };
    let storage = Arc::new(RepositoryFiles::local(path));
    Repository::open(storage, PASSWORD, &search).map(|opened| opened.repository)
}

impl Repo {
    pub(crate) fn check(&self, read: ReadPacks, threads: usize) -> Checked {
        let options = CheckOptions { read, paths_max: 1000 };
        let repository = open(&self.path).expect("it opens");
        check(&repository, &options, 1, threads, &Watch::none()).expect("it is checked")
    }

    /// Files of a kind, by their ids.
    pub(crate) fn files(&self, kind: FileKind) -> Vec<Id> {
        let repository = open(&self.path).expect("it opens");
        let listed = repository.storage().list(kind).expect("a list");
        listed.into_iter().map(|file| file.id).collect()
    }

    pub(crate) fn file(&self, kind: FileKind, digits: &str) -> PathBuf {
        let found = self.files(kind).into_iter().find(|id| id.to_string().starts_with(digits));
        self.path.join(kind.path(&found.expect("a file")))
    }

    pub(crate) fn pack(&self, digits: &str) -> PathBuf {
        self.file(FileKind::Pack, digits)
    }

    /// Changes a byte of a file.
    pub(crate) fn flip(&self, path: &Path, at: usize) {
        let mut bytes = fs::read(path).unwrap();
        bytes[at] ^= 1;
        fs::write(path, bytes).unwrap();
    }

    /// The JSON of an unpacked file.
    pub(crate) fn json(&self, kind: FileKind, id: &Id) -> String {
        let mut sealed = fs::read(self.path.join(kind.path(id))).unwrap();
        let plain = self.key.open_in_place(&mut sealed).unwrap();
        let mut decompressor = Decompressor::new();
        let json = unpack(Version::V2, plain, 1 << 20, &mut decompressor).unwrap();
        String::from_utf8(json.to_vec()).unwrap()
    }

    /// Writes an unpacked file.
    pub(crate) fn put(&self, kind: FileKind, json: &str) -> Id {
        let mut sealed = Vec::new();
        self.key.seal([9; 16], &pack_unpacked(Version::V2, json.as_bytes()), &mut sealed);
        self.put_bytes(kind, &sealed)
    }

    pub(crate) fn put_bytes(&self, kind: FileKind, bytes: &[u8]) -> Id {
        let id = Id::of(bytes);
        let path = self.path.join(kind.path(&id));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        id
    }

    /// Changes the text of the one unpacked file that has it.
    pub(crate) fn edit(&self, kind: FileKind, from: &str, to: &str) -> Id {
        for id in self.files(kind) {
            let json = self.json(kind, &id);
            if json.contains(from) {
                fs::remove_file(self.path.join(kind.path(&id))).unwrap();
                return self.put(kind, &json.replacen(from, to, 1));
            }
        }
        panic!("no file has {from}");
    }

    /// Writes a tree by its text, with a pack and an index file of its own, and a snapshot of it.
    pub(crate) fn put_tree(&self, text: &str) -> Id {
        let (tree, mut pack) = (Id::of(text.as_bytes()), Vec::new());
        self.key.seal([5; 16], text.as_bytes(), &mut pack);
        let place = Place { offset: 0, len: pack.len() as u32, raw_len: 0 };
        let blob = PackedBlob { kind: Some(BlobKind::Tree), id: tree, place };
        put_header(&self.key, [6; 16], &[blob], &mut pack);
        let mut index = IndexWriter::new();
        index.pack(&self.put_bytes(FileKind::Pack, &pack));
        index.blob(&blob);
        self.put(FileKind::Index, str::from_utf8(&index.finish()).unwrap());
        let time = "2026-01-01T00:00:00Z";
        let snapshot = format!(r#"{{"time":"{time}","tree":"{tree}","paths":["/x"]}}"#);
        self.put(FileKind::Snapshot, &snapshot);
        tree
    }
}
