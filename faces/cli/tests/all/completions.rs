//! Completions and man page, by the programs that read them. Those that are not installed are left
//! out, and reported.

use std::path::Path;
use std::process::{Command, Output, Stdio};

fn generate(name: &str, kind: &str) -> String {
    use std::os::unix::process::CommandExt;
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    let output = command.arg0(name).args(["--generate", kind]).output().expect("it runs");
    assert!(output.status.success(), "{kind}");
    String::from_utf8(output.stdout).expect("text")
}

/// Runs a program; `None`, and a message, if it is not installed.
fn run(program: &str, words: &[&str], folder: &Path) -> Option<Output> {
    let mut command = Command::new(program);
    command.args(words).current_dir(folder).stdin(Stdio::null()).env("HOME", folder);
    match command.output() {
        Ok(output) => Some(output),
        Err(_) => {
            eprintln!("left out: {program} is not installed");
            None
        }
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Command lines with the word to complete last; then words that are offered, and words that are
/// not.
const CASES: &[(&str, &[&str], &[&str])] = &[
    (
        "manicule ",
        &["find", "code", "series", "rows", "blobs", "cache"],
        &["--color", "list", "notes.txt"],
    ),
    ("manicule c", &["code", "cache"], &["find", "series"]),
    ("manicule cache ", &["list", "clear", "build"], &["find", "notes.txt", "--hidden"]),
    ("manicule cache build --", &["--all", "--memory", "--threads"], &["--hidden", "--hex"]),
    ("manicule series ", &["select", "labels", "analyze", "verify"], &["find", "notes.txt"]),
    ("manicule series select --", &["--samples", "--start", "--limit"], &["--hidden", "--drop"]),
    ("manicule series analyze --bars ", &["auto", "always", "never"], &["notes.txt"]),
    ("manicule series dump --format ", &["openmetrics", "json", "plain"], &["notes.txt"]),
    ("manicule series split --by ", &["hash", "time"], &["notes.txt"]),
    ("manicule code index -", &["-index", "-file_limit", "--memory"], &["--hidden"]),
    ("manicule code search --color a", &["auto", "always", "ansi"], &["never", "notes.txt"]),
    ("manicule inspect --", &["--hex", "--all", "--json"], &["--hidden"]),
    ("manicule find --color ", &["never", "auto", "always", "ansi"], &["notes.txt", "--hidden"]),
    ("manicule find --sort m", &["modified"], &["path"]),
    ("manicule find --engine ", &["default", "pcre2", "auto"], &["notes.txt"]),
    ("manicule find -t ru", &["rust", "ruby"], &["c", "py"]),
    ("manicule find --type-not all", &["all"], &["rust"]),
    ("manicule find -E utf-16", &["utf-16", "utf-16le", "utf-16be"], &["latin1"]),
    ("manicule find --no-i", &["--no-ignore", "--no-index"], &["--hidden", "--ignore"]),
    ("manicule find needle n", &["notes.txt"], &["never"]),
    ("rg --color ", &["never", "ansi"], &["notes.txt"]),
    ("rg --no-i", &["--no-ignore", "--no-ignore-vcs"], &["--no-index"]),
    ("rg needle n", &["notes.txt"], &["find"]),
];

/// A folder with a file, and the completions of both names.
fn folder(kind: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("notes.txt"), "").expect("a file");
    for name in ["manicule", "rg"] {
        std::fs::write(folder.path().join(name), generate(name, kind)).expect("a file");
    }
    folder
}

/// Asks a shell, whose words come in lines, for each case.
fn check(shell: &str, kind: &str, script: impl Fn(&str, &str) -> String) {
    let folder = folder(kind);
    for (line, offered, others) in CASES {
        let program = line.split(' ').next().expect("a word");
        let script = script(program, line);
        let Some(output) = run(shell, &["-c", &script], folder.path()) else { return };
        let shown = text(&output);
        // fish prints the description of each word after a tab.
        let words: Vec<&str> = shown.lines().map(|l| l.split('\t').next().unwrap_or(l)).collect();
        for word in *offered {
            assert!(words.contains(word), "{shell}: {line:?} offers no {word}:\n{shown}");
        }
        for word in *others {
            assert!(!words.contains(word), "{shell}: {line:?} offers {word}:\n{shown}");
        }
    }
}

#[test]
fn bash_offers_what_fits() {
    check("bash", "complete-bash", |program, line| {
        let words: Vec<String> = line.split(' ').map(|word| format!("'{word}'")).collect();
        format!(
            ". ./{program}; COMP_WORDS=({}); COMP_CWORD={}; _{program}; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
            words.join(" "),
            words.len() - 1
        )
    });
}

#[test]
fn bash_offers_values_after_an_equals_sign() {
    let folder = folder("complete-bash");
    for words in ["manicule find --color = al", "manicule find --color ="] {
        let count = words.split(' ').count() - 1;
        let script = format!(
            ". ./manicule; COMP_WORDS=({words}); COMP_CWORD={count}; _manicule; echo \"${{COMPREPLY[@]}}\""
        );
        let Some(output) = run("bash", &["-c", &script], folder.path()) else { return };
        assert!(text(&output).contains("always"), "{words}: {}", text(&output));
    }
}

#[test]
fn fish_offers_what_fits() {
    check("fish", "complete-fish", |program, line| {
        format!("source ./{program}; complete -C '{line}'")
    });
}

#[test]
fn zsh_reads_its_script() {
    let folder = folder("complete-zsh");
    for program in ["manicule", "rg"] {
        let Some(output) = run("zsh", &["-n", program], folder.path()) else { return };
        assert_eq!(text(&output), "", "{program}");
        let script = format!(
            "autoload -Uz compinit; compinit -D -u; . ./{program}; whence -w _{program}; echo $_comps[{program}]"
        );
        let Some(output) = run("zsh", &["-f", "-c", &script], folder.path()) else { return };
        assert_eq!(text(&output), format!("_{program}: function\n_{program}\n"));
    }
}

#[test]
fn power_shell_reads_its_script() {
    let folder = folder("complete-powershell");
    std::fs::rename(folder.path().join("manicule"), folder.path().join("manicule.ps1"))
        .expect("it");
    for (line, offered, _) in CASES.iter().filter(|case| case.0.starts_with("manicule")) {
        let script = format!(
            ". ./manicule.ps1; (TabExpansion2 -inputScript '{line}' -cursorColumn {}).CompletionMatches.CompletionText",
            line.len()
        );
        let Some(output) = run("pwsh", &["-NoProfile", "-c", &script], folder.path()) else {
            return;
        };
        for word in *offered {
            assert!(text(&output).lines().any(|l| l.ends_with(word)), "{line}: {}", text(&output));
        }
    }
}

#[test]
fn the_man_page_has_no_mistake_and_its_parts() {
    let folder = folder("man");
    for program in ["manicule", "rg"] {
        let words = ["-man", "-ww", "-z", "-Tutf8", "-rLL=100n", program];
        let Some(output) = run("groff", &words, folder.path()) else { return };
        assert_eq!(text(&output), "", "{program}");
    }
    let page = generate("manicule", "man");
    let version = format!(" \"manicule {}\" ", env!("CARGO_PKG_VERSION"));
    let title = page.lines().next().expect("a line");
    assert!(title.starts_with(".TH MANICULE 1 \"20") && title.contains(&version), "{title}");
    for part in [
        "NAME",
        "SYNOPSIS",
        "MANICULE FIND",
        "MANICULE CACHE BUILD",
        "MANICULE SERIES SELECT",
        "EXIT STATUS",
        "CONFIGURATION FILES",
        "AUTOMATIC FILTERING",
        "THE INDEX AND ITS CACHE",
        "ENVIRONMENT",
        "EXAMPLES",
        "SEE ALSO",
    ] {
        assert!(page.contains(&format!("\n.SH {part}\n")), "{part}");
    }
    assert!(page.contains("MANICULE_CACHE_DIR"));
}

/// Tries every option that completion offers on its command: none may be unknown there.
#[test]
fn every_option_that_is_offered_is_known() {
    let folder = tempfile::tempdir().expect("a folder");
    let script = generate("manicule", "complete-bash");
    let mut path = Vec::new();
    let (mut tried, mut pages) = (0, 0);
    for line in script.lines() {
        if let Some(page) = line.strip_prefix("    '").and_then(|line| line.strip_suffix("')")) {
            path = page.split_whitespace().collect();
        }
        let Some(options) = line.strip_prefix("      options='").and_then(|l| l.strip_suffix('\''))
        else {
            continue;
        };
        for option in options.split(' ') {
            let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
            command.args(&path).arg(option).current_dir(folder.path()).stdin(Stdio::null());
            command
                .env("MANICULE_CACHE_DIR", folder.path().join("cache"))
                .env("HOME", folder.path());
            let said = text(&command.output().expect("it runs"));
            for refusal in ["there is no option", "unrecognized flag", "there is no command"] {
                assert!(!said.contains(refusal), "manicule {path:?} {option}: {said}");
            }
            tried += 1;
        }
        let mut help = Command::new(env!("CARGO_BIN_EXE_manicule"));
        let help = help.args(&path).arg("--help").output().expect("it runs");
        assert!(help.status.success(), "manicule {path:?} --help");
        // A group lists its commands; each has a page of its own.
        let is_group =
            matches!(path[..], [] | ["code" | "series" | "rows" | "blobs" | "graph" | "cache"]);
        for option in options.split(' ').filter(|_| !is_group) {
            assert!(text(&help).contains(option), "manicule {path:?} --help has no {option}");
        }
        pages += 1;
    }
    assert_eq!(pages, 79, "commands and groups");
    assert!(tried > 300, "{tried} options were tried");
}
