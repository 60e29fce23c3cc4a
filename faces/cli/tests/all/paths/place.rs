//! A folder to plant shards, blocks and text in, and calls of the program there.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use manicule_testkit::answers::without_times;
use manicule_testkit::{copy_folder, golden_folder};

pub(super) struct Place {
    folder: tempfile::TempDir,
}

/// Result of a call.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) out: String,
    pub(super) err: String,
    pub(super) code: Option<i32>,
}

impl Answer {
    #[track_caller]
    pub(super) fn expect(self, code: i32) -> Answer {
        assert_eq!(self.code, Some(code), "{}{}", self.out, self.err);
        self
    }
}

/// The lines of a text in the order of their bytes.
pub(super) fn sorted(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

impl Place {
    pub(super) fn new() -> Place {
        Place { folder: tempfile::tempdir().expect("a folder") }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }

    /// Makes the shards of files as a repository; more than one where texts are longer than
    /// 60 bytes.
    pub(super) fn index(&self, out: &str, repository: &str, files: &[(&str, &str)]) {
        let tree = self.path(&format!("trees/{repository}"));
        let _ = fs::remove_dir_all(&tree);
        for (name, text) in files {
            self.write(&format!("trees/{repository}/{name}"), text.as_bytes());
        }
        self.call(&[
            "code",
            "index",
            "--quiet",
            "-shard_limit",
            "60",
            "-index",
            out,
            tree.to_str().expect("text"),
        ])
        .expect(0);
    }

    /// Puts a sound block into a folder.
    pub(super) fn block(&self, folder: &str, name: &str) {
        let golden = golden_folder("series", "golden");
        let from = golden.path().join("blocks/tiny/01M7YV9D4RCH84S6NS9PC6AJ27");
        copy_folder(&from, &self.path(folder).join(name));
    }

    fn run(&self, program: &str, folder: &str, words: &[&str], with_index: bool) -> Answer {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
        command.arg0(program).args(words).current_dir(self.path(folder)).stdin(Stdio::null());
        command.env("MANICULE_CACHE_DIR", self.path("cache")).env("HOME", self.path("home"));
        command.env_remove("RIPGREP_CONFIG_PATH").env_remove("MANICULE_NO_INDEX");
        if !with_index {
            command.env("MANICULE_NO_INDEX", "1");
        }
        let output = command.output().expect("it runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        // Of `--json` the times differ.
        let out = text(&without_times(&output.stdout));
        Answer { out, err: text(&output.stderr), code: output.status.code() }
    }

    /// A call of `manicule` without an index.
    pub(super) fn call(&self, words: &[&str]) -> Answer {
        self.run("manicule", "", words, false)
    }

    pub(super) fn find(&self, words: &[&str]) -> Answer {
        self.find_in("", words)
    }

    pub(super) fn find_in(&self, folder: &str, words: &[&str]) -> Answer {
        self.run("manicule", folder, &[&["find"], words].concat(), false)
    }

    /// A call that may use the indexes of trees.
    pub(super) fn indexed(&self, words: &[&str]) -> Answer {
        self.run("manicule", "", words, true)
    }

    /// ripgrep's answer: that of the same program called as `rg`.
    pub(super) fn rg_in(&self, folder: &str, words: &[&str]) -> Answer {
        self.run("rg", folder, words, false)
    }
}
