//! `code search` by scores, its chunks and symbols as JSON, and `code list`.

use std::process::Command;

use manicule_testkit::golden_folder;
use serde_json::Value;
use tempfile::TempDir;

struct Golden(TempDir);

impl Golden {
    fn new() -> Golden {
        Golden(golden_folder("code", "shards"))
    }

    /// What a call prints in a folder of shards, and what it says.
    #[track_caller]
    fn call(&self, folder: &str, words: &[&str], code: i32) -> (String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_manicule"))
            .arg("code")
            .args(words)
            .current_dir(self.0.path().join("shards").join(folder))
            .output()
            .expect("it runs");
        assert_eq!(output.status.code(), Some(code), "{words:?}: {output:?}");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
        (text(output.stdout), text(output.stderr))
    }

    #[track_caller]
    fn json(&self, folder: &str, words: &[&str]) -> Vec<Value> {
        let words = [words, &["--json"]].concat();
        let (out, _) = self.call(folder, &words, 0);
        out.lines().map(|line| serde_json::from_str(line).expect("an object")).collect()
    }
}

/// The objects of a type, or what they hold under `data`.
fn of_type<'v>(rows: &'v [Value], kind: &str) -> Vec<&'v Value> {
    let rows = rows.iter().filter(|row| row["type"] == kind);
    rows.map(|row| row.get("data").unwrap_or(row)).collect()
}

#[test]
fn the_best_documents_come_first() {
    let golden = Golden::new();
    let best = ["multi/lamp.groovy", "graphql/lamp.graphql", "dup/one.go"];
    let (names, said) = golden.call("ctags", &["search", "-l", "--max-docs", "3", "lamp"], 0);
    assert_eq!(names.lines().collect::<Vec<_>>(), best);
    assert_eq!(said, "manicule: the best 3 of 101 documents\n");
    let (all, said) = golden.call("ctags", &["search", "-l", "--sort=score", "lamp"], 0);
    assert!(all.starts_with(&names) && all.lines().count() == 101 && said.is_empty(), "{said}");
    let (lines, _) = golden.call("ctags", &["search", "--max-matches", "7", "lamp"], 0);
    let names: Vec<&str> = lines.lines().filter_map(|line| line.split(':').next()).collect();
    assert_eq!(names, [best[0], best[1], best[1], best[2], best[2]]);
    let (frequent, _) = golden.call("ctags", &["search", "-l", "--bm25", "lamp hall"], 0);
    assert_eq!(frequent.lines().take(2).collect::<Vec<_>>(), ["pkl/lamp.pkl", "multi/lamp.csv"]);
}

#[test]
fn objects_have_scores_versions_and_symbols() {
    let golden = Golden::new();
    let rows = golden.json("git-ctags", &["search", "sym:main"]);
    let begin = of_type(&rows, "begin")[0];
    assert_eq!(begin["version"], "62d5f13bb42f353aeb2121c9b1292af58086bddd");
    assert_eq!(begin["checksum"], "016db08e100cba69");
    assert_eq!(begin["score"], 83000099306.66667);
    let lines = of_type(&rows, "match");
    assert_eq!((lines.len(), &lines[1]["score"]), (2, &Value::from(8300.5)));
    let symbol = &lines[1]["submatches"][0]["symbol"];
    assert_eq!(symbol["kind"]["text"], "func");
    assert_eq!(symbol["parent"]["text"], "main");
    for words in [&["search", "lamp"][..], &["search", "--sort", "score", "lamp"]] {
        let rows = golden.json("ctags", words);
        let summary = of_type(&rows, "summary")[0];
        assert_eq!((&summary["file_count"], &summary["match_count"]), (&101.into(), &4193.into()));
    }
}

#[test]
fn chunks_have_ranges() {
    let golden = Golden::new();
    let rows = golden.json("ctags", &["search", "--chunks", "lamp"]);
    assert_eq!(of_type(&rows, "summary")[0]["match_count"], 24219);
    let rows = golden.json("ctags", &["search", "--chunks", "-C1", "(?s)one.*three file:crlf"]);
    let chunk = of_type(&rows, "chunk")[0];
    assert_eq!(chunk["lines"]["text"], "one\r\ntwo\r\nthree\r\n");
    let end = &chunk["ranges"][0]["end"];
    let [offset, line, column] = ["offset", "line_number", "column"].map(|name| &end[name]);
    assert_eq!((offset, line, column), (&15.into(), &3.into(), &6.into()));
}

#[test]
fn repositories_are_listed() {
    let golden = Golden::new();
    let (table, _) = golden.call("compound", &["list"], 0);
    assert_eq!(table.lines().count(), 5, "{table}");
    assert!(
        table.contains("example.org/alpha  main@7000000000000000000000000000000000000abc dev@")
    );
    assert!(table.ends_with(" of shards\n") && table.contains("\n3 repositories, 11 documents, "));
    let rows = golden.json("compound", &["list", "file:beta"]);
    let found = of_type(&rows, "repository");
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["name"]["text"], "example.org/beta");
    assert_eq!(found[0]["content_bytes"], 173);
    // A path that is there is no query.
    let (others, _) = golden.call("compound", &["list", "../git-ctags"], 0);
    assert!(others.contains("1 repository, 17 documents, "), "{others}");
    let (none, _) = golden.call("tomb", &["list", "repo:alpha"], 1);
    assert_eq!(none, "");
}
