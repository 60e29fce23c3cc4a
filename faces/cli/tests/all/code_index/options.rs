//! Options, reports and refusals.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::process::Command;

use manicule::code::shards::{Repository, Shard, map_shards};

use super::place::Place;

const TIME: &str = "2026-01-02T03:04:05.06Z";
const ID: &str = "9m4e2mr0ui3e8a215n4g";

#[test]
fn a_folder_becomes_a_shard_of_its_name() {
    let place = Place::with_tree();
    let out = place.out(&["-disable_ctags", "-index", "out", "./tree/"]);
    assert!(out.starts_with("indexed tree: 3 documents, 20 B of text, "), "{out}");
    assert!(out.ends_with("       3 documents  out/tree_v16.00000.zoekt\n"), "{out}");
    assert_eq!(place.names("out"), ["tree_v16.00000.zoekt"]);
    let said = place.said("out");
    assert_eq!(
        (&said.names[..], &said.sources[..]),
        (&["tree".into()][..], &["./tree/".into()][..])
    );
    assert_eq!(said.documents["sub/b.rs"], b"fn b() {}\n");
    assert_eq!(said.ids[0].len(), 20);
    assert!(said.times[0].ends_with('Z'), "{}", said.times[0]);
}

#[test]
fn shards_go_to_the_folder_of_zoekt() {
    let place = Place::with_tree();
    place.out(&["tree"]);
    assert_eq!(place.names("home/.zoekt"), ["tree_v16.00000.zoekt"]);
}

#[test]
fn the_same_words_give_the_same_bytes() {
    let place = Place::with_tree();
    let stamp = ["--index-time", TIME, "--shard-id", ID, "--source", "here", "-index"];
    for (folder, more) in
        [("one", ["--threads=1", "--memory=1G"]), ("two", ["-parallelism=3", "--memory=1K"])]
    {
        place.out(&[&stamp[..], &[folder], &more[..], &["tree"]].concat());
    }
    let bytes = |folder: &str| fs::read(place.path(folder).join("tree_v16.00000.zoekt")).unwrap();
    assert_eq!(bytes("one"), bytes("two"));
    let said = place.said("one");
    assert_eq!((said.ids[0].as_str(), said.times[0].as_str()), (ID, TIME));
    assert_eq!(said.sources[0], "here");
}

#[test]
fn shards_are_cut_at_the_limit() {
    let place = Place::new();
    (0..7).for_each(|file| place.write(&format!("tree/{file}.txt"), "ten bytes\n"));
    // 5 of the name and 10 of the content: the limit is passed at each second document.
    place.out(&["-index=out", "-shard_limit=20", "-shard_prefix_override", "a/b", "tree"]);
    let names: Vec<String> = (0..4).map(|shard| format!("a%2Fb_v16.{shard:05}.zoekt")).collect();
    assert_eq!(place.names("out"), names);
    let said = place.said("out");
    assert_eq!((said.names[0].as_str(), said.documents.len()), ("tree", 7));
    assert!(said.ids.iter().all(|id| *id == said.ids[0]));
    // Fewer shards next time: the others are removed.
    place.out(&["-index=out", "-shard_prefix_override", "a/b", "tree"]);
    assert_eq!(place.names("out"), names[..1]);
    assert_eq!(place.said("out").documents, said.documents);
}

#[test]
fn what_is_stored_without_contents_is_told() {
    let place = Place::new();
    let alphabet: String = ('a'..='z').collect();
    for (name, text) in [
        ("large.txt", "x".repeat(101)),
        ("kept.log", "x".repeat(101)),
        ("binary", "a\0b".into()),
        ("small", "ab".into()),
        ("many", alphabet),
    ] {
        place.write(&format!("tree/{name}"), text);
    }
    let words =
        ["-index=out", "-file_limit=100", "-max_trigram_count=9", "-large_file=*.log", "tree"];
    let out = place.out(&words);
    for line in [
        "1 without contents: longer than 100 bytes; -large_file GLOB or -file_limit takes them in\n",
        "1 without contents: more than 9 distinct trigrams; -large_file GLOB or -max_trigram_count takes them in\n",
        "1 without contents: they hold a NUL\n",
        "1 without contents: shorter than three bytes\n",
    ] {
        assert!(out.contains(line), "{out}");
    }
    let documents = place.said("out").documents;
    assert_eq!(documents["kept.log"].len(), 101);
    assert_eq!(documents["large.txt"], b"NOT-INDEXED: exceeds the maximum size limit");
    assert_eq!(documents["many"], b"NOT-INDEXED: contains too many trigrams");
}

#[test]
fn folders_are_left_out() {
    let place = Place::with_tree();
    for name in [".git/x", "build/y", "sub/.hg/z", "gone/w"] {
        place.write(&format!("tree/{name}"), "some text\n");
    }
    place.write("tree/.sourcegraph/ignore", "gone/**\n");
    let documents = |words: &[&str]| {
        place.out(&[words, &["-index=out", "tree"]].concat());
        place.said("out").documents.into_keys().collect::<Vec<_>>()
    };
    let always = [".sourcegraph/ignore", "a.go"];
    assert_eq!(documents(&[]), [&always[..], &["build/y", "c.md", "sub/b.rs"]].concat());
    let want = [&[".git/x"][..], &always, &["c.md", "sub/.hg/z", "sub/b.rs"]].concat();
    assert_eq!(documents(&["-ignore_dirs", "build, x"]), want);
}

#[test]
fn an_index_that_is_right_is_not_touched() {
    let place = Place::with_tree();
    place.out(&["-index=out", "-shard_limit=1", "tree"]);
    let state = || {
        let paths = place.names("out").into_iter().map(|name| place.path("out").join(name));
        paths
            .map(|path| fs::metadata(path).unwrap())
            .map(|file| (file.ino(), file.mtime(), file.mtime_nsec(), file.ctime_nsec()))
            .collect::<Vec<_>>()
    };
    let before = state();
    assert_eq!(before.len(), 3);
    let again = || place.out(&["-index=out", "-shard_limit=1", "tree"]);
    let out = again();
    assert!(out.starts_with("unchanged: tree, 3 documents, 20 B of text, "), "{out}");
    assert!(out.contains("; --force writes it again\n"), "{out}");
    assert_eq!(state(), before);
    // Each of these is a change: a byte, a name, an option that the shards keep, the version.
    place.write("tree/a.go", "package b\n");
    assert!(again().starts_with("indexed"));
    fs::rename(place.path("tree/c.md"), place.path("tree/d.md")).unwrap();
    assert!(again().starts_with("indexed"));
    assert!(again().starts_with("unchanged"));
    for word in ["-file_limit=9999", "--zoekt-version=x", "--source=y"] {
        let out = place.out(&["-index=out", "-shard_limit=1", word, "tree"]);
        assert!(out.starts_with("indexed"), "{word}: {out}");
    }
    again();
    let before = state();
    assert!(place.out(&["-index=out", "-shard_limit=1", "--force", "tree"]).starts_with("indexed"));
    assert_ne!(state(), before);
    // A shard that is broken is written again.
    let first = place.path("out").join(&place.names("out")[0]);
    let bytes = fs::read(&first).unwrap();
    fs::write(&first, &bytes[..bytes.len() / 2]).unwrap();
    assert!(again().starts_with("indexed"));
    assert_eq!(place.said("out").documents.len(), 3);
}

#[test]
fn a_description_names_the_repository() {
    let place = Place::with_tree();
    let meta = r#"{"Name": "example.org/a", "URL": "https://example.org/a",
        "Branches": [{"Name": "main", "Version": "c0ffee"}], "RawConfig": {"repoid": "7"}}"#;
    place.write("meta.json", meta);
    place.out(&["-index=out", "-meta", "meta.json", "tree"]);
    assert_eq!(place.names("out"), ["example.org%2Fa_v16.00000.zoekt"]);
    let said = place.said("out");
    assert_eq!((said.names[0].as_str(), said.sources[0].as_str()), ("example.org/a", "tree"));
    assert!(
        place
            .out(&["-index=out", "-meta=meta.json", "tree"])
            .starts_with("unchanged: example.org/a,")
    );
}

/// Whether the shard of these contents is marked as plain ASCII. Each row was found by comparing
/// with zoekt-index.
fn check_ascii(name: &str, content: &[u8], want: bool) {
    let place = Place::new();
    place.write(&format!("tree/{name}"), content);
    place.out(&["-disable_ctags", "-index=out", "tree"]);
    let maps = map_shards(&place.path("out")).unwrap();
    let shard = Shard::open(&maps[0].as_ref().unwrap().bytes).unwrap();
    assert_eq!(shard.metadata().plain_ascii, want, "{name}");
}

#[test]
fn a_shard_is_ascii_if_its_bytes_are() {
    check_ascii("a.txt", b"some text", true);
    check_ascii("a.txt", "some t\u{e9}xt".as_bytes(), false);
    check_ascii("\u{e9}.txt", b"some text", false);
    // One rune a byte, for none of them is UTF-8.
    check_ascii("a.json", b"\xe4\xe4\xe4\xe4", false);
    // The marker of a binary file is ASCII.
    check_ascii("a.txt", b"\xe4\xe4\0\xe4", true);
}

#[test]
fn what_nobody_describes_is_as_go_has_it() {
    let place = Place::with_tree();
    place.out(&["-disable_ctags", "-index=out", "tree"]);
    let maps = map_shards(&place.path("out")).unwrap();
    let shard = Shard::open(&maps[0].as_ref().unwrap().bytes).unwrap();
    let mut want =
        Repository::from_json(br#"{"Name": "tree", "Source": "tree", "SubRepoMap": {}}"#).unwrap();
    // Of the options `2097152` and `[]`, without ctags.
    want.index_options = "3fea58f486efdd922fabeb189057d5e9cae42aca".to_owned();
    assert_eq!(want.latest_commit_date, "0001-01-01T00:00:00Z");
    assert_eq!(shard.repositories(), [want]);
}

#[test]
fn several_folders_are_several_repositories() {
    let place = Place::with_tree();
    place.write("other/x.txt", "some text\n");
    place.write("third/y.txt", "more text\n");
    let output = place.call(&["-index=out", "tree", "nowhere", "other", "third/."], 2);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(stderr, "manicule: nowhere is no folder: name the folder that holds the files\n");
    let want = ["other_v16.00000.zoekt", "third_v16.00000.zoekt", "tree_v16.00000.zoekt"];
    assert_eq!(place.names("out"), want);
}

#[test]
fn json_is_an_object_a_line() {
    let place = Place::with_tree();
    place.write("tree/z", "xy");
    let rows = |words: &[&str]| -> Vec<serde_json::Value> {
        let out = place.out(&[words, &["-index=out", "-shard_limit=1", "--json", "tree"]].concat());
        out.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
    };
    let written = rows(&[]);
    let again = rows(&[]);
    for (rows, is_unchanged) in [(&written, false), (&again, true)] {
        let (summary, shards) = rows.split_last().expect("rows");
        assert_eq!(shards.len(), 4);
        assert!(shards.iter().all(|row| row["type"] == "shard" && row["documents"] == 1));
        assert_eq!(shards[0]["path"], "out/tree_v16.00000.zoekt");
        let len = fs::metadata(place.path("out/tree_v16.00000.zoekt")).unwrap().len();
        assert_eq!(shards[0]["len"], len);
        assert_eq!(summary["type"], "summary");
        assert_eq!((&summary["repository"], &summary["folder"]), (&"tree".into(), &"tree".into()));
        assert_eq!((&summary["documents"], &summary["text_len"]), (&4.into(), &20.into()));
        assert_eq!(summary["skipped"], serde_json::json!({ "too_small": 1 }));
        assert_eq!(summary["unchanged"], is_unchanged);
    }
    assert_eq!(place.out(&["-index=out", "--quiet", "tree"]), "");
}

#[test]
fn an_empty_folder_has_a_shard() {
    let place = Place::new();
    fs::create_dir(place.path("tree")).unwrap();
    place.out(&["-index=out", "tree"]);
    assert_eq!(place.names("out"), ["tree_v16.00000.zoekt"]);
    assert!(place.said("out").documents.is_empty());
    assert!(place.out(&["-index=out", "tree"]).starts_with("unchanged: tree, 0 documents"));
}

#[test]
fn refusals_say_what_to_do() {
    let place = Place::with_tree();
    let within = place.path("tree").canonicalize().unwrap();
    let stderr = place.err(&["-index=tree/out/deep", "tree"]);
    let want = format!(
        "manicule: the output folder {0}/out/deep lies in the folder to index, {0}: it would index itself; \
         choose another with -index, or leave it out with -ignore_dirs or .sourcegraph/ignore\n",
        within.display()
    );
    assert_eq!(stderr, want);
    assert!(!place.path("tree/out").exists());
    symlink("tree", place.path("link")).unwrap();
    assert!(place.err(&["-index=link/out", "tree"]).contains("it would index itself"));

    let stderr = place.err(&["-index=out", "nowhere"]);
    assert_eq!(stderr, "manicule: nowhere is no folder: name the folder that holds the files\n");
    assert!(place.err(&["-index=out", "tree/a.go"]).contains("tree/a.go is no folder"));
    assert!(
        place
            .err(&["-index=out", "/"])
            .contains("/ has no name of its own: give it one with -meta")
    );

    let stderr = place.err(&["-index=tree/a.go", "tree/sub"]);
    assert!(stderr.starts_with("manicule: can't write tree/a.go: "), "{stderr}");

    let stderr = place.err(&["-index=out", "-meta=none.json", "tree"]);
    let want =
        "manicule: -meta none.json can't be read as a repository's description: No such file";
    assert!(stderr.starts_with(want), "{stderr}");
    place.write("meta.json", "{\"Name\": 7}");
    assert!(place.err(&["-index=out", "-meta=meta.json", "tree"]).contains("invalid type: "));
    let branches = vec![r#"{"Name":"b","Version":""}"#; 65].join(",");
    place.write("meta.json", format!("{{\"Branches\":[{branches}]}}"));
    let stderr = place.err(&["-index=out", "-meta=meta.json", "tree"]);
    let want = "manicule: the repository has 65 branches, and a shard can tell 64; leave some out of -meta\n";
    assert_eq!(stderr, want);

    place.write("tree/.sourcegraph/ignore", "[a\n");
    let stderr = place.err(&["-index=out", "tree"]);
    assert!(stderr.starts_with("manicule: can't follow tree/.sourcegraph/ignore: "), "{stderr}");
    assert!(!place.path("out").exists() || place.names("out").is_empty());
}

#[test]
fn an_output_that_is_left_out_may_lie_within() {
    let place = Place::with_tree();
    let want = ["a.go", "c.md", "sub/b.rs"];
    let documents = |folder: &str| place.said(folder).documents.into_keys().collect::<Vec<_>>();
    for _ in 0..2 {
        place.out(&["-index=tree/idx", "-ignore_dirs=.git,idx", "tree"]);
        assert_eq!(documents("tree/idx"), want);
    }
    place.out(&["-index=tree/idx/deep", "-ignore_dirs=idx", "tree"]);
    assert_eq!(documents("tree/idx/deep"), want);
    place.err(&["-index=tree", "-ignore_dirs=tree", "tree"]);
    for (line, is_allowed) in [
        ("out", true),
        ("/out/", true),
        ("out/**", true),
        ("out/*", true),
        ("out/*.zoekt", false),
        ("ou", true),
    ] {
        let place = Place::with_tree();
        place.write("tree/.sourcegraph/ignore", line);
        place.call(&["-index=tree/out", "tree"], if is_allowed { 0 } else { 2 });
        if is_allowed {
            place.out(&["-index=tree/out", "--force", "tree"]);
            assert_eq!(place.said("tree/out").documents.len(), 4, "{line}");
        }
    }
}

#[test]
fn a_sidecar_is_a_change_unless_it_says_the_same() {
    let place = Place::with_tree();
    let index = || place.out(&["-index=out", "tree"]);
    index();
    let sidecar = place.path("out/tree_v16.00000.zoekt.meta");
    let maps = map_shards(&place.path("out")).unwrap();
    let own = Shard::open(&maps[0].as_ref().unwrap().bytes).unwrap().repositories()[0].encode();
    fs::write(&sidecar, own).unwrap();
    assert!(index().starts_with("unchanged: tree,"));
    assert!(sidecar.exists());
    for other in [
        r#"{"Name":"tree","Tombstone":true}"#,
        r#"{"Name":"tree","FileTombstones":{"a.go":{}}}"#,
        r#"{"Name":"tr"#,
    ] {
        fs::write(&sidecar, other).unwrap();
        assert!(index().starts_with("indexed tree:"), "{other}");
        assert!(!sidecar.exists(), "{other}");
    }
    assert!(index().starts_with("unchanged: tree,"));
}

#[test]
fn folders_of_one_name_do_not_replace_each_other() {
    let place = Place::with_tree();
    place.write("other/tree/x.txt", "some text\n");
    let stderr = place.err(&["-index=out", "tree", "other/tree/"]);
    let want = "manicule: tree and other/tree/ would both be \"tree\", and the shards of the second replace those of \
         the first: call for each, with a name from -meta or -shard_prefix_override, or with another folder for -index\n";
    assert_eq!(stderr, want);
    assert!(!place.path("out").exists());
    place.err(&["-index=out", "-shard_prefix_override=x", "tree", "other"]);
    // It is reported in every call; another spelling of the same folder is the same folder.
    let out = |folder: &str| place.out(&["-index=out", folder]);
    let (replaces, said) = ("replaces tree, which was made from ", |text: &str| text.to_owned());
    assert!(!out("tree").contains(replaces));
    assert!(!out("./tree").contains(replaces));
    let text = said(&out("other/tree"));
    assert!(text.contains("\nreplaces tree, which was made from ./tree\n"), "{text}");
    let json = place.out(&["-index=out", "--json", "tree"]);
    assert!(json.contains(r#""replaces":"other/tree""#), "{json}");
}

#[test]
fn likely_mistakes_are_told() {
    let place = Place::with_tree();
    place.write("meta.json", r#"{"Name": "tree", "Brnches": [{"Name": "main"}]}"#);
    let words = ["-index=out", "-large_file=[", "-large_file=*.go", "-meta=meta.json", "tree"];
    let stderr = String::from_utf8(place.call(&words, 0).stderr).unwrap();
    let want = "manicule: -large_file \"[\" matches nothing: it has a [ or a brace that isn't closed, or ends in \\\n\
         manicule: -meta meta.json: the key \"Brnches\" means nothing\n";
    assert_eq!(stderr, want);
    let deep = format!("-large_file={}{}", "{".repeat(30_000), "}".repeat(30_000));
    let stderr = String::from_utf8(place.call(&["-index=out", &deep, "tree"], 0).stderr).unwrap();
    assert!(stderr.contains("it has 30000 braces, and 100 are the most"), "{stderr}");
}

/// Whether modes keep this user from anything: not root.
fn modes_count(place: &Place) -> bool {
    place.path("tree").metadata().unwrap().uid() != 0
}

#[test]
fn what_cant_be_read_ends_the_run() {
    let place = Place::with_tree();
    place.out(&["-index=out", "tree"]);
    let before = place.said("out");
    let sub = place.path("tree/sub");
    fs::set_permissions(&sub, fs::Permissions::from_mode(0o000)).unwrap();
    if modes_count(&place) {
        let stderr = place.err(&["-index=out", "tree"]);
        let want =
            "manicule: can't read tree/sub: make it readable, or name it in .sourcegraph/ignore: ";
        assert!(stderr.starts_with(want), "{stderr}");
        assert_eq!(place.said("out"), before);
        assert_eq!(place.names("out"), ["tree_v16.00000.zoekt"]);
    } else {
        eprintln!("left out: root may read everything");
    }
    fs::set_permissions(&sub, fs::Permissions::from_mode(0o755)).unwrap();
}

#[test]
fn a_disk_that_is_full() {
    let place = Place::with_tree();
    place.write("tree/long.txt", "words and more words\n".repeat(20_000));
    place.out(&["-index=out", "-max_trigram_count=99999", "tree"]);
    let before = place.said("out");
    place.write("tree/a.go", "package other\n");
    for blocks in ["0", "1", "8", "100"] {
        let line =
            format!("ulimit -f {blocks}; trap '' XFSZ; exec \"$0\" code index -index=out tree");
        let mut command = Command::new("sh");
        command.args(["-c", &line]).arg(env!("CARGO_BIN_EXE_manicule")).current_dir(place.path(""));
        let output = command.output().expect("a shell");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{blocks}: {stderr}");
        assert!(stderr.starts_with("manicule: can't write out/tree_v16.00000.zoekt"), "{stderr}");
        assert!(
            stderr.ends_with("; make room, or choose another folder with -index\n"),
            "{stderr}"
        );
        assert_eq!(place.said("out"), before, "{blocks}");
        assert_eq!(place.names("out"), ["tree_v16.00000.zoekt"], "{blocks}");
    }
    fs::create_dir(place.path("disk")).unwrap();
    let mut mount = Command::new("mount");
    mount.args(["-t", "tmpfs", "-o", "size=300k", "none"]).arg(place.path("disk"));
    if !mount.output().is_ok_and(|output| output.status.success()) {
        eprintln!("left out: mounts of one's own");
        return;
    }
    let stderr = place.command(&["-index=disk", "tree"]).output().expect("it runs").stderr;
    let names = place.names("disk");
    let _ = Command::new("umount").arg("-l").arg(place.path("disk")).status();
    let stderr = String::from_utf8(stderr).unwrap();
    assert!(stderr.contains("No space left on device"), "{stderr}");
    assert!(names.is_empty(), "{names:?}");
}

#[test]
fn help_is_an_answer() {
    let place = Place::new();
    for word in ["-h", "-help", "--help"] {
        assert!(place.out(&[word]).starts_with("manicule code index [OPTIONS] DIR...\n"), "{word}");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_manicule")).args(["code", "--help"]).output();
    let help = String::from_utf8(output.expect("it runs").stdout).unwrap();
    assert!(help.contains("  manicule code index DIR...\n"), "{help}");
}
