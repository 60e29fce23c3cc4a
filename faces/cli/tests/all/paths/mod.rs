//! The kind of a path is taken from its bytes only: folders that resemble another system's are
//! searched as text, folders that hold shards or blocks beside text are searched as all of it, and
//! one bad part hides none of the others.

mod place;
mod publish;

use manicule_testkit::copy_folder;
use place::{Place, sorted};

/// Spellings of the current folder, and the prefix that each gives to paths in it.
const FORMS: [(&[&str], &str); 2] = [(&[], ""), (&["."], "./")];

/// Flags tried with a search for `needle`.
const FLAGS: [&[&str]; 6] = [&[], &["-q"], &["-c"], &["-l"], &["--json"], &["--files"]];

/// The words of a call: `--files` takes no pattern.
fn words<'w>(flags: &[&'w str], pattern: &'w str, paths: &[&'w str]) -> Vec<&'w str> {
    let pattern = if flags.contains(&"--files") { None } else { Some(pattern) };
    flags.iter().copied().chain(pattern).chain(paths.iter().copied()).collect()
}

/// The folder is searched as ripgrep would, in whatever way it is given.
#[track_caller]
fn check_text(what: &str, files: &[(&str, &[u8])]) {
    let place = Place::new();
    files.iter().for_each(|(name, bytes)| place.write(&format!("k/{name}"), bytes));
    let folder = place.path("k");
    let absolute = folder.to_str().expect("text");
    let index = place.find(&["--no-index", "needle", "k"]);
    assert_eq!(index.code, Some(0), "{what}: {}", index.err);
    for flags in FLAGS {
        for paths in FORMS.map(|form| form.0).into_iter().chain([&[absolute][..]]) {
            let words = words(flags, "needle", paths);
            let (want, got) = (place.rg_in("k", &words), place.find_in("k", &words));
            assert_eq!(sorted(&got.out), sorted(&want.out), "{what}: {words:?}: {}", got.err);
            assert_eq!((&*got.err, got.code), (&*want.err, want.code), "{what}: {words:?}");
        }
    }
}

const ULID: &str = "01ARZ3NDEKTSV4RRFFQ69G5FAV";

#[test]
fn folders_that_resemble_others_are_text() {
    let needle = &b"needle\n"[..];
    let in_ulid = format!("{ULID}/note.txt");
    let keys = [("config/a", needle), ("keys/b", needle), ("data/c", needle), ("src/d", needle)];
    check_text("folders named as restic's", &keys);
    check_text("config is a file, keys are no hashes", &[("config", needle), ("keys/me", needle)]);
    check_text("folders named by ULID", &[(&in_ulid, needle), ("readme.txt", needle)]);
    check_text("a ULID alone", &[(&in_ulid, needle)]);
    let log = [("wal/00000000", needle), ("chunks_head/000001", needle), ("note.txt", needle)];
    check_text("a log without a block", &log);
    let meta = format!("{{\"ulid\": \"{ULID}\", \"version\": 1, \"needle\": 1}}\n");
    check_text("a meta file without an index", &[("meta.json", meta.as_bytes())]);
    let in_block = [(&*format!("{ULID}/meta.json"), meta.as_bytes()), ("a.txt", needle)];
    check_text("a ULID with a meta file and no index", &in_block);
    check_text("meta.json and an index of text", &[("meta.json", b"{}"), ("index", needle)]);
    check_text("an index.html", &[("index.html", needle), ("index", b"\xba\xaa\xd7 needle\n")]);
    check_text("x.zoekt of text", &[("x.zoekt", needle), ("a.txt", needle)]);
    check_text("x.zoekt alone", &[("x.zoekt", needle), ("x.zoekt.meta", needle)]);
    check_text("x.zoekt of bytes", &[("x.zoekt", b"\0\0\0\0\0\0\0\0"), ("a.txt", needle)]);
    check_text("a plan", &[("gold_v16.plan", needle), ("battle.plan", needle)]);
    check_text("one file of an SSTable", &[("me-1-big-Data.db", needle), ("a.txt", needle)]);
    check_text("RDF", &[("a.ttl", needle), ("b.nt", needle), ("c.hdt", b"$HDT\x01 needle\n")]);
    check_text("hidden beside", &[(".hidden", needle), ("a.txt", needle)]);
}

#[test]
fn a_broken_sstable_is_an_error_and_no_text() {
    let toc = b"Data.db\nStatistics.db\nTOC.txt\n";
    let place = Place::new();
    place.write("k/me-1-big-Data.db", b"needle\n");
    place.write("k/me-1-big-Statistics.db", b"x");
    place.write("k/me-1-big-TOC.txt", toc);
    for path in ["k", "k/me-1-big-Data.db"] {
        let found = place.find(&["needle", path]);
        assert_eq!((found.out.as_str(), found.code), ("", Some(2)), "{path}");
        let want = "manicule: k/me-1-big-Statistics.db: number of sections at offset 0";
        assert!(found.err.starts_with(want) && found.err.lines().count() == 1, "{}", found.err);
    }
}

#[test]
fn files_beside_shards_are_searched_as_text() {
    let place = Place::new();
    place.index("k", "repo", &[("x/f.txt", "needle in x\n"), ("g.txt", "hay\n")]);
    place.write("k/README", b"needle in README\n");
    place.write("k/sub/deep.txt", b"needle in deep\n");
    place.write("k/.hidden", b"needle in hidden\n");
    for left in ["repo_v16.00001.zoekt.tmp", "other_v16.00000.zoekt.tmp", "x_v16.00000.zoekt.9.tmp"]
    {
        place.write(&format!("k/{left}"), b"needle in a shard that is being written\n");
    }
    place.write("k/repo_v16.00000.zoekt.meta", b"{\"Name\":\"repo\"}");
    for (paths, prefix) in FORMS {
        let find = |flags: &[&str]| {
            let found = place.find_in("k", &words(flags, "needle", paths));
            assert_eq!((&*found.err, found.code), ("", Some(0)), "{flags:?} {paths:?}");
            sorted(&found.out)
        };
        let line = |name: &str, rest: &str| format!("{prefix}{name}{rest}");
        let (readme, deep) = ("README", "sub/deep.txt");
        let want = [
            line(readme, ":needle in README"),
            line(deep, ":needle in deep"),
            "repo/x/f.txt:needle in x".into(),
        ];
        assert_eq!(find(&[]), sorted(&want.join("\n")));
        let want = [line(readme, ""), line(deep, ""), "repo/x/f.txt".into()];
        assert_eq!(find(&["-l"]), sorted(&want.join("\n")));
        let want = [line(readme, ""), line(deep, ""), "repo/g.txt".into(), "repo/x/f.txt".into()];
        assert_eq!(find(&["--files"]), sorted(&want.join("\n")));
        assert_eq!(find(&["-q"]), [""; 0]);
        let hidden = line(".hidden", ":needle in hidden");
        assert!(find(&["--hidden"]).contains(&hidden));
    }
}

#[test]
fn with_an_index_of_the_tree_the_same_is_left_out() {
    let place = Place::new();
    place.index("k", "repo", &[("x/f.txt", "needle in x\n")]);
    place.write("k/README", b"needle in README\n");
    place.write("k/repo_v16.00000.zoekt.meta", b"[]needle");
    place.block("k", "01M7YV9D4RCH84S6NS9PC6AJ27");
    place.write("k/sub/a.txt", b"needle below\n");
    std::fs::remove_file(place.path("k/repo_v16.00000.zoekt.meta")).expect("it is there");
    place.write("k/repo_v16.00000.zoekt.tmp", b"needle\n");
    place.indexed(&["cache", "build", "k"]).expect(0);
    for words in [&["needle", "k"][..], &["--files", "k"], &["--sort", "path", "needle", "k"]] {
        let walked = place.find(&[&["--no-index"], words].concat());
        let indexed = place.indexed(&[&["find"], words].concat());
        assert_eq!(sorted(&indexed.out), sorted(&walked.out), "{words:?}: {}", indexed.err);
        assert!(
            !walked.out.contains("zoekt") && !walked.out.contains("meta.json"),
            "{}",
            walked.out
        );
        assert_eq!((indexed.code, indexed.err), (Some(0), walked.err), "{words:?}");
    }
}

#[test]
fn what_a_server_keeps_beside_blocks_is_left_out_and_its_log_told() {
    let place = Place::new();
    let block = "01M7YV9D4RCH84S6NS9PC6AJ27";
    place.block("k", block);
    place.write("k/wal/00000000", b"\x01\0\x03\xd9\xc3\x6f\xe6up\n");
    place.write("k/chunks_head/000001", b"\x01\x30\xbc\x91\x01 up\n");
    place.write(&format!("k/{ULID}.tmp-for-creation/index"), b"\xba\xaa\xd7\x00\x02 up\n");
    place.write("k/lock", b"");
    let found = place.find(&["-a", "up", "k"]);
    assert!(found.out.lines().all(|line| line.contains(block)), "{}", found.out);
    assert_eq!(found.err, "manicule: k/wal: labels that only this log has are left out\n");
    assert_eq!(place.find(&["-q", "up", "k"]).err, "");
}

#[test]
fn what_lies_further_down_is_told_once_and_where_it_may_be_meant() {
    let place = Place::new();
    place.write("k/a.txt", b"up\n");
    let repository = manicule_testkit::golden_repository("v2");
    copy_folder(&repository.path().join("repo"), &place.path("k/deep/repo"));
    place.block("k/data", "01M7YV9D4RCH84S6NS9PC6AJ27");
    let told = place.find(&["up", "k"]).err;
    let want =
        "1 Prometheus block and 1 restic repository further down searched as plain files only";
    assert!(told.contains(want) && told.contains("k/data k/deep/repo"), "{told}");
    for words in [&["-l", "up", "k"][..], &["-c", "up", "k"]] {
        assert!(place.find(words).err.contains(want), "{words:?}");
    }
    for words in [
        &["-q", "up", "k"][..],
        &["--json", "up", "k"],
        &["-t", "txt", "up", "k"],
        &["-g", "*.txt", "up", "k"],
    ] {
        assert_eq!(place.find(words).err, "", "{words:?}");
    }
    let twice = [0, 1].map(|_| place.indexed(&["find", "up", "k"]).err);
    assert!(twice[0].contains(want) && twice[1].is_empty(), "{twice:?}");
    place.indexed(&["cache", "clear"]).expect(0);
    assert!(place.indexed(&["find", "up", "k"]).err.contains(want));
    for (word, code) in [("inspect", 1), ("verify", 2)] {
        let told = place.call(&[word, "k"]).expect(code).err;
        assert!(told.contains("k/deep/repo is a restic repository"), "{told}");
        assert!(told.contains(&format!(": `manicule {word} -r k`")), "{told}");
    }
    let shown = place.call(&["inspect", "-r", "k/data"]).expect(0);
    assert!(shown.out.starts_with("data      k/data\n01M7"), "{}", shown.out);
    let shown = place.call(&["inspect", "-r", "k"]).expect(0);
    assert!(shown.out.contains("12 samples") && shown.out.contains("keys"), "{}", shown.out);
    let refused = place.indexed(&["cache", "build", "k/deep/repo"]).expect(2);
    assert!(refused.err.contains("k/deep/repo is a restic repository"), "{}", refused.err);
    let unknown = place.indexed(&["cache", "clear", "nosuch"]).expect(2);
    assert!(unknown.err.contains("nosuch: "), "{}", unknown.err);
}

#[test]
fn the_call_that_searches_what_was_passed_names_all_folders() {
    let place = Place::new();
    place.block("k/t00", "01M7YV9D4RCH84S6NS9PC6AJ27");
    for number in 1..18 {
        let told = place.find(&["nothing", "k"]).expect(1).err;
        let call = told.split('`').nth(1).expect("a call");
        let want = match number {
            17 => "k/*".to_owned(),
            _ => (0..number).map(|at| format!("k/t{at:02}")).collect::<Vec<_>>().join(" "),
        };
        assert_eq!(call, format!("manicule find nothing {want}"));
        assert!(!told.contains("more)"), "{told}");
        copy_folder(&place.path("k/t00"), &place.path(&format!("k/t{number:02}")));
    }
}

#[test]
fn an_absent_first_path_of_a_query_is_refused_before_anything_is_searched() {
    let place = Place::new();
    place.index("k", "repo", &[("f.txt", "fn main\n")]);
    for (words, want) in [
        (
            &["fn", "main", "k"][..],
            "manicule: main: no such file or folder; quote a query of several words: 'fn main'\n",
        ),
        (
            &["fn", "main", "end", "k"],
            "manicule: main: no such file or folder; quote a query of several words: 'fn main end'\n",
        ),
        (&["fn", "./nosuch"], "manicule: ./nosuch: no such file or folder\n"),
        (&["k", "fn"], "manicule: QUERY comes before PATH: `manicule code search fn k`\n"),
    ] {
        let answer = place.call(&[&["code", "search"], words].concat()).expect(2);
        assert_eq!((answer.out.as_str(), answer.err.as_str()), ("", want), "{words:?}");
    }
    assert_eq!(place.call(&["code", "search", "fn main", "k"]).expect(0).out, "f.txt:1:fn main\n");
}

#[test]
fn what_can_not_be_asked_is_answered_with_what_can() {
    let place = Place::new();
    place.block("all/data", "01M7YV9D4RCH84S6NS9PC6AJ27");
    place.write("emp/file", b"");
    std::fs::remove_file(place.path("emp/file")).expect("a file");
    place.write("tiny.om", b"up 1\n# EOF\n");
    let data = "all/data is a Prometheus data folder";
    for (words, code, want) in [
        (&["code", "search", "foo", "all"][..], 2, "`manicule find TEXT all/data`"),
        (&["code", "search", "foo", "emp"], 2, "emp is an empty folder"),
        (&["verify", "emp"], 2, "emp: an empty folder: nothing to verify\n"),
        (&["inspect", "emp"], 1, "emp: an empty folder: nothing to inspect\n"),
        (&["code", "index", "-index", "out", "emp"], 0, "emp: no file is indexed: "),
        (&["rows", "slice", "emp", "7"], 2, "files such as me-1-big-Data.db"),
        (&["rows", "verify", "emp"], 2, "files such as me-1-big-Data.db"),
        (&["blobs", "snapshots", "-r", "all/data"], 2, &format!("{data}, not a restic repository")),
        (&["series", "select", "--match=up", "."], 2, "the selector is the first word"),
        (&["series", "select", "up", "tiny.om"], 2, "`manicule series build -o DIR tiny.om`"),
        (&["graph", "query", "-query", "x"], 2, "the query is the second word, or -f FILE"),
    ] {
        let answer = place.call(words).expect(code);
        assert!(answer.err.contains(want), "{words:?}: {}", answer.err);
    }
}

#[test]
fn what_is_verified_of_several_is_named() {
    let place = Place::new();
    place.index("k/shards", "repo", &[("f.txt", "needle here\n")]);
    let block = "01M7YV9D4RCH84S6NS9PC6AJ27";
    place.block("k/data", block);
    let [data, shards] = ["k/data: ok: 1 block (", "k/shards: ok: 1 shard ("];
    for (words, want) in [
        (&["verify", "-r", "k"][..], &[data, shards][..]),
        (&["verify", "k/data", "k/shards"], &[data, shards]),
        (&["verify", "-r", "k/data"], &[data]),
        (&["series", "verify", "-r", "k"], &[data]),
    ] {
        let out = place.call(words).expect(0).out;
        let named: Vec<&str> = out.lines().filter(|line| !line.starts_with(' ')).collect();
        assert_eq!(named.len(), want.len(), "{words:?}: {out}");
        assert!(want.iter().all(|want| out.contains(want)), "{words:?}: {out}");
    }
    place.write(&format!("k/data/{block}/chunks/000001"), b"damage");
    let out = place.call(&["verify", "-r", "k"]).expect(1).out;
    let of = |line: &&str| line.starts_with("k/data: ");
    assert_eq!(out.lines().filter(of).count(), out.lines().count() - 1, "{out}");
    let told = place.call(&["verify", "-r", "--json", "k"]).expect(1).out;
    let of_path = |line: &str| line.contains("\"path\":\"k/data\"");
    assert!(told.lines().filter(|line| line.contains("finding\"")).all(of_path), "{told}");
}

#[test]
fn files_beside_blocks_are_searched_as_text() {
    let place = Place::new();
    let block = "01M7YV9D4RCH84S6NS9PC6AJ27";
    place.block("k", block);
    place.write("k/note.txt", b"up and down\n");
    place.write(&format!("k/{ULID}/note.txt"), b"up in a folder of another kind\n");
    place.write(&format!("k/{ULID}.tmp-for-deletion/note.txt"), b"up and gone\n");
    place.write("k/wal/00000000", b"up in the log\n");
    place.write("k/lock", b"up\n");
    place.write(&format!("k/{block}/own.txt"), b"up in the block\n");
    for (paths, prefix) in FORMS {
        let found = place.find_in("k", &words(&[], "^up", paths));
        assert_eq!((&*found.err, found.code), ("", Some(0)), "{paths:?}");
        let want = [
            format!("{prefix}{ULID}/note.txt:up in a folder of another kind"),
            format!("{prefix}note.txt:up and down"),
            // The names are a server's, the bytes are not.
            format!("{prefix}{ULID}.tmp-for-deletion/note.txt:up and gone"),
            format!("{prefix}wal/00000000:up in the log"),
            format!("{prefix}lock:up"),
        ];
        let text: Vec<String> =
            sorted(&found.out).into_iter().filter(|line| !line.contains(block)).collect();
        assert_eq!(text, sorted(&want.join("\n")), "{paths:?}");
        assert!(found.out.contains(&format!("{prefix}{block}: ")), "{}", found.out);
    }
    // A block given itself is searched beside its other contents.
    let found = place.find(&["up", &format!("k/{block}")]);
    assert!(found.out.contains("own.txt:up in the block"), "{}", found.out);
    assert!(found.out.contains(&format!("k/{block}: ")), "{}", found.out);
}

#[test]
fn one_bad_shard_sidecar_or_path_hides_no_other() {
    let place = Place::new();
    let files = [("f.txt", "needle here\n")];
    place.index("k", "good", &files);
    let sound = std::fs::read(place.path("k/good_v16.00000.zoekt")).expect("a shard");
    place.write("k/cut_v16.00000.zoekt", &sound[..700]);
    place.write("k/empty_v16.00000.zoekt", b"");
    place.write("k/noise.zoekt", &[7; 1000]);
    place.write("k/told_v16.00000.zoekt", &sound);
    place.write("k/told_v16.00000.zoekt.meta", b"no JSON");
    std::os::unix::fs::symlink("nowhere", place.path("k/link_v16.00000.zoekt")).expect("a link");
    let bad =
        ["cut_v16.00000.zoekt", "empty_v16", "noise.zoekt", "told_v16.00000.zoekt.meta", "link"];
    for (words, want) in [
        (&["find", "needle", "k"][..], "f.txt:needle here\n"),
        (&["find", "--no-index", "needle", "nosuch", "k"], "good/f.txt:needle here\n"),
        (&["code", "search", "needle", "k"], "f.txt:1:needle here\n"),
        (&["code", "search", "needle", "k", "nosuch"], "f.txt:1:needle here\n"),
    ] {
        let found = place.call(words);
        assert_eq!((found.out.as_str(), found.code), (want, Some(2)), "{words:?}: {}", found.err);
        for name in bad {
            assert_eq!(found.err.matches(name).count(), 1, "{words:?} {name}: {}", found.err);
        }
        let nosuch = usize::from(words.contains(&"nosuch"));
        assert_eq!(found.err.lines().count(), bad.len() + nosuch, "{}", found.err);
        // No line repeats itself.
        for line in found.err.lines() {
            let parts: Vec<&str> = line.split(": ").filter(|part| part.len() > 12).collect();
            let distinct: std::collections::BTreeSet<&&str> = parts.iter().collect();
            assert_eq!(distinct.len(), parts.len(), "{line}");
        }
    }
    let files = place.call(&["find", "--files", "k"]);
    assert_eq!((files.out.as_str(), files.code), ("f.txt\n", Some(2)));
    for command in ["inspect", "verify"] {
        let told = place.call(&[command, "k"]);
        let all = [told.out, told.err].concat();
        assert!(matches!(told.code, Some(1 | 2)), "{all}");
        let bad = bad.iter().map(|name| name.trim_end_matches(".meta"));
        bad.for_each(|name| assert!(all.contains(name), "{command} {name}: {all}"));
        assert!(all.contains("5 shards") || all.contains("good_v16"), "{command}: {all}");
    }
}

#[test]
fn one_bad_block_hides_no_other_and_no_text() {
    let place = Place::new();
    let (sound, bad) = ("01M7YV9D4RCH84S6NS9PC6AJ27", "01M7YV9D4RCH84S6NS9PC6AJ28");
    place.block("k", sound);
    place.block("k", bad);
    place.write(&format!("k/{bad}/index"), b"no index");
    place.write("k/note.txt", b"up\n");
    let found = place.find(&["up", "k"]);
    assert_eq!(found.code, Some(2));
    assert!(found.out.contains(sound) && found.out.contains("k/note.txt:up\n"), "{}", found.out);
    assert!(found.err.contains(&format!("{bad}/index: ")), "{}", found.err);
    assert_eq!(found.err.lines().count(), 1, "{}", found.err);
    // By its own path it is still a block, and a damaged one.
    let own = format!("k/{bad}");
    let told = place.call(&["verify", &own]);
    assert_eq!(told.code, Some(1), "{}{}", told.out, told.err);
    let told = place.call(&["inspect", &own]);
    assert!(told.code == Some(1) && told.err.contains("the block is damaged"), "{}", told.err);
}

#[test]
fn whoever_names_a_command_has_said_what_it_is() {
    let place = Place::new();
    place.index("k", "repo", &[("f.txt", "needle here\n")]);
    for name in ["README", "a.go", "b.go", "c.go", ".gitignore"] {
        place.write(&format!("k/{name}"), b"text\n");
    }
    let found = place.call(&["code", "search", "needle", "k"]);
    assert_eq!((found.out.as_str(), found.err.as_str()), ("f.txt:1:needle here\n", ""));
    assert!(place.call(&["verify", "k"]).expect(0).out.starts_with("ok: 1 shard"));
    assert!(place.call(&["inspect", "k"]).expect(0).out.contains("repo_v16.00000.zoekt"));
    // A folder of several kinds is verified as each.
    place.block("k", "01M7YV9D4RCH84S6NS9PC6AJ27");
    let told = place.call(&["verify", "k"]).expect(0).out;
    assert!(told.contains("ok: 1 shard") && told.contains("ok: 1 block"), "{told}");
}

#[test]
fn what_lies_deeper_is_told_with_what_to_type() {
    let place = Place::new();
    place.index("deep/a/shards", "repo", &[("f.txt", "needle here\n")]);
    place.block("deep/b/data", "01M7YV9D4RCH84S6NS9PC6AJ27");
    place.write("deep/note.txt", b"needle here\n");
    place.write("deep/b/x.zoekt", b"needle in a text\n");
    place.write("deep/index", b"needle\n");
    let want = "manicule: 1 zoekt shard and 1 Prometheus block further down searched as plain files only; to search \
                what they hold, give their folders: `manicule find needle deep/a/shards deep/b/data`\n";
    let check = |answer: place::Answer, what: &str| {
        assert_eq!((answer.err.as_str(), answer.code), (want, Some(0)), "{what}");
        assert!(answer.out.contains("deep/note.txt"), "{what}: {}", answer.out);
    };
    check(place.find(&["needle", "deep"]), "a walk");
    check(place.find(&["-j1", "needle", "deep"]), "one thread");
    check(place.find(&["-l", "needle", "deep"]), "names of files");
    check(place.find(&["-c", "needle", "deep"]), "counts");
    check(place.find(&["--sort", "path", "needle", "deep"]), "sorted");
    assert_eq!(place.find(&["--files", "deep"]).err, "", "a list of files is whole");
    place.indexed(&["cache", "build", "deep"]).expect(0);
    check(place.indexed(&["find", "needle", "deep"]), "an index");
    place.write("deep/c/new.txt", b"needle here\n");
    let again = place.indexed(&["find", "needle", "deep"]);
    assert_eq!((again.err.as_str(), again.code), ("", Some(0)), "once is enough");
    // Nothing found is no answer about what was not searched: said each time, in words that a shell
    // takes.
    for words in [&["no such text", "deep"][..], &["-l", "no such text", "deep"]] {
        let none = place.indexed(&[&["find"], words].concat());
        assert_eq!(none.code, Some(1), "{words:?}");
        assert_eq!(none.err, want.replace("find needle", "find 'no such text'"), "{words:?}");
    }
    assert_eq!(place.indexed(&["find", "-q", "no such text", "deep"]).err, "");
    let receipt = place.indexed(&["find", "--receipt", "needle", "deep"]);
    assert!(receipt.err.contains("indexes_passed 2"), "{}", receipt.err);
    assert!(again.out.contains("deep/c/new.txt"), "{}", again.out);
    assert_eq!(place.indexed(&["find", "-q", "needle", "deep"]).err, "");
    assert_eq!(place.indexed(&["find", "--no-messages", "needle", "deep"]).err, "");
    let found = place.find(&["needle", "deep/a/shards"]);
    assert_eq!((found.out.as_str(), found.err.as_str()), ("f.txt:needle here\n", ""));
    for (words, wanted) in [
        (&["verify", "deep"][..], "`manicule verify -r deep`"),
        (&["inspect", "deep"], "`manicule inspect -r deep`"),
        (&["code", "search", "needle", "deep"], "`manicule code search QUERY deep/a/shards`"),
    ] {
        let told = place.call(words);
        assert!(told.err.contains(wanted), "{words:?}: {}", told.err);
        assert!(told.err.contains("deep/b/data is a Prometheus data folder"), "{}", told.err);
        assert!(!told.err.contains("cache build"), "{}", told.err);
        assert_ne!(told.code, Some(0));
    }
}
