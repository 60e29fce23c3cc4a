//! Whether man page and completions have every option of every command, where it belongs.

use super::{Opt, Page, generate, pages};
use crate::flags::Script;
use crate::messages::InvokedAs;
use crate::program::COMMANDS;

const SCRIPTS: [Script; 5] =
    [Script::Man, Script::Bash, Script::Zsh, Script::Fish, Script::PowerShell];

/// The part of a script that is about a command.
fn part(script: Script, text: &str, page: &Page) -> String {
    let path = &page.path;
    let (start, end) = match script {
        Script::Man if path == "find" => (".SH MANICULE FIND\n".to_owned(), "\n.SH "),
        Script::Man => (format!(".SH MANICULE {}\n", path.to_uppercase()), "\n.SH "),
        Script::Bash => (format!("    ' {path}')\n"), "\n      ;;\n"),
        Script::Zsh => (format!("\n_manicule_{}() {{\n", path.replace(' ', "_")), "\n}\n"),
        Script::Fish => {
            let when = format!("\"__manicule_at '{path}'\"");
            let lines = text.lines().filter(|line| line.contains(&when));
            return lines.map(|line| format!("{line}\n")).collect();
        }
        // The first is the program's, for values.
        Script::PowerShell => (format!("\n    '{path}' {{\n"), "\n    }\n"),
    };
    let at = text.find(&start).unwrap_or_else(|| panic!("{script:?} has no {start:?}"));
    let rest = &text[at + start.len()..];
    rest[..rest.find(end).unwrap_or(rest.len())].to_owned()
}

/// A name of an option as a script spells it.
fn spelled(script: Script, name: &str) -> String {
    match (script, name.strip_prefix("--"), name.strip_prefix('-')) {
        (Script::Man, ..) => format!("\\fB{}\\fP", name.replace('-', "\\-")),
        (Script::Zsh, ..) => format!("'*{name}"),
        (Script::Fish, Some(long), _) => format!(" -l {long} "),
        (Script::Fish, None, Some(letter)) if letter.len() == 1 => format!(" -s {letter} "),
        (Script::Fish, ..) => format!(" -o {} ", &name[1..]),
        (Script::PowerShell, ..) => format!("::new('{name}', "),
        (Script::Bash, ..) => name.to_owned(),
    }
}

#[test]
fn every_option_of_every_command_is_in_every_script() {
    let mut seen = 0;
    for script in SCRIPTS {
        let text = generate(script, InvokedAs::Manicule, COMMANDS);
        for page in pages(InvokedAs::Manicule, COMMANDS).iter().filter(|page| page.is_job()) {
            let part = part(script, &text, page);
            for name in page.words() {
                let name = spelled(script, name);
                assert!(part.contains(&name), "{script:?} {}: {name}\n{part}", page.path);
                seen += 1;
            }
        }
    }
    assert!(seen > 1500, "{seen} names were seen");
}

#[test]
fn called_as_rg_only_ripgreps_flags_are() {
    for script in SCRIPTS {
        let text = generate(script, InvokedAs::Ripgrep, COMMANDS);
        for own in ["budget", "max-age", "series", "MANICULE_CACHE_DIR"] {
            assert!(!text.contains(own), "{script:?} {own}");
        }
        let page = &pages(InvokedAs::Ripgrep, COMMANDS)[0];
        let has = |option: &Opt, name: &str| option.names.iter().any(|other| other == name);
        assert!(page.options.iter().any(|option| has(option, "--hidden")));
    }
}

#[test]
fn a_page_knows_its_children() {
    let pages = pages(InvokedAs::Manicule, COMMANDS);
    let names = |path: &str| -> Vec<String> {
        super::children(&pages, path).into_iter().map(Page::name).map(str::to_owned).collect()
    };
    assert_eq!(
        names(""),
        [
            "find", "code", "series", "rows", "graph", "blobs", "inspect", "verify", "table",
            "sql", "serve", "mcp", "cache"
        ]
    );
    assert_eq!(names("code"), ["index", "git-index", "list", "search", "merge", "explode"]);
    assert_eq!(names("cache"), ["list", "clear", "build"]);
    assert!(names("find").is_empty() && names("series select").is_empty());
}
