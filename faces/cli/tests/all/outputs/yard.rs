//! Data for the commands: a tree with an index, shards, blocks, a repository, an SSTable, a store
//! of RDF, and damaged ones of each.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use manicule_testkit::{copy_folder, golden_folder, golden_repository};
use tempfile::TempDir;

/// A folder of data. Paths in the table of commands are relative to it.
pub(crate) struct Yard {
    folder: TempDir,
    /// Number of folders for results asked for.
    taken: std::cell::Cell<u32>,
}

impl Yard {
    /// Plants everything.
    pub(crate) fn new() -> Yard {
        let folder = golden_folder("series", "golden");
        let yard = Yard { folder, taken: std::cell::Cell::new(0) };
        yard.plant_tree();
        yard.plant_blocks();
        yard.plant_statements();
        copy_folder(&golden_repository("unused").path().join("repo"), &yard.path("repo"));
        copy_folder(&golden_folder("rows", "me").path().join("me/types"), &yard.path("sstable"));
        copy_folder(&golden_folder("rows", "medusa").path().join("stage"), &yard.path("stage"));
        let trees = golden_folder("code", "trees");
        let lamps = trees.path().join("trees/git/example.org/lamps.git");
        copy_folder(&lamps, &yard.path("lamps.git"));
        fs::write(yard.path("t.cql"), "CREATE TABLE ks.t (p int PRIMARY KEY, v text)")
            .expect("a file");
        fs::write(yard.path("rows.csv"), "p,v\n1,one\n2,two\n").expect("a file");
        fs::write(yard.path("password"), "manicule-golden").expect("a file");
        for words in [
            "cache build tree",
            "code index -index shards tree",
            "graph load graph a.nt",
            "graph compact graph",
            "graph snapshot graph first",
        ] {
            yard.prepare(words, "");
        }
        copy_folder(&yard.path("shards"), &yard.path("bad-shards"));
        let shard = only_file(&yard.path("bad-shards"));
        damage(&shard, 5000);
        yard
    }

    /// A tree whose answers are larger than a pipe's buffer, and samples to build a block of.
    fn plant_tree(&self) {
        let tree = self.path("tree");
        fs::create_dir(&tree).expect("a folder");
        for file in 0..100 {
            let line =
                |line| format!("line {line} of {file}: a needle among other words of a line\n");
            let text: String = (0..30).map(line).collect();
            fs::write(tree.join(format!("f{file}.txt")), text).expect("a file");
        }
        let sample = |number| format!("m{{n=\"{}\"}} {number} {}\n", number % 3, number * 20);
        let text: String = (0..1000).map(sample).collect();
        fs::write(self.path("samples.om"), text + "# EOF\n").expect("a file");
    }

    /// A document, a query and an update, which does the same each time: nothing.
    fn plant_statements(&self) {
        let statement = |number| format!("<http://a/s{number}> <http://a/p> \"text {number}\" .\n");
        fs::write(self.path("a.nt"), (0..2000).map(statement).collect::<String>()).expect("a file");
        fs::write(self.path("all.rq"), "SELECT * { ?s ?p ?o }").expect("a file");
        fs::write(self.path("change.ru"), "DELETE DATA { <http://a/s> <http://a/p> 1 }")
            .expect("a file");
    }

    /// `data` of blocks `A` and `B`, `big` of one with more series, `bad` with a damaged one.
    fn plant_blocks(&self) {
        fs::rename(self.path("blocks/api"), self.path("data")).expect("golden blocks");
        fs::rename(self.path("blocks/k5k"), self.path("big")).expect("a golden block");
        copy_folder(&self.path("data"), &self.path("bad"));
        damage(&self.path("bad").join(A).join("index"), 300);
    }

    /// Path of something in the yard.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A new folder for results.
    pub(crate) fn fresh(&self) -> String {
        self.taken.set(self.taken.get() + 1);
        let name = format!("out{}", self.taken.get());
        fs::create_dir(self.path(&name)).expect("a folder");
        name
    }

    /// A call of the program, by the words of a row: `A` and `B` are the blocks of `data`, `OUT` is
    /// `out`.
    pub(crate) fn command(&self, words: &str, out: &str) -> Command {
        self.wrapped(&[env!("CARGO_BIN_EXE_manicule")], words, out)
    }

    /// As [`Yard::command`], but no file may become longer than `LIMIT` bytes.
    pub(crate) fn limited(&self, len_max: u64, words: &str, out: &str) -> Command {
        let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$@\"", len_max / LIMIT_UNIT);
        self.wrapped(&["sh", "-c", &script, "sh", env!("CARGO_BIN_EXE_manicule")], words, out)
    }

    /// The program without words, with at most so much memory, in KiB.
    pub(crate) fn within(&self, memory_max_kib: u64, out: &str) -> Command {
        let script = format!("ulimit -v {memory_max_kib}; exec \"$@\"");
        self.wrapped(&["sh", "-c", &script, "sh", env!("CARGO_BIN_EXE_manicule")], "", out)
    }

    /// A word of a row, with the names that it stands for.
    pub(crate) fn word(&self, word: &str, out: &str) -> String {
        let word = word.replace("OUT", out).replace("DATA/A", &format!("data/{A}"));
        word.replace("DATA/B", &format!("data/{B}"))
    }

    fn wrapped(&self, program: &[&str], words: &str, out: &str) -> Command {
        let words = words.split_whitespace().map(|word| self.word(word, out));
        let mut command = Command::new(program[0]);
        command
            .args(&program[1..])
            .args(words)
            .current_dir(self.folder.path())
            .env("MANICULE_CACHE_DIR", self.path("cache"))
            .env_remove("MANICULE_NO_INDEX")
            .env_remove("RIPGREP_CONFIG_PATH")
            .stdin(Stdio::from(fs::File::open(self.path("tree/f1.txt")).expect("a file")));
        command
    }

    /// Prepares a row.
    pub(crate) fn prepare(&self, words: &str, out: &str) {
        let output = self.command(words, out).output().expect("it runs");
        assert!(output.status.success(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

/// The unit of `ulimit -f`.
pub(crate) const LIMIT_UNIT: u64 = 512;

const A: &str = "01M7YV9DA539J3RD3VS93JZGWY";
const B: &str = "01M7YV9DAM3X224G2MX8AC07VK";

fn only_file(folder: &Path) -> PathBuf {
    let mut entries = fs::read_dir(folder).expect("a folder");
    let first = entries.next().expect("a file").expect("a file").path();
    assert!(entries.next().is_none(), "{} has one file", folder.display());
    first
}

fn damage(file: &Path, at: usize) {
    let mut bytes = fs::read(file).expect("a file");
    bytes[at] ^= 0xff;
    fs::write(file, bytes).expect("a file");
}
