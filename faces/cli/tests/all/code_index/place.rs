//! A tree to index, a folder for its shards, and the shards' contents.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use manicule::code::shards::{FoundShard, Shard, map_shards};

pub(super) struct Place {
    folder: tempfile::TempDir,
}

/// Names and stored contents of documents.
pub(super) type Documents = BTreeMap<String, Vec<u8>>;

/// Contents of a folder's shards.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Said {
    /// Ids of the runs, one a shard.
    pub(super) ids: Vec<String>,
    pub(super) times: Vec<String>,
    pub(super) names: Vec<String>,
    pub(super) sources: Vec<String>,
    pub(super) documents: Documents,
}

impl Place {
    pub(super) fn new() -> Place {
        Place { folder: tempfile::tempdir().expect("a folder") }
    }

    /// With a folder `tree` of three files.
    pub(super) fn with_tree() -> Place {
        let place = Place::new();
        for (name, text) in [("a.go", "package a\n"), ("sub/b.rs", "fn b() {}\n"), ("c.md", "")] {
            place.write(&format!("tree/{name}"), text);
        }
        place
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn write(&self, name: &str, text: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    /// `manicule code index` in this place, with its output in `out` unless the words say
    /// otherwise.
    pub(super) fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
        command.args(["code", "index"]).args(words).current_dir(self.folder.path());
        command.env("HOME", self.path("home")).stdin(Stdio::null());
        command.env("MANICULE_CACHE_DIR", self.path("cache")).env_remove("MANICULE_NO_INDEX");
        // No ctags of the machine, but one that a test puts there.
        command.env("PATH", self.path("bin")).env_remove("CTAGS_COMMAND");
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    #[track_caller]
    pub(super) fn call(&self, words: &[&str], code: i32) -> Output {
        let output = self.command(words).output().expect("it runs");
        let shown = [&output.stdout[..], b"--\n", &output.stderr].concat();
        assert_eq!(output.status.code(), Some(code), "{}", String::from_utf8_lossy(&shown));
        output
    }

    #[track_caller]
    pub(super) fn out(&self, words: &[&str]) -> String {
        String::from_utf8(self.call(words, 0).stdout).expect("text")
    }

    #[track_caller]
    pub(super) fn err(&self, words: &[&str]) -> String {
        String::from_utf8(self.call(words, 2).stderr).expect("text")
    }

    pub(super) fn names(&self, folder: &str) -> Vec<String> {
        names(&self.path(folder))
    }

    pub(super) fn said(&self, folder: &str) -> Said {
        said(&self.path(folder))
    }
}

/// The names of all files in a folder.
pub(super) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("a file").file_name().into_string().expect("text"))
        .collect();
    names.sort();
    names
}

/// Reads the current contents of a folder's shards.
pub(super) fn said(folder: &Path) -> Said {
    let maps = map_shards(folder).expect("shards");
    let mut said = Said {
        ids: Vec::new(),
        times: Vec::new(),
        names: Vec::new(),
        sources: Vec::new(),
        documents: Documents::new(),
    };
    for found in maps {
        let FoundShard { path, bytes, .. } = &found.expect("a shard");
        let shard =
            Shard::open(bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        said.ids.push(shard.metadata().id.clone());
        said.times.push(shard.metadata().index_time.clone());
        said.names.push(shard.repositories()[0].name.to_string());
        said.sources.push(shard.repositories()[0].source.to_string());
        for document in 0..shard.document_count() {
            let name = String::from_utf8_lossy(shard.names().text(document).expect("a name"));
            let content = shard.contents().text(document).expect("a content").to_vec();
            let before = said.documents.insert(name.into_owned(), content);
            assert!(before.is_none(), "{}: a document twice", path.display());
        }
    }
    said
}
