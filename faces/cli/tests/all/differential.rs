//! Our `find` against ripgrep itself: random flags and patterns over random trees, byte for byte.
//!
//! The peer is the program that `MANICULE_RG` names, or `rg` on the path. `MANICULE_CASES` sets the
//! number of cases and `MANICULE_SEED` the first one's seed; with `MANICULE_KEEP` the tree of a
//! failure is kept.

use std::ffi::OsString;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use manicule_testkit::answers::{sorted, without_times};
use manicule_testkit::{Rng, number, plant, trees};

/// Version of ripgrep whose behaviour we keep; another version may differ.
const VERSION: &str = "ripgrep 15.";

/// Cases in a plain `cargo test`: a few seconds.
const CASES: u64 = 150;

/// Calls made on each tree.
const CALLS_PER_TREE: usize = 6;

/// Size of ripgrep's first read of a file.
const SEARCH_BUFFER: usize = 64 << 10;

const PATTERNS: &[&str] = &[
    "needle",
    "Needle",
    "foo",
    "foo|bar",
    "^",
    "$",
    "^$",
    "",
    ".",
    "a",
    "x{3}",
    r"\bfoo\b",
    r"\w+",
    r"n.*e",
    "[^a]",
    r"\s",
    r"(?i)straße",
    "δελτα",
    r"\p{Greek}+",
    "数",
    r"\d+",
    "(foo)(bar)?",
    "needle$",
    "^needle",
    r"\Aneedle",
    r"e\z",
    "--",
    "main()",
    r"main\(\)",
    "é",
    r"\xFF",
    r"(?-u:\xFF)",
    r"\x00",
    "k",
    "ſ",
    "\u{0130}",
    "(",
    "[",
    r"foo\nbar",
    r"a\r?$",
    r"\n",
    r"[\s\S]",
    "hay straw",
    "$1",
    r"\\n",
    "(?P<n>n)eedle",
    "ee?d|l",
    "nee.{1,3}$",
];

/// Patterns that only PCRE2 reads, or reads in its own way.
const PERL: &[&str] = &[
    "(?<=foo)bar",
    "(?<!foo)bar",
    "needle(?!s)",
    "(?=.*e)n",
    r"(\w)\1",
    r"(?<c>[a-z])\k<c>",
    r"(\w+) \1",
    "(?>ne+)edle",
    "n++e",
    r"foo\Kbar",
    r"\Qmain()\E",
    r"\bfoo\b(?=\s|$)",
    r"(?i)straße(?!x)",
    r"(?<=\s)\S+$",
    r"^(?!.*needle).*$",
    r"\R",
    r"\h+",
    r"(?s)foo.bar",
    r"(?|(foo)|(bar))",
    r"\x{3b4}",
    r"[[:alpha:]]+",
    r"(?:a|b)(?<!a)",
    r"(a+)+$",
    r"(?(DEFINE)(?<x>foo))(?&x)",
    "(?<=a",
    r"\1",
    "(?P<n>n)eed(?P=n)?",
    "^$(?=)",
    r"needle\Z",
    "δ(?=ε)",
    r"\X",
    r"foo(?=\nbar)",
    r"(?#c)needle",
];

const SWITCHES: &[&str] = &[
    "-i",
    "-S",
    "-s",
    "-w",
    "-x",
    "-v",
    "-F",
    "-l",
    "-L",
    "-c",
    "-o",
    "-n",
    "-N",
    "-H",
    "-I",
    "-a",
    "-U",
    "-q",
    "-0",
    "-b",
    "-u",
    "-uu",
    "-uuu",
    "-.",
    "-p",
    "--files",
    "--files-without-match",
    "--count-matches",
    "--hidden",
    "--no-ignore",
    "--no-ignore-vcs",
    "--no-ignore-dot",
    "--no-ignore-parent",
    "--no-ignore-exclude",
    "--no-ignore-global",
    "--no-ignore-files",
    "--no-hidden",
    "--follow",
    "--heading",
    "--no-heading",
    "--column",
    "--vimgrep",
    "--trim",
    "--crlf",
    "--passthru",
    "--null-data",
    "--json",
    "--multiline-dotall",
    "--no-unicode",
    "--no-require-git",
    "--glob-case-insensitive",
    "--line-buffered",
    "--block-buffered",
    "--mmap",
    "--no-mmap",
    "--max-columns-preview",
    "--include-zero",
    "--no-messages",
    "--no-ignore-messages",
    "--binary",
    "--stop-on-nonmatch",
    "--one-file-system",
    "--ignore-file-case-insensitive",
    "--no-context-separator",
    "--color=always",
    "--color=ansi",
    "--colors=match:fg:blue",
    "--colors=path:none",
    "--stats",
    "--auto-hybrid-regex",
    "-P",
    "--no-pcre2",
    "--no-config",
    "--byte-offset",
    "--no-filename",
    "--invert-match",
    "--no-invert-match",
    "--no-json",
    "--text",
    "--no-text",
    "--pre=cat",
    "--pre-glob=*.rs",
    "-z",
    "--hyperlink-format=file://{path}:{line}",
    "--type-list",
    "--no-pcre2-unicode",
    "--pcre2-unicode",
    "--no-auto-hybrid-regex",
    "--ignore",
    "--zzz",
    "--colum",
    "-%",
    "--color=red",
    "-tnosuch",
    "--pretty",
];

const VALUES: &[(&str, &[&str])] = &[
    ("-A", &["0", "1", "3", "x"]),
    ("-B", &["0", "1", "2"]),
    ("-C", &["0", "1", "5"]),
    ("-m", &["0", "1", "2"]),
    ("-M", &["0", "5", "20", "100"]),
    ("-r", &["", "X", "$0$0", "${n}", "$1", "a\nb"]),
    ("-E", &["utf-8", "utf-16le", "latin1", "none", "auto", "shift_jis", "nosuch"]),
    ("-g", &["*.rs", "!*.rs", "src/**", "!src", "*", "**/a", "[", "/a", "*.{rs,txt}", "B.RS"]),
    ("--iglob", &["*.RS", "!B.rs", "README"]),
    ("-t", &["rust", "c", "md", "all", "txt"]),
    ("-T", &["rust", "all", "make"]),
    ("--type-add", &["odd:*.log", "txt:*.rs", "bad", "odd:include:rust,c"]),
    ("--type-clear", &["rust", "txt"]),
    ("--max-depth", &["0", "1", "2"]),
    ("--max-filesize", &["0", "10", "1K", "1M", "5X"]),
    ("--context-separator", &["", "==", r"\t"]),
    ("--field-match-separator", &["", "|", r"\x00"]),
    ("--field-context-separator", &["", "~"]),
    ("--path-separator", &["", "+", "//"]),
    ("--ignore-file", &[".gitignore", "c.txt", "nosuch"]),
    ("--regex-size-limit", &["1", "10K", "10M"]),
    ("--dfa-size-limit", &["1", "1M"]),
    ("--engine", &["default", "auto", "pcre2", "nosuch"]),
    ("-e", PATTERNS),
    ("-f", &["c.txt", "nosuch", "-"]),
    ("-d", &["1", "3"]),
];

/// Parts of messages that refuse a pattern.
const REFUSALS: &[&str] =
    &["regex parse error", "not allowed in a regex", "impossible to match", "PCRE2", "size limit"];

/// Messages that may come before that.
const TOLD_EARLY: &[&str] = &["(os error 2)", "File system loop found", "error parsing glob"];

/// Two programs, and the names they are called by.
struct Peers {
    ours: PathBuf,
    theirs: PathBuf,
}

/// Result of a call.
#[derive(Debug, PartialEq)]
struct Answer {
    code: Option<i32>,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

#[test]
fn answers_are_ripgreps() {
    let Some(theirs) = find_peer() else {
        eprintln!("left out: no rg");
        return;
    };
    let peers = Peers { ours: PathBuf::from(env!("CARGO_BIN_EXE_manicule")), theirs };
    let first = number("MANICULE_SEED").unwrap_or(0);
    let seeds = first..first + number("MANICULE_CASES").unwrap_or(CASES);
    let differences: Vec<String> = seeds.flat_map(|seed| check_tree(&peers, seed)).collect();
    let shown = differences.iter().take(5).cloned().collect::<Vec<_>>().join("\n\n");
    assert!(differences.is_empty(), "{} answers differ, such as\n{shown}", differences.len());
}

/// A ripgrep of the right version, with PCRE2, if there is one.
fn find_peer() -> Option<PathBuf> {
    let named = std::env::var_os("MANICULE_RG").map(PathBuf::from);
    let usual = ["rg", "/usr/bin/rg"].map(PathBuf::from);
    named.into_iter().chain(usual).find(|path| {
        let output = Command::new(path).arg("--version").output();
        output.is_ok_and(|output| {
            output.stdout.starts_with(VERSION.as_bytes()) && contains(&output.stdout, "+pcre2")
        })
    })
}

/// Tries some calls on the tree of one seed, and describes each with different answers.
fn check_tree(peers: &Peers, seed: u64) -> Vec<String> {
    let mut rng = Rng::new(seed);
    let root = tempfile::tempdir().expect("a folder");
    let files = plant(root.path(), &mut rng).expect("a tree");
    let one_thread = has_late_nul(root.path(), &files);
    let has_large = files.iter().any(|file| {
        root.path().join(file).metadata().is_ok_and(|meta| meta.len() > SEARCH_BUFFER as u64)
    });
    let mut differences = Vec::new();
    for _ in 0..CALLS_PER_TREE {
        let mut words = command_line(&mut rng, &files);
        if one_thread {
            words.insert(0, "-j1".into());
            words.retain(|word| word != "-j3");
        }
        if has_large {
            // A long line once for each of its matches is gigabytes; a long pattern compiles for
            // minutes.
            for (costly, cheap) in [("--vimgrep", "--column"), ("-f", "-g")] {
                words
                    .iter_mut()
                    .filter(|word| *word == costly)
                    .for_each(|word| *word = cheap.into());
            }
        }
        // A pipe on standard input is searched when no path is given.
        let input = rng.one_in(12).then(|| trees::contents(&mut rng));
        // The size of each read of a longer one is left to chance.
        let input = input.filter(|input| input.len() < SEARCH_BUFFER);
        let answer = |program| tidy(run(program, root.path(), &words, input.as_deref()), &words);
        let (ours, theirs) = (answer(&peers.ours), answer(&peers.theirs));
        if ours != theirs {
            differences.push(format!(
                "seed {seed}: rg {words:?}, input {}\n--- ours: {}\n--- ripgrep's: {}",
                input.is_some(),
                show(&ours, &theirs),
                show(&theirs, &ours),
            ));
        }
    }
    if !differences.is_empty() && std::env::var_os("MANICULE_KEEP").is_some() {
        differences.push(format!("seed {seed}: the tree is {}", root.keep().display()));
    }
    differences
}

/// Whether a file shows that it is binary only beyond the searcher's first buffer. ripgrep's output
/// for it then depends on how far that buffer has grown over other files of the same thread, so it
/// wants one thread to be repeatable.
fn has_late_nul(root: &Path, files: &[PathBuf]) -> bool {
    files.iter().any(|file| {
        let bytes = std::fs::read(root.join(file)).unwrap_or_default();
        bytes.len() > SEARCH_BUFFER && bytes[SEARCH_BUFFER..].contains(&0)
    })
}

fn command_line(rng: &mut Rng, files: &[PathBuf]) -> Vec<OsString> {
    let mut words: Vec<OsString> = Vec::new();
    for _ in 0..rng.below(5) {
        if rng.one_in(3) {
            let (flag, values) = rng.pick(VALUES);
            words.push(flag.into());
            words.push(rng.pick(values).into());
        } else {
            words.push(rng.pick(SWITCHES).into());
        }
    }
    match rng.below(8) {
        0 => words.push("-j1".into()),
        1 => words.push("--sort=path".into()),
        2 => words.push("--sortr=path".into()),
        3 => words.push("-j3".into()),
        4 => words.push("--sort=modified".into()),
        5 => words.push("--sortr=created".into()),
        _ => {}
    }
    let perl = rng.one_in(4);
    if perl {
        words.push(
            rng.pick(&["-P", "--engine=auto", "--auto-hybrid-regex", "--engine=pcre2"]).into(),
        );
    }
    words.push("-e".into());
    let patterns = if perl && !rng.one_in(4) { PERL } else { PATTERNS };
    words.push(rng.pick(patterns).into());
    match rng.below(8) {
        0 => words.push("./".into()),
        1 => words.push("src".into()),
        2 => words.extend([".", "nosuch"].map(OsString::from)),
        3 | 4 if !files.is_empty() => {
            words.push("--".into());
            words.extend((0..rng.below(3) + 1).map(|_| rng.choose(files).clone().into()));
        }
        5 => words.push("-".into()),
        _ => {}
    }
    words
}

/// Runs a program by the name `rg`. Without input, standard input is no pipe, so the folder is
/// searched.
fn run(program: &Path, folder: &Path, words: &[OsString], input: Option<&[u8]>) -> Answer {
    let mut command = Command::new(program);
    command.arg0("rg").args(words).current_dir(folder);
    command.env_remove("RIPGREP_CONFIG_PATH").stdout(Stdio::piped()).stderr(Stdio::piped());
    command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
    let mut child = command.spawn().expect("the program starts");
    if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
        let input = input.to_vec();
        // It may not be read to its end, or at all.
        std::thread::spawn(move || drop(stdin.write_all(&input)));
    }
    let output = child.wait_with_output().expect("the program ends");
    Answer { code: output.status.code(), stdout: output.stdout, stderr: output.stderr }
}

/// Removes everything that may differ between two runs of the same program: times, and the order of
/// parallel results.
fn tidy(mut answer: Answer, words: &[OsString]) -> Answer {
    let has = |flag: &str| words.iter().any(|word| word == flag);
    let exact = has("-j1") || words.iter().any(|word| word.as_bytes().starts_with(b"--sort"));
    if has("--json") || has("--stats") {
        answer.stdout = without_times(&answer.stdout);
    }
    if has("--null-data") || has("-0") {
        answer.stdout.iter_mut().filter(|byte| **byte == 0).for_each(|byte| *byte = b'\n');
    }
    if !exact {
        answer.stdout = sorted(&answer.stdout);
    }
    // With one thread, ripgrep looks at ignore files, and at the tree if it has to sort it, before
    // it refuses a pattern; its reports about them are right either way.
    if REFUSALS.iter().any(|refusal| contains(&answer.stderr, refusal)) {
        let lines = answer.stderr.split(|byte| *byte == b'\n');
        let kept = lines.filter(|line| !TOLD_EARLY.iter().any(|part| contains(line, part)));
        answer.stderr = kept.collect::<Vec<_>>().join(&b'\n');
    }
    answer.stderr = sorted(&answer.stderr);
    answer
}

fn contains(bytes: &[u8], part: &str) -> bool {
    bytes.windows(part.len()).any(|window| window == part.as_bytes())
}

/// Lines that only one of two answers has, and the end of each.
fn show(answer: &Answer, other: &Answer) -> String {
    let mut shown = format!("exit {:?}", answer.code);
    let streams =
        [(&answer.stdout, &other.stdout, "stdout"), (&answer.stderr, &other.stderr, "stderr")];
    for (bytes, others, name) in streams {
        let known: Vec<&[u8]> = others.split(|byte| *byte == b'\n').collect();
        let own = bytes.split(|byte| *byte == b'\n').filter(|line| !known.contains(line));
        for line in own.take(8) {
            let text: String = String::from_utf8_lossy(line).chars().take(300).collect();
            shown += &format!("\n    {name}: {text:?}");
        }
        let lines = bytes.iter().filter(|byte| **byte == b'\n').count();
        shown += &format!("\n    {name}: {lines} lines in all, {} bytes", bytes.len());
    }
    shown
}
