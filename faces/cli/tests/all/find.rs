//! `manicule find` beyond ripgrep: its own behaviour and messages. The rest is ripgrep's, which
//! `differential.rs` and `proof/rg-tests` judge.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Calls the program by a name, in a folder of three files: `a` and `b` with two matching lines
/// each, `c` with none.
fn call(name: &str, line: &str) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("a file");
    };
    write("a", "one needle\nhay\ntwo needles\n");
    write("b", "needle\nneedle again\n");
    write("c", "hay\n");
    call_in(folder.path(), name, line)
}

fn call_in(folder: &Path, name: &str, line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_manicule"))
        .arg0(name)
        .args(line.split_whitespace())
        .current_dir(folder)
        .env_remove("RIPGREP_CONFIG_PATH")
        .env_remove("MANICULE_CONFIG_PATH")
        .stdin(Stdio::null())
        .output()
        .expect("the program runs")
}

/// Each row: the name it is called by, its words; then exit code, standard output and standard
/// error.
fn check(name: &str, line: &str, code: i32, stdout: &str, stderr: &str) {
    let output = call(name, line);
    assert_eq!(String::from_utf8_lossy(&output.stdout), stdout, "{name} {line}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), stderr, "{name} {line}");
    assert_eq!(output.status.code(), Some(code), "{name} {line}");
}

#[test]
fn finds_by_either_name() {
    let want = "a:one needle\na:two needles\nb:needle\nb:needle again\n";
    check("manicule", "find --sort path needle", 0, want, "");
    check("rg", "--sort path needle", 0, want, "");
    check("rg", "nothing", 1, "", "");
}

#[test]
fn words_that_mean_nothing_are_refused() {
    let stderr = "manicule: there is no command \"seek\"; `manicule --help` lists them, \
                  `manicule find TEXT` finds a text\n";
    check("manicule", "seek needle", 2, "", stderr);
    let stderr = "manicule: missing TEXT; usage: manicule find TEXT [PATH...]; \
                  `manicule find --help` tells more\n";
    for line in ["find", "find --files -c", "find -r needle"] {
        check("manicule", line, 2, "", stderr);
    }
    check("rg", "", 2, "", "rg: ripgrep requires at least one pattern to execute a search\n");
    check("rg", "--budget 5 x", 2, "", "rg: unrecognized flag --budget\n");
}

#[test]
fn pcre2_looks_around_and_back() {
    for engine in ["-P", "--pcre2", "--engine pcre2", "--engine auto", "--auto-hybrid-regex"] {
        check("manicule", &format!("find {engine} -n needle(?=s) a"), 0, "3:two needles\n", "");
        check("rg", &format!("{engine} -on (e)\\1 a"), 0, "1:ee\n3:ee\n", "");
    }
    check("rg", "-P -r $2-$1 (?<a>needle)(?<b>s) a", 0, "two s-needle\n", "");
    check("rg", "-P --no-pcre2 -c e{2} a", 0, "2\n", "");
    check("rg", "-PU --multiline-dotall -c hay.two a", 0, "1\n", "");
    check("rg", "-P --vimgrep (?<=o)n a", 0, "a:1:2:one needle\n", "");
}

#[test]
fn pcre2_says_its_version() {
    let output = call("manicule", "find --pcre2-version");
    let stdout = String::from_utf8(output.stdout).expect("text");
    assert!(stdout.starts_with("PCRE2 10.") && stdout.contains("(JIT is "), "{stdout}");
    assert_eq!(output.status.code(), Some(0));
    let long = String::from_utf8(call("rg", "--version").stdout).expect("text");
    assert!(long.contains("\nfeatures:+pcre2\n") && long.contains(&stdout), "{long}");
}

/// The default engine would take these patterns for something else, or for text that must be there.
#[test]
fn an_index_leaves_out_nothing_that_pcre2_matches() {
    let root = tempfile::tempdir().expect("a folder");
    let (tree, cache) = (root.path().join("tree"), root.path().join("cache"));
    std::fs::create_dir(&tree).expect("a folder");
    for number in 0..300 {
        let text = if number == 7 { "some needle-42 there\n" } else { "hay and straw\n" };
        std::fs::write(tree.join(format!("f{number}")), text).expect("a file");
    }
    let run = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
        command.args(words).current_dir(&tree).env("MANICULE_CACHE_DIR", &cache);
        String::from_utf8(command.output().expect("it runs").stdout).expect("text")
    };
    run(&["cache", "build", "."]);
    for pattern in [
        r"\Qneedle\E",
        "(?x) need le",
        r"\x{6e}eedle",
        "need(?#in between)le",
        "needle(?!s)",
        r"(?<=needle-)\d+",
        r"n(e)\1dle",
        "(?|(needle)|(pin))",
        r"(?(DEFINE)(?<n>needle))(?&n)",
        "NEEDLE(?i)|(?i)NEEDLE",
        r"some \Kneedle",
    ] {
        let want = "f7:some needle-42 there\n";
        assert_eq!(run(&["find", "-P", pattern]), want, "{pattern}");
        assert_eq!(run(&["find", "--no-index", "-P", pattern]), want, "{pattern}");
        let plain = run(&["find", "--no-index", "--engine=auto", pattern]);
        assert_eq!(run(&["find", "--engine=auto", pattern]), plain, "{pattern}");
    }
}

#[test]
fn a_call_without_a_command_gets_the_overview() {
    let overview = String::from_utf8(call("manicule", "--help").stdout).expect("text");
    for command in ["find", "code", "series", "blobs", "inspect", "verify", "cache"] {
        assert!(overview.contains(&format!("  manicule {command} ")), "{overview}");
    }
    check("manicule", "", 2, "", &overview);
    let series = String::from_utf8(call("manicule", "series --help").stdout).expect("text");
    check("manicule", "series", 2, "", &series);
}

#[test]
fn what_was_probably_meant_is_said() {
    for (line, meant) in [
        ("fnd x", "there is no command \"fnd\": did you mean `manicule find`?"),
        ("version", "there is no command \"version\": did you mean `manicule --version`?"),
        ("grep x", "there is no command \"grep\": did you mean `manicule find`?"),
        ("select up", "there is no command \"select\": did you mean `manicule series select`?"),
        (
            "series slect up",
            "there is no command series slect: did you mean `manicule series select`?",
        ),
        (
            "code x",
            "there is no command code x; it has index, git-index, list, search, merge, explode",
        ),
        ("tsdb analyze", "there is no command \"tsdb\": did you mean `manicule series`?"),
        ("rows compact x", "there is no command rows compact: did you mean `manicule rows merge`?"),
        (
            "blobs prune",
            "there is no command blobs prune: restic does that; here repositories are read, and \
             `manicule blobs repair-index` repairs",
        ),
        (
            "--json find x",
            "there is no command \"--json\": flags go after the command, as in `manicule find --json`",
        ),
        ("series select --min-time=1 up", "there is no option --min-time here: write --start"),
        ("code index --output x y", "there is no option --output here: write -index FOLDER"),
        ("code index -output x y", "there is no option -output here: write -index FOLDER"),
        ("rows dump a 77", "one word too many: 77; a key is given with -k: `-k 77`"),
        ("find --colr=never x", "unrecognized flag --colr: did you mean --color?"),
        ("find --zzzzzz x", "unrecognized flag --zzzzzz; `manicule find --help` lists them"),
    ] {
        check("manicule", line, 2, "", &format!("manicule: {meant}\n"));
    }
    let stderr = "manicule: there is no option --jsn: did you mean --json?\n";
    check("manicule", "series select --jsn up", 2, "", stderr);
    let stderr = "manicule: there is no option --zz; `manicule cache list --help` lists them\n";
    check("manicule", "cache list --zz", 2, "", stderr);
}

#[test]
fn help_and_versions_are_answers() {
    for line in [
        "--help",
        "-h",
        "help",
        "find -h",
        "find --help",
        "find -V",
        "help find",
        "help series",
        "help series select",
        "series help select",
        "cache --help",
        "verify --help",
    ] {
        let output = call("manicule", line);
        assert!(output.status.success() && !output.stdout.is_empty(), "{line}");
    }
    let version = format!("manicule {}\n", env!("CARGO_PKG_VERSION"));
    for line in [
        "--version",
        "-V",
        "code --version",
        "code index --version",
        "code index -version",
        "code search --version",
        "series --version",
        "series select --version",
        "cache --version",
        "cache list --version",
        "inspect --version",
        "verify -V",
        "series verify --version",
    ] {
        check("manicule", line, 0, &version, "");
    }
    let help = String::from_utf8(call("manicule", "find --help").stdout).expect("text");
    for part in ["Examples:", "Beyond ripgrep:", "MANICULE_CACHE_DIR", "zoekt shard", "docs/guide"]
    {
        assert!(help.contains(part), "{part} in {help}");
    }
    let version = call("rg", "--version").stdout;
    assert!(version.starts_with(b"ripgrep 15."), "tools look for it");
}

#[test]
fn a_budget_that_suffices_says_nothing() {
    let want = "a:one needle\na:two needles\nb:needle\nb:needle again\n";
    check("manicule", "find --sort path --budget 51 needle", 0, want, "");
}

#[test]
fn a_budget_cuts_at_a_line_end() {
    let stderr = "manicule: output cut at --budget 20: 13 bytes printed, at least 14 left out, and the other files \
                  not looked into; narrow the pattern or the paths, or raise the budget\n";
    check("manicule", "find --sort path --budget 20 needle", 0, "a:one needle\n", stderr);
}

#[test]
fn a_budget_holds_for_listings() {
    let stderr = "manicule: output cut at --budget 5: 4 bytes printed, at least 2 left out, and the other files \
                  not looked into; narrow the pattern or the paths, or raise the budget\n";
    check("manicule", "find --files --sort path --budget 5", 0, "a\nb\n", stderr);
}

#[test]
fn json_ends_with_budget_and_receipt() {
    let output = call("manicule", "find --json --sort path --budget 60 --receipt needle");
    let stdout = String::from_utf8(output.stdout).expect("text");
    let kinds: Vec<String> = stdout
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("an object"))
        .map(|object| object["type"].as_str().expect("a type").to_owned())
        .collect();
    assert_eq!(kinds, ["begin", "summary", "budget", "receipt"]);
    assert!(stdout.contains("\"cut\":true"), "{stdout}");
}

#[test]
fn a_receipt_is_said_on_standard_error() {
    let output = call("manicule", "find --receipt needle");
    let stderr = String::from_utf8(output.stderr).expect("text");
    assert!(stderr.contains("manicule: receipt: visited 3\n"), "{stderr}");
}

#[test]
fn each_name_has_its_configuration() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("rc");
    std::fs::write(&config, "# count\n--count\n").expect("a file");
    std::fs::write(folder.path().join("a"), "x\nx\n").expect("a file");
    let run = |variable: &str, name: &str, words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
        command.arg0(name).args(words).current_dir(folder.path());
        for other in ["RIPGREP_CONFIG_PATH", "MANICULE_CONFIG_PATH"] {
            command.env_remove(other);
        }
        let output = command.env(variable, &config).output().expect("it runs");
        String::from_utf8(output.stdout).expect("text")
    };
    let (ripgreps, ours) = ("RIPGREP_CONFIG_PATH", "MANICULE_CONFIG_PATH");
    assert_eq!(run(ripgreps, "rg", &["x", "a"]), "2\n");
    assert_eq!(run(ripgreps, "rg", &["--no-config", "x", "a"]), "x\nx\n");
    assert_eq!(run(ripgreps, "manicule", &["find", "x", "a"]), "x\nx\n");
    assert_eq!(run(ours, "manicule", &["find", "x", "a"]), "2\n");
    assert_eq!(run(ours, "manicule", &["find", "--no-config", "x", "a"]), "x\nx\n");
    assert_eq!(run(ours, "manicule", &["find", "-o", "-l", "x", "a"]), "a\n");
    assert_eq!(run(ours, "rg", &["x", "a"]), "x\nx\n");
}

#[test]
fn a_class_of_characters_in_an_ignore_file_is_one() {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["a1.txt", "ab.txt", "d.txt"] {
        std::fs::write(folder.path().join(name), "needle\n").expect("a file");
    }
    std::fs::write(folder.path().join(".ignore"), "a[[:digit:]].txt\n").expect("a file");
    for words in ["find -l --sort path needle", "find -l --sort path --no-index needle"] {
        let output = call_in(folder.path(), "manicule", words);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "ab.txt\nd.txt\n", "{words}");
    }
}
