//! `manicule graph load`, `update`, `compact`, `snapshot` and `backup` killed at any moment: the
//! store has all of a call or nothing of it, and all of what the program has said that it did.
//!
//! `MANICULE_ROUNDS` and `MANICULE_SEED` (numbers) change the number of kills of each verb, and the
//! moments.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use manicule_testkit::{Killer, Rng, names};
use tempfile::TempDir;

/// Number of kills of each verb in `cargo test`.
const KILLS: u64 = 4;
/// Number of rounds after which a new store is begun.
const ROUNDS_OF_A_STORE: u64 = 10;
const PAGES: usize = 60;

type Lines = BTreeSet<String>;

fn line(page: usize, rng: &mut Rng) -> String {
    let object = match rng.below(3) {
        0 => format!("<http://wiki/page/{}>", rng.below(PAGES)),
        1 => format!("\"value {}\"", rng.below(5000)),
        _ => format!("\"0{}\"^^<http://www.w3.org/2001/XMLSchema#integer>", rng.below(5000)),
    };
    format!("<http://wiki/page/{page}> <http://wiki/p{}> {object} .", rng.below(9))
}

/// A store, and the lines that it holds, and those of its named snapshot if it has one.
struct Kept {
    folder: TempDir,
    lines: Lines,
    named: Option<Lines>,
}

const NAME: &str = "kept";

impl Kept {
    fn new(rng: &mut Rng) -> Kept {
        let folder = tempfile::tempdir().expect("a folder");
        let mut kept = Kept { folder, lines: Lines::new(), named: None };
        let (words, lines) = kept.load(rng, 3000);
        kept.done(&words);
        kept.lines = lines;
        kept
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn graph(&self, words: &[String]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
        command.arg("graph").args(words);
        command
    }

    fn done(&self, words: &[String]) -> String {
        let output = self.graph(words).output().expect("it runs");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{words:?}: {error}");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    fn words(&self, verb: &str, last: &[&Path]) -> Vec<String> {
        let text = |path: &Path| path.to_str().expect("UTF-8").to_owned();
        let mut words = vec![verb.to_owned(), text(&self.path("store"))];
        words.extend(last.iter().map(|path| text(path)));
        words
    }

    /// A load of new lines, and what is there after it.
    fn load(&self, rng: &mut Rng, count: usize) -> (Vec<String>, Lines) {
        let new: Vec<String> = (0..count).map(|_| line(rng.below(PAGES), rng)).collect();
        let file = self.path("new.nt");
        fs::write(&file, new.join("\n") + "\n").expect("a file");
        (self.words("load", &[&file]), self.lines.iter().cloned().chain(new).collect())
    }

    /// A request that replaces some pages, and what is there after it.
    fn update(&self, rng: &mut Rng) -> (Vec<String>, Lines) {
        let (mut request, mut after) = (String::new(), self.lines.clone());
        for _ in 0..1 + rng.below(20) {
            let page = rng.below(PAGES);
            let new: Vec<String> = (0..30).map(|_| line(page, rng)).collect();
            let subject = format!("<http://wiki/page/{page}>");
            request += &format!(
                "DELETE WHERE {{ {subject} ?p ?o }} ;\nINSERT DATA {{\n{}\n}} ;\n",
                new.join("\n")
            );
            after.retain(|line| !line.starts_with(&format!("{subject} ")));
            after.extend(new);
        }
        let file = self.path("request.ru");
        fs::write(&file, request).expect("a file");
        (self.words("update", &[Path::new("-f"), &file]), after)
    }

    /// Replaces some pages.
    fn change(&mut self, rng: &mut Rng) {
        let (words, after) = self.update(rng);
        self.done(&words);
        self.lines = after;
    }

    /// What the store holds.
    fn exported(&self) -> Lines {
        let text = self.done(&[self.words("export", &[]), vec!["--sorted".to_owned()]].concat());
        text.lines().map(str::to_owned).collect()
    }

    /// What its named snapshot holds, if it has one.
    fn exported_of_name(&self) -> Option<Lines> {
        let mut words = self.words("export", &[]);
        words.extend(["--at", NAME].map(str::to_owned));
        let output = self.graph(&words).output().expect("it runs");
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() || error.contains("snapshot"), "{words:?}: {error}");
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        output.status.success().then(|| text.lines().map(str::to_owned).collect())
    }

    /// A call that keeps the store under a name, or forgets what was kept, and what the name stands
    /// for after it.
    fn name(&self, rng: &mut Rng) -> (Vec<String>, Option<Lines>) {
        if self.named.is_some() && rng.one_in(3) {
            let words = self.words("snapshot", &[Path::new("--drop"), Path::new(NAME)]);
            return (words, None);
        }
        (self.words("snapshot", &[Path::new(NAME)]), Some(self.lines.clone()))
    }

    /// Merges everything: what is then there is one manifest, one log, and files that are named.
    fn check_swept(&self, what: &str) {
        self.done(&self.words("compact", &[]));
        let store = self.path("store");
        let count = |folder: &Path, start: &str| {
            names(folder).into_iter().filter(|name| name.starts_with(start)).count()
        };
        assert_eq!(count(&store, "manifest-"), 1, "{what}: {:?}", names(&store));
        assert_eq!(count(&store.join("log"), "0"), 1, "{what}");
        // As much as a new store with the same lines, and not files of loads that were killed.
        let fresh = self.path("fresh");
        let file = self.path("all.nt");
        fs::write(&file, self.lines.iter().map(|line| line.clone() + "\n").collect::<String>())
            .expect("a file");
        let mut words = self.words("load", &[&file]);
        words[1] = fresh.to_str().expect("UTF-8").to_owned();
        self.done(&words);
        words.truncate(2);
        words[0] = "compact".to_owned();
        self.done(&words);
        let files = |store: &Path| names(&store.join("leaf")).len();
        assert!(files(&store) <= files(&fresh) + 4, "{what}: {} files", files(&store));
        fs::remove_dir_all(fresh).expect("ours");
    }
}

/// Kills a verb at many moments.
fn check(verb: &str) {
    let mut killer = Killer::new(KILLS);
    let mut rng = Rng::new(killer.rng.bits());
    let mut kept = Kept::new(&mut rng);
    for round in killer.rounds() {
        let what = format!("{verb}, {}", killer.what(round));
        if round > 0 && round % ROUNDS_OF_A_STORE == 0 {
            kept.check_swept(&what);
            kept = Kept::new(&mut rng);
        }
        let prepare = |kept: &mut Kept, rng: &mut Rng| match verb {
            "load" => kept.load(rng, 2000),
            "update" => kept.update(rng),
            _ => {
                kept.change(rng);
                (kept.words("compact", &[]), kept.lines.clone())
            }
        };
        if round % ROUNDS_OF_A_STORE == 0 {
            let (words, after) = prepare(&mut kept, &mut rng);
            killer.time(|| kept.done(&words));
            kept.lines = after;
        }
        let (words, after) = prepare(&mut kept, &mut rng);
        let mut child = kept.graph(&words).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut stdout = child.stdout.take().expect("a pipe");
        let killed = killer.kill(child, None);
        let mut said = String::new();
        stdout.read_to_string(&mut said).expect("text");
        let is_acknowledged = killed.has_ended || said.ends_with('\n');
        let got = kept.exported();
        let moment = match (got == after, got == kept.lines) {
            (_, true) if after == kept.lines => "same",
            (true, _) if is_acknowledged => "acknowledged",
            (true, _) => "done, not said",
            (_, true) if !is_acknowledged => "not done",
            _ => panic!(
                "{what}: {} lines after {:?}, of {} before and {} after; said {said:?}",
                got.len(),
                killed.wait,
                kept.lines.len(),
                after.len()
            ),
        };
        killer.count(moment);
        kept.lines = got;
    }
    kept.check_swept(verb);
    killer.print();
}

#[test]
fn a_load_that_is_killed_is_there_whole_or_not_at_all() {
    check("load");
}

#[test]
fn an_update_that_is_killed_is_there_whole_or_not_at_all() {
    check("update");
}

#[test]
fn a_compaction_that_is_killed_changes_nothing_that_is_seen() {
    check("compact");
}

#[test]
fn a_snapshot_that_is_killed_has_its_name_or_not() {
    let mut killer = Killer::new(KILLS);
    let mut rng = Rng::new(killer.rng.bits());
    let mut kept = Kept::new(&mut rng);
    for round in killer.rounds() {
        let what = format!("snapshot, {}", killer.what(round));
        if round > 0 && round % ROUNDS_OF_A_STORE == 0 {
            if kept.named.is_some() {
                kept.done(&kept.words("snapshot", &[Path::new("--drop"), Path::new(NAME)]));
            }
            kept.check_swept(&what);
            kept = Kept::new(&mut rng);
        }
        kept.change(&mut rng);
        if round % ROUNDS_OF_A_STORE == 0 {
            let (words, after) = kept.name(&mut rng);
            killer.time(|| kept.done(&words));
            kept.named = after;
            kept.change(&mut rng);
        }
        let (words, after) = kept.name(&mut rng);
        let mut child = kept.graph(&words).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut stdout = child.stdout.take().expect("a pipe");
        let killed = killer.kill(child, None);
        let mut said = String::new();
        stdout.read_to_string(&mut said).expect("text");
        let is_acknowledged = killed.has_ended || said.ends_with('\n');
        assert!(kept.exported() == kept.lines, "{what}: a name changes no line");
        let got = kept.exported_of_name();
        let moment = if got == after && is_acknowledged {
            "acknowledged"
        } else if got == after {
            "done, not said"
        } else {
            let is_before = got == kept.named && !is_acknowledged;
            assert!(is_before, "{what}: the name stands for neither after {:?}", killed.wait);
            "not done"
        };
        killer.count(moment);
        kept.named = got;
    }
    killer.print();
}

#[test]
fn a_backup_that_is_killed_is_whole_or_none() {
    let mut killer = Killer::new(KILLS);
    let mut rng = Rng::new(killer.rng.bits());
    let mut kept = Kept::new(&mut rng);
    let copy = kept.path("copy");
    let words = kept.words("backup", &[&copy]);
    for round in killer.rounds() {
        let what = format!("backup, {}", killer.what(round));
        kept.change(&mut rng);
        if round % ROUNDS_OF_A_STORE == 0 {
            killer.time(|| kept.done(&words));
            fs::remove_dir_all(&copy).expect("ours");
        }
        let child = kept.graph(&words).stdout(Stdio::null()).spawn().expect("it starts");
        let killed = killer.kill(child, None);
        let export = ["export", copy.to_str().expect("UTF-8"), "--sorted"].map(str::to_owned);
        let moment = if killed.has_ended || copy.join("CURRENT").exists() {
            let text = kept.done(&export);
            let got: Lines = text.lines().map(str::to_owned).collect();
            assert!(got == kept.lines, "{what}: {} lines in the copy", got.len());
            "whole"
        } else {
            let output = kept.graph(&export).output().expect("it runs");
            assert!(!output.status.success(), "{what}: what is no store is read as one");
            "none"
        };
        killer.count(moment);
        if copy.exists() {
            fs::remove_dir_all(&copy).expect("ours");
        }
    }
    killer.print();
}
