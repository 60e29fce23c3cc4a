//! Blocks put into a bucket: the same as in a folder, whole or not at all, and none that the
//! bucket's system would not take.

use std::fs;
use std::path::Path;

use manicule_buckets::{Fault, When};
use serde_json::Value;

use crate::damage::plant;

use super::bucket::{Example, Seen};

/// Two series in two blocks.
const TEXT: &str = "up{job=\"a\"} 1 0\nup{job=\"b\"} 1 60\nup{job=\"a\"} 0 9000\n# EOF\n";

fn texts(folder: &Path) {
    fs::write(folder.join("up.txt"), TEXT).expect("written");
}

#[track_caller]
fn done(seen: &Seen) {
    assert_eq!(seen.code, Some(0), "{}", seen.err);
}

/// The folders of blocks in the order of their times, by what names them: paths below the example's
/// folder, or keys.
fn blocks(seen: &Seen, prefix: &str) -> Vec<String> {
    let lines = seen.out.lines().filter_map(|line| line.split_once("  ")).map(|(path, _)| path);
    let named = lines.filter_map(|path| path.strip_prefix(prefix));
    named.map(str::to_owned).collect()
}

/// A meta file without what is its own: the block's name, and what buckets add.
fn meta(json: &[u8]) -> (Value, Value) {
    let mut meta: Value = serde_json::from_slice(json).expect("JSON");
    let object = meta.as_object_mut().expect("an object");
    let thanos = object.remove("thanos").unwrap_or_default();
    for own in ["ulid", "compaction"] {
        object.remove(own).expect("every block has it");
    }
    (meta, thanos)
}

#[track_caller]
fn check_same(example: &Example, local: &str, remote: &str) -> Value {
    for name in ["index", "chunks/000001"] {
        let there = example.server.get(&format!("{remote}/{name}")).expect("an object");
        assert!(there == example.file(&format!("{local}/{name}")), "{name}");
    }
    let keys = example.server.keys();
    let names = keys.iter().filter_map(|key| key.strip_prefix(&format!("{remote}/")));
    assert_eq!(names.collect::<Vec<_>>(), ["chunks/000001", "index", "meta.json"]);
    let here = meta(&example.file(&format!("{local}/meta.json"))).0;
    let json = example.server.get(&format!("{remote}/meta.json")).expect("an object");
    let (there, thanos) = meta(&json);
    assert_eq!(there, here);
    thanos
}

#[test]
fn built_blocks_are_those_of_a_folder() {
    let example = Example::planted(texts);
    let local = example.call("series build -o here up.txt", &[]);
    let words = "series build -o s3://bucket/there --external-label cluster=a up.txt";
    let remote = example.call(words, &[]);
    done(&local);
    done(&remote);
    let (local, remote) = (blocks(&local, ""), blocks(&remote, "s3://bucket/"));
    assert_eq!((local.len(), remote.len()), (2, 2));
    for (local, remote) in local.iter().zip(&remote) {
        let thanos = check_same(&example, local, remote);
        assert_eq!(thanos["labels"], serde_json::json!({ "cluster": "a" }));
        let len = |name: &str| example.file(&format!("{local}/{name}")).len();
        let files = serde_json::json!([
            { "rel_path": "chunks/000001", "size_bytes": len("chunks/000001") },
            { "rel_path": "index", "size_bytes": len("index") },
            { "rel_path": "meta.json" },
        ]);
        assert_eq!(thanos["files"], files);
    }
    for words in ["series labels job", "series select {job=\"a\"}"] {
        let [here, there] =
            ["here", "s3://bucket/there"].map(|path| example.call(&format!("{words} {path}"), &[]));
        done(&here);
        assert_eq!(there, here, "{words}");
    }
    assert_eq!(example.outgoing(), [""; 0]);
}

#[test]
fn blocks_of_a_bucket_become_new_ones_in_it() {
    let example = Example::planted(plant::series);
    for (words, input) in [
        ("series merge", "data"),
        ("series rewrite --drop {job=\"nothing\"}", "data/TINY"),
        ("series split --parts 1", "data/TINY"),
    ] {
        let name = fs::read_dir(example.path("data")).expect("a folder").next();
        let tiny = name.expect("a block").expect("an entry").file_name();
        let input = input.replace("TINY", tiny.to_str().expect("UTF-8"));
        let local = example.call(&format!("{words} -o here {input}"), &[]);
        let words = format!("{words} -o s3://bucket/there s3://bucket/{input}");
        let remote = example.call(&words, &[]);
        assert_eq!(remote.code, local.code, "{words}: {}", remote.err);
        let (here, there) = (made(&local.out), made(&remote.out));
        check_same(&example, &here, there.strip_prefix("s3://bucket/").expect("an address"));
    }
}

/// The only path of a new block in what was printed.
fn made(out: &str) -> String {
    let words = out.split_whitespace();
    let mut paths = words.filter(|word| word.contains("here/")).map(str::to_owned);
    let path = paths.next().expect("a path");
    assert_eq!(paths.next(), None, "{out}");
    path
}

#[test]
fn a_system_gets_no_block_that_it_would_not_take() {
    let example = Example::planted(texts);
    let build = |more: &str| example.call(&format!("series build up.txt -o {more}"), &[]);
    let check = |more: &str, want: &str| {
        let (before, seen) = (example.server.keys(), build(more));
        assert_eq!((seen.code, seen.out.as_str()), (Some(2), ""), "{more}: {}", seen.err);
        assert!(seen.err.contains(want), "{more}: {}", seen.err);
        assert_eq!(example.server.keys(), before, "{more}");
    };
    done(&build("s3://bucket/thanos --external-label cluster=a"));
    check("s3://bucket/thanos", "takes none without external labels");
    done(&build("s3://bucket/tenant"));
    check("s3://bucket/tenant --external-label cluster=a", "no external labels");
    example.server.put("other/bucket-index.json.gz", b"");
    check("s3://bucket/other --external-label cluster=a", "no external labels");
    done(&build("s3://bucket/other"));
    example.server.put("mimir/__mimir_cluster/mimir_cluster_seed.json", b"{}");
    check("s3://bucket/mimir", "each tenant has a folder");
    let web = example.server.endpoint();
    check(&format!("{web}/bucket/thanos"), "it is only read, not written");
    // Before the input, which is not there.
    let seen = example.call(&format!("series build absent -o {web}/bucket/thanos"), &[]);
    assert!(seen.err.contains("it is only read, not written"), "{}", seen.err);
    check("s3://bucket/new s3://bucket/up.txt", "reads no address");
}

/// Requests of a build of one block: two listings, three puts.
const REQUESTS: u64 = 5;

fn build_one(example: &Example) -> Seen {
    example.call("series build --max-block-duration 1d -o s3://bucket/new up.txt", &[])
}

/// Whether a whole block is there; half of one is not visible.
#[track_caller]
fn is_visible(example: &Example) -> bool {
    example.server.fail(&[]);
    let keys = example.server.keys();
    let is_visible = keys.iter().any(|key| key.ends_with("/meta.json"));
    assert!(!is_visible || keys.len() == 3, "{keys:?}");
    is_visible
}

#[test]
fn a_fault_leaves_a_whole_block_or_none() {
    for number in 1..=REQUESTS {
        for fault in [Fault::Error, Fault::Lost] {
            let example = Example::planted(texts);
            example.server.fail(&[(fault, When::Within(number..number + 1))]);
            let seen = build_one(&example);
            assert_eq!(seen.code, Some(0), "{fault:?} at {number}: {}", seen.err);
            assert!(is_visible(&example), "{fault:?} at {number}");
        }
        for end in [number + 1, u64::MAX] {
            let example = Example::planted(texts);
            example.server.fail(&[(Fault::Denied, When::Within(number..end))]);
            let seen = build_one(&example);
            assert_eq!(seen.code, Some(2), "{number}: {}", seen.err);
            assert!(!is_visible(&example), "{number}");
            // What could not be removed is named; else all of it could.
            let keys = example.server.keys();
            assert!(end == u64::MAX || keys.is_empty(), "{number}: {keys:?}");
            for key in keys {
                assert!(seen.err.contains(&format!("s3://bucket/{key}")), "{}", seen.err);
            }
            assert_eq!(example.outgoing(), [""; 0]);
        }
    }
}

#[test]
fn any_fault_of_the_last_request_leaves_a_whole_block_or_none() {
    for (fault, code) in [
        (Fault::SlowDown, 0),
        (Fault::Reset, 0),
        (Fault::Cut, 0),
        (Fault::Unconditional, 0),
        (Fault::Expired, 2),
        (Fault::Elsewhere, 2),
    ] {
        let example = Example::planted(texts);
        example.server.fail(&[(fault, When::Within(REQUESTS..REQUESTS + 1))]);
        let seen = build_one(&example);
        assert_eq!(seen.code, Some(code), "{fault:?}: {}", seen.err);
        assert_eq!(is_visible(&example), code == 0, "{fault:?}");
    }
}

#[test]
fn texts_and_tables_are_put_whole_too() {
    let example = Example::planted(plant::series);
    for (words, name) in [("series dump data", "a.txt"), ("table series.blocks data", "a.parquet")]
    {
        done(&example.call(&format!("{words} -o {name}"), &[]));
        // In place of what was there, as in a folder.
        example.server.put(name, b"old");
        let words = format!("{words} -o s3://bucket/{name}");
        example.server.fail(&[(Fault::Denied, When::Every(1))]);
        assert_eq!(example.call(&words, &[]).code, Some(2), "{words}");
        assert_eq!(example.server.get(name).as_deref(), Some(&b"old"[..]), "{words}");
        example.server.fail(&[]);
        done(&example.call(&words, &[]));
        assert!(example.server.get(name) == Some(example.file(name)), "{words}");
        let web = words.replace("s3://", &format!("{}/", example.server.endpoint()));
        let seen = example.call(&web, &[]);
        assert_eq!(seen.code, Some(2), "{web}");
        assert!(seen.err.contains("it is only read, not written"), "{}", seen.err);
    }
    assert_eq!(example.outgoing(), [""; 0]);
}
