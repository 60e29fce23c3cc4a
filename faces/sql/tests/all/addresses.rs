//! Addresses of a bucket in place of paths. The bucket is served in this process.

use std::process::Output;

use manicule_buckets::{Server, Setup};

use crate::yard::{csv, program, yard};

#[test]
fn a_table_in_a_bucket_is_asked_as_one_here() {
    let server = Server::start(Setup::Signed);
    server.bring(&yard().join("data"), "data/");
    server.bring(&yard().join("ks/customers"), "ks/customers/");
    let cache = tempfile::tempdir().expect("a folder");
    let asked = |words: &[&str]| {
        let Output { status, stdout, stderr } = program(yard())
            .args(words)
            .env("MANICULE_CACHE_DIR", cache.path())
            .envs(server.variables())
            .output()
            .expect("it runs");
        assert!(status.success(), "{words:?}: {}", String::from_utf8_lossy(&stderr));
        let text = String::from_utf8(stdout).expect("a text");
        text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    for query in [
        "SELECT name, sum(series) FROM series_labels('data') WHERE value LIKE '%p%' GROUP BY 1 ORDER BY 1",
        "SELECT c.name, l.value FROM rows('ks/customers') c, series_labels('data') l \
         WHERE l.name = 'job' ORDER BY 1, 2",
    ] {
        let there = query.replace("('", "('s3://bucket/");
        assert_eq!(asked(&["--format", "csv", &there]), csv(query), "{query}");
    }
    let file = "s3://bucket/out/jobs.csv";
    let query = "SELECT value FROM series_labels('data') WHERE name = 'job' ORDER BY 1";
    assert!(asked(&["-o", file, query]).is_empty());
    assert_eq!(server.get("out/jobs.csv").as_deref(), Some(&b"value\napi\nweb\n"[..]));
}
