//! `manicule find` prints the hits that the façade hands to a callback: of each kind, of a walk and
//! of a kept index, of files that are not text.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use manicule::cache::{Cache, Work};
use manicule::code::tree::{Reuse, WhenBusy};
use manicule::find::{Call, Event, Item, Passwords, find};
use manicule::watch::Watch;
use manicule_testkit::{golden_file, golden_folder, golden_repository};

/// What the program prints, without the uses in parentheses, in an order of its own.
fn printed(folder: &Path, words: &[&str], cache: Option<&Path>) -> Vec<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.args(["find", "-n", "--no-config"]).args(words).current_dir(folder);
    command.env("RESTIC_PASSWORD", "manicule-golden").stdin(Stdio::null());
    match cache {
        Some(cache) => command.env("MANICULE_CACHE_DIR", cache),
        None => command.env("MANICULE_NO_INDEX", "1"),
    };
    let output = command.output().expect("the program runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code().is_some_and(|code| code < 2), "{words:?}: {said}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut lines: Vec<String> = text.split_terminator('\n').map(str::to_owned).collect();
    lines.sort();
    lines
}

/// The hits of the façade, as the program prints them.
fn hits(folder: &Path, call: &Call) -> Vec<String> {
    let mut lines = Vec::new();
    find(call, &Watch::none(), &mut |event| {
        let Event::Hit(hit) = event else { panic!("{event:?}") };
        let path = hit.path.strip_prefix(folder).unwrap_or(hit.path).display();
        let text = String::from_utf8_lossy(&hit.text()).into_owned();
        lines.push(match hit.item {
            Item::Line(line) => format!("{path}:{}:{text}", line.number),
            Item::Document { nul_offset } => format!(
                "{path}: binary file matches (found \"\\0\" byte around offset {nul_offset})"
            ),
            _ => format!("{path}: {text}"),
        });
        ControlFlow::Continue(())
    })
    .expect("a search");
    lines.sort();
    lines
}

/// Compares both, for words of the command line and what they mean.
fn check(folder: &Path, flags: &[&str], paths: &[&str], cache: Option<&Cache>, call: Call) {
    let pattern = call.patterns.texts[0].clone();
    let words = [flags, &["-e", &pattern], paths].concat();
    let got = hits(folder, &call);
    let has = |line: &str| got.binary_search_by(|own| own.as_str().cmp(line)).is_ok();
    let without_uses = |line: String| match line.rsplit_once(" (") {
        Some((row, _)) if !has(&line) && has(row) => row.to_owned(),
        _ => line,
    };
    let want = printed(folder, &words, cache.map(|cache| &*cache.folder));
    let want: Vec<String> = want.into_iter().map(without_uses).collect();
    assert!(!want.is_empty(), "{words:?} finds nothing");
    assert_eq!(got, want, "{words:?}");
}

fn call(folder: &Path, pattern: &str, paths: &[&str]) -> Call {
    let paths: Vec<PathBuf> = paths.iter().map(|path| folder.join(path)).collect();
    let passwords = Passwords::new(|_| Ok(b"manicule-golden".to_vec()));
    let call = Call::new(pattern, paths).expect("a call");
    Call { index: None, passwords: Some(passwords), current_dir: folder.to_owned(), ..call }
}

#[test]
fn indexes_of_each_kind() {
    let whole = golden_repository("drafts");
    let folder = whole.path();
    for (kind, name, from, to) in [
        ("code", "shards", "shards/git-ctags", "shards"),
        ("series", "golden", "blocks/api", "data"),
        ("rows", "me", "me/multi", "sstables"),
    ] {
        let golden = golden_folder(kind, name);
        fs::rename(golden.path().join(from), folder.join(to)).expect("a folder");
    }
    fs::write(folder.join("shop.nq"), golden_file("graph", "shop200.nq")).expect("a file");
    let mut load = Command::new(env!("CARGO_BIN_EXE_manicule"));
    let loaded =
        load.args(["graph", "load", "-q", "store", "shop.nq"]).current_dir(folder).status();
    assert!(loaded.expect("the program runs").success());
    fs::write(folder.join("note"), "an api\nhay\nla\n").expect("a file");
    let all = ["note", "shards", "data", "sstables", "store", "repo"];
    check(folder, &[], &all, None, call(folder, "api|^todo|la", &all));
    for (pattern, paths) in [
        ("job=", &["data"][..]),
        ("/drafts/", &["repo"]),
        ("/v/Product>", &["store"]),
        ("1", &["sstables"]),
        ("la", &["shards"]),
    ] {
        check(folder, &["-H"], paths, None, call(folder, pattern, paths));
    }
}

#[test]
fn source_trees_by_a_walk_and_by_a_kept_index() {
    let (tree, cache) = (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("one"));
    let folder = tree.path();
    for at in 0..300 {
        let name = folder.join("src").join((at % 7).to_string());
        fs::create_dir_all(&name).expect("a folder");
        let line = if at % 11 == 3 { "a lamp\r\nLamps, lamps" } else { "hay" };
        fs::write(name.join(format!("{at}.txt")), format!("{line} {at}\nno end")).expect("a file");
    }
    fs::write(folder.join("src/.hidden"), "lamp\n").expect("a file");
    fs::write(folder.join("src/marked"), "\u{feff}lamp\n").expect("a file");
    fs::write(folder.join("src/long"), format!("{}\nlamp\n", "x".repeat(70_000))).expect("a file");
    for name in ["binary", "src/binary"] {
        fs::write(folder.join(name), "lamp\n\0lamp\n").expect("a file");
    }
    let cache = Cache { folder: cache.path().to_owned(), len_max: 1 << 30 };
    let (reuse, when_busy) = (Reuse::Unchanged, WhenBusy::Wait);
    let work = Work { reuse, when_busy, threads: 1, memory: 64 << 20 };
    cache.build(&folder.join("src"), &work, &Watch::none()).expect("an index");
    for index in [None, Some(&cache)] {
        let plain = |pattern: &str| {
            let index = index.map(|cache| cache.index_use(None));
            Call { index, ..call(folder, pattern, &["src"]) }
        };
        for pattern in ["lamp", "^a.*p", r"\blamps\b", "no end$", ""] {
            check(folder, &[], &["src"], index, plain(pattern));
        }
        let hidden = Call { hidden: true, ..plain("lamp") };
        check(folder, &["--hidden"], &["src"], index, hidden);
        let mut inverted = plain("hay");
        inverted.reading.invert = true;
        check(folder, &["-v"], &["src"], index, inverted);
        let mut first = plain("(?i)lamp");
        first.reading.matches_max = Some(1);
        check(folder, &["-m1"], &["src"], index, first);
        let globs = Call { globs: vec!["*3.txt".to_owned()], ..plain("lamp") };
        check(folder, &["-g", "*3.txt"], &["src"], index, globs);
    }
    check(folder, &["-H"], &["binary"], None, call(folder, "lamp", &["binary"]));
}
