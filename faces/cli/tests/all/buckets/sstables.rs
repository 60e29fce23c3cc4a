//! SSTables put into a bucket: the same as in a folder, TOC.txt last, none in place of another.

use std::fs;
use std::path::Path;

use manicule_buckets::{Fault, When};

use crate::damage::plant;

use super::bucket::{Example, Seen};

const SCHEMA: &str = "CREATE TABLE k.t (p int PRIMARY KEY, v text);";

fn rows(folder: &Path) {
    fs::write(folder.join("t.cql"), SCHEMA).expect("written");
    fs::write(folder.join("rows.csv"), "p,v\n1,one\n2,two\n").expect("written");
}

/// Writes the rows into a place.
fn write(example: &Example, place: &str) -> Seen {
    let words = "rows write --schema t.cql rows.csv --now 1700000000 -o";
    example.call(&format!("{words} {place}"), &[])
}

#[track_caller]
fn done(seen: &Seen) {
    assert_eq!(seen.code, Some(0), "{}", seen.err);
}

/// Compares the files of a local folder with those of the bucket.
#[track_caller]
fn check_same(example: &Example, local: &str, remote: &str) {
    let entries = fs::read_dir(example.path(local)).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().display().to_string()).collect();
    names.sort();
    let keys = example.server.keys();
    let there = keys.iter().filter_map(|key| key.strip_prefix(&format!("{remote}/")));
    assert_eq!(there.collect::<Vec<_>>(), names);
    for name in names {
        let there = example.server.get(&format!("{remote}/{name}")).expect("an object");
        assert!(there == example.file(&format!("{local}/{name}")), "{name}");
    }
}

#[test]
fn rows_are_written_as_into_a_folder() {
    let example = Example::planted(rows);
    let (local, remote) = (write(&example, "k/t"), write(&example, "s3://bucket/k/t"));
    done(&local);
    assert_eq!(remote.out.replace("s3://bucket/", ""), local.out, "{}", remote.err);
    assert!(remote.out.starts_with("s3://bucket/k/t/me-1-big-Data.db"), "{}", remote.out);
    check_same(&example, "k/t", "k/t");
    let read = example.call("rows dump s3://bucket/k/t", &[]);
    done(&read);
    assert_eq!(read.out, example.call("rows dump k/t", &[]).out);
    // The next one has the next generation, and a schema that is there stays.
    example.server.put("k/t/schema.cql", SCHEMA.as_bytes());
    let next = write(&example, "s3://bucket/k/t");
    assert!(next.out.starts_with("s3://bucket/k/t/me-2-big-Data.db"), "{}", next.out);
    assert_eq!(example.server.get("k/t/schema.cql").as_deref(), Some(SCHEMA.as_bytes()));
    assert_eq!(example.outgoing(), [""; 0]);
}

#[test]
fn sstables_of_a_bucket_become_new_ones_in_it() {
    let example = Example::planted(plant::rows_packed);
    for words in ["merge", "rebuild", "salvage", "split --size 1G"] {
        let name = words.split(' ').next().expect("a word");
        let local = example.call(&format!("rows {words} t -o here/{name}"), &[]);
        let words = format!("rows {words} s3://bucket/t -o s3://bucket/here/{name}");
        let remote = example.call(&words, &[]);
        assert_eq!(remote.code, local.code, "{words}: {}", remote.err);
        assert_eq!(remote.out.replace("s3://bucket/", ""), local.out, "{words}");
        done(&remote);
        check_same(&example, &format!("here/{name}"), &format!("here/{name}"));
    }
}

#[test]
fn nothing_is_put_over_what_is_there_or_where_nobody_finds_it() {
    let example = Example::planted(rows);
    let check = |place: &str, want: &str| {
        let (before, seen) = (example.server.keys(), write(&example, place));
        assert_eq!((seen.code, seen.out.as_str()), (Some(2), ""), "{place}: {}", seen.err);
        assert!(seen.err.contains(want), "{place}: {}", seen.err);
        assert_eq!(example.server.keys(), before, "{place}");
    };
    example.server.put("k/t/me-5-big-Filter.db", b"another's");
    check("s3://bucket/k/t --generation 5", "generation 5 is taken by me-5-big-Filter.db");
    // One that begins at the same time, which the listing doesn't show.
    example.server.let_listings_lag(true);
    example.server.put("k/t/me-7-big-Digest.crc32", b"another's");
    check("s3://bucket/k/t --generation 7", "me-7-big-Digest.crc32: there is one already");
    example.server.let_listings_lag(false);
    for key in ["m/n/b/meta/manifest.json", "n/index/backup_index/b/manifest_n.json"] {
        example.server.put(key, b"[]");
    }
    check("s3://bucket/m/n/b/data/k/t", "backups of Medusa");
    check("s3://bucket/n/node/data/k/t", "backups of Medusa");
    check("s3://bucket/p/backup/sst/cluster/c/dc/d/node/n", "backups of ScyllaDB Manager");
    done(&write(&example, "s3://bucket/host/data/k/t"));
    let web = example.server.endpoint();
    check(&format!("{web}/bucket/k/t"), "it is only read, not written");
    let dry = write(&example, "s3://bucket/dry/t --dry-run");
    done(&dry);
    assert!(!example.server.keys().iter().any(|key| key.starts_with("dry/")));
}

#[test]
fn a_fault_leaves_a_whole_sstable_or_none() {
    // A listing, the first, one between and the last of eight components, the schema.
    for number in [1, 2, 5, 9, 10] {
        for fault in [Fault::Error, Fault::Lost] {
            let example = Example::planted(rows);
            example.server.fail(&[(fault, When::Within(number..number + 1))]);
            done(&write(&example, "s3://bucket/k/t"));
            assert_eq!(example.server.keys().len(), 9, "{fault:?} at {number}");
        }
        for end in [number + 1, u64::MAX] {
            let example = Example::planted(rows);
            example.server.fail(&[(Fault::Denied, When::Within(number..end))]);
            let seen = write(&example, "s3://bucket/k/t");
            assert_eq!(seen.code, Some(2), "{number}: {}", seen.err);
            let keys = example.server.keys();
            // The schema comes after the SSTable.
            let is_visible = keys.iter().any(|key| key.ends_with("-TOC.txt"));
            assert_eq!(is_visible, number == 10, "{number}: {keys:?}");
            for key in keys.iter().filter(|_| !is_visible) {
                assert!(seen.err.contains(&format!("s3://bucket/{key}")), "{}", seen.err);
            }
            assert_eq!(example.outgoing(), [""; 0]);
        }
    }
}
