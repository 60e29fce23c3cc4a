//! Golden data of all kinds in one folder, and the program over it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use manicule::graph::{LoadCall, Writing, load};
use manicule::rows::{INDEX_BLOCK_LEN, Place, RowTimes, Version, WriteCall, write};
use manicule::watch::Watch;
use manicule_testkit::{golden_file, golden_folder, golden_repository};
use tempfile::TempDir;

/// The password of all golden repositories.
pub(crate) const PASSWORD: &str = "manicule-golden";

/// Tables that questions ask: their columns, and rows.
const TABLES: [(&str, &str, &str); 4] = [
    ("customers", "id int PRIMARY KEY, name text", "id,name\n1,Ada\n2,Bo\n"),
    (
        "orders",
        "id int PRIMARY KEY, customer int, price decimal",
        "id,customer,price\n10,1,2.50\n11,3,7\n12,2,0.25\n13,3,1\n",
    ),
    ("hosts", "host text PRIMARY KEY, owner text", "host,owner\nanvil,Ada\ncedar,Bo\n"),
    (
        "deploys",
        "name text PRIMARY KEY, host text, at timestamp",
        "name,host,at\none,a:9100,2024-04-05 10:00:00+0000\ntwo,b:9100,2024-04-05 10:30:00+0000\n",
    ),
];

/// The folder: `shards`, `data`, `ks/NAME`, `types`, `backups`, `store`, `repo`, `unused`, `tree`,
/// `rules`.
pub(crate) fn yard() -> &'static Path {
    static YARD: LazyLock<TempDir> = LazyLock::new(|| {
        let whole = tempfile::tempdir().expect("a folder");
        fill(whole.path());
        whole
    });
    YARD.path()
}

fn fill(path: &Path) {
    let put = |name: &str, text: &[u8]| {
        let file = path.join(name);
        fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
        fs::write(file, text).expect("a file");
    };
    fs::create_dir(path.join("ks")).expect("a folder");
    for (kind, name, from, to) in [
        ("code", "shards", "shards/git-ctags", "shards"),
        ("series", "golden", "blocks/api", "data"),
        ("rows", "me", "me/multi", "ks/t"),
        ("rows", "me", "me/types", "types"),
        ("rows", "medusa", "prod-eu", "backups"),
    ] {
        let golden = golden_folder(kind, name);
        fs::rename(golden.path().join(from), path.join(to)).expect("a folder");
    }
    for (name, to) in [("fleet", "repo"), ("unused", "unused")] {
        fs::rename(golden_repository(name).path().join("repo"), path.join(to)).expect("a folder");
    }
    put("shop200.nq", &golden_file("graph", "shop200.nq"));
    let call = LoadCall::new(vec![path.join("shop200.nq")]);
    load(&path.join("store"), Writing::PLAIN, &call, &Watch::none()).expect("a store");
    put("tree/a.txt", b"an api\n\nup, api api\n");
    put("tree/b.rs", b"// Api\n");
    put("tree/c/d.md", b"up\n");
    put(
        "rules/alerts.yml",
        b"- expr: http_requests_total{job=\"api\"} > 3\n- expr: gone_total{} > 0\n",
    );
    for (name, columns, rows) in TABLES {
        put(&format!("{name}.cql"), format!("CREATE TABLE ks.{name} ({columns});").as_bytes());
        put(&format!("{name}.csv"), rows.as_bytes());
        let schema = path.join(format!("{name}.cql"));
        let folder = path.join("ks").join(name);
        write_table(&schema, path.join(format!("{name}.csv")), folder.clone());
        fs::rename(schema, folder.join("schema.cql")).expect("a schema");
    }
}

/// Writes rows of CSV as a table.
fn write_table(schema: &Path, rows: PathBuf, folder: PathBuf) {
    let times =
        RowTimes { timestamp: 1, timestamp_field: None, ttl: None, ttl_field: None, now: 1 };
    let call = WriteCall {
        schema: schema.to_owned(),
        table: None,
        inputs: vec![rows],
        format: None,
        names: None,
        delimiter: b',',
        ignores_others: false,
        times,
        is_update: false,
        deletes_nulls: false,
        is_raw: false,
        is_sorted: false,
        memory: 1 << 20,
        host: None,
        version: Version::Me,
        compress: None,
        block_len: INDEX_BLOCK_LEN,
        filter_chance: None,
        place: Place { folder, generation: None, is_dry: false },
    };
    write(&call, &Watch::none()).expect("a table");
}

/// The program in a folder.
pub(crate) fn program(folder: &Path) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_manicule-sql"));
    program.current_dir(folder).env("RESTIC_PASSWORD", PASSWORD);
    program
}

/// What the program prints of a query over the yard, in a format.
#[track_caller]
pub(crate) fn answer(words: &[&str]) -> Vec<u8> {
    let Output { status, stdout, stderr } = program(yard()).args(words).output().expect("it runs");
    assert!(status.success(), "{words:?}: {}", String::from_utf8_lossy(&stderr));
    stdout
}

/// The answer to a query as CSV, without the line of names.
#[track_caller]
pub(crate) fn csv(query: &str) -> Vec<String> {
    let text = String::from_utf8(answer(&["--format", "csv", query])).expect("a text");
    text.lines().skip(1).map(str::to_owned).collect()
}

/// The one line that the program says of what it can't answer.
#[track_caller]
pub(crate) fn error(words: &[&str]) -> String {
    let Output { status, stdout, stderr } = program(yard()).args(words).output().expect("it runs");
    let text = String::from_utf8(stderr).expect("a text");
    assert_eq!(status.code(), Some(2), "{words:?}: {text}");
    assert!(stdout.is_empty() && text.lines().count() == 1, "{words:?}: {text}");
    text.trim_end().strip_prefix("manicule sql: ").expect("its name").to_owned()
}
