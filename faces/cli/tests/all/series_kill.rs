//! Commands that make blocks, as a kill at any moment leaves them: each block is whole or absent,
//! the sources are as they were, and the next run sweeps the rest.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use manicule_testkit::{Killer, Landmark, contents, golden_folder, names};

/// Kills in a plain `cargo test`, of each command.
const KILLS: u64 = 8;

/// The only names beside blocks that a killed run leaves, each after the name of a block.
const LITTER: [&str; 2] = [".manicule-lock", ".tmp-for-creation"];

/// The files of a block by their paths; its own name in the meta file is taken out.
type Files = BTreeMap<String, Vec<u8>>;

fn is_block(name: &str) -> bool {
    name.len() == 26
}

fn files(block: &Path) -> Files {
    let mut files = contents(block);
    let name = block.file_name().and_then(|name| name.to_str()).expect("UTF-8");
    let meta = files.get_mut("meta.json").expect("a meta file");
    let text = String::from_utf8(std::mem::take(meta)).expect("UTF-8");
    *meta = text.replace(name, "").into_bytes();
    files
}

/// The blocks of a folder, in the order in which they were made.
fn blocks(folder: &Path) -> Vec<Files> {
    let blocks = names(folder).into_iter().filter(|name| is_block(name));
    blocks.map(|name| files(&folder.join(name))).collect()
}

/// A command whose last words name its inputs.
struct Killed<'k> {
    folder: &'k Path,
    words: &'k str,
    sources: &'k [&'k str],
}

impl Killed<'_> {
    fn start(&self, out: &str) -> Child {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
        command.arg("series").args(self.words.split_whitespace()).args(["-o", out]);
        command.args(self.sources).current_dir(self.folder).stdout(Stdio::null());
        command.spawn().expect("it starts")
    }

    /// Lets it run to its end. Returns the blocks that it has made.
    fn run(&self, out: &str, what: &str) -> Vec<Files> {
        assert!(self.start(out).wait().expect("it ends").success(), "{what}");
        let folder = self.folder.join(out);
        let names = names(&folder);
        assert!(names.iter().all(|name| is_block(name)), "{what}: {names:?}");
        blocks(&folder)
    }

    fn sources(&self) -> Vec<BTreeMap<String, Vec<u8>>> {
        self.sources.iter().map(|source| contents(&self.folder.join(source))).collect()
    }

    /// Kills it again and again. `count` is the number of blocks of a whole run.
    fn check(&self, count: usize) {
        let mut killer = Killer::new(KILLS);
        let sources = self.sources();
        let want = killer.time(|| self.run("whole", "the first run"));
        assert_eq!(want.len(), count);
        let out = self.folder.join("out");
        for round in killer.rounds() {
            let before = names(&out);
            // The first file of a block exists.
            let is_begun = || names(&out).iter().any(|name| !before.contains(name));
            let landmark = Landmark { is_passed: &is_begun, wait_max: killer.run() };
            let killed = killer.kill(self.start("out"), Some(landmark));
            let what = format!("{}, {killed:?}", killer.what(round));
            let made = blocks(&out);
            assert!(made.len() <= want.len() && made == want[..made.len()], "{what}");
            let is_aside = is_litter_only(&out, &what);
            killer.count(moment(killed.has_ended, made.len(), count, is_aside));
            clear(&out);
            if killer.rng.one_in(4) {
                assert!(self.run("out", &what) == want, "{what}: the next run");
                clear(&out);
            }
        }
        killer.print();
        assert!(self.run("out", "the last run") == want, "the last run");
        assert!(self.sources() == sources, "the sources have changed");
    }
}

/// Whether a block aside lies in the folder. Beside blocks only files that the next run knows may
/// lie there.
fn is_litter_only(folder: &Path, what: &str) -> bool {
    let names = names(folder);
    let is_known = |name: &String| {
        let block = LITTER.iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
        is_block(block)
    };
    assert!(names.iter().all(is_known), "{what}: {names:?}");
    names.iter().any(|name| name.ends_with(LITTER[1]))
}

fn moment(has_ended: bool, made: usize, count: usize, is_aside: bool) -> String {
    match (has_ended, is_aside) {
        (true, _) => "not at all".to_owned(),
        (false, true) => format!("while writing, {made} of {count} blocks there"),
        (false, false) => format!("between blocks, {made} of {count} there"),
    }
}

/// Removes the blocks, and leaves everything else to the next run.
fn clear(folder: &Path) {
    for name in names(folder).iter().filter(|name| is_block(name)) {
        fs::remove_dir_all(folder.join(name)).expect("it is ours");
    }
}

#[test]
fn a_killed_build_leaves_whole_blocks_only() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut text = String::new();
    // More than half of the least memory: some wait in a file.
    for number in 0..450_000 {
        let (second, thousandth) = (number * 75 / 1000, number * 75 % 1000);
        let (n, value) = (number % 2, number * 7 % 13);
        text += &format!("a{{n=\"{n}\"}} {value} {second}.{thousandth:03}\n");
    }
    fs::write(folder.path().join("a.om"), text + "# EOF\n").expect("it is ours");
    let words = "build --quiet --memory 16MiB";
    Killed { folder: folder.path(), words, sources: &["a.om"] }.check(5);
}

#[test]
fn a_killed_merge_leaves_a_whole_block_or_none() {
    let golden = golden_folder("series", "golden");
    let sources = ["blocks/k5k", "blocks/gaps", "blocks/api"];
    Killed { folder: golden.path(), words: "merge --quiet", sources: &sources }.check(1);
}

/// The only block of a golden folder, as a word for a command line.
fn only(golden: &Path, name: &str) -> String {
    let names = names(&golden.join(name));
    assert_eq!(names.len(), 1, "{names:?}");
    format!("{name}/{}", names[0])
}

#[test]
fn a_killed_rewrite_leaves_a_whole_block_or_none() {
    let golden = golden_folder("series", "golden");
    let folder = golden.path();
    let rules = "[{regex: pod, action: labeldrop}]";
    fs::write(folder.join("rules.yml"), rules).expect("it is ours");
    let words = "rewrite --relabel rules.yml --redact job --delete {__name__=~\".+\"} --end 0";
    let source = only(folder, "blocks/k5k");
    Killed { folder, words, sources: &[&source] }.check(1);
}

#[test]
fn a_killed_split_leaves_whole_blocks_only() {
    let golden = golden_folder("series", "golden");
    let source = only(golden.path(), "blocks/k5k");
    Killed { folder: golden.path(), words: "split --parts 4", sources: &[&source] }.check(4);
}
