//! An example beside a bucket that has its files, and calls that ask either.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use manicule_buckets::{Asked, Server, Setup};
use tempfile::TempDir;

/// What a bucket's own names begin with.
const BUCKET: &str = "s3://bucket/";

/// Names in commands that are of the example, rather than of files beside it.
const PLANTED: [&str; 10] =
    ["t", "data", "shards", "store", "repo", "all", "words", "prod-eu", "stage", "managed"];

/// An example in a folder, and the same in a bucket.
pub(super) struct Example {
    folder: TempDir,
    pub(super) server: Server,
}

/// What a call printed, and how it ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) code: Option<i32>,
    pub(super) out: String,
    pub(super) err: String,
}

impl Example {
    /// Plants an example, and brings it into a bucket.
    pub(super) fn planted(plant: impl FnOnce(&Path)) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        // Names of keyspaces are those of folders.
        let planted = folder.path().join("bucket");
        fs::create_dir(&planted).expect("a folder");
        plant(&planted);
        let server = Server::start(Setup::Signed);
        for name in PLANTED {
            let path = planted.join(name);
            if path.exists() {
                server.bring(&path, &format!("{name}/"));
            }
        }
        Example { folder, server }
    }

    /// A path in the folder.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("bucket").join(name)
    }

    /// The bytes of a file in the folder.
    pub(super) fn file(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect("a file")
    }

    /// Files on their way to the bucket, which no call leaves.
    pub(super) fn outgoing(&self) -> Vec<String> {
        fn files(folder: &Path, into: &mut Vec<String>) {
            for entry in fs::read_dir(folder).into_iter().flatten() {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    files(&path, into)
                } else {
                    into.push(path.display().to_string())
                }
            }
        }
        let mut left = Vec::new();
        files(&self.folder.path().join("cache/outgoing"), &mut left);
        left
    }

    /// Calls the program on the folder.
    pub(super) fn local(&self, words: &str) -> Seen {
        self.call(words, &[])
    }

    /// Calls the program on the bucket: words that name the example become addresses, and what is
    /// printed of them is the local path again.
    pub(super) fn remote(&self, words: &str) -> Seen {
        self.remote_by(program(), words)
    }

    /// The same, with a soft limit on open handles.
    pub(super) fn remote_within(&self, handle_count_max: u64, words: &str) -> Seen {
        let mut shell = Command::new("sh");
        let script = format!("ulimit -S -n {handle_count_max} && exec \"$0\" \"$@\"");
        shell.args(["-c", &script]).arg(program().get_program());
        self.remote_by(shell, words)
    }

    fn remote_by(&self, program: Command, words: &str) -> Seen {
        let words: Vec<String> = words.split(' ').map(address_of).collect();
        let mut seen = self.run(program, &words.join(" "), &[]);
        for text in [&mut seen.out, &mut seen.err] {
            *text = text.replace(BUCKET, "");
        }
        seen
    }

    /// What the server was asked for a call on the bucket.
    pub(super) fn asked(&self, words: &str) -> (Seen, Asked) {
        self.server.take_asked();
        (self.remote(words), self.server.take_asked())
    }

    /// Calls the program as the words are, with these variables besides.
    pub(super) fn call(&self, words: &str, variables: &[(&str, &str)]) -> Seen {
        self.run(program(), words, variables)
    }

    fn run(&self, mut program: Command, words: &str, variables: &[(&str, &str)]) -> Seen {
        let output: Output = program
            .args(words.split(' '))
            .current_dir(self.folder.path().join("bucket"))
            .env("HOME", self.folder.path())
            .env("MANICULE_CACHE_DIR", self.folder.path().join("cache"))
            .env("RESTIC_PASSWORD", "manicule-golden")
            .env_remove("MANICULE_NO_INDEX")
            .env_remove("RESTIC_REPOSITORY")
            .envs(self.server.variables())
            .envs(variables.iter().copied())
            .stdin(Stdio::null())
            .output()
            .expect("the program runs");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        Seen { code: output.status.code(), out: text(&output.stdout), err: text(&output.stderr) }
    }
}

fn program() -> Command {
    Command::new(env!("CARGO_BIN_EXE_manicule"))
}

/// A word of a command line, as an address if it names the example.
fn address_of(word: &str) -> String {
    let name = word.strip_prefix("./").unwrap_or(word);
    let first = name.split('/').next().unwrap_or(name);
    if PLANTED.contains(&first) { format!("{BUCKET}{name}") } else { word.to_owned() }
}
