//! Unsafe has a door and a note (STYLE.md, 11): it occurs only in the files that
//! `xtask/unsafe-files.txt` names, and each place says why it holds.

use xtask::{blank_comments_and_strings, expect_none, files, text};

const LIST: &str = "xtask/unsafe-files.txt";

/// Maximum number of lines between an `unsafe` and the start of its note: a long note, and an
/// attribute or two.
const NOTE_LINES_MAX: usize = 14;

/// The files of the list: one a line, `#` begins a comment.
fn doors() -> Vec<String> {
    let list = text(LIST).unwrap_or_else(|| panic!("{LIST} is missing"));
    list.lines()
        .map(|line| line.split('#').next().unwrap_or_default().trim().to_owned())
        .filter(|line| !line.is_empty())
        .collect()
}

/// Numbers of the lines that hold the word `unsafe` as code, from 0.
fn unsafe_lines(source: &str) -> Vec<usize> {
    let code = blank_comments_and_strings(source);
    let has_word = |line: &str| {
        line.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == "unsafe")
    };
    code.lines().enumerate().filter(|(_, line)| has_word(line)).map(|(at, _)| at).collect()
}

/// Whether a line has its note: `SAFETY:` in the comment above its statement, or
/// `# Safety` in the documentation of an unsafe function.
fn has_note(source: &str, at: usize) -> bool {
    let lines: Vec<&str> = source.lines().collect();
    let first = at.saturating_sub(NOTE_LINES_MAX);
    for line in lines[first..=at].iter().rev().map(|line| line.trim()) {
        if line.contains("SAFETY:") || line.contains("# Safety") {
            return true;
        }
        // Above a finished block or an empty line another thought begins.
        if line.is_empty() {
            return false;
        }
    }
    false
}

#[test]
fn unsafe_stands_behind_doors() {
    let doors = doors();
    let mut faults = Vec::new();
    for name in files().iter().filter(|name| name.ends_with(".rs") && !doors.contains(name)) {
        let source = text(name).unwrap_or_default();
        for at in unsafe_lines(&source) {
            faults.push(format!("{name}:{}: unsafe in a file that {LIST} does not name", at + 1));
        }
    }
    expect_none("unsafe without a door (STYLE.md, 11)", &faults);
}

#[test]
fn every_door_leads_somewhere() {
    let useless: Vec<String> = doors()
        .into_iter()
        .filter(|name| text(name).is_none_or(|source| unsafe_lines(&source).is_empty()))
        .map(|name| format!("{name} is not there, or has no unsafe: take it out of {LIST}"))
        .collect();
    expect_none("doors that lead nowhere", &useless);
}

#[test]
fn every_unsafe_says_why_it_holds() {
    let mut faults = Vec::new();
    for name in doors() {
        let source = text(&name).unwrap_or_default();
        for at in unsafe_lines(&source).into_iter().filter(|&at| !has_note(&source, at)) {
            faults.push(format!("{name}:{}: no SAFETY note above", at + 1));
        }
    }
    expect_none("unsafe without a note (STYLE.md, 11)", &faults);
}

#[test]
fn words_and_notes_are_told_apart() {
    let noted = "// SAFETY: it holds.\nlet x =\n    unsafe { f() };";
    assert_eq!(unsafe_lines(noted), [2]);
    assert!(has_note(noted, 2));
    let bare = "// SAFETY: of another.\n\nunsafe { f() }";
    assert!(!has_note(bare, 2));
    let others = "unsafe_op_in_unsafe_fn // unsafe\nlet s = \"unsafe\";";
    assert_eq!(unsafe_lines(others), [0; 0]);
}
