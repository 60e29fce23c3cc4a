//! The same words to both programs, and what they answered.

use std::collections::BTreeMap;
use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use manicule_repositories::{MadeOptions, PASSWORD, Restic, make_with_restic};
use manicule_testkit::golden_repository;
use serde_json::Value as Json;
use tempfile::TempDir;

/// Golden repositories; packs of the larger files are not kept in some.
const GOLDEN: [&str; 8] = ["v1", "v2", "unused", "keys", "rustic", "small", "fleet", "drafts"];

/// What differs on purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Named {
    /// `diff` and `cat` of restic know no `latest`.
    Latest,
    /// Nothing is found: our exit code is 1, as that of every command of ours.
    NothingFound,
    /// restic counts folders on the way to what is included as restored, and not among all: 6 of 3.
    FoldersOnTheWay,
    /// Where content is lost, restic gives what was there before the time and mode of the
    /// snapshot's file.
    LostContent,
    /// A blob of two places counts once here, and twice in restic 0.19.1.
    CountedTwice,
    /// restic's count of files depends on the order in which it comes upon the snapshots: two calls
    /// differ.
    OrderOfSnapshots,
}

/// A repository, and both programs.
pub(super) struct Beside {
    pub(super) name: String,
    pub(super) restic: Restic,
    folder: TempDir,
    equal: usize,
    named: BTreeMap<Named, usize>,
    wrong: Vec<String>,
}

/// What a program answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) is_done: bool,
    pub(super) out: Vec<u8>,
    pub(super) error: String,
}

impl Answer {
    pub(super) fn of(output: Output) -> Self {
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        Answer { is_done: output.status.success(), out: output.stdout, error }
    }
}

impl Beside {
    /// The golden repositories, and one by restic; none without a restic.
    pub(super) fn all(what: &str) -> Vec<Beside> {
        let Some(restic) = Restic::for_test(what) else { return Vec::new() };
        let golden = GOLDEN.iter().map(|name| Beside::new(name, &restic, golden_repository(name)));
        golden.chain([Beside::made(&restic)]).collect()
    }

    fn new(name: &str, restic: &Restic, folder: TempDir) -> Self {
        let (restic, named, wrong) = (restic.clone(), BTreeMap::new(), Vec::new());
        Beside { name: name.to_owned(), restic, folder, equal: 0, named, wrong }
    }

    /// A repository by restic, which is whole.
    fn made(restic: &Restic) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let options = MadeOptions { seed: 7, file_count: 60, snapshot_count: 6, change_count: 24 };
        let [repo, source] = ["repo", "source"].map(|name| folder.path().join(name));
        make_with_restic(restic, &repo, &source, &options).expect("restic makes one");
        Beside::new("made by restic", restic, folder)
    }

    pub(super) fn repo(&self) -> PathBuf {
        self.folder.path().join("repo")
    }

    /// restic's answer, in some folder.
    pub(super) fn theirs(&self, at: &Path, words: &[&str]) -> Answer {
        let mut command = self.restic.command(&self.repo());
        let output = command.arg("--no-lock").args(words).current_dir(at).output();
        Answer::of(output.expect("restic starts"))
    }

    /// Ours, of the same words.
    pub(super) fn ours(&self, at: &Path, words: &[&str]) -> Answer {
        let program =
            env::var_os("MANICULE_PROGRAM").unwrap_or(env!("CARGO_BIN_EXE_manicule").into());
        let mut command = Command::new(program);
        command.arg("blobs").arg("-r").arg(self.repo()).args(words).current_dir(at);
        for name in ["HOST", "PASSWORD_FILE", "PASSWORD_COMMAND"] {
            command.env_remove(format!("RESTIC_{name}"));
        }
        let output = command.env("RESTIC_PASSWORD", PASSWORD).stdin(Stdio::null()).output();
        Answer::of(output.expect("the program starts"))
    }

    /// Compares what both print. `form` makes of an answer what is compared; it may differ in what
    /// is named.
    pub(super) fn compare(
        &mut self,
        words: &[&str],
        may: Option<Named>,
        form: fn(&[u8]) -> Vec<u8>,
    ) {
        let at = self.folder.path().to_owned();
        let (theirs, ours) = (self.theirs(&at, words), self.ours(&at, words));
        let is_equal = match (theirs.is_done, ours.is_done) {
            (true, true) => form(&theirs.out) == form(&ours.out),
            (theirs, ours) => theirs == ours,
        };
        let shown = || difference(&form(&theirs.out), &form(&ours.out), &theirs, &ours);
        self.count(words, is_equal, may, shown);
    }

    /// Takes note of a comparison.
    pub(super) fn count(
        &mut self,
        words: &[&str],
        is_equal: bool,
        may: Option<Named>,
        shown: impl FnOnce() -> String,
    ) {
        match (is_equal, may) {
            (true, _) => self.equal += 1,
            (false, Some(named)) => *self.named.entry(named).or_default() += 1,
            (false, None) => self.wrong.push(format!("{}: {words:?}: {}", self.name, shown())),
        }
    }

    /// Objects of restic's lines.
    pub(super) fn rows(&self, words: &[&str]) -> Vec<Json> {
        let answer = self.theirs(self.folder.path(), words);
        let lines = answer.out.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        lines.map(|line| serde_json::from_slice(line).expect("JSON")).collect()
    }

    /// Names that restic lists, ordered.
    pub(super) fn list(&self, what: &str) -> Vec<String> {
        let answer = self.theirs(self.folder.path(), &["list", "--quiet", what]);
        let text = String::from_utf8(answer.out).expect("text");
        let id = |line: &str| line.rsplit(' ').next().map(str::to_owned);
        let mut ids: Vec<String> = text.lines().filter_map(id).collect();
        ids.sort();
        ids.dedup();
        ids
    }

    /// Ids of the snapshots, by time.
    pub(super) fn snapshots(&self) -> Vec<String> {
        let list = self.rows(&["snapshots", "--json"]).remove(0);
        let mut rows: Vec<(String, String)> = list
            .as_array()
            .expect("a list")
            .iter()
            .map(|row| ["time", "id"].map(|name| row[name].as_str().expect("text").to_owned()))
            .map(|[time, id]| (time, id))
            .collect();
        rows.sort();
        rows.into_iter().map(|(_, id)| id).collect()
    }

    /// Paths of a snapshot of a kind.
    pub(super) fn paths(&self, snapshot: &str, kind: &str) -> Vec<String> {
        let rows = self.rows(&["ls", "--json", snapshot]);
        let rows = rows.iter().filter(|row| row["type"] == kind);
        rows.filter_map(|row| row["path"].as_str().map(str::to_owned)).collect()
    }
}

/// Reports what was compared, and fails if something differs that is not named, or is named and
/// doesn't show any more.
pub(super) fn judged(all: Vec<Beside>, what: &str, shows: &[Named]) {
    if all.is_empty() {
        return;
    }
    let (mut equal, mut named, mut wrong) = (0, BTreeMap::new(), Vec::new());
    for mut one in all {
        equal += one.equal;
        wrong.append(&mut one.wrong);
        for (name, count) in one.named {
            *named.entry(name).or_insert(0) += count;
        }
    }
    println!("{what}: {equal} equal, {} different, named {named:?}", wrong.len());
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    // Where it is chance, both may come to the same.
    named.remove(&Named::OrderOfSnapshots);
    assert!(named.keys().eq(shows), "{what}: {named:?} for {shows:?}");
}

/// As it is, but for lines of progress and clocks.
pub(super) fn text(out: &[u8]) -> Vec<u8> {
    let is_progress = |line: &&[u8]| {
        line.starts_with(b"[")
            && line.get(1).is_some_and(u8::is_ascii_digit)
            && line.contains(&b'%')
            || line.starts_with(b"{\"message_type\":\"status\"")
    };
    let lines = out.split(|byte| *byte == b'\n').filter(|line| !is_progress(line));
    let mut text = lines.collect::<Vec<_>>().join(&b'\n');
    // ` in 0:01`, and the field for programs.
    for (begin, digits) in
        [(&b" in "[..], &b"0123456789:"[..]), (b"\"seconds_elapsed\":", b"0123456789,")]
    {
        if let Some(at) = text.windows(begin.len()).rposition(|window| window == begin) {
            let from = at + begin.len();
            let len = text[from..].iter().take_while(|byte| digits.contains(byte)).count();
            let from = if begin[0] == b' ' { from } else { at };
            text.drain(from..at + begin.len() + len);
        }
    }
    text
}

/// Lines in their order by bytes: groups and what is of one moment come by chance in restic.
pub(super) fn lines(out: &[u8]) -> Vec<u8> {
    let mut lines: Vec<&[u8]> = out.split(|byte| *byte == b'\n').collect();
    lines.sort_unstable();
    lines.join(&b'\n')
}

/// A JSON list in the order of its rows' texts; groups with theirs.
pub(super) fn list(out: &[u8]) -> Vec<u8> {
    let Ok(mut list) = serde_json::from_slice::<Json>(out) else { return out.to_vec() };
    sort(&mut list);
    list.to_string().into_bytes()
}

fn sort(list: &mut Json) {
    let Some(rows) = list.as_array_mut() else { return };
    for row in rows.iter_mut() {
        if let Some(snapshots) = row.get_mut("snapshots") {
            sort(snapshots);
        }
    }
    rows.sort_by_key(ToString::to_string);
}

/// The bytes as they are.
pub(super) fn bytes(out: &[u8]) -> Vec<u8> {
    out.to_vec()
}

/// The first line that differs, and the errors.
fn difference(theirs: &[u8], ours: &[u8], said: &Answer, our_said: &Answer) -> String {
    let [their_lines, our_lines] = [theirs, ours].map(|out| out.split(|byte| *byte == b'\n'));
    let mut pairs = their_lines.zip(our_lines).filter(|(one, other)| one != other);
    let shown = |line: &[u8]| format!("{:.300}", String::from_utf8_lossy(line));
    let (one, other) = pairs.next().unwrap_or_default();
    format!(
        "{} and {} bytes, restic: {} ({}), here: {} ({})",
        theirs.len(),
        ours.len(),
        shown(one),
        said.error.lines().last().unwrap_or_default(),
        shown(other),
        our_said.error.lines().last().unwrap_or_default()
    )
}
