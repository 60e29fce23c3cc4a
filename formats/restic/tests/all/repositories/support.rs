//! Golden repositories: small ones kept as archives, all of them where `MANICULE_GOLDEN` names
//! their folder.

use std::fs;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use manicule_format_restic::{
    Config, Decompressor, FileKind, Id, IndexSink, Key, KeyLimits, ListedPack, PackedBlob, unpack,
};
use manicule_testkit::golden_folder;
use serde_json::Value;
use tempfile::TempDir;

/// The password of every golden repository.
pub(crate) const PASSWORD: &[u8] = b"manicule-golden";

/// Enough for every golden key: rustic's take 128 MiB.
pub(crate) const KEY_LIMITS: KeyLimits = KeyLimits { memory_bytes_max: 1 << 30, work_max: 1 << 24 };

/// Longer than everything in a golden repository.
pub(crate) const LIMIT: usize = 64 << 20;

/// Repositories that are kept as archives; large packs were left out of some.
pub(crate) const ARCHIVES: [&str; 8] =
    ["v2", "v1", "unused", "keys", "rustic", "fleet", "drafts", "small"];

/// A golden repository, its answers beside it, opened with its master key.
pub(crate) struct Repository {
    pub(crate) name: String,
    pub(crate) folder: PathBuf,
    pub(crate) expected: PathBuf,
    pub(crate) key: Key,
    pub(crate) config: Config,
    /// The unpacked archive.
    _archive: Option<TempDir>,
}

impl Repository {
    /// One that is kept as an archive.
    pub(crate) fn of_archive(name: &str) -> Repository {
        let archive = golden_folder("blobs", name);
        let (folder, expected) = (archive.path().join("repo"), archive.path().join("expected"));
        Self::open(name, folder, expected, Some(archive))
    }

    fn open(
        name: &str,
        folder: PathBuf,
        expected: PathBuf,
        archive: Option<TempDir>,
    ) -> Repository {
        // Deriving it from the password takes a second, and a test of its own does it.
        let key = master_key(&fs::read(expected.join("masterkey.json")).unwrap());
        let mut sealed = fs::read(folder.join("config")).unwrap();
        let config = Config::parse(key.open_in_place(&mut sealed).unwrap()).unwrap();
        Repository { name: name.to_owned(), folder, expected, key, config, _archive: archive }
    }

    /// Ids and paths of the files of a kind, in the order of ids.
    pub(crate) fn files(&self, kind: FileKind) -> Vec<(Id, PathBuf)> {
        let folder = self.folder.join(kind.folder());
        let mut files = match kind {
            FileKind::Pack => entries(&folder).iter().flat_map(|folder| names(folder)).collect(),
            _ => names(&folder),
        };
        files.sort();
        files
    }

    /// The JSON of an unpacked file, whose name was compared with its contents.
    pub(crate) fn unpacked(&self, id: Id, path: &Path) -> Vec<u8> {
        let mut sealed = fs::read(path).unwrap();
        assert_eq!(Id::of(&sealed), id);
        let plain = self.key.open_in_place(&mut sealed).unwrap();
        let mut decompressor = Decompressor::new();
        unpack(self.config.version, plain, LIMIT, &mut decompressor).unwrap().to_vec()
    }

    /// A text among the answers.
    pub(crate) fn answer(&self, name: &str) -> Vec<u8> {
        let path = self.expected.join(name);
        fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}

/// A master key as it is among the answers.
fn master_key(json: &[u8]) -> Key {
    let master: Value = serde_json::from_slice(json).unwrap();
    let part = |text: &Value| BASE64_STANDARD.decode(text.as_str().unwrap()).unwrap();
    let mac = &master["mac"];
    let bytes = [part(&master["encrypt"]), part(&mac["k"]), part(&mac["r"])].concat();
    Key::from_bytes(&bytes.try_into().unwrap()).unwrap()
}

/// All repositories that are there: the archives, or the whole set.
pub(crate) fn repositories() -> Vec<Repository> {
    let Some(golden) = golden() else {
        println!("left out: whole and other repositories, where MANICULE_GOLDEN has no repos");
        return ARCHIVES.iter().map(|name| Repository::of_archive(name)).collect();
    };
    let open = |folder: PathBuf| {
        let name = folder.file_name()?.to_str()?.to_owned();
        let expected = golden.join("expected").join(&name);
        // A generated index has none of these answers.
        let is_answered = expected.join("masterkey.json").is_file();
        is_answered.then(|| Repository::open(&name, folder, expected, None))
    };
    entries(&golden.join("repos")).into_iter().filter_map(open).collect()
}

/// The folder of all golden data about blobs.
pub(crate) fn golden() -> Option<PathBuf> {
    let golden = PathBuf::from(std::env::var_os("MANICULE_GOLDEN")?);
    golden.join("repos").is_dir().then_some(golden)
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// The files of a folder that have ids as names.
fn names(folder: &Path) -> Vec<(Id, PathBuf)> {
    let named =
        |path: PathBuf| Id::parse(path.file_name()?.as_encoded_bytes()).map(|id| (id, path));
    entries(folder).into_iter().filter_map(named).collect()
}

/// What an index file lists.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Listed {
    pub(crate) packs: Vec<(ListedPack<'static>, Vec<PackedBlob>)>,
}

impl IndexSink for Listed {
    fn pack(&mut self, pack: ListedPack<'_>) {
        let time = pack.time.map(|time| time.into_owned().into());
        self.packs.push((ListedPack { time, ..pack }, Vec::new()));
    }

    fn blob(&mut self, blob: PackedBlob) {
        self.packs.last_mut().expect("a blob lies in a pack").1.push(blob);
    }

    fn restart(&mut self) {
        self.packs.clear();
    }
}
