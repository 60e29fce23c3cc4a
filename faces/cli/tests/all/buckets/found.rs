//! `find` below an address: several systems below one prefix, and objects that are no index's.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use manicule_buckets::{Server, Setup};
use manicule_testkit::names;
use serde_json::json;

use crate::damage::plant;

use super::bucket::Example;

/// All that is planted below `all`, by the names of what is in it.
const ALL: &str = "all/t all/data all/shards all/store all/repo all/alpha all/a.nt all/all.rq \
                   all/count.rq all/change.ru all/new.ru";

/// An index of each kind, the sources of the shards, and a few texts.
fn all(folder: &Path) {
    let all = folder.join("all");
    fs::create_dir(&all).expect("a folder");
    for plant in
        [plant::rows_packed, plant::series, plant::shards, plant::graph, plant::blobs as fn(&Path)]
    {
        plant(&all);
    }
    // Of the calls that have made them.
    fs::remove_dir_all(all.join("cache")).expect("removed");
}

/// Blocks, with what Mimir keeps beside those of a tenant and some of ours.
fn tenant(folder: &Path) {
    plant::series(folder);
    let data = folder.join("data");
    let blocks = names(&data).into_iter().filter(|name| name.len() == 26);
    let rows: Vec<_> =
        blocks.map(|id| json!({ "block_id": id, "min_time": 0, "max_time": i64::MAX })).collect();
    let index = json!({ "version": 2, "blocks": rows, "updated_at": 1_700_000_000 });
    let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
    gzip.write_all(index.to_string().as_bytes()).expect("packed");
    fs::write(data.join("bucket-index.json.gz"), gzip.finish().expect("packed")).expect("a file");
    fs::create_dir(data.join("markers")).expect("a folder");
    let mark = data.join("markers/01M7YV9D4RCH84S6NS9PC6AJ27-deletion-mark.json");
    fs::write(mark, r#"{"id": "01M7YV9D4RCH84S6NS9PC6AJ27", "deletion_time": 1}"#).expect("a file");
    fs::write(data.join("notes"), "deletion of bucket-index.json\n").expect("a file");
}

/// Longer than what is read into memory.
const LONG_LEN: usize = 9 << 20;

/// A tree of texts, with what a search leaves out.
fn words(folder: &Path) {
    let put = |name: &str, bytes: &[u8]| {
        let path = folder.join("words").join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    };
    put("a.txt", b"a lamp\nand oil\n");
    put("empty", b"");
    put("b.log", b"a lamp\n");
    put(".ignore", b"*.log\nleft/\n");
    put(".hidden", b"a lamp\n");
    put("binary", b"a lamp\na \0 and a lamp\n");
    put("left/a.txt", b"a lamp\n");
    put("sub/deep/c.rs", b"// a lamp\n");
    put("sub/b.log", b"a lamp\n");
    put("sub/.ignore", b"!b.log\n");
    let mut long = b"oil\n".repeat(LONG_LEN / 4);
    put("long/oil.bin", &[&long[..], b"\0"].concat());
    put("long/zeros.bin", &[&[0][..], &long].concat());
    long.extend_from_slice(b"a lamp\n");
    put("long/oil.txt", &long);
}

fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines
}

#[test]
fn several_systems_below_one_prefix() {
    let example = Example::planted(all);
    for flags in ["-c 1", "-c a", "-c -i ADDED", "-l text"] {
        let local = example.local(&format!("find {flags} {ALL}"));
        let remote = example.remote(&format!("find {flags} all"));
        assert_eq!(remote.code, Some(0), "{}", remote.err);
        assert_eq!(lines(&remote.out), lines(&local.out), "{flags}: {}", remote.err);
    }
    let found = example.remote("find -c 1 all");
    for place in ["all/t/", "all/data/", "all/store:", "all/repo:", "all/a.nt:"] {
        assert!(found.out.contains(place), "{place}: {found:?}");
    }
}

#[test]
fn everything_below_a_prefix_is_inspected_and_verified() {
    let example = Example::planted(all);
    for words in ["inspect -r all", "verify -r all", "series labels -r ./all"] {
        let (local, remote) = (example.local(words), example.remote(words));
        assert_eq!(remote.code, local.code, "{words}: {}", remote.err);
        assert_eq!(lines(&remote.out), lines(&local.out), "{words}: {}", remote.err);
    }
}

#[test]
fn objects_are_searched_as_files_are() {
    let example = Example::planted(words);
    for flags in [
        "lamp",
        "-n -A1 lamp",
        "-c lamp",
        "-l lamp",
        "-v -c oil",
        "--files-without-match lamp",
        "--files",
        "--files --hidden",
        "--files --no-ignore",
        "-c --hidden --no-ignore lamp",
        "-c -a lamp",
        "-c -g *.rs lamp",
        "-c -g !sub lamp",
        "-c -t rust lamp",
        "-c -d 1 lamp",
        "-c --max-filesize 1K lamp",
        "-q lamp",
        "nothing-like-it",
    ] {
        for sort in ["--sort path", "--sortr path"] {
            let call = format!("find {sort} {flags} words");
            let (local, remote) = (example.local(&call), example.remote(&call));
            let got = (remote.code, &remote.out);
            assert_eq!(got, (local.code, &local.out), "{call}: {}", remote.err);
        }
    }
    for object in ["words/a.txt", "words/binary", "words/b.log"] {
        let call = format!("find lamp {object}");
        let (local, remote) = (example.local(&call), example.remote(&call));
        assert_eq!((remote.code, &remote.out), (local.code, &local.out), "{}", remote.err);
    }
}

#[test]
fn what_mimir_keeps_beside_blocks_is_no_text() {
    let example = Example::planted(tenant);
    for words in ["find --files data", "find -c deletion data"] {
        let (local, remote) = (example.local(words), example.remote(words));
        assert_eq!((remote.code, &remote.out), (local.code, &local.out), "{}", remote.err);
        assert!(remote.out.contains("data/notes"), "{words}: {}", remote.out);
        let own = ["bucket-index.json.gz", "markers"];
        assert!(!own.iter().any(|name| remote.out.contains(name)), "{words}: {}", remote.out);
    }
}

#[test]
fn hits_name_addresses() {
    let example = Example::planted(words);
    let seen = example.call("find -t rust lamp s3://bucket/words", &[]);
    assert_eq!(seen.out, "s3://bucket/words/sub/deep/c.rs:// a lamp\n", "{}", seen.err);
}

/// What can't be had is said, and the rest is answered.
#[test]
fn what_is_not_there_or_not_allowed() {
    let example = Example::planted(words);
    let seen = example.call("find -l lamp s3://bucket/absent s3://bucket/words/a.txt", &[]);
    assert_eq!((seen.code, &*seen.out), (Some(2), "s3://bucket/words/a.txt\n"), "{}", seen.err);
    assert!(seen.err.contains("s3://bucket/absent"), "{}", seen.err);
    let wrong = [("AWS_SECRET_ACCESS_KEY", "another")];
    for words in ["find lamp", "inspect", "verify", "inspect -r", "verify -r"] {
        let seen = example.call(&format!("{words} s3://bucket/words"), &wrong);
        assert_eq!((seen.code, &*seen.out), (Some(2), ""), "{words}: {}", seen.err);
        assert!(seen.err.contains("s3://bucket/words"), "{words}: {}", seen.err);
        let seen = example.call(&format!("{words} s3://bucket/absent"), &[]);
        assert!(seen.code > Some(0) && seen.out.is_empty(), "{words}: {}", seen.err);
        assert!(seen.err.contains("s3://bucket/absent"), "{words}: {}", seen.err);
    }
    let seen = example.call("find -z lamp s3://bucket/words", &[]);
    assert!(seen.code == Some(2) && seen.err.contains("what lies at an address is none"));
    let seen = example.call("find --sort modified lamp s3://bucket/words", &[]);
    assert!(seen.code == Some(2) && seen.err.contains("sorted by path alone"), "{}", seen.err);
}

#[test]
fn a_bucket_without_an_object_has_nothing() {
    let example = Example::planted(words);
    let server = Server::start(Setup::Signed);
    let variables = server.variables();
    let variables: Vec<(&str, &str)> =
        variables.iter().map(|(name, value)| (&**name, &**value)).collect();
    let seen = example.call("find lamp s3://bucket", &variables);
    assert_eq!((seen.code, &*seen.out), (Some(1), ""), "{}", seen.err);
    let seen = example.call("verify s3://bucket", &variables);
    assert!(seen.code == Some(2) && seen.err.contains("no index lies there"), "{}", seen.err);
}
