//! Paths that a file gives names.

use std::fs;

use crate::yard::{answer, error, program, yard};

const FILE: &str = "
[catalog.prod]
path = 'data'

[catalog.backup]
path = ['repo']
snapshots = 'latest'

[catalog.customers]
path = 'ks/customers'
kind = 'rows'
";

fn file(name: &str, text: &str) -> String {
    let path = yard().join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn names_of_a_file_are_schemas() {
    let file = file("names.toml", FILE);
    let csv = |query: &str| {
        let text = answer(&["--catalog", &file, "--threads", "1", "--format", "csv", query]);
        String::from_utf8(text).unwrap().lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    for (own, called) in [
        ("prod.labels", "series_labels('data')"),
        (
            "prod.samples('{job=\"api\"}', labels => 'job')",
            "series_samples('data', '{job=\"api\"}', labels => 'job')",
        ),
        ("backup.files", "blobs_files('repo', snapshots => 'latest')"),
        ("backup.snapshots", "blobs_snapshots('repo')"),
        ("customers.rows", "rows('ks/customers')"),
        ("prod.find('api')", "find('api', 'data')"),
    ] {
        let rows = csv(&format!("SELECT * FROM {own}"));
        assert!(!rows.is_empty(), "{own}");
        // The catalog's paths lie in the folder of its file.
        let here = format!("{}/", yard().display());
        let rows: Vec<String> = rows.iter().map(|row| row.replace(&here, "")).collect();
        assert_eq!(rows, csv(&format!("SELECT * FROM {called}")), "{own}");
    }
    assert_eq!(
        csv("SELECT count(*) FROM prod.series WHERE prod.series.metric IS NOT NULL").len(),
        1
    );
    let names = csv("SELECT table_name FROM information_schema.tables WHERE table_schema = 'prod'");
    assert_eq!(names, ["blocks", "files", "find", "labels", "samples", "series"]);
    let columns = csv("DESCRIBE customers.rows");
    assert_eq!(columns, ["id,Int32,YES", "name,Utf8,YES"]);
    let text = error(&["--catalog", &file, "SELECT * FROM prod.gone"]);
    assert!(text.contains("'datafusion.prod.gone' not found"), "{text}");
}

#[test]
fn the_file_that_lies_there_is_read() {
    let folder = yard().join("own");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("manicule.toml"), "[catalog.c]\npath = '../ks/customers'\n").unwrap();
    let output = program(&folder)
        .args(["--format", "csv", "SELECT name FROM c.rows ORDER BY 1"])
        .output()
        .unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "name\nAda\nBo\n");
}

#[test]
fn a_wrong_file_is_an_error_with_its_name() {
    for (name, text, query, want) in [
        ("w1.toml", "[catalog.a]\nkind = 'rows'\n", "SELECT 1", "catalog a has no path"),
        ("w2.toml", "[catalog", "SELECT 1", "unclosed table, expected `]`"),
        (
            "w3.toml",
            "[catalogs.a]\npath = 'x'\n",
            "SELECT 1",
            "unknown field `catalogs`, expected `catalog`",
        ),
    ] {
        let path = file(name, text);
        assert_eq!(error(&["--catalog", &path, query]), format!("{path}: {want}"));
    }
    for (name, text, want) in [
        (
            "w4.toml",
            "[catalog.a]\npath = 'data'\ngc_grace = 3\n",
            "catalog a: no table there has an argument gc_grace",
        ),
        (
            "w5.toml",
            "[catalog.a]\npath = 'data'\nkind = 'tables'\n",
            "catalog a: no tables are of the kind tables",
        ),
    ] {
        let path = file(name, text);
        assert_eq!(error(&["--catalog", &path, "SELECT * FROM a.series"]), want, "{text}");
    }
}
