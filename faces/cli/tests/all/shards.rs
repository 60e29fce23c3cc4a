//! `manicule find` over zoekt's shards answers as ripgrep would over the documents in them, and
//! `manicule code search` speaks zoekt's language.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use manicule::code::shards::find::{
    Admit, Document, Foreseen, Order, Request, ShardFiles, Skipped, Visit, visit,
};
use manicule::code::tree::{Flow, Look};
use manicule::watch::Watch;
use manicule_testkit::golden::golden_folder;
use tempfile::TempDir;

/// The golden shards, and the documents of one folder of them as files.
struct House {
    shards: TempDir,
    files: TempDir,
}

impl House {
    /// Writes the indexed documents of a folder of shards into a tree.
    fn new(name: &str) -> House {
        let house = House {
            shards: golden_folder("code", "shards"),
            files: tempfile::tempdir().expect("a folder"),
        };
        let failed = &mut |error| panic!("{error}");
        let opened = ShardFiles::open(&house.folder(name), failed).expect("shards");
        let (admit, watch) = (Admit::all(), Watch::none());
        let request = Request {
            look: &Look::Contents,
            admit: &admit,
            order: Order::Any,
            skipped: Skipped::LeftOut,
            threads: 1,
            watch: &watch,
        };
        let shards = opened.shards(Foreseen::Texts, failed);
        visit(&shards, &request, &|| Box::new(Writer(house.files.path()))).expect("sound shards");
        house
    }

    fn folder(&self, name: &str) -> PathBuf {
        let inner = self.shards.path().join("shards");
        if inner.is_dir() { inner.join(name) } else { self.shards.path().join(name) }
    }

    fn call(&self, program: &str, words: &[&str], last: Option<&Path>) -> Output {
        Command::new(env!("CARGO_BIN_EXE_manicule"))
            .arg0(program)
            .args(words)
            .args(last)
            .current_dir(self.files.path())
            .env_remove("RIPGREP_CONFIG_PATH")
            .env("MANICULE_NO_INDEX", "1")
            .stdin(Stdio::null())
            .output()
            .expect("the program runs")
    }

    /// The answer over the shards is that of a search of the files.
    #[track_caller]
    fn check(&self, name: &str, words: &[&str]) {
        let over_shards = [&["find", "--sort", "path"], words].concat();
        let got = self.call("manicule", &over_shards, Some(&self.folder(name)));
        let over_files = [&["-uu", "--sort", "path"], words].concat();
        let want = self.call("rg", &over_files, None);
        assert_eq!(shown(&got.stdout), shown(&want.stdout), "{words:?}");
        assert_eq!(shown(&got.stderr), shown(&want.stderr), "{words:?}");
        assert_eq!(got.status.code(), want.status.code(), "{words:?}");
        // In any order the same lines.
        if words.iter().all(|word| !["--json", "--stats", "--heading"].contains(word)) {
            let any_order = [&["find"], words].concat();
            let any = self.call("manicule", &any_order, Some(&self.folder(name)));
            assert_eq!(sorted(&any.stdout), sorted(&want.stdout), "{words:?}");
        }
    }
}

fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes).into_owned();
    // Times differ from call to call.
    let is_timed = |line: &&str| !line.contains("seconds") && !line.contains("elapsed");
    text.lines().filter(is_timed).collect::<Vec<_>>().join("\n")
}

fn sorted(bytes: &[u8]) -> Vec<&[u8]> {
    let mut lines: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    lines.sort_unstable();
    lines
}

struct Writer<'w>(&'w Path);

impl Visit for Writer<'_> {
    fn document(&mut self, document: &Document<'_>) -> Flow {
        let path = self.0.join(OsStr::from_bytes(document.name));
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, document.content).expect("a file");
        Flow::Continue
    }
}

#[test]
fn lines_are_those_of_ripgrep_over_the_documents() {
    let house = House::new("ctags");
    for pattern in [
        "lamp",
        "Lamp",
        "func",
        "r.ng",
        "if",
        "x",
        "é",
        "日本語",
        "^package",
        "hall$",
        "^$",
        "[0-9]{4}-[0-9]{2}",
        "\\bring\\b",
        "no.*lamp",
        "lamp|hall",
        "(?i)STRASSE",
        "\\d+",
        "zzyzx",
        "(foo|bar)[a-z]+",
        ".",
    ] {
        for flags in [&["-n"][..], &["-ni"], &["-nw"], &["-c"], &["-l"], &["-nF"]] {
            house.check("ctags", &[flags, &["-e", pattern]].concat());
        }
    }
}

#[test]
fn flags_mean_what_they_mean_in_trees() {
    let house = House::new("ctags");
    for words in [
        &["-nS", "Lamp"][..],
        &["-nx", "lamp"],
        &["-nv", "[a-z]", "-g", "*.txt"],
        &["-nvc", "e"],
        &["-L", "lamp"],
        &["-no", "l.mp"],
        &["-nm1", "lamp"],
        &["-nC1", "hall"],
        &["-nA1", "-B2", "ring"],
        &["--json", "Row"],
        &["--count-matches", "lamp"],
        &["-n", "lamp", "-g", "*.go"],
        &["-n", "lamp", "-g", "!multi"],
        &["-n", "lamp", "-g", "!multi/", "-g", "!*.py"],
        &["-n", "def", "-tpy"],
        &["-n", "def", "-Tpy"],
        &["--files"],
        &["--files", "-g", "*.go"],
        &["-q", "lamp"],
        &["-q", "zzyzx"],
        &["-nU", "first\\nlast"],
        &["-n0", "ring"],
        &["-nI", "ring"],
        &["--heading", "-n", "ring"],
        &["--color", "always", "-n", "ring"],
        &["-nr", "X", "ring"],
        &["-nb", "ring"],
        &["--column", "ring"],
        &["--vimgrep", "ring"],
        &["-n", "--max-filesize", "200", "lamp"],
        &["-n", "-e", "lamp", "-e", "ring"],
        &["-nE", "utf-8", "lamp"],
    ] {
        // A document that is not indexed has a name, and so is listed.
        if words[0] != "--files" {
            house.check("ctags", words);
        }
    }
    let files = house.call("manicule", &["find", "--files", "-0"], Some(&house.folder("ctags")));
    assert_eq!(files.stdout.iter().filter(|byte| **byte == 0).count(), 284);
    let stats = house.call("manicule", &["find", "--stats", "Row"], Some(&house.folder("ctags")));
    let own = house.call("rg", &["-uu", "--stats", "Row"], None);
    let numbers = |output: &Output| -> Vec<String> {
        let text = shown(&output.stdout);
        text.lines().filter(|line| line.ends_with("searched")).map(str::to_owned).collect()
    };
    assert_eq!(numbers(&stats), numbers(&own));
    assert_eq!(numbers(&own).len(), 2);
}

#[test]
fn several_repositories_are_told_apart() {
    let house = House::new("compound");
    let call = |words: &[&str]| {
        let output = house.call("manicule", words, Some(&house.folder("compound")));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let lines = call(&["find", "--sort", "path", "-n", "lamp"]);
    assert!(lines.lines().count() > 3, "{lines}");
    assert!(lines.lines().all(|line| line.starts_with("example.org/")), "{lines}");
    let lines = call(&["code", "search", "lamp"]);
    assert!(lines.lines().all(|line| line.starts_with("example.org/")), "{lines}");
}

#[test]
fn trees_and_shards_may_be_asked_together() {
    let house = House::new("git");
    let tree = house.files.path().join("tree");
    fs::create_dir(&tree).expect("a folder");
    fs::write(tree.join("own"), "a lamp of ours\n").expect("a file");
    let words = ["find", "-n", "lamp", "tree"];
    let output = house.call("manicule", &words, Some(&house.folder("git")));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.starts_with("tree/own:1:a lamp of ours\nexample.org/lamps/"), "{text}");
    // Of what isn't on all branches the branch is told.
    assert!(text.contains("\ndev:example.org/lamps/dev_only.txt:1:"), "{text}");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_damaged_shard_is_told_and_the_rest_is_searched() {
    let house = House::new("git");
    let name = "broken_v16.00000.zoekt";
    fs::write(house.files.path().join(name), b"no shard at all").expect("a file");
    let words = ["find", "-l", "lamp", name];
    let output = house.call("manicule", &words, Some(&house.folder("git")));
    assert_eq!(output.status.code(), Some(2));
    assert!(!output.stdout.is_empty());
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(told.starts_with(&format!("manicule: {name}: ")), "{told}");
    for (flag, what) in [("--sort=created", "no times"), ("--pre=cat", "no files")] {
        let output = house.call("manicule", &["find", flag, "x"], Some(&house.folder("git")));
        assert!(String::from_utf8_lossy(&output.stderr).contains(what), "{flag}");
    }
}

#[test]
fn receipts_tell_what_was_not_indexed() {
    let house = House::new("ctags");
    let call = |words: &[&str]| {
        let output = house.call("manicule", words, Some(&house.folder("ctags")));
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    for words in
        [&["find", "--receipt", "lantern"][..], &["code", "search", "--receipt", "lantern"]]
    {
        let told = call(words);
        assert!(told.contains("receipt: documents 284\n"), "{told}");
        assert!(told.contains("receipt: not_indexed_binary 6\n"), "{told}");
    }
}

/// Queries that zoekt answers otherwise, with our answers. Each is in the guide, under *Where zoekt
/// answers otherwise*.
const EXEMPT: [(&str, (usize, usize)); 4] = [
    ("(?i)DONG", (28, 28)),
    ("case:no \u{212a}", (98, 164)),
    ("istanbul", (0, 0)),
    ("type:filematch lantern", (7, 13)),
];

/// Documents and lines of an answer, or `None` if the query is refused.
fn counts(house: &House, folders: &str, query: &str) -> Option<(usize, usize)> {
    let paths: Vec<PathBuf> = folders.split(' ').map(|name| house.folder(name)).collect();
    let mut words = vec!["code", "search", "--json", "--", query];
    words.extend(paths.iter().map(|path| path.to_str().expect("text")));
    let output = house.call("manicule", &words, None);
    if output.status.code() == Some(2) {
        return None;
    }
    let (mut documents, mut lines) = (0, 0);
    for line in output.stdout.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let value: serde_json::Value = serde_json::from_slice(line).expect("an object");
        match value["type"].as_str().expect("a type") {
            "begin" => {
                documents += 1;
                lines += usize::from(value["data"]["name_matches"] != serde_json::json!([]));
            }
            "match" => lines += 1,
            _ => {}
        }
    }
    Some((documents, lines))
}

#[test]
fn queries_are_answered_as_zoekt_answers_them() {
    let house = House::new("ctags");
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../proof/golden/code/queries.tsv");
    let table = fs::read_to_string(golden).expect("golden queries");
    let (mut same, mut exempt) = (0, Vec::new());
    for row in table.lines() {
        let [folders, query, documents, lines] =
            row.split('\t').collect::<Vec<_>>().try_into().expect("four columns");
        let query: String = serde_json::from_str(query).expect("a query");
        let want = documents.parse().ok().zip(lines.parse().ok());
        let got = counts(&house, folders, &query);
        match EXEMPT.iter().find(|(exempt, _)| *exempt == query) {
            Some((_, own)) => {
                assert!(got == Some(*own) && got != want, "{query}: {got:?}");
                exempt.push(query);
            }
            None => {
                assert_eq!(got, want, "{query} in {folders}");
                same += 1;
            }
        }
    }
    assert_eq!((same, exempt.len()), (196, EXEMPT.len()));
}

#[test]
fn deep_and_wrong_queries_are_refused_in_a_line() {
    let house = House::new("git");
    let deep = [
        (format!("{}a", "-".repeat(60_000)), "minus signs nest deeper than 100\n"),
        (format!("{}a b{}", "(".repeat(30_000), ")".repeat(30_000)), "nest deeper than 100\n"),
        (format!("{}a{}", "(".repeat(30_000), ")".repeat(30_000)), "nest deeper than 250\n"),
        (format!("c:{}", "[".repeat(60_000)), "a `[` is not closed\n"),
        ("\\p{Nosuch}".to_owned(), "query, at byte 0: `\\p{Nosuch}`: Unicode property not found\n"),
    ];
    for (query, want) in deep {
        let output =
            house.call("manicule", &["code", "search", "--", &query], Some(&house.folder("git")));
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{told}");
        assert!(told.ends_with(want) && told.len() < 200, "{told}");
    }
    let glob = format!("{}{}", "{".repeat(30_000), "}".repeat(30_000));
    for flag in ["-g", "--iglob", "--type-add", "--pre-glob"] {
        let glob = if flag == "--type-add" { format!("x:{glob}") } else { glob.clone() };
        let output =
            house.call("manicule", &["find", "--no-index", "--pre=cat", flag, &glob, "x"], None);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{flag}: {told}");
        assert!(told.contains("a glob has 30000 braces, and 100 are the most"), "{flag}: {told}");
    }
}

#[test]
fn lines_have_headings_colours_and_neighbours_as_ripgreps_have() {
    let house = House::new("ctags");
    for words in [
        &["--heading"][..],
        &["--heading", "--color=always"],
        &["--color=always"],
        &["-C1"],
        &["-A2", "-B1", "--color=ansi"],
        &["--heading", "-B3"],
        &["-A", "100000"],
        &["-l", "--color=always"],
        &["-c", "--color=always"],
    ] {
        let folder = house.folder("ctags");
        let own = |words: &[&str]| {
            let words = [&["code", "search"], words, &["c:hall"]].concat();
            shown(&house.call("manicule", &words, Some(&folder)).stdout)
        };
        // The same documents in the order of the shard.
        let names = own(&["-l"]);
        let start = ["-niH", "-j1", "-e", "hall"];
        let call = [&start[..], words, &names.lines().collect::<Vec<_>>()].concat();
        let want = shown(&house.call("rg", &call, None).stdout);
        // The end of a colour can be written more than once.
        let plain = |text: &str| text.replace("\x1b[0m", "");
        assert_eq!(plain(&own(words)), plain(&want), "{words:?}");
    }
}

#[test]
fn one_shard_is_one_shard() {
    let place = tempfile::tempdir().expect("a folder");
    fs::create_dir(place.path().join("one")).expect("a folder");
    fs::write(place.path().join("one/f.txt"), "some text\n").expect("a file");
    let call = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
        let output = command.args(words).current_dir(place.path()).output().expect("it runs");
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    call(&["code", "index", "-index=out", "one"]);
    let text = call(&["inspect", "out"]);
    assert!(text.contains(": 1 document, 10 B of one; made "), "{text}");
    assert!(
        text.contains("\n1 shard, ") && text.ends_with(": 1 document, 10 B of text\n"),
        "{text}"
    );
    let text = call(&["inspect", "out/one_v16.00000.zoekt"]);
    assert!(
        text.contains("holds     1 document, 1 line, 10 B of text, all ASCII; 0 symbols\n"),
        "{text}"
    );
    let sidecar = place.path().join("out/one_v16.00000.zoekt.meta");
    fs::write(sidecar, r#"{"Name":"one","Tombstone":true}"#).expect("a file");
    let text = call(&["inspect", "out"]);
    assert!(
        text.contains("of no repository that is still to be found, 1 tombstone; made"),
        "{text}"
    );
    let text = call(&["verify", "out"]);
    assert!(
        text.contains("1 shard (") && text.contains("1 document, ") && text.contains("1 sidecar"),
        "{text}"
    );
}

#[test]
fn code_search_prints_lines_names_counts_and_json() {
    let house = House::new("ctags");
    let call = |words: &[&str], code: i32| {
        let words = [&["code", "search"], words].concat();
        let output = house.call("manicule", &words, Some(&house.folder("ctags")));
        assert_eq!(output.status.code(), Some(code), "{words:?}: {output:?}");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        (text(&output.stdout), text(&output.stderr))
    };
    // The peer's counts for the same queries.
    for (query, files, lines) in [
        ("content:lamp", 79, 4171),
        ("file:\\.go$ Hang", 4, 9),
        ("lang:go func", 7, 17),
        ("(lamp or dong) file:multi content:", 51, 57),
        ("\"lamp is lit\"", 1, 4000),
        ("(?s)one.*three", 3, 5),
        ("content:lamp content:hall -content:yaml", 11, 15),
    ] {
        assert_eq!(call(&["-l", query], 0).0.lines().count(), files, "{query}");
        let lines_got = call(&["--", query], 0).0.lines().count();
        assert_eq!(lines_got, lines, "{query}");
    }
    let (counts, _) = call(&["-c", "content:\"lamp is lit\""], 0);
    assert!(counts.ends_with(":4000\n") && counts.lines().count() == 1, "{counts}");
    let (json, _) = call(&["--json", "lang:go Hang"], 0);
    let types: Vec<String> = json
        .lines()
        .map(|line| {
            let value: serde_json::Value = serde_json::from_str(line).expect("an object");
            value["type"].as_str().expect("a type").to_owned()
        })
        .collect();
    assert_eq!((types[0].as_str(), types.last().unwrap().as_str()), ("begin", "summary"));
    // Limits cut the same lines off, whatever the threads.
    let (all, _) = call(&["content:lamp"], 0);
    for threads in ["1", "4"] {
        let (first, told) = call(&["-j", threads, "--limit", "100", "content:lamp"], 0);
        assert_eq!(first.lines().collect::<Vec<_>>(), all.lines().take(100).collect::<Vec<_>>());
        assert_eq!(told, "manicule: cut at --limit 100: there is more\n");
    }
    assert_eq!(call(&["--limit", "4171", "content:lamp"], 0).1, "");
    assert_eq!(call(&["content:zzyzx"], 1).0, "");
    let (_, told) = call(&["--deadline", "0s", "content:lamp"], 2);
    assert!(told.contains("not complete"), "{told}");
    for (query, what) in [
        ("a sym:", "query, at byte 2: sym: needs the name of a symbol, or a part of it"),
        ("a (b c", "query, at byte 2: this parenthesis is not closed"),
        ("type:nope x", "type: takes filename, file, filematch or repo"),
    ] {
        assert!(call(&[query], 2).1.contains(what), "{query}");
    }
    let tree = house.call("manicule", &["code", "search", "x", "."], None);
    assert!(String::from_utf8_lossy(&tree.stderr).contains("is a source tree; a query wants"));
    let help = house.call("manicule", &["code", "search", "--help"], None);
    assert!(help.status.success());
}
