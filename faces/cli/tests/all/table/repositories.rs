//! Cases of tables of restic repositories.

use super::cases::{Case, condition};

/// Of three hosts; packs of data above 30,000 bytes are not there.
const FLEET: (&str, &str, &str) = ("blobs", "fleet", "");
/// With snapshots that were forgotten: packs that are used, partly used and unused.
const UNUSED: (&str, &str, &str) = ("blobs", "unused", "");
/// With names that are not UTF-8.
const ODD: (&str, &str, &str) = ("blobs", "v2", "");
/// Thirteen snapshots of a folder, each with a file more.
const SMALL: (&str, &str, &str) = ("blobs", "small", "");

pub(super) fn cases() -> Vec<Case> {
    vec![
        blobs(),
        costs(),
        files(),
        files_below(),
        odd_files(),
        packs(),
        snapshots(),
        versions(),
        all_versions(),
    ]
}

fn blobs() -> Case {
    Case {
        table: "blobs.blobs",
        golden: UNUSED,
        paths: &["repo"],
        arguments: &[],
        conditions: vec![
            condition("type = 'tree'", |row| row["type"] == "tree"),
            condition("id LIKE '06%'", |row| {
                row["id"].as_str().is_some_and(|id| id.starts_with("06"))
            }),
            condition(
                "pack = '12ba4612a7e7e243a7e787f62895562114a80dada5ca42ee9c7beec18d7c8b41'",
                |row| {
                    row["pack"].as_str().is_some_and(|id| id.starts_with("12ba4612a7e7e243a7e787"))
                },
            ),
            condition("is_used = true AND uncompressed_length > 1000", |row| {
                row["is_used"] == true && row["uncompressed_length"].as_i64() > Some(1000)
            }),
        ],
        counted: Some("index_files"),
    }
}

fn costs() -> Case {
    Case {
        table: "blobs.costs",
        golden: FLEET,
        paths: &["repo"],
        arguments: &["by=host", "by=tag", "snapshots=latest", "snapshots=03fbb1"],
        conditions: vec![
            condition("grouped_by = 'set'", |row| row["grouped_by"] == "set"),
            condition("grouped_by <> 'host'", |row| row["grouped_by"] != "host"),
            condition("exclusive_bytes > 50000 AND value LIKE '%r%'", |row| {
                row["exclusive_bytes"].as_i64() > Some(50_000)
                    && row["value"].as_str().is_some_and(|value| value.contains('r'))
            }),
        ],
        counted: None,
    }
}

fn files() -> Case {
    Case {
        table: "blobs.files",
        golden: FLEET,
        paths: &["repo"],
        arguments: &[],
        conditions: vec![
            condition("snapshot LIKE '03fbb1%'", |row| {
                row["snapshot"].as_str().is_some_and(|id| id.starts_with("03fbb1"))
            }),
            condition("hostname = 'cedar' AND type = 'dir'", |row| {
                row["hostname"] == "cedar" && row["type"] == "dir"
            }),
            condition("path = '/srv/fleet/anvil/home/anvil.txt'", |row| {
                row["path"] == "/srv/fleet/anvil/home/anvil.txt"
            }),
            condition("path LIKE '/srv/fleet/cedar/etc/%' AND size >= 880", |row| {
                let path = row["path"].as_str().expect("a path");
                path.starts_with("/srv/fleet/cedar/etc/") && row["size"].as_i64() >= Some(880)
            }),
            condition("snapshot_time < '2026-01-04T03:30:00Z' AND path LIKE '%.raw'", |row| {
                row["snapshot_time"].as_str() < Some("2026-01-04T03:30:00Z")
                    && row["path"].as_str().is_some_and(|path| path.ends_with(".raw"))
            }),
        ],
        counted: Some("nodes"),
    }
}

fn files_below() -> Case {
    Case {
        table: "blobs.files",
        golden: FLEET,
        paths: &["repo"],
        arguments: &["below=/srv/fleet/cedar/etc/", "below=/srv/fleet/anvil/home/anvil.txt"],
        conditions: vec![
            condition("path = '/srv/fleet/anvil/home/anvil.txt'", |row| {
                row["path"] == "/srv/fleet/anvil/home/anvil.txt"
            }),
            condition("path LIKE '/srv/fleet/cedar/etc/%' AND size >= 880", |row| {
                let path = row["path"].as_str().expect("a path");
                path.starts_with("/srv/fleet/cedar/etc/") && row["size"].as_i64() >= Some(880)
            }),
        ],
        counted: Some("nodes"),
    }
}

fn odd_files() -> Case {
    Case {
        table: "blobs.files",
        golden: ODD,
        paths: &["repo"],
        arguments: &["snapshots=6adf", "snapshots=latest"],
        conditions: vec![
            condition("path_bytes IS NOT NULL", |row| row["path_bytes"].is_string()),
            condition("path LIKE '/srv/atlas/odd/names/bad__.bin'", |row| {
                row["path"] == "/srv/atlas/odd/names/bad\u{fffd}\u{fffd}.bin"
            }),
            condition("path LIKE '/srv/atlas/odd/%' AND link_target IS NOT NULL", |row| {
                let path = row["path"].as_str().expect("a path");
                path.starts_with("/srv/atlas/odd/") && row["link_target"].is_string()
            }),
        ],
        counted: Some("trees_read"),
    }
}

fn packs() -> Case {
    Case {
        table: "blobs.packs",
        golden: UNUSED,
        paths: &["repo"],
        arguments: &["max_unused=0", "repack_smaller_than=1000"],
        conditions: vec![
            condition("type = 'data'", |row| row["type"] == "data"),
            condition("fate IN ('keep', 'remove')", |row| {
                row["fate"] == "keep" || row["fate"] == "remove"
            }),
            condition("unused_bytes > 0 AND used_blobs > 0", |row| {
                row["unused_bytes"].as_i64() > Some(0) && row["used_blobs"].as_i64() > Some(0)
            }),
        ],
        counted: Some("packs"),
    }
}

fn snapshots() -> Case {
    Case {
        table: "blobs.snapshots",
        golden: FLEET,
        paths: &["repo"],
        arguments: &[],
        conditions: vec![
            condition("parent IS NULL", |row| row["parent"].is_null()),
            condition("time >= '2026-01-10' AND hostname <> 'birch'", |row| {
                row["time"].as_str() >= Some("2026-01-10") && row["hostname"] != "birch"
            }),
            condition("data_added_packed < 10000", |row| {
                row["data_added_packed"].as_i64() < Some(10_000)
            }),
        ],
        counted: None,
    }
}

fn versions() -> Case {
    Case {
        table: "blobs.versions",
        golden: SMALL,
        paths: &["repo"],
        arguments: &["file=/srv/tiny/", "file=/srv/tiny/07", "file=/srv/tiny/01", "file=/srv/x"],
        conditions: vec![
            condition("path = '/srv/tiny/07'", |row| row["path"] == "/srv/tiny/07"),
            condition("path LIKE '/srv/tiny%' AND version > 1", |row| {
                row["path"].as_str().is_some_and(|path| path.starts_with("/srv/tiny"))
                    && row["version"].as_i64() > Some(1)
            }),
            condition("state = 'absent'", |row| row["state"] == "absent"),
            condition("sha256 IS NOT NULL", |row| row["sha256"].is_string()),
        ],
        counted: Some("paths"),
    }
}

fn all_versions() -> Case {
    Case {
        table: "blobs.versions",
        golden: UNUSED,
        paths: &["repo"],
        arguments: &[],
        conditions: vec![
            condition("path = '/srv/parts/b/texts/00/0007.txt'", |row| {
                row["path"] == "/srv/parts/b/texts/00/0007.txt"
            }),
            condition("path LIKE '%.txt' AND size > 5000", |row| {
                row["path"].as_str().is_some_and(|path| path.ends_with(".txt"))
                    && row["size"].as_i64() > Some(5000)
            }),
            condition(
                "path IN ('/srv/parts/d', '/srv', '/srv', '/srv/none', 'd', '/srv/')",
                |row| row["path"] == "/srv" || row["path"] == "/srv/parts/d",
            ),
        ],
        counted: Some("paths"),
    }
}
