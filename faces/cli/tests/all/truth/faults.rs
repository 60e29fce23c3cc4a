//! A cache that is broken, full, foreign or missing costs time, and never an answer.

use std::fs;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use manicule_testkit::Rng;

use super::judge::{Judge, Place, ours, words};
use super::yard::Yard;

const CALLS: &[&[&str]] = &[
    &["needle"],
    &["-i", "needle.*hay"],
    &["-c", "word7"],
    &["--files"],
    &["zzqqxx"],
    &["--sort=path", "hay"],
];

/// A tree that is large enough to be looked after, and its twin with other contents.
struct Stand {
    yard: Yard,
    tree: PathBuf,
    other: PathBuf,
    judge: Judge,
}

impl Stand {
    fn new() -> Stand {
        let yard = Yard::new(&mut Rng::new(3));
        let (tree, other) = (yard.outer.join("tree"), yard.outer.join("other"));
        for (tree, words) in [(&tree, ["needle", "hay"]), (&other, ["straw", "hay"])] {
            for file in 0..700 {
                let folder = tree.join(format!("d{}", file % 9));
                fs::create_dir_all(&folder).expect("a folder");
                let word = words[usize::from(file % 5 > 0)];
                let text = format!("a {word}, then hay\nword{file}\n");
                fs::write(folder.join(format!("{file}.txt")), text).expect("a file");
            }
        }
        std::thread::sleep(Duration::from_millis(30));
        Stand { yard, tree, other, judge: Judge::find() }
    }

    fn indexed() -> Stand {
        let stand = Stand::new();
        stand.place().build(&stand.tree, &[]).expect("an index");
        stand.place().build(&stand.other, &[]).expect("an index");
        stand
    }

    fn place(&self) -> Place<'_> {
        self.yard.place(&self.tree)
    }

    /// The cache folder of each of the two trees.
    fn shelf(&self, tree: &Path) -> PathBuf {
        let shelves = fs::read_dir(self.yard.cache.join("trees")).expect("shelves").flatten();
        let holds = |shelf: &PathBuf| {
            let manifest = fs::read(shelf.join("manifest")).unwrap_or_default();
            let root = [tree.as_os_str().as_encoded_bytes(), b"\0"].concat();
            manifest.windows(root.len()).any(|window| window == root)
        };
        shelves.map(|shelf| shelf.path()).find(holds).expect("a shelf of this tree")
    }

    fn segment(&self, tree: &Path) -> PathBuf {
        let files = fs::read_dir(self.shelf(tree)).expect("a shelf").flatten();
        let is_segment = |path: &PathBuf| path.to_string_lossy().contains("/segment-");
        files.map(|file| file.path()).find(is_segment).expect("a segment")
    }

    fn check(&self, what: &str) {
        self.check_at(&self.place(), what);
    }

    fn check_at(&self, place: &Place<'_>, what: &str) {
        for call in CALLS {
            let words = words(call);
            let (ours, truth) = (place.answer(&[], &words), place.truth(&self.judge, &words));
            assert_eq!(ours, truth, "{what}: {call:?}");
        }
    }

    /// Whether root runs these tests: then no mode denies anything.
    fn is_root(&self) -> bool {
        use std::os::unix::fs::MetadataExt;
        fs::metadata(&self.tree).expect("a tree").uid() == 0
    }
}

#[test]
fn a_cache_folder_that_cannot_be_made() {
    let stand = Stand::new();
    fs::write(&stand.yard.cache, "a file").expect("a file");
    stand.check("a file where the folder should be");
    assert!(stand.place().build(&stand.tree, &[]).is_err());
    let nowhere = Place { cache: Path::new("/proc/none"), ..stand.place() };
    stand.check_at(&nowhere, "a folder that can't be made");
}

#[test]
fn a_cache_folder_that_cannot_be_written() {
    let stand = Stand::indexed();
    let shelf = stand.shelf(&stand.tree);
    for folder in [&shelf, &stand.yard.cache] {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o500)).expect("a mode");
    }
    fs::write(stand.tree.join("d0/0.txt"), "a new needle\n").expect("a file");
    stand.check("a folder that is read only");
    for folder in [&shelf, &stand.yard.cache] {
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700)).expect("a mode");
    }
    if !mount(&["--bind"], &stand.yard.cache, &stand.yard.cache) {
        eprintln!("left out: mounts of one's own");
        return;
    }
    let _mounted = Mounted(stand.yard.cache.clone());
    assert!(mount(&["-o", "remount,bind,ro"], &stand.yard.cache, &stand.yard.cache));
    stand.check("a cache on a mount that is read only");
    assert!(stand.place().build(&stand.tree, &[]).is_err());
}

#[test]
fn a_cache_folder_of_somebody_else() {
    let stand = Stand::indexed();
    let shelf = stand.shelf(&stand.tree);
    fs::set_permissions(&shelf, fs::Permissions::from_mode(0o777)).expect("a mode");
    stand.check("a folder that all may write to");
    fs::set_permissions(&shelf, fs::Permissions::from_mode(0o700)).expect("a mode");
    if !stand.is_root() {
        eprintln!("left out: files of another user");
        return;
    }
    // The files there must not be believed: let them be wrong.
    fs::copy(stand.shelf(&stand.other).join("manifest"), shelf.join("manifest")).expect("a copy");
    for path in fs::read_dir(&shelf).expect("a shelf").flatten().map(|entry| entry.path()) {
        chown(path, Some(65534), Some(65534)).expect("another owner");
    }
    chown(&shelf, Some(65534), Some(65534)).expect("another owner");
    stand.check("a folder of another user");
}

#[test]
fn a_cache_folder_that_goes() {
    let stand = Stand::indexed();
    stand.check("an index");
    fs::remove_dir_all(&stand.yard.cache).expect("a cache");
    stand.check("no cache any more");
    for wait_ms in [0, 2, 5, 10, 20, 30, 50] {
        let mut command = stand.place().ours("manicule");
        command.args(["cache", "build", "--all"]).arg(&stand.tree);
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("a build");
        std::thread::sleep(Duration::from_millis(wait_ms));
        let _ = fs::remove_dir_all(&stand.yard.cache);
        stand.check("a cache that went during a build");
        child.wait().expect("an end");
        stand.check("after that build");
    }
}

#[test]
fn a_disk_that_is_full() {
    let stand = Stand::new();
    let build = |blocks: &str, flag: &str| {
        let line =
            format!("ulimit -f {blocks}; trap '' XFSZ; exec \"$0\" cache build {flag} \"$1\"");
        let mut command = Command::new("sh");
        command.args(["-c", &line]).arg(ours()).arg(&stand.tree);
        command.env("MANICULE_CACHE_DIR", &stand.yard.cache).env("HOME", &stand.yard.home);
        command.output().expect("a shell").status.success()
    };
    assert!(!build("1", ""), "there is no room for an index");
    stand.check("no room at the first build");
    stand.place().build(&stand.tree, &[]).expect("room");
    fs::write(stand.tree.join("d0/0.txt"), "a new needle\n").expect("a file");
    for blocks in ["0", "1", "8", "40", "100"] {
        build(blocks, "--all");
        stand.check("no room at the next build");
    }
    fs::remove_dir_all(&stand.yard.cache).expect("a cache");
    fs::create_dir(&stand.yard.cache).expect("a folder");
    if !mount(&["-t", "tmpfs", "-o", "size=64k"], Path::new("none"), &stand.yard.cache) {
        eprintln!("left out: mounts of one's own");
        return;
    }
    let _mounted = Mounted(stand.yard.cache.clone());
    assert!(stand.place().build(&stand.tree, &[]).is_err(), "64 KiB are no room");
    stand.check("a small disk");
}

#[test]
fn files_of_the_index_that_are_not_what_they_were() {
    let stand = Stand::indexed();
    let manifest = stand.shelf(&stand.tree).join("manifest");
    let other_manifest = stand.shelf(&stand.other).join("manifest");
    let (segment, other_segment) = (stand.segment(&stand.tree), stand.segment(&stand.other));
    let paths = [&manifest, &segment, &other_manifest, &other_segment];
    let [manifest_bytes, segment_bytes, other_manifest_bytes, other_segment_bytes] =
        paths.map(|path| fs::read(path).expect("a file"));
    // A broken index is built again after each answer: so both files are put back each time.
    let check = |manifest_bytes: &[u8], segment_bytes: &[u8], what: &str| {
        put(&stand, &manifest, manifest_bytes);
        put(&stand, &segment, segment_bytes);
        stand.check(what);
    };
    let mut rng = Rng::new(9);
    for what in ["manifest", "segment"] {
        let check = |bytes: &[u8], how: &str| match what {
            "manifest" => check(bytes, &segment_bytes, &format!("{what} {how}")),
            _ => check(&manifest_bytes, bytes, &format!("{what} {how}")),
        };
        let (whole, other) = match what {
            "manifest" => (&manifest_bytes, &other_manifest_bytes),
            _ => (&segment_bytes, &other_segment_bytes),
        };
        for len in [0, 1, 16, whole.len() / 2, whole.len() - 1] {
            check(&whole[..len], &format!("cut at {len}"));
        }
        let garbage: Vec<u8> = (0..whole.len()).map(|_| rng.bits() as u8).collect();
        check(&garbage, "of noise");
        for _ in 0..20 {
            let mut flipped = whole.clone();
            let at = rng.below(whole.len());
            flipped[at] ^= 1 << rng.below(8);
            check(&flipped, &format!("flipped at {at}"));
        }
        check(other, "of another tree");
    }
    // The whole index of another tree.
    put(
        &stand,
        &manifest.with_file_name(other_segment.file_name().expect("a name")),
        &other_segment_bytes,
    );
    check(&other_manifest_bytes, &segment_bytes, "the index of another tree");
    // A builder started after an answer may be running.
    while let Err(error) = stand.place().build(&stand.tree, &[]) {
        assert!(error.contains("another process"), "{error}");
        std::thread::sleep(Duration::from_millis(20));
    }
    stand.check("a new index");
}

#[test]
fn pipes_in_the_place_of_files_of_the_index() {
    let stand = Stand::indexed();
    let believing = || {
        let words = words(&["needle"]);
        let (ours, truth) = (
            stand.place().answer(&["--max-age", "60"], &words),
            stand.place().truth(&stand.judge, &words),
        );
        assert_eq!(ours, truth);
    };
    believing();
    let names = ["checked".into(), stand.segment(&stand.tree), "lock".into(), "manifest".into()];
    for name in names {
        let path = stand.shelf(&stand.tree).join(name);
        fs::remove_file(&path).expect("a file");
        assert!(Command::new("mkfifo").arg(&path).status().expect("mkfifo").success());
        believing();
        stand.check("a pipe");
        let said = Command::new(ours())
            .args(["inspect"])
            .arg(&stand.tree)
            .env("MANICULE_CACHE_DIR", &stand.yard.cache)
            .output();
        assert!(said.expect("it runs").status.code().is_some());
        stand.place().build(&stand.tree, &[]).expect("an index");
        believing();
    }
}

#[test]
fn segments_in_each_others_place() {
    let stand = Stand::new();
    let place = stand.place();
    place.build(&stand.tree, &[]).expect("an index");
    // Segments of the same length: one file each.
    for (name, word) in [("one", "aaa straw"), ("two", "bbb pearl")] {
        fs::write(stand.tree.join(name), word).expect("a file");
        std::thread::sleep(Duration::from_millis(30));
        place.build(&stand.tree, &[]).expect("an update");
    }
    let shelf = stand.shelf(&stand.tree);
    let mut segments: Vec<PathBuf> = fs::read_dir(shelf)
        .expect("a shelf")
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().contains("/segment-"))
        .collect();
    segments.sort();
    let [.., one, two] = segments.as_slice() else { panic!("three segments") };
    let (left, right) = (fs::read(one).expect("one"), fs::read(two).expect("two"));
    put(&stand, one, &right);
    put(&stand, two, &left);
    for pattern in ["straw", "pearl", "needle"] {
        let words = words(&[pattern]);
        assert_eq!(place.answer(&[], &words), place.truth(&stand.judge, &words), "{pattern}");
    }
}

#[test]
fn no_home_and_no_folder_to_stand_in() {
    let stand = Stand::indexed();
    let ask = |index: &str| {
        let mut command = Command::new(ours());
        command.args(["find", "--sort=path", "needle"]).args(index.split_whitespace());
        command.arg(&stand.tree).env_clear().stdin(Stdio::null()).output().expect("it runs")
    };
    assert_eq!(ask(""), ask("--no-index"));
    let gone = stand.yard.outer.join("gone");
    fs::create_dir(&gone).expect("a folder");
    let line = "rmdir \"$PWD\"; exec \"$0\" find --sort=path needle \"$1\"";
    let mut command = Command::new("sh");
    command.args(["-c", line]).arg(ours()).arg(&stand.tree).current_dir(&gone);
    command.env("MANICULE_CACHE_DIR", &stand.yard.cache).stdin(Stdio::null());
    let output = command.output().expect("a shell");
    assert_eq!(output.stdout, ask("--no-index").stdout, "no current folder");
}

#[test]
fn a_tree_that_is_read_only() {
    let stand = Stand::indexed();
    if !mount(&["--bind"], &stand.tree, &stand.tree) {
        eprintln!("left out: mounts of one's own");
        return;
    }
    let _mounted = Mounted(stand.tree.clone());
    assert!(mount(&["-o", "remount,bind,ro"], &stand.tree, &stand.tree));
    stand.check("a tree that is read only");
    stand.place().build(&stand.tree, &[]).expect("an index");
    stand.check("a tree that is read only, indexed so");
}

/// Writes a file atomically, as our program does: readers that have the old one open keep it. It
/// is prepared at home, as a builder that is still running removes what it doesn't know in its
/// index's folder.
fn put(stand: &Stand, path: &Path, bytes: &[u8]) {
    let aside = stand.yard.home.join("put");
    fs::write(&aside, bytes).expect("a file");
    fs::rename(aside, path).expect("a rename");
}

pub(super) fn mount(flags: &[&str], source: &Path, target: &Path) -> bool {
    let mut command = Command::new("mount");
    let done = command.args(flags).args([source, target]).stderr(Stdio::null()).status();
    done.is_ok_and(|status| status.success())
}

pub(super) struct Mounted(pub(super) PathBuf);

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}
