//! Random source trees: everything that makes a search of files hard, in a few dozen small files.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::Rng;

/// Words that lines are made of; patterns of tests are found in them.
pub const WORDS: &[&str] = &[
    "needle",
    "Needle",
    "NEEDLE",
    "hay",
    "straw",
    "foo",
    "foobar",
    "bar_baz",
    "a",
    "x",
    "été",
    "Straße",
    "naïve",
    "Δελτα",
    "δελτα",
    "数字",
    "0x1F",
    "42",
    "fn",
    "main()",
    "--",
    "-v",
    "$1",
    "\\n",
    "tab\there",
    "𝕏",
    "e\u{301}",
    "İ",
    "ſ",
    "K",
];

/// Names of files and folders. Some are hidden, some look like flags, some are not valid UTF-8.
const NAMES: &[&[u8]] = &[
    b"a",
    b"b.rs",
    b"c.txt",
    b"d.md",
    b"e.c",
    b"main.rs",
    b"lib.rs",
    b"README",
    b"Makefile",
    b"x.tar",
    b"notes.txt",
    b".hidden",
    b".env",
    b"-dash",
    b"--files",
    b"with space",
    b"new\nline",
    b"tab\tname",
    b"col:on",
    b"star*",
    b"[br]ack",
    b"{a,b}",
    b"\xFFbytes",
    b"\xC3\x28.rs",
    "été.txt".as_bytes(),
    "数.rs".as_bytes(),
    b"B.RS",
    b"ignored",
    b"build",
    b"target",
    b"log.log",
    b"big.bin",
    b"quote'd",
    b"back\\slash",
    b"ends.",
    b"~",
    b"#hash",
    b"!bang",
];

const FOLDERS: &[&[u8]] = &[
    b"src", b"src2", b"build", b"target", b".git", b".github", b"docs", b"a b", b"deep",
    b"\xFEdir", b"vendor", b"[x]", b"ignored",
];

const IGNORE_FILES: &[&str] = &[".gitignore", ".ignore", ".rgignore", ".git/info/exclude"];

const RULES: &[&str] = &[
    "*.rs",
    "!*.rs",
    "*.log",
    "build/",
    "/build",
    "target",
    "!target/",
    "ignored",
    "**/a",
    "a/**",
    "src/*.txt",
    "!src/c.txt",
    "# comment",
    "",
    "\\#hash",
    "\\!bang",
    "*.t?t",
    "[a-c]",
    "[",
    "{a,b}",
    "/src/**/deep",
    "deep/",
    "!deep/",
    "*",
    "!*/",
    "with space",
    "trailing ",
    "trailing\\ ",
    "doc*",
    "**",
    ".hidden",
    "!.hidden",
    "été.txt",
    "B.RS",
    "b.rs",
];

/// Plants a random tree in an existing empty folder, and returns the paths of its files below it.
pub fn plant(root: &Path, rng: &mut Rng) -> io::Result<Vec<PathBuf>> {
    let mut folders = vec![PathBuf::new()];
    for _ in 0..rng.below(7) {
        let folder = rng.choose(&folders).join(name(rng.pick(FOLDERS)));
        if fs::create_dir_all(root.join(&folder)).is_ok() && !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    if rng.one_in(2) {
        fs::create_dir_all(root.join(".git/info"))?;
    }
    let mut files = Vec::new();
    for _ in 0..rng.below(24) + 1 {
        let path = rng.choose(&folders).join(name(rng.pick(NAMES)));
        if fs::write(root.join(&path), contents(rng)).is_ok() && !files.contains(&path) {
            files.push(path);
        }
    }
    for _ in 0..rng.below(4) {
        let path = rng.choose(&folders).join(rng.pick(IGNORE_FILES));
        // Folders that don't exist have no ignore file.
        let _ = fs::write(root.join(path), rules(rng));
    }
    link(root, &folders, &files, rng);
    Ok(files)
}

/// The bytes of an ignore file: a few rules, now and then after a byte order mark or with CRLF line
/// ends.
pub fn rules(rng: &mut Rng) -> Vec<u8> {
    let end = if rng.one_in(5) { "\r\n" } else { "\n" };
    let mut bytes = if rng.one_in(8) { b"\xEF\xBB\xBF".to_vec() } else { Vec::new() };
    for _ in 0..rng.below(4) + 1 {
        bytes.extend_from_slice(rng.pick(RULES).as_bytes());
        bytes.extend_from_slice(end.as_bytes());
    }
    bytes
}

/// The bytes of a file: mostly lines of words, and each oddity now and then.
pub fn contents(rng: &mut Rng) -> Vec<u8> {
    match rng.below(24) {
        0 => Vec::new(),
        1 => b"\n\n\n".to_vec(),
        2 => utf16(rng, u16::to_le_bytes, &[0xFF, 0xFE]),
        3 => utf16(rng, u16::to_be_bytes, &[0xFE, 0xFF]),
        4 => [b"\xEF\xBB\xBF".to_vec(), text(rng, "\n")].concat(),
        5 => text(rng, "\r\n"),
        6 => text(rng, "\r"),
        7 => text(rng, "\0"),
        8 => with_byte(rng, 0),
        9 => with_byte(rng, 0xFF),
        10 => [text(rng, "\n"), vec![0], text(rng, "\n")].concat(),
        // A NUL byte beyond the first buffer of the searcher.
        11 => [text(rng, "\n"), b"hay straw\n".repeat(9000), b"needle\0needle\n".to_vec()].concat(),
        12 => [b"x".repeat(70_000), text(rng, "\n"), b"y".repeat(200_000), b"needle".to_vec()]
            .concat(),
        13 => text(rng, " "),
        14 => {
            let mut bytes = text(rng, "\n");
            bytes.pop();
            bytes
        }
        15 => (0..rng.below(300)).map(|_| rng.bits() as u8).collect(),
        _ => text(rng, "\n"),
    }
}

fn text(rng: &mut Rng, end: &str) -> Vec<u8> {
    let mut text = String::new();
    for _ in 0..rng.below(14) {
        if rng.one_in(5) {
            text += rng.pick(&[" ", "\t", "    ", ""]);
        }
        for _ in 0..rng.below(7) {
            text += rng.pick(WORDS);
            text += rng.pick(&[" ", " ", "", "\t", ", "]);
        }
        text += end;
    }
    text.into_bytes()
}

fn utf16(rng: &mut Rng, to_bytes: fn(u16) -> [u8; 2], mark: &[u8]) -> Vec<u8> {
    let text = String::from_utf8(text(rng, "\n")).expect("words are text");
    mark.iter().copied().chain(text.encode_utf16().flat_map(to_bytes)).collect()
}

fn with_byte(rng: &mut Rng, byte: u8) -> Vec<u8> {
    let mut bytes = text(rng, "\n");
    let at = rng.below(bytes.len() + 1);
    bytes.insert(at, byte);
    bytes
}

#[cfg(unix)]
fn name(bytes: &[u8]) -> OsString {
    use std::os::unix::ffi::OsStringExt;
    OsString::from_vec(bytes.to_vec())
}

#[cfg(not(unix))]
fn name(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).replace(['\n', '\t', ':', '*', '\\'], "_").into()
}

/// Symbolic links: to files, to folders, into a loop, to a missing target.
#[cfg(unix)]
fn link(root: &Path, folders: &[PathBuf], files: &[PathBuf], rng: &mut Rng) {
    use std::os::unix::fs::symlink;
    for at in 0..rng.below(4) {
        let link = root.join(rng.choose(folders)).join(format!("link{at}"));
        let target = match rng.below(4) {
            0 if !files.is_empty() => root.join(rng.choose(files)),
            1 => root.join(rng.choose(folders)),
            2 => PathBuf::from("."),
            _ => PathBuf::from("nowhere"),
        };
        let _ = symlink(target, link);
    }
}

#[cfg(not(unix))]
fn link(_: &Path, _: &[PathBuf], _: &[PathBuf], _: &mut Rng) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_plants_the_same_tree() {
        let plant_in = |folder: &Path| {
            let files = plant(folder, &mut Rng::new(42)).expect("a tree");
            files
                .iter()
                .map(|path| fs::read(folder.join(path)).expect("a file"))
                .collect::<Vec<_>>()
        };
        let (left, right) =
            (tempfile::tempdir().expect("left"), tempfile::tempdir().expect("right"));
        assert_eq!(plant_in(left.path()), plant_in(right.path()));
    }
}
