//! Whether what the help texts list is what the parsers take. The parsers of commands match on lexopt's words, so their
//! source says what they take; `tests/completions.rs` tries the other way round.

use std::path::{Path, PathBuf};

use super::{Page, generate, option_names, pages};
use crate::flags::{FLAGS, Script};
use crate::messages::Manners;

const SCRIPTS: [Script; 5] =
    [Script::Man, Script::Bash, Script::Zsh, Script::Fish, Script::PowerShell];

/// Between processes of ours, or a former name: nobody's to type.
const HIDDEN: &[&str] = &["--background", "--anew"];

#[test]
fn every_flag_is_in_every_script() {
    for script in SCRIPTS {
        let text = generate(script, Manners::Manicule).replace("\\-", "-").replace("-l ", "--");
        for flag in FLAGS {
            assert!(text.contains(&format!("--{}", flag.long)), "{script:?} {}", flag.long);
        }
        for page in pages(Manners::Manicule) {
            for name in page.words() {
                let fish_name = name.replace("-l ", "--");
                let single = name.trim_start_matches('-');
                let found = text.contains(&fish_name)
                    || text.contains(&format!(" -s {single} "))
                    || text.contains(&format!(" -o {single} "));
                assert!(found, "{script:?} {} {name}", page.path);
            }
        }
    }
}

#[test]
fn called_as_rg_only_ripgreps_flags_are() {
    for script in SCRIPTS {
        let text = generate(script, Manners::Ripgrep);
        for own in ["budget", "max-age", "series", "MANICULE_CACHE_DIR"] {
            assert!(!text.contains(own), "{script:?} {own}");
        }
    }
}

#[test]
fn every_option_that_a_parser_takes_is_in_its_help() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut seen = 0;
    for group in ["series", "code", "inspect", "cache.rs"] {
        for file in sources(&source.join(group)) {
            let taken = taken(&std::fs::read_to_string(&file).expect("a source file"));
            let listed = listed(group, &file);
            for name in taken.iter().filter(|name| !HIDDEN.contains(&name.as_str())) {
                assert!(listed.contains(name), "{}: {name} is not in its help", file.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 80, "{seen} options were seen");
}

#[test]
fn every_option_of_a_help_text_says_what_it_does() {
    for page in pages(Manners::Manicule) {
        for option in &page.options {
            assert!(!option.help.is_empty(), "{} {:?}", page.path, option.names);
        }
    }
}

/// The options of the command that a file, or a folder with its `mod.rs`, is named for, or else of its whole group.
fn listed(group: &str, file: &Path) -> Vec<String> {
    let is_folder = file.file_name().is_some_and(|name| name == "mod.rs");
    let named = if is_folder { file.parent() } else { Some(file) };
    let stem = named.and_then(Path::file_stem).expect("a name").to_string_lossy();
    let own = option_names(&format!("{group} {stem}"));
    match group {
        _ if !own.is_empty() => own,
        "inspect" => [option_names("inspect"), option_names("verify")].concat(),
        group => option_names(group.trim_end_matches(".rs")),
    }
}

fn sources(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let entries = std::fs::read_dir(path).expect("a folder of sources");
    entries.flat_map(|entry| sources(&entry.expect("an entry").path())).collect()
}

/// What stands in `Long("..." | "...")` and `Short('.')`, tests left out.
fn taken(source: &str) -> Vec<String> {
    let code = source.split("#[cfg(test)]").next().unwrap_or_default();
    let mut names = Vec::new();
    for (word, quote, dashes) in [("Long(\"", '"', "--"), ("Short('", '\'', "-")] {
        for rest in code.split(word).skip(1) {
            let patterns = rest.split(')').next().unwrap_or_default();
            let spelled = patterns.split(quote).step_by(2);
            names.extend(
                spelled.filter(|name| !name.is_empty()).map(|name| format!("{dashes}{name}")),
            );
        }
    }
    names
}

#[test]
fn a_page_knows_its_children() {
    let pages = pages(Manners::Manicule);
    let names = |path: &str| -> Vec<String> {
        super::children(&pages, path).into_iter().map(Page::name).map(str::to_owned).collect()
    };
    assert_eq!(names(""), ["find", "code", "series", "inspect", "verify", "cache"]);
    assert_eq!(names("code"), ["index", "search"]);
    assert_eq!(names("cache"), ["list", "clear", "build"]);
    assert!(names("find").is_empty() && names("series select").is_empty());
}
