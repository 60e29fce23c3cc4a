//! Tables of a backup by Medusa, as `manicule rows` reads them by the backup's manifest. The
//! guide's examples are the current output. `UPDATE=1 cargo test` rewrites them.

use std::fs;
use std::path::Path;

use manicule_testkit::{Examples, golden_folder, names};

use super::rows_write::{manicule, refusal, text};

const ID: &str = "52b3b756843a5fd3811f04634393253b";

/// A node with two differential backups: `monday` has SSTables 1 and 2 of the golden table,
/// `tuesday` 2 and 3; `friday` has not finished. Beside it `monday` and `tuesday` as folders.
fn node() -> tempfile::TempDir {
    let (golden, folder) = (golden_folder("rows", "me"), tempfile::tempdir().expect("a folder"));
    let (from, root) = (golden.path().join("me/multi"), folder.path());
    let shared = format!("node1/data/ks/multi-{ID}");
    let put = |path: &str, bytes: &[u8]| {
        let path = root.join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, bytes).expect("written");
    };
    let schema = b"CREATE TABLE ks.other (k int PRIMARY KEY);
        CREATE TABLE ks.multi (pk int, ck int, s text static, v text, m map<text,text>,
            PRIMARY KEY (pk, ck));";
    for name in names(&from).into_iter().filter(|name| name.starts_with("me-")) {
        put(&format!("{shared}/{name}"), &fs::read(from.join(&name)).expect("a file"));
    }
    for (backup, generations) in [("monday", ["me-1-", "me-2-"]), ("tuesday", ["me-2-", "me-3-"])] {
        let is_held = |name: &&String| generations.iter().any(|it| name.starts_with(it));
        let mut objects = Vec::new();
        for name in names(&from).iter().filter(is_held) {
            let bytes = fs::read(from.join(name)).expect("a file");
            put(&format!("plain/{backup}/ks/multi-{ID}/{name}"), &bytes);
            let path = format!("prod/{shared}/{name}");
            objects.push(serde_json::json!({"path": path, "MD5": null, "size": bytes.len()}));
        }
        let table = format!("multi-{ID}");
        let manifest =
            serde_json::json!([{"keyspace": "ks", "columnfamily": table, "objects": objects}]);
        put(&format!("node1/{backup}/meta/manifest.json"), manifest.to_string().as_bytes());
        put(&format!("node1/{backup}/meta/schema.cql"), schema);
        put(&format!("plain/{backup}/ks/multi-{ID}/schema.cql"), schema);
    }
    put("node1/friday/meta/schema.cql", b"");
    folder
}

/// What a command prints, and its code; the table's path is taken out.
fn said(folder: &Path, words: &[&str], table: &str) -> (String, String, Option<i32>) {
    let named = |word: &&str| match word.strip_prefix('T') {
        Some(rest) => format!("{table}{rest}"),
        None => (*word).to_owned(),
    };
    let words: Vec<String> = words.iter().map(named).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let output = manicule(folder, &words);
    let text = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).expect("UTF-8");
        let paths = [table.to_owned(), format!("node1/data/ks/multi-{ID}")];
        paths.iter().fold(text, |text, path| text.replace(path, "T"))
    };
    (text(output.stdout), text(output.stderr), output.status.code())
}

#[test]
fn a_table_of_a_backup_answers_as_a_folder_of_its_files() {
    let folder = node();
    let now = "1700000100";
    let commands: [&[&str]; 14] = [
        &["rows", "list", "T"],
        &["rows", "partitions", "T", "--rows"],
        &["rows", "slice", "T", "1", "--now", now, "--times", "--sources"],
        &["rows", "dump", "T/me-2-big-Data.db", "--now", now],
        &["rows", "dump", "T/me-2-big-Data.db", "-k", "1", "--now", now],
        &["rows", "export", "T", "--now", now],
        &["rows", "schema", "T"],
        &["rows", "stats", "T", "--now", now],
        &["rows", "columns", "T"],
        &["rows", "tombstones", "T", "--now", now],
        &["rows", "holders", "T", "1"],
        &["rows", "expired", "T", "--now", now],
        &["rows", "verify", "T"],
        &["table", "rows.partitions", "T"],
    ];
    let long = format!("node1/DAY/data/ks/multi-{ID}");
    for day in ["monday", "tuesday"] {
        for words in commands {
            let want = said(folder.path(), words, &format!("plain/{day}/ks/multi-{ID}"));
            assert!(want.2.is_some_and(|code| code < 2), "{words:?} {want:?}");
            for table in ["node1/DAY/ks/multi", &long] {
                let table = table.replace("DAY", day);
                assert_eq!(said(folder.path(), words, &table), want, "{table} {words:?}");
            }
        }
    }
}

#[test]
fn what_is_copied_out_of_a_backup_is_what_its_folder_would_give() {
    let folder = node();
    let root = folder.path();
    let plain = format!("plain/tuesday/ks/multi-{ID}");
    for (table, to) in [(&*plain, "of_plain"), ("node1/tuesday/ks/multi", "of_backup")] {
        text(root, &["rows", "merge", table, "-o", to]);
    }
    assert_eq!(names(&root.join("of_plain")), names(&root.join("of_backup")));
    for name in names(&root.join("of_plain")) {
        let read = |of: &str| fs::read(root.join(of).join(&name)).expect("a file");
        assert!(read("of_plain") == read("of_backup"), "{name}");
    }
}

#[test]
fn what_a_backup_lacks_is_said_and_the_guide_shows_it() {
    let folder = node();
    let root = folder.path();
    let mut page = Examples::of("docs/guide/a-table-in-a-backup.md");
    page.hold("list", &text(root, &["rows", "list", "node1/monday/ks/multi"]));
    let slice =
        ["rows", "slice", "node1/tuesday/ks/multi", "1", "--limit", "2", "--now", "1700000100"];
    page.hold("slice", &text(root, &slice));
    let (code, said) = refusal(root, &["rows", "list", "node1/friday/ks/multi"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("the backup has not finished"), "{said}");
    let (code, said) = refusal(root, &["rows", "dump", "node1/monday/ks/other"]);
    assert_eq!(code, Some(2));
    assert!(said.contains(&format!("it has ks/multi-{ID}")), "{said}");
    // A file that is shorter than the manifest says.
    let data = root.join(format!("node1/data/ks/multi-{ID}/me-2-big-Data.db"));
    fs::write(&data, &fs::read(&data).expect("a file")[1..]).expect("written");
    let (code, said) = refusal(root, &["rows", "dump", "node1/monday/ks/multi"]);
    assert_eq!(code, Some(2));
    assert!(said.contains("me-2-big-Data.db") && said.contains("the manifest says"), "{said}");
}
