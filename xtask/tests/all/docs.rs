//! Documents in step with the house: links lead somewhere, named files exist, formats are
//! described, and nothing reveals the machine it was written on.

use std::path::Path;

use xtask::{expect_none, files, root, text};

/// Markdown files at the root and below `docs/`.
fn documents() -> Vec<String> {
    let is_ours =
        |name: &String| name.ends_with(".md") && (!name.contains('/') || name.starts_with("docs/"));
    files().into_iter().filter(is_ours).collect()
}

/// The lines of a Markdown text outside of code fences, with numbers from 1.
fn prose(text: &str) -> Vec<(usize, &str)> {
    let mut fenced = false;
    let mut lines = Vec::new();
    for (at, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
        } else if !fenced {
            lines.push((at + 1, line));
        }
    }
    lines
}

/// Targets of the links `[text](target)` in a line.
fn links(line: &str) -> Vec<&str> {
    let after = line.split("](").skip(1);
    after.filter_map(|rest| rest.split(')').next()).collect()
}

/// The parts of a line between backticks.
fn code_spans(line: &str) -> Vec<&str> {
    line.split('`').skip(1).step_by(2).collect()
}

/// The anchor that a heading gets: lower case, blanks as hyphens, punctuation left out.
fn anchor(heading: &str) -> String {
    let kept = heading.trim_start_matches('#').trim().chars().filter_map(|c| match c {
        ' ' => Some('-'),
        '-' | '_' => Some(c),
        c if c.is_alphanumeric() => Some(c.to_ascii_lowercase()),
        _ => None,
    });
    kept.collect()
}

#[test]
fn relative_links_lead_somewhere() {
    let mut faults = Vec::new();
    for name in documents() {
        let source = text(&name).unwrap_or_default();
        let folder = Path::new(&name).parent().unwrap_or(Path::new("")).to_owned();
        for (line, content) in prose(&source) {
            for target in links(content) {
                if target.contains("://") || target.starts_with("mailto:") {
                    continue;
                }
                let (path, place) = target.split_once('#').unwrap_or((target, ""));
                let linked = if path.is_empty() { name.clone().into() } else { folder.join(path) };
                if !root().join(&linked).exists() {
                    faults.push(format!("{name}:{line}: {target}"));
                } else if !place.is_empty() {
                    let page = std::fs::read_to_string(root().join(&linked)).unwrap_or_default();
                    let heads = prose(&page).into_iter().filter(|(_, text)| text.starts_with('#'));
                    if !heads.into_iter().any(|(_, text)| anchor(text) == place) {
                        faults.push(format!("{name}:{line}: no heading for {target}"));
                    }
                }
            }
        }
    }
    expect_none("links that lead nowhere", &faults);
}

/// Name endings of code spans that are taken for files of the repository.
const FILE_ENDINGS: &[&str] = &[".rs", ".md", ".sh", ".toml", ".txt", ".json"];

#[test]
fn files_that_the_architecture_names_exist() {
    let is_of_the_house =
        |name: &String| name == "ARCHITECTURE.md" || name.starts_with("docs/walks/");
    let pages: Vec<String> = documents().into_iter().filter(is_of_the_house).collect();
    assert!(pages.len() > 10, "the walks lie elsewhere: {pages:?}");
    let mut faults = Vec::new();
    for name in pages {
        let source = text(&name).unwrap_or_default();
        for (line, content) in prose(&source) {
            for span in code_spans(content) {
                let is_file =
                    span.contains('/') && FILE_ENDINGS.iter().any(|end| span.ends_with(end));
                let is_folder = span.contains('/') && span.ends_with('/');
                let is_pattern = span.contains(['*', ' ', '<', '$', '~']) || span.starts_with('/');
                if (is_file || is_folder) && !is_pattern && !root().join(span).exists() {
                    faults.push(format!("{name}:{line}: {span}"));
                }
            }
        }
    }
    expect_none("files that ARCHITECTURE.md or a walk names and that aren't there", &faults);
}

#[test]
fn every_format_is_described() {
    let mut faults = Vec::new();
    for name in files() {
        let parts: Vec<&str> = name.split('/').collect();
        if let ["formats", format, "Cargo.toml"] = parts[..] {
            let page = format!("docs/formats/{format}.md");
            if !root().join(&page).is_file() {
                faults.push(format!("formats/{format} has no page {page}"));
            }
        }
    }
    expect_none("formats without a page", &faults);
}

/// Folders that exist only on a private machine. In two parts, so that this file names none.
const PRIVATE: &[(&str, &str)] = &[("/ro", "ot/"), ("/ho", "me/"), ("/wo", "rk/"), ("/Us", "ers/")];

/// User names without an owner: documents and tests may use them.
const EXAMPLES: &[&str] = &["me", "user"];

/// The private folder that a text names: the path must begin there, and go on.
fn private_path(line: &str) -> Option<&str> {
    PRIVATE.iter().find_map(|(left, right)| {
        let word = format!("{left}{right}");
        line.match_indices(&word).find_map(|(at, _)| {
            let begins = line[..at]
                .chars()
                .next_back()
                .is_none_or(|before| !before.is_alphanumeric() && !"._-~/}])*>".contains(before));
            let rest = &line[at + word.len()..];
            let goes_on = rest.starts_with(|next: char| next.is_alphanumeric() || next == '.');
            let end = rest.find(|c: char| c.is_whitespace() || "\"'`)".contains(c));
            let end = end.map_or(line.len(), |end| at + word.len() + end);
            let owner = rest.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
            (begins && goes_on && !EXAMPLES.contains(&owner)).then(|| &line[at..end])
        })
    })
}

#[test]
fn no_file_tells_whose_machine_it_was_written_on() {
    let mut faults = Vec::new();
    for name in files() {
        for (at, line) in text(&name).unwrap_or_default().lines().enumerate() {
            if let Some(path) = private_path(line) {
                faults.push(format!("{name}:{}: {path}", at + 1));
            }
        }
    }
    expect_none("paths of a private machine", &faults);
}

#[test]
fn the_small_parsers_of_this_test() {
    assert_eq!(links("[a](b.md) and [c](d#e)"), ["b.md", "d#e"]);
    assert_eq!(code_spans("in `a/b.rs` and `c`"), ["a/b.rs", "c"]);
    assert_eq!(anchor("## Walk A: a find, in a tree"), "walk-a-a-find-in-a-tree");
    assert_eq!(prose("a\n```\nb\n```\nc"), [(1, "a"), (5, "c")]);
    let (left, right) = PRIVATE[1];
    let home = format!("cd {left}{right}ada/src now");
    assert_eq!(private_path(&home), Some(format!("{left}{right}ada/src").as_str()));
    assert_eq!(private_path(&home.replace("ada", "me")), None);
    assert_eq!(private_path("core/root/x and docs/home/y"), None);
}

#[test]
fn answers_in_readme_are_a_guides() {
    let readme = text("README.md").expect("README.md");
    let guides: Vec<String> = documents()
        .iter()
        .filter(|name| name.starts_with("docs/guide/"))
        .filter_map(|name| text(name))
        .collect();
    let answers =
        readme.split("```console\n").skip(1).filter_map(|block| block.split("```").next());
    let lines: Vec<&str> = answers
        .flat_map(str::lines)
        .filter(|line| !line.starts_with("$ ") && *line != "...")
        .collect();
    assert!(lines.len() > 5, "answers are found: {lines:?}");
    // What a guide shows is compared with what the program prints.
    let is_shown = |line: &&str| guides.iter().any(|guide| guide.lines().any(|it| it == *line));
    let strange: Vec<String> =
        lines.into_iter().filter(|line| !is_shown(line)).map(str::to_owned).collect();
    expect_none("answers in README.md that no guide shows", &strange);
}
