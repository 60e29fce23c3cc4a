//! `manicule find`, `inspect` and `verify` of graph stores: IRIs and literals, as N-Triples writes
//! them.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value as Json;

fn run(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_manicule"));
    command.args(words).current_dir(folder).stdin(Stdio::null());
    command.output().expect("the program runs")
}

/// Standard output and standard error of a call that ends with this exit code.
#[track_caller]
fn check(folder: &Path, words: &[&str], code: i32) -> (String, String) {
    let output = run(folder, words);
    let [text, error] =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    assert_eq!(output.status.code(), Some(code), "{words:?}: {text}{error}");
    (text, error)
}

const DATA: &str = r#"
@prefix : <http://shop/> .
:anvil :name "anvil", "Enclume"@fr ; :weight 50 ; :made "2020-02-29"^^<http://www.w3.org/2001/XMLSchema#date> .
:hammer :near :anvil ; :weight 50 .
:stock { :anvil :weight 51 . }
"#;

/// A store `shop` with leaves and with commits after them.
fn planted() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a.trig"), DATA).expect("a file");
    check(folder.path(), &["graph", "load", "-q", "shop", "a.trig"], 0);
    check(folder.path(), &["graph", "compact", "-q", "shop"], 0);
    let change = r#"PREFIX : <http://shop/>
        INSERT DATA { :tongs :name "tongs\nof an anvil" } ; DELETE DATA { :anvil :name "Enclume"@fr }"#;
    check(folder.path(), &["graph", "update", "-q", "shop", change], 0);
    folder
}

/// The leaf with the least number, below the folder.
fn first_leaf(folder: &Path) -> String {
    let entries = fs::read_dir(folder.join("shop/leaf")).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    let first = names.min().expect("a leaf").into_string().expect("UTF-8");
    format!("shop/leaf/{first}")
}

#[test]
fn options_that_choose_among_files_are_refused() {
    let folder = planted();
    for flags in [&["-g", "*.x"][..], &["-t", "rust"], &["-d", "0"], &["--max-filesize", "1K"]] {
        let (_, error) = check(folder.path(), &[&["find"], flags, &["anvil", "shop"]].concat(), 2);
        assert!(error.contains("a graph store has terms, no lines or files"), "{flags:?}: {error}");
    }
    // Beside others it is left out.
    let (text, error) = check(folder.path(), &["find", "-o", "hammer", "shop", "a.trig"], 2);
    assert!(text == "a.trig:hammer\n" && error.contains("-o: a graph store"), "{text}{error}");
}

#[test]
fn each_term_is_a_line_with_its_uses() {
    let folder = planted();
    let printed = |words: &[&str], code: i32| {
        check(folder.path(), &[&["find"], words, &["shop"]].concat(), code).0
    };
    assert_eq!(
        printed(&["anvil"], 0),
        "shop: <http://shop/anvil> (subject of 4 quads, object of 1)\n\
         shop: \"anvil\" (object of 1 quad)\n\
         shop: \"tongs\\nof an anvil\" (object of 1 quad)\n"
    );
    assert_eq!(printed(&["stock"], 0), "shop: <http://shop/stock> (graph of 1 quad)\n");
    assert_eq!(printed(&["weight"], 0), "shop: <http://shop/weight> (predicate of 3 quads)\n");
    // Numbers and dates are no texts of the dictionary, and are found all the same.
    let [integer, date] =
        ["integer", "date"].map(|name| format!("http://www.w3.org/2001/XMLSchema#{name}"));
    assert_eq!(printed(&["^50"], 0), format!("shop: \"50\"^^<{integer}> (object of 2 quads)\n"));
    assert_eq!(
        printed(&["02-29"], 0),
        format!("shop: \"2020-02-29\"^^<{date}> (object of 1 quad)\n")
    );
    // What nothing uses any more is not shown.
    assert_eq!(printed(&["Enclume"], 1), "");
    // A printed term finds itself.
    assert_eq!(
        printed(&["-F", "<http://shop/stock>"], 0),
        "shop: <http://shop/stock> (graph of 1 quad)\n"
    );
    assert_eq!(printed(&["-F", "\"anvil\""], 0), "shop: \"anvil\" (object of 1 quad)\n");
}

#[test]
fn options_mean_what_they_mean_for_lines() {
    let folder = planted();
    let called = |words: &[&str], code: i32| {
        check(folder.path(), &[&["find"], words, &["shop"]].concat(), code)
    };
    let printed = |words: &[&str], code: i32| called(words, code).0;
    assert_eq!(printed(&["-c", "anvil"], 0), "shop:3\n");
    assert_eq!(printed(&["-i", "ANVIL", "-c"], 0), "shop:3\n");
    assert_eq!(printed(&["-w", "anvi"], 1), "");
    assert_eq!(printed(&["-m1", "anvil"], 0).lines().count(), 1);
    assert_eq!(printed(&["-l", "anvil"], 0), "shop\n");
    assert_eq!(printed(&["-q", "anvil"], 0), "");
    assert_eq!(printed(&["--files-without-match", "nowhere"], 0), "shop\n");
    let count = |words: &[&str]| -> usize {
        printed(words, 0).trim_end().rsplit(':').next().expect("a count").parse().expect("a count")
    };
    assert_eq!(count(&["-c", ""]), count(&["-vc", "anvil"]) + 3);
    let first = printed(&["--json", "--receipt", "anvil"], 0);
    let lines: Vec<Json> =
        first.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let [iri, literal] = [0, 2].map(|at: usize| lines[at]["data"].clone());
    assert_eq!((&lines[0]["type"], &iri["kind"]), (&"term".into(), &"iri".into()));
    assert_eq!(
        (&iri["value"], &iri["subject"], &iri["object"]),
        (&"http://shop/anvil".into(), &4.into(), &1.into())
    );
    assert_eq!(literal["value"], "tongs\nof an anvil");
    let receipt = &lines.last().expect("a receipt")["data"];
    assert_eq!(
        (&receipt["stores"], &receipt["terms_matched"]),
        (&1.into(), &3.into()),
        "{receipt}"
    );
    let colored = printed(&["--color=ansi", "nvi"], 0);
    assert!(colored.contains("\"a\x1b[0m\x1b[1m\x1b[31mnvi\x1b[0ml\""), "{colored:?}");
    let (_, error) = called(&["-C1", "anvil"], 2);
    assert!(error.contains("no lines"), "{error}");
    let budget = printed(&["--budget", "60", "anvil"], 0);
    assert!(budget.len() < 200, "{budget}");
    assert_eq!(check(folder.path(), &["find", "--files", "shop"], 0).0, "shop\n");
}

#[test]
fn a_folder_above_is_a_tree_and_names_the_store() {
    let folder = planted();
    fs::write(folder.path().join("shop/notes.md"), "the anvil is heavy\n").expect("a file");
    let (text, _) = check(folder.path(), &["find", "-c", "anvil", "shop"], 0);
    assert_eq!(text, "shop/notes.md:1\nshop:3\n");
    let (_, error) = check(folder.path(), &["find", "nowhere", "."], 1);
    assert!(error.contains("graph store"), "{error}");
    let (_, error) = check(folder.path(), &["inspect", "."], 1);
    assert!(error.contains("shop"), "{error}");
}

#[test]
fn inspection_shows_leaves_and_what_is_not_merged() {
    let folder = planted();
    let (text, _) = check(folder.path(), &["inspect", "shop"], 0);
    for line in [
        "holds       7 quads: 6 in the default graph, 1 in 1 named graph\n",
        "overlay     1 commit up to 2: 1 quad added, 1 removed, 2 new terms; 1 layer",
        ": 7 IRIs, 1 simple, 1 language-tagged and 0 other literals",
    ] {
        assert!(text.contains(line), "{text}");
    }
    let (json, _) = check(folder.path(), &["inspect", "--json", "shop"], 0);
    let json: Json = serde_json::from_str(&json).expect("JSON");
    assert_eq!((&json["type"], &json["named_quads"]), (&"graph_store".into(), &1.into()));
    assert_eq!(
        (&json["orders"][0]["order"], &json["orders"][0]["rows"]),
        (&"SPO".into(), &6.into())
    );
    let leaf = first_leaf(folder.path());
    let (parts, _) = check(folder.path(), &["inspect", &leaf], 0);
    assert!(parts.contains("order") && parts.contains("SPO"), "{parts}");
    let (bytes, _) = check(folder.path(), &["inspect", &leaf, "--hex", "magic"], 0);
    assert!(bytes.contains("|MANL|"), "{bytes}");
}

#[test]
fn damage_is_found_and_named() {
    let folder = planted();
    let (text, _) = check(folder.path(), &["verify", "shop"], 0);
    assert!(text.starts_with("ok: 9 files ("), "{text}");
    let name = first_leaf(folder.path());
    let leaf = folder.path().join(&name);
    let of_store = name.strip_prefix("shop/").expect("a name in the store");
    let bytes = fs::read(&leaf).expect("a leaf");
    let mut damaged = bytes.clone();
    damaged[20] ^= 1;
    fs::write(&leaf, &damaged).expect("a leaf");
    let (text, _) = check(folder.path(), &["verify", "shop"], 1);
    assert!(text.contains(&format!("{of_store}, section block, offset 16: checksum")), "{text}");
    let (text, _) = check(folder.path(), &["verify", &name], 1);
    assert!(text.contains("section block"), "{text}");
    let (_, error) = check(folder.path(), &["find", "anvil", "shop"], 2);
    assert!(error.contains(of_store), "{error}");
    fs::write(&leaf, &bytes[..bytes.len() - 1]).expect("a leaf");
    let (_, error) = check(folder.path(), &["inspect", "shop"], 1);
    assert!(error.contains(of_store), "{error}");
    fs::remove_file(&leaf).expect("a leaf");
    let (json, _) = check(folder.path(), &["verify", "--json", "shop"], 1);
    assert!(json.contains("it is missing") && json.contains("\"ok\":false"), "{json}");
}
