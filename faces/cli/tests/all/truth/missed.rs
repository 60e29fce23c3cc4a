//! Answers that once were missed, each in as few steps as possible: a tree is indexed, something
//! happens, a question is asked.

use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::time::Duration;

use manicule_testkit::tree_folder;

use super::judge::{Judge, Place, words};

/// The folder `top/tree` is indexed between `before` and `after`, which are given `top`; then
/// `line` is asked in it.
fn check(before: fn(&Path), after: fn(&Path), line: &str) {
    check_words(before, after, "tree", &words(&line.split(' ').collect::<Vec<_>>()));
}

fn with_index(before: fn(&Path), ask: impl Fn(&Place<'_>)) {
    let folder = tree_folder();
    let top = folder.path().canonicalize().expect("a path").join("top");
    fs::create_dir_all(top.join("tree")).expect("a folder");
    let (tree, home, cache) = (top.join("tree"), top.join("home"), top.join("cache"));
    fs::create_dir(&home).expect("a folder");
    before(&top);
    std::thread::sleep(Duration::from_millis(30));
    let place = Place { current_dir: &tree, home: &home, cache: &cache };
    place.build(&tree, &[]).expect("an index");
    ask(&place);
}

fn check_words(before: fn(&Path), after: fn(&Path), asked_in: &str, words: &[OsString]) {
    let folder = tree_folder();
    let top = folder.path().canonicalize().expect("a path").join("top");
    fs::create_dir_all(top.join("tree/sub")).expect("a folder");
    let place = Place {
        current_dir: &top.join(asked_in),
        home: &folder.path().join("home"),
        cache: &folder.path().join("cache"),
    };
    fs::create_dir(place.home).expect("a folder");
    before(&top);
    // A file indexed within the clock's granule counts as changed anyway.
    std::thread::sleep(Duration::from_millis(30));
    // From another folder than the one that is asked in.
    Place { current_dir: place.home, ..place }.build(&top.join("tree"), &[]).expect("an index");
    after(&top);
    let (ours, truth) = (place.answer(&[], words), place.truth(&Judge::find(), words));
    assert_eq!(
        ours,
        truth,
        "{words:?}\n--- ours: {}\n--- truth: {}",
        ours.beside(&truth),
        truth.beside(&ours)
    );
}

fn put(top: &Path, name: &str, bytes: impl AsRef<[u8]>) {
    fs::write(top.join(name), bytes).expect(name);
}

fn nothing(_: &Path) {}

#[test]
fn new_rules_at_the_top_hold_below() {
    let before = |top: &Path| put(top, "tree/sub/a.txt", "needle\n");
    check(before, |top| put(top, "tree/.ignore", "a.txt\n"), "needle");
    check(before, |top| put(top, "tree/.rgignore", "sub\n"), "needle");
}

#[test]
fn a_jujutsu_folder_makes_a_repository() {
    fn before(top: &Path) {
        put(top, "tree/.gitignore", "a.txt\n");
        put(top, "tree/sub/a.txt", "needle\n");
    }
    check(before, |top| fs::create_dir(top.join("tree/.jj")).expect("a folder"), "needle");
    check(before, |top| fs::create_dir(top.join(".jj")).expect("a folder"), "needle");
}

#[test]
fn folders_below_an_unreadable_one_are_not_reached() {
    fn before(top: &Path) {
        fs::create_dir(top.join("tree/sub/deep")).expect("a folder");
        put(top, "tree/sub/deep/a.txt", "needle\n");
    }
    let close = |top: &Path| {
        fs::set_permissions(top.join("tree/sub"), fs::Permissions::from_mode(0o111))
            .expect("a mode");
    };
    check(before, close, "needle");
}

#[test]
fn a_late_nul_ends_no_search_over_lines() {
    let before = |top: &Path| {
        let text =
            [b"hay and straw\n".repeat(7000), b"\0\n".to_vec(), b"a needle\nin it\n".to_vec()];
        put(top, "tree/a.txt", text.concat());
        (0..9).for_each(|file| put(top, &format!("tree/{file}"), "hay\n".repeat(file + 1)));
    };
    check(before, nothing, "-U needle\\nin");
    check(before, nothing, "--mmap needle");
    check(before, nothing, "needle");
}

#[test]
fn a_followed_link_in_the_place_of_a_file() {
    let before = |top: &Path| {
        put(top, "tree/a.txt", "hay\n");
        put(top, "elsewhere", "needle\n");
        (0..9).for_each(|file| put(top, &format!("tree/{file}"), "straw\n"));
    };
    let after = |top: &Path| {
        fs::remove_file(top.join("tree/a.txt")).expect("a file");
        symlink(top.join("elsewhere"), top.join("tree/a.txt")).expect("a link");
    };
    check(before, after, "--follow needle");
    check(before, after, "needle");
}

#[test]
fn a_mark_within_a_file_is_text() {
    // A piece ends about here, and the next begins with bytes that look like a byte order mark.
    let before = |top: &Path| {
        let line = [vec![b'x'; 1023], b"\n".to_vec()].concat();
        let file = |mark: &[u8]| {
            [line.repeat(16), mark.to_vec(), b"needle\n".to_vec(), line.repeat(40)].concat()
        };
        put(top, "tree/le.txt", file(b"\xFF\xFE"));
        put(top, "tree/be.txt", file(b"\xFE\xFF"));
        put(top, "tree/utf8.txt", file(b"\xEF\xBB\xBF"));
    };
    check(before, nothing, "-a needle");
    check(before, nothing, "\u{FEFF}needle");
    check(before, nothing, "^needle");
}

#[test]
fn what_is_left_out_is_counted_as_ripgrep_counts() {
    let before = |top: &Path| {
        put(top, "tree/marked.txt", "\u{FEFF}hay\n");
        put(top, "tree/long.txt", "hay\n".repeat(100));
        put(top, "tree/binary", "hay\0hay");
        put(top, "tree/found.txt", "needle\n");
        put(top, "tree/empty", "");
    };
    for line in [
        "--stats needle",
        "--json needle",
        "--stats --max-filesize 99 needle",
        "--stats -E none needle",
    ] {
        check(before, nothing, line);
    }
}

#[test]
fn paths_that_hang_on_the_current_folder() {
    fn before(top: &Path) {
        fs::create_dir_all(top.join("tree/repository/info")).expect("a folder");
        fs::create_dir_all(top.join("tree/repository/worktrees/one")).expect("a folder");
        put(top, "tree/repository/worktrees/one/commondir", "../..\n");
        put(top, "tree/repository/info/exclude", "a.txt\n");
        put(top, "tree/.git", "gitdir: repository/worktrees/one\n");
        put(top, "tree/sub/a.txt", "needle\n");
    }
    for asked_in in ["tree", "tree/sub", "."] {
        check_words(before, nothing, asked_in, &words(&["--no-heading", "needle", "."]));
    }
    fn global(top: &Path) {
        fs::create_dir_all(top.join("tree/.git")).expect("a folder");
        put(top, "../home/.gitconfig", "[core]\nexcludesFile = rules\n");
        put(top, "tree/rules", "a.txt\n");
        put(top, "tree/sub/a.txt", "needle\n");
    }
    for asked_in in ["tree", "tree/sub", "."] {
        check_words(global, nothing, asked_in, &words(&["needle", "."]));
    }
}

#[test]
fn a_limit_of_size_on_one_thread_says_nothing_twice() {
    let before = |top: &Path| {
        put(top, "tree/a.txt", "needle\n");
        put(top, "tree/sub/b.txt", "needle\n");
    };
    let after = |top: &Path| put(top, "tree/sub/c.txt", "needle\n");
    for line in [
        "-j1 --max-filesize 1K needle",
        "-j1 --max-filesize 1K --files",
        "--max-filesize 1K needle",
    ] {
        check(before, after, line);
    }
}

#[test]
fn what_is_too_large_is_not_opened() {
    let before = |top: &Path| put(top, "tree/a.txt", "hay\n".repeat(100));
    let close = |top: &Path| {
        fs::set_permissions(top.join("tree/a.txt"), fs::Permissions::from_mode(0o0))
            .expect("a mode");
    };
    check(before, close, "--max-filesize 99 needle");
    check(before, close, "--max-filesize 400 needle");
}

#[test]
fn files_without_a_match_that_leave_a_trace() {
    let before = |top: &Path| {
        put(top, "tree/a.txt", "hay\n");
        put(top, "tree/b.txt", "straw\n");
        put(top, "tree/c.txt", "needle\n");
    };
    for line in [
        "--passthru --json",
        "--passthru",
        "-c --include-zero",
        "--files-without-match",
        "-v",
        "-c -v",
    ] {
        check(before, nothing, &format!("{line} needle"));
    }
}

#[test]
fn rules_above_that_are_complained_of() {
    let before = |top: &Path| {
        put(top, "tree/.git", b"\xFF\n");
        put(top, "tree/sub/a.txt", "needle\n");
    };
    check(before, nothing, "needle");
    check(before, nothing, "needle sub");
    check(before, nothing, "--sort=path needle sub");
}

#[test]
fn excludes_of_a_worktree() {
    fn before(top: &Path) {
        let real = top.join("repository/worktrees/one");
        fs::create_dir_all(top.join("repository/info")).expect("a folder");
        fs::create_dir_all(&real).expect("a folder");
        put(top, "repository/worktrees/one/commondir", "../..\n");
        put(top, "tree/.git", format!("gitdir: {}\n", real.display()));
        put(top, "tree/sub/a.txt", "needle\n");
    }
    check(before, nothing, "needle");
    check(before, |top| put(top, "repository/info/exclude", "a.txt\n"), "needle");
    check(before, |top| fs::remove_file(top.join("tree/.git")).expect("a file"), "needle");
}

#[test]
fn paths_with_a_second_dot() {
    let before = |top: &Path| {
        fs::create_dir_all(top.join("tree/src1/also")).expect("a folder");
        put(top, "tree/.ignore", "/sub/a*\n/src*/a*/c*.py\nbuild*/\n");
        put(top, "tree/sub/a.txt", "needle\n");
        put(top, "tree/sub/b.txt", "needle\n");
        put(top, "tree/src1/also/c.py", "needle\n");
    };
    for path in ["./.", "././", "././sub", ".//.", "./sub/.", "sub/.", "sub/./", "./sub/../."] {
        check(before, nothing, &format!("needle {path}"));
        check(before, nothing, &format!("--files -g /sub/** {path}"));
    }
}

#[test]
fn files_of_one_time_come_by_their_names() {
    let before = |top: &Path| {
        let time = std::time::UNIX_EPOCH + Duration::from_secs(1_500_000_000);
        for number in 0..400 {
            let name = format!("tree/f{}", number * 7919 % 1000);
            put(top, &name, "needle\n");
            let file = fs::File::options().write(true).open(top.join(name)).expect("a file");
            file.set_modified(time).expect("a time");
        }
    };
    with_index(before, |place| {
        for order in ["--sort", "--sortr"] {
            let ask = |extra: &[&str]| {
                let mut command = place.ours("manicule");
                command.arg("find").args(extra).args([order, "modified", "-l", "needle", "."]);
                String::from_utf8(command.output().expect("it runs").stdout).expect("names")
            };
            let names = ask(&[]);
            assert_eq!(names, ask(&["--no-index"]));
            let names: Vec<&str> = names.lines().collect();
            assert!(names.len() == 400 && names.is_sorted(), "{order}: {:?}", &names[..5]);
            // Called as `rg` it is ripgrep's order, which is that of the file system.
            let listed = |no_index: &str| {
                let mut command = place.ours("rg");
                command.env("MANICULE_NO_INDEX", no_index);
                command
                    .args([order, "modified", "-l", "needle", "."])
                    .output()
                    .expect("it runs")
                    .stdout
            };
            assert_eq!(listed("0"), listed("1"), "{order}");
        }
    });
}

#[test]
fn what_is_left_out_is_explained_with_an_index_too() {
    let before = |top: &Path| {
        put(top, "tree/.ignore", "a.txt\n");
        put(top, "tree/a.txt", "needle\n");
        put(top, "tree/b.txt", "hay\n");
    };
    with_index(before, |place| {
        for flag in ["--debug", "--trace"] {
            let mut command = place.ours("manicule");
            let said =
                command.args(["find", flag, "needle", "."]).output().expect("it runs").stderr;
            let said = String::from_utf8_lossy(&said);
            assert!(said.contains("ignoring ./a.txt"), "{said}");
        }
    });
}

#[test]
fn a_pipe_in_the_place_of_a_file() {
    let before = |top: &Path| {
        put(top, "tree/a.txt", "hay\n");
        put(top, "tree/sub/b.txt", "needle\n");
    };
    let after = |top: &Path| {
        fs::remove_file(top.join("tree/a.txt")).expect("a file");
        let made = std::process::Command::new("mkfifo").arg(top.join("tree/a.txt")).status();
        assert!(made.expect("mkfifo").success());
    };
    check(before, after, "needle");
    check(before, after, "--sort=path --hidden hay");
}
