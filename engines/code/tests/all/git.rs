//! Shards of git repositories beside those of zoekt-git-index: byte for byte; and runs that follow
//! others.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::ZlibEncoder;

use manicule_code::shards::{
    Delta, FoundShard, GitError, GitOptions, GitReport, IndexError, IndexOptions, Linguist,
    MissingBranches, Submodules, SymbolSource, Unchanged, index_git, map_shards,
};
use manicule_core::hex;
use manicule_core::watch::Watch;
use manicule_format_zoekt::{Shard, Text};
use manicule_testkit::{copy_folder, golden_folder};
use sha1::{Digest, Sha1};

use super::identity::{ctags, expect_same, options, shards_in};

const LAMPS: &str = "trees/git/example.org/lamps.git";

/// The commits that branch `main` of the golden repository had.
#[derive(Clone, Copy)]
pub(crate) enum Stage {
    First,
    Second,
}

/// A call as zoekt-git-index has it by default, for two branches.
pub(crate) fn git_options(submodules: Submodules) -> GitOptions {
    GitOptions {
        branches: vec!["main".to_owned(), "dev".to_owned()],
        branch_prefix: "refs/heads/".to_owned(),
        missing_branches: MissingBranches::Refused,
        submodules,
        delta: Delta::Off,
    }
}

/// Writes an object into a repository, and returns its id.
fn put(repository: &Path, kind: &str, data: &[u8]) -> String {
    let whole = [format!("{kind} {}\0", data.len()).as_bytes(), data].concat();
    let id = hex::encode(Sha1::digest(&whole));
    let path = repository.join("objects").join(&id[..2]).join(&id[2..]);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut file = ZlibEncoder::new(Vec::new(), Compression::fast());
    file.write_all(&whole).unwrap();
    fs::write(path, file.finish().unwrap()).unwrap();
    id
}

/// Writes a tree of one entry.
fn put_tree(repository: &Path, mode: &str, name: &[u8], id: &str) -> String {
    let id: Vec<u8> = (0..20).map(|at| hex_byte(&id[2 * at..2 * at + 2])).collect();
    put(repository, "tree", &[mode.as_bytes(), b" ", name, b"\0", &id].concat())
}

fn hex_byte(digits: &str) -> u8 {
    u8::from_str_radix(digits, 16).unwrap()
}

/// Makes a commit of a tree what branch `main` is at.
fn commit_on_main(repository: &Path, tree: &str) {
    let by = "a <a@example.org> 1 +0000";
    let text = format!("tree {tree}\nauthor {by}\ncommitter {by}\n\nx\n");
    let id = put(repository, "commit", text.as_bytes());
    fs::create_dir_all(repository.join("refs/heads")).unwrap();
    fs::write(repository.join("refs/heads/main"), id).unwrap();
}

/// The golden repositories, and a folder for shards.
pub(crate) struct Lamps {
    trees: tempfile::TempDir,
    output: tempfile::TempDir,
    linguist: Linguist,
}

impl Lamps {
    pub(crate) fn new() -> Self {
        let (trees, output) = (golden_folder("code", "trees"), tempfile::tempdir().unwrap());
        Lamps { trees, output, linguist: Linguist::default() }
    }

    fn path(&self) -> PathBuf {
        self.trees.path().join(LAMPS)
    }

    /// Branch `main` at a stage.
    pub(crate) fn at(&self, stage: Stage) {
        let file = ["stage1", "stage2"][stage as usize];
        let commits = fs::read_to_string(self.trees.path().join("trees/git").join(file)).unwrap();
        let heads = self.path().join("refs/heads");
        fs::create_dir_all(&heads).unwrap();
        fs::write(heads.join("main"), commits.lines().next().unwrap()).unwrap();
    }

    pub(crate) fn options(&self, name: &str) -> IndexOptions<'_> {
        let options = options(&self.path(), self.output.path(), &self.linguist);
        let mut repository = options.repository.clone();
        repository.name = name.into();
        let source = Text::from("/srv/git/example.org/lamps.git");
        IndexOptions { repository, source, unchanged: Unchanged::Stays, ..options }
    }

    /// The options of the run that made a golden shard.
    fn options_of(&self, name: &str, golden: &Path) -> IndexOptions<'_> {
        let bytes = fs::read(golden).unwrap();
        let shard = Shard::open(&bytes).unwrap();
        let (index_time, shard_id) =
            (shard.metadata().index_time.clone(), shard.metadata().id.clone());
        IndexOptions { index_time, shard_id, ..self.options(name) }
    }

    fn index(&self, git: &GitOptions, options: &IndexOptions<'_>) -> GitReport {
        index_git(git, options, &Watch::none()).unwrap()
    }

    /// The folder that holds both repositories by their URLs.
    fn cache(&self) -> Submodules {
        Submodules::Cached(self.trees.path().join("trees/git"))
    }
}

fn golden(folder: &str) -> (tempfile::TempDir, Vec<PathBuf>) {
    let shards = golden_folder("code", "shards");
    let paths = shards_in(&shards.path().join("shards").join(folder));
    (shards, paths)
}

#[track_caller]
fn check_same(got: &Path, golden: &[PathBuf], what: &str) {
    let got = shards_in(got);
    let names = |paths: &[PathBuf]| -> Vec<_> {
        paths.iter().map(|path| path.file_name().unwrap().to_owned()).collect()
    };
    assert_eq!(names(&got), names(golden), "{what}");
    for (got, want) in got.iter().zip(golden) {
        expect_same(got, want, what);
        let sidecar = |path: &Path| fs::read(format!("{}.meta", path.display())).ok();
        assert_eq!(sidecar(got), sidecar(want), "{what}");
    }
}

fn check_with_symbols(folder: &str, symbols: &SymbolSource) {
    let (_shards, golden) = golden(folder);
    for (threads, memory) in [(1, 1 << 30), (2, 1 << 30), (3, 0)] {
        let lamps = Lamps::new();
        let mut options = lamps.options_of("example.org/lamps", &golden[0]);
        (options.threads, options.memory) = (threads, memory);
        options.symbols = symbols.clone();
        let git = git_options(lamps.cache());
        let report = lamps.index(&git, &options);
        let what = format!("{folder} on {threads} threads with {memory} bytes");
        check_same(lamps.output.path(), &golden, &what);
        assert!(!report.index.is_unchanged);
        // Once more: nothing to do, and nothing is done.
        let again = lamps.index(&git, &options);
        assert!(again.index.is_unchanged, "{what}");
        assert_eq!(again.index.document_count, report.index.document_count);
        assert_eq!(again.index.symbol_count, report.index.symbol_count);
        assert_eq!(again.index.skipped, report.index.skipped);
        assert_eq!(again.index.text_len, report.index.text_len);
        let postings = |report: &GitReport| report.index.shards[0].posting_count;
        assert_eq!(postings(&again), postings(&report));
        check_same(lamps.output.path(), &golden, &what);
    }
}

#[test]
fn two_branches_and_a_submodule() {
    check_with_symbols("git", &SymbolSource::Off);
}

#[test]
fn two_branches_and_a_submodule_with_symbols() {
    match ctags() {
        Some(symbols) => check_with_symbols("git-ctags", &symbols),
        None => println!("left out: symbols, for there is no universal-ctags 5.9.0 of Debian"),
    }
}

#[test]
fn a_delta_adds_what_has_changed() {
    let (_before, first) = golden("delta-before");
    let (_after, second) = golden("delta");
    let lamps = Lamps::new();
    let git = git_options(Submodules::Off);
    lamps.index(&git, &lamps.options_of("lamps", &first[0]));
    check_same(lamps.output.path(), &first, "before");
    lamps.at(Stage::Second);
    let git = GitOptions { delta: Delta::UpTo(0), ..git };
    let options = lamps.options_of("lamps", &second[1]);
    let report = lamps.index(&git, &options);
    assert!(report.is_delta, "{:?}", report.notes);
    check_same(lamps.output.path(), &second, "delta");
    assert!(lamps.index(&git, &options).index.is_unchanged);
    // Back again: all versions of what changed are in a third shard, and only there.
    lamps.at(Stage::First);
    assert!(lamps.index(&git, &lamps.options("lamps")).is_delta);
    assert_eq!(documents(lamps.output.path()), documents_of(&first));
    // A whole run has the same documents, in one shard.
    lamps.at(Stage::Second);
    let whole = lamps.index(&git_options(Submodules::Off), &lamps.options("lamps"));
    assert!(!whole.is_delta);
    assert_eq!(documents(lamps.output.path()), documents_of(&second));
    assert_eq!(shards_in(lamps.output.path()).len(), 1);
}

#[test]
fn a_delta_that_cannot_be_is_a_whole_run() {
    let lamps = Lamps::new();
    let delta = GitOptions { delta: Delta::UpTo(1), ..git_options(Submodules::Off) };
    let refused = |git: &GitOptions, want: &str| {
        let report = lamps.index(git, &lamps.options("lamps"));
        assert!(!report.is_delta);
        assert!(report.notes.iter().any(|note| note.contains(want)), "{:?}", report.notes);
    };
    refused(&delta, "there is no index of it yet");
    lamps.at(Stage::Second);
    refused(&GitOptions { submodules: lamps.cache(), ..delta.clone() }, "submodules too");
    let one = GitOptions { branches: vec!["main".to_owned()], ..delta.clone() };
    refused(&one, "its branches were main, dev");
    lamps.index(&delta, &IndexOptions { large_files: vec!["x".into()], ..lamps.options("lamps") });
    lamps.at(Stage::First);
    refused(&delta, "made with other options");
    for stage in [Stage::Second, Stage::First] {
        lamps.at(stage);
        let report = lamps.index(&delta, &lamps.options("lamps"));
        assert_eq!(report.is_delta, matches!(stage, Stage::Second), "{:?}", report.notes);
    }
}

/// Names and contents of the documents that are found, with the branches that hold them.
fn documents(folder: &Path) -> BTreeMap<(String, String), u64> {
    let found = map_shards(folder).unwrap().into_iter().map(Result::unwrap);
    of_shards(found)
}

fn documents_of(paths: &[PathBuf]) -> BTreeMap<(String, String), u64> {
    documents(paths[0].parent().unwrap())
}

fn of_shards(found: impl Iterator<Item = FoundShard>) -> BTreeMap<(String, String), u64> {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let mut documents: BTreeMap<_, u64> = BTreeMap::new();
    for found in found {
        let mut shard = Shard::open(&found.bytes).unwrap();
        if let Some(sidecar) = &found.sidecar {
            shard.replace_repositories(&sidecar.bytes).unwrap();
        }
        let gone = shard.repositories()[0].file_tombstones.clone().unwrap_or_default();
        for document in 0..shard.document_count() {
            let name = text(shard.names().text(document).unwrap());
            if gone.contains_key(&name) {
                continue;
            }
            let content = text(shard.contents().text(document).unwrap());
            let branches = shard.branch_mask(document);
            let before = documents.entry((name.clone(), content)).or_insert(0);
            assert_eq!(*before & branches, 0, "{name} twice on a branch");
            *before |= branches;
        }
    }
    documents
}

#[test]
fn submodules_that_are_checked_out_are_of_their_own_branches() {
    let lamps = Lamps::new();
    let (repo, wick) = (lamps.trees.path().join("repo"), lamps.path().with_file_name("wick.git"));
    copy_folder(&lamps.path(), &repo.join(".git"));
    copy_folder(&wick, &repo.join(".git/modules/wick"));
    let module =
        "[submodule \"wick\"]\n\tpath = third/wick\n\turl = https://example.org/wick.git\n";
    fs::write(repo.join(".gitmodules"), module).unwrap();
    let options = IndexOptions { folder: repo.clone(), ..lamps.options("lamps") };
    let index = |branches: &[&str], missing_branches| {
        let branches = branches.iter().map(|branch| (*branch).to_owned()).collect();
        let git = git_options(Submodules::OfWorktree);
        lamps.index(&GitOptions { branches, missing_branches, ..git }, &options)
    };
    let third = || {
        let found = documents(lamps.output.path()).into_iter();
        let found = found.map(|((name, _), branches)| (name, branches));
        found.filter(|(name, _)| name.starts_with("third/")).collect::<Vec<_>>()
    };
    let report = index(&["main"], MissingBranches::Refused);
    assert_eq!(report.notes, ["submodule third/wick is left out: it is not checked out"]);
    assert_eq!(third(), []);
    let config = repo.join(".git/config");
    fs::write(&config, fs::read_to_string(&config).unwrap() + module).unwrap();
    fs::remove_dir_all(lamps.output.path()).unwrap();
    assert_eq!(index(&["dev", "main"], MissingBranches::Refused).notes.len(), 1, "it has no dev");
    assert_eq!(third(), []);
    fs::remove_dir_all(lamps.output.path()).unwrap();
    assert!(index(&["dev", "main"], MissingBranches::LeftOut).notes.is_empty());
    let files = ["third/wick/README.md", "third/wick/wick.go"];
    assert_eq!(third(), files.map(|name| (name.to_owned(), 2)));
}

#[test]
fn unchanged_blobs_are_not_read_again() {
    let lamps = Lamps::new();
    let git = git_options(lamps.cache());
    let first = lamps.index(&git, &lamps.options("lamps"));
    assert_eq!(first.kept, 0);
    lamps.at(Stage::Second);
    // Without the objects of blobs that both commits have, it is still the index of the second.
    let second = lamps.index(&git, &lamps.options("lamps"));
    let read = second.index.document_count - second.kept;
    let skipped: u64 = second.index.skipped.iter().map(|(_, count)| count).sum();
    assert_eq!(read, skipped + 2, "what changed on main, and what is new there");
    let kept = fs::read(&shards_in(lamps.output.path())[0]).unwrap();
    let forced = IndexOptions { unchanged: Unchanged::IsWrittenAgain, ..lamps.options("lamps") };
    assert_eq!(lamps.index(&git, &forced).kept, 0);
    assert_eq!(fs::read(&shards_in(lamps.output.path())[0]).unwrap(), kept);
    // Damage in the old shard is not carried on.
    lamps.at(Stage::First);
    let mut damaged = kept.clone();
    let at = damaged.windows(7).position(|bytes| bytes == b"# lamps").unwrap();
    damaged[at] ^= 1;
    fs::write(&shards_in(lamps.output.path())[0], &damaged).unwrap();
    let third = lamps.index(&git, &lamps.options("lamps"));
    assert!(third.kept > 0);
    let after = fs::read(&shards_in(lamps.output.path())[0]).unwrap();
    lamps.index(&git, &forced);
    assert_eq!(fs::read(&shards_in(lamps.output.path())[0]).unwrap(), after);
}

#[test]
fn limits_hold_for_what_is_kept() {
    let lamps = Lamps::new();
    let git = git_options(Submodules::Off);
    lamps.index(&git, &lamps.options("lamps"));
    lamps.at(Stage::Second);
    let mut narrow = lamps.options("lamps");
    narrow.limits.trigrams_max = 12;
    let kept = lamps.index(&git, &narrow);
    let bytes = fs::read(&shards_in(lamps.output.path())[0]).unwrap();
    assert!(kept.kept > 0);
    lamps.index(&git, &IndexOptions { unchanged: Unchanged::IsWrittenAgain, ..narrow });
    assert_eq!(fs::read(&shards_in(lamps.output.path())[0]).unwrap(), bytes);
}

#[test]
fn revisions_are_names_ids_and_ancestors() {
    let lamps = Lamps::new();
    lamps.at(Stage::Second);
    let commits = |file: &str| fs::read_to_string(lamps.trees.path().join("trees/git").join(file));
    let (first, second) = (commits("stage1").unwrap(), commits("stage2").unwrap());
    let line = |text: &str, number: usize| text.lines().nth(number).unwrap().to_owned();
    let versions = |branches: &[&str]| {
        let branches = branches.iter().map(|branch| (*branch).to_owned()).collect();
        let git = GitOptions { branches, ..git_options(Submodules::Off) };
        index_git(&git, &lamps.options("lamps"), &Watch::none()).map(|_| {
            let bytes = fs::read(&shards_in(lamps.output.path())[0]).unwrap();
            let shard = Shard::open(&bytes).unwrap();
            let branches = shard.repositories()[0].branches.clone().unwrap_or_default();
            branches.into_iter().map(|branch| (branch.name, branch.version)).collect::<Vec<_>>()
        })
    };
    let (main, old, dev) = (line(&second, 0), line(&first, 0), line(&first, 1));
    for (revision, want) in [
        ("main", &main),
        ("HEAD", &main),
        ("@", &main),
        ("refs/heads/main", &main),
        ("heads/dev", &dev),
        ("v1", &old),
        ("v1^{commit}", &old),
        ("main~1", &old),
        ("main^", &old),
        ("dev~", &old),
        (&main, &main),
        (&main[..9], &main),
    ] {
        let want = vec![(revision.to_owned(), want.clone())];
        assert_eq!(versions(&[revision]).unwrap(), want, "{revision}");
    }
    let names = |branches: &[&str]| -> Vec<String> {
        versions(branches).unwrap().into_iter().map(|(name, _)| name).collect()
    };
    assert_eq!(names(&["*"]), ["dev", "main", "next"]);
    assert_eq!(names(&["m*", "main", "dev"]), ["main", "dev"]);
    assert_eq!(names(&[]), Vec::<String>::new());
    for wrong in ["nobody", "main~9", "main^2", "main~x", "", "refs/heads", &"0".repeat(40), "[*"] {
        let error = versions(&[wrong]).unwrap_err();
        let is_it =
            matches!(error, IndexError::Git(GitError::NoRevision { .. } | GitError::Glob { .. }));
        assert!(is_it, "{wrong}: {error}");
    }
    let left_out = GitOptions {
        branches: vec!["nobody".to_owned(), "dev".to_owned()],
        missing_branches: MissingBranches::LeftOut,
        ..git_options(Submodules::Off)
    };
    assert!(index_git(&left_out, &lamps.options("lamps"), &Watch::none()).is_ok());
}

#[test]
fn what_is_no_repository_is_refused() {
    let lamps = Lamps::new();
    let tree = lamps.trees.path().join("trees/small");
    let options = IndexOptions { folder: tree, ..lamps.options("small") };
    let error = index_git(&git_options(Submodules::Off), &options, &Watch::none()).unwrap_err();
    assert!(matches!(error, IndexError::Git(GitError::NoRepository { .. })), "{error}");
    let config = lamps.path().join("config");
    fs::write(&config, "[extensions]\n\tobjectFormat = sha256\n").unwrap();
    let call = || index_git(&git_options(Submodules::Off), &lamps.options("lamps"), &Watch::none());
    assert!(matches!(call().unwrap_err(), IndexError::Git(GitError::Unsupported { .. })));
    fs::write(&config, "[zoekt\n").unwrap();
    assert!(matches!(call().unwrap_err(), IndexError::Git(GitError::Config { .. })));
    assert!(shards_in(lamps.output.path()).is_empty());
}

/// The error of a call that follows one that has made an index.
fn refused(lamps: &Lamps, git: &GitOptions) -> GitError {
    match index_git(git, &lamps.options("lamps"), &Watch::none()) {
        Err(IndexError::Git(error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn folders_that_lie_too_deep_are_refused() {
    let lamps = Lamps::new();
    let whole = git_options(Submodules::Off);
    lamps.index(&whole, &lamps.options("lamps"));
    let blob = put(&lamps.path(), "blob", b"deep\n");
    let mut tree = put_tree(&lamps.path(), "100644", b"file", &blob);
    for depth in 1..3000 {
        tree = put_tree(&lamps.path(), "40000", b"d", &tree);
        if depth == 900 {
            commit_on_main(&lamps.path(), &tree);
            assert!(lamps.index(&whole, &lamps.options("lamps")).index.document_count > 1);
        }
    }
    commit_on_main(&lamps.path(), &tree);
    for delta in [Delta::Off, Delta::UpTo(0)] {
        let error = refused(&lamps, &GitOptions { delta, ..whole.clone() });
        assert!(matches!(error, GitError::TooMuch { .. }), "{error}");
    }
}

#[test]
fn a_delta_of_a_name_that_no_sidecar_can_hold_is_a_whole_run() {
    let lamps = Lamps::new();
    let one = vec!["main".to_owned()];
    let git = GitOptions { branches: one, delta: Delta::UpTo(0), ..git_options(Submodules::Off) };
    for (text, note) in [("one\n", "no index of it yet"), ("two\n", "no UTF-8")] {
        let blob = put(&lamps.path(), "blob", text.as_bytes());
        commit_on_main(&lamps.path(), &put_tree(&lamps.path(), "100644", b"\xff.txt", &blob));
        let report = lamps.index(&git, &lamps.options("lamps"));
        assert!(report.notes.iter().any(|said| said.contains(note)), "{:?}", report.notes);
        let found: Vec<_> = documents(lamps.output.path()).into_keys().collect();
        assert_eq!(found, [("\u{fffd}.txt".to_owned(), text.to_owned())]);
    }
}

#[test]
fn a_damaged_reference_is_no_branch_that_is_missing() {
    let lamps = Lamps::new();
    let missing_branches = MissingBranches::LeftOut;
    let git = GitOptions { missing_branches, ..git_options(Submodules::Off) };
    let main = lamps.path().join("refs/heads/main");
    fs::create_dir_all(main.parent().unwrap()).unwrap();
    for text in ["garbage\n", "ref: refs/heads/main\n"] {
        fs::write(&main, text).unwrap();
        let error = refused(&lamps, &git);
        assert!(matches!(error, GitError::Unreadable { .. }), "{error}");
    }
    assert!(shards_in(lamps.output.path()).is_empty());
}

#[test]
fn a_damaged_object_is_told_and_nothing_is_written() {
    let lamps = Lamps::new();
    let mut packs: Vec<PathBuf> = fs::read_dir(lamps.path().join("objects"))
        .unwrap()
        .flat_map(|entry| fs::read_dir(entry.unwrap().path()).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.to_string_lossy().ends_with(".idx"))
        .collect();
    packs.sort();
    let mut told = 0;
    for path in &packs {
        let whole = fs::read(path).unwrap();
        fs::remove_file(path).unwrap();
        for at in (0..whole.len()).step_by(whole.len().div_ceil(40)) {
            let mut damaged = whole.clone();
            damaged[at] ^= 0x10;
            fs::write(path, &damaged).unwrap();
            let output = tempfile::tempdir().unwrap();
            let options = IndexOptions { output: output.path().into(), ..lamps.options("lamps") };
            match index_git(&git_options(Submodules::Off), &options, &Watch::none()) {
                Ok(_) => {}
                Err(error) => {
                    told += 1;
                    assert!(matches!(error, IndexError::Git(_)), "{error}");
                    assert!(shards_in(output.path()).is_empty());
                }
            }
        }
        fs::remove_file(path).unwrap();
        fs::write(path, &whole).unwrap();
    }
    assert!(told > 10, "{told} of {} files", packs.len());
}
