//! The model test: a random tree is indexed, then things happen to it, and each answer is that of
//! its current state.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use manicule_testkit::Rng;

use super::judge::{Judge, seeds};
use super::yard::{DEEDS, Yard};

/// Trees in a plain `cargo test`: some ten seconds.
const TREES: u64 = 40;

/// Number of steps in which a tree is changed.
const STEPS: usize = 8;

/// Time before the making of an index in which a change counts as unsettled: see engines/code,
/// trust.
const SETTLED: Duration = Duration::from_millis(30);

const PATTERNS: &[&str] = &[
    "needle",
    "Needle",
    "needles",
    "foo",
    "foobar",
    "bar_baz",
    "straw",
    "hay straw",
    "zzqqxx",
    "main\\(\\)",
    "été",
    "Straße",
    "δελτα",
    "数字",
    "0x1F",
    "foo|bar_baz",
    "nee.*le",
    "n\\w+le",
    "[a-z]{6}",
    "\\bfoo\\b",
    "^needle",
    "needle$",
    "^$",
    "",
    ".",
    "x{40}",
    "\\w+",
    "needle\\nneedle",
    "hay[\\s\\S]*straw",
    "tab\\there",
    "(?i)straße",
    "k",
    "\\x00",
    "needle\\x00needle",
    "offemf",
    "gpp",
    "\\Aneedle",
    "straw\\z",
    "\\r$",
    "(?-u:\\xFF)",
    "e\u{301}",
    "fn|main|foo",
];

const SWITCHES: &[&str] = &[
    "-i",
    "-w",
    "-x",
    "-v",
    "-F",
    "-l",
    "-L",
    "-c",
    "-o",
    "-n",
    "-a",
    "-U",
    "-q",
    "-0",
    "-u",
    "-uu",
    "-uuu",
    "--files",
    "--hidden",
    "--no-ignore",
    "--no-ignore-vcs",
    "--no-ignore-parent",
    "--no-ignore-dot",
    "--no-ignore-exclude",
    "--no-ignore-global",
    "--no-require-git",
    "--follow",
    "--json",
    "--stats",
    "--sort=path",
    "-j1",
    "-j3",
    "--one-file-system",
    "--crlf",
    "--null-data",
    "--multiline-dotall",
    "--count-matches",
    "--files-without-match",
    "--binary",
    "--mmap",
    "--no-unicode",
    "-S",
    "--heading",
    "-A1",
    "-C2",
    "-m1",
    "--passthru",
    "--trim",
    "--ignore-file-case-insensitive",
    "--glob-case-insensitive",
    "--stop-on-nonmatch",
    "--no-messages",
    "-b",
];

const VALUES: &[(&str, &[&str])] = &[
    (
        "-g",
        &[
            "*.rs",
            "!*.rs",
            "src/**",
            "!src",
            "*",
            "**/a",
            "/a",
            "*.{rs,txt}",
            ".hid*",
            "build",
            "!build",
            ".gitignore",
        ],
    ),
    ("--iglob", &["*.RS", "!B.rs"]),
    ("-t", &["rust", "c", "md", "txt", "all"]),
    ("-T", &["rust", "all"]),
    ("--max-depth", &["0", "1", "2", "3"]),
    ("--max-filesize", &["0", "10", "100", "1K", "100K"]),
    ("-E", &["utf-8", "none", "utf-16le", "auto"]),
    ("-e", PATTERNS),
];

#[test]
fn every_answer_is_of_the_tree_as_it_is() {
    let judge = Judge::find();
    let differences: Vec<String> = seeds(TREES).flat_map(|seed| play(&judge, seed)).collect();
    let shown = differences.iter().take(5).cloned().collect::<Vec<_>>().join("\n\n");
    assert!(differences.is_empty(), "{} answers differ, such as\n{shown}", differences.len());
}

fn play(judge: &Judge, seed: u64) -> Option<String> {
    let mut rng = Rng::new(seed);
    let mut yard = Yard::new(&mut rng);
    let mut done: Vec<String> = Vec::new();
    for step in 0..STEPS {
        if step == 0 || rng.one_in(3) {
            done.push(build(&yard, &mut rng));
        }
        for _ in 0..rng.below(4) {
            let (name, deed) = rng.pick(DEEDS);
            let outcome = deed(&yard, &mut rng);
            done.push(if outcome.is_ok() { name.to_owned() } else { format!("({name})") });
        }
        for _ in 0..rng.below(3) + 1 {
            let Some(difference) = compare(judge, &yard, &mut rng) else { continue };
            let kept = std::env::var_os("MANICULE_KEEP").map(|_| yard.keep());
            let happened = done.join(", ");
            return Some(format!(
                "seed {seed}, step {step}, tree {kept:?}\n{happened}\n{difference}"
            ));
        }
    }
    None
}

fn build(yard: &Yard, rng: &mut Rng) -> String {
    if !rng.one_in(3) {
        std::thread::sleep(SETTLED);
    }
    let flags = rng.pick(&[&[][..], &["--threads", "1"], &["--memory", "20M"], &["--all"]]);
    let here = yard.place(&yard.outer);
    let tree = match rng.below(8) {
        0 => yard.outer.join("above"),
        1 => rng.choose(&yard.folders()).clone(),
        _ => yard.tree.clone(),
    };
    match here.build(&tree, flags) {
        Ok(_) => {
            format!("BUILD {flags:?} {}", tree.strip_prefix(&yard.outer).expect("below").display())
        }
        Err(error) => format!("BUILD FAILED {flags:?} {error}"),
    }
}

fn compare(judge: &Judge, yard: &Yard, rng: &mut Rng) -> Option<String> {
    let mut words = flags(rng);
    let (current_dir, paths) = paths(yard, rng);
    words.push("--".into());
    words.extend(paths);
    let extra: &[&str] = if rng.one_in(6) { &["--max-age", "0"] } else { &[] };
    let place = yard.place(&current_dir);
    let (ours, truth) = (place.answer(extra, &words), place.truth(judge, &words));
    (ours != truth).then(|| {
        format!(
            "in {}: find {extra:?} {words:?}\n--- ours: {}\n--- the truth: {}",
            current_dir.strip_prefix(&yard.outer).expect("below").display(),
            ours.beside(&truth),
            truth.beside(&ours),
        )
    })
}

fn flags(rng: &mut Rng) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec!["-e".into(), rng.pick(PATTERNS).into()];
    for _ in 0..rng.pick(&[0, 0, 1, 1, 2, 3]) {
        if rng.one_in(3) {
            let (flag, values) = rng.pick(VALUES);
            words.push(flag.into());
            words.push(rng.pick(values).into());
        } else {
            words.push(rng.pick(SWITCHES).into());
        }
    }
    words
}

/// Folder of a call, and the paths it is given.
fn paths(yard: &Yard, rng: &mut Rng) -> (PathBuf, Vec<OsString>) {
    let folder = rng.choose(&yard.folders()).clone();
    let files = yard.files();
    let below = |path: &Path| path.strip_prefix(&yard.tree).expect("below the tree").to_owned();
    let tree = || yard.tree.clone();
    let outer = || yard.outer.clone();
    let can_enter =
        |path: &Path| fs::metadata(path.join(".")).is_ok() && fs::read_dir(path).is_ok();
    match rng.below(20) {
        0..4 => (tree(), vec![]),
        4 => (tree(), vec![".".into()]),
        5 => (tree(), vec!["./".into()]),
        6 => (tree(), vec!["../tree//".into()]),
        7 => (outer(), vec!["above/tree".into()]),
        8 => (outer(), vec!["above/tree/".into()]),
        9 => (outer(), vec![tree().into()]),
        10 => (outer(), vec!["link".into()]),
        11 => (outer(), vec![Path::new("link/").join(below(&folder)).into()]),
        12 => (outer(), vec![".".into()]),
        13 if can_enter(&folder) => (folder, vec![]),
        14 if can_enter(&folder) => (folder, vec!["..".into()]),
        15 if can_enter(&folder) => (folder, vec![".".into(), tree().into()]),
        16 => (tree(), vec![Path::new(".").join(below(&folder)).into()]),
        17 => (tree(), vec![folder.clone().into(), folder.into()]),
        18 if !files.is_empty() => (
            tree(),
            vec![Path::new(".").join(below(rng.choose::<PathBuf>(&files))).into(), folder.into()],
        ),
        _ => (outer(), vec![folder.into()]),
    }
}
