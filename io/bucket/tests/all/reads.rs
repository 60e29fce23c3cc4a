//! What reads cost: requests, rounds, bytes.

use std::time::{Duration, Instant};

use manicule_bucket::{Counts, Options, open};
use manicule_buckets::{Server, Setup};
use manicule_store::pages::{Part, ReadCounts};
use manicule_store::store::{Answer, Ask, Name, Replace, Store, WriteStore};

use crate::{bucket, name, opened, whole};

/// Bytes of which each says where it is.
fn bytes(len: usize) -> Vec<u8> {
    (0..len / 8).flat_map(|word| (word as u64 * 8).to_be_bytes()).collect()
}

#[test]
fn ranges_of_a_round_go_out_at_once() {
    let (server, bucket) = bucket("");
    let all = bytes(9 << 20);
    server.put("a", &all);
    let file = opened(&bucket, "a").expect("open");
    server.wait(Duration::from_millis(100));
    let before = bucket.counts();
    // Six pieces far from each other, out of order; two near ones; one of several requests.
    let mut outs: Vec<(u64, Vec<u8>)> = (0..6).map(|n| ((5 - n) << 20, vec![0; 100])).collect();
    outs.extend([(6 << 20, vec![0; 10]), ((6 << 20) + 20, vec![0; 10]), (0, vec![0; 9 << 20])]);
    let last = outs.pop().expect("the long one");
    let mut parts: Vec<_> = outs.iter_mut().map(|(at, out)| Part { at: *at, out }).collect();
    let (mut counts, begun) = (ReadCounts::default(), Instant::now());
    file.read_parts(&mut parts, &mut counts).expect("read");
    assert!(begun.elapsed() < Duration::from_millis(7 * 100), "{:?}", begun.elapsed());
    for (at, out) in &outs {
        assert_eq!(out[..], all[*at as usize..][..out.len()], "at {at}");
    }
    let asked = bucket.counts().since(&before);
    let want = Counts { rounds: 1, gets: 7, read_bytes: 630, ..Counts::default() };
    assert_eq!(asked, want);
    assert_eq!((counts.reads, counts.read_bytes), (7, 630));
    server.wait(Duration::ZERO);
    let (before, (_, mut out)) = (bucket.counts(), last);
    file.read_at(0, &mut out, &mut counts).expect("read");
    assert_eq!(out, all);
    let asked = bucket.counts().since(&before);
    assert_eq!((asked.rounds, asked.gets, asked.read_bytes), (1, 3, 9 << 20));
    out.fill(0);
    bucket.read_at(&name("a"), 0, &mut out).expect("read");
    assert_eq!((out == all, bucket.counts().since(&before).rounds), (true, 2));
}

#[test]
fn requests_in_flight_are_bounded() {
    let (server, bucket) = bucket("");
    server.put("a", &bytes(34 << 20));
    let file = opened(&bucket, "a").expect("open");
    server.wait(Duration::from_millis(10));
    // 32 of them: 8 long ones at a time, or all that are short.
    for (len, rounds) in [(300 << 10, 4), (1, 1)] {
        let (before, begun) = (bucket.counts(), Instant::now());
        let mut outs: Vec<_> = (0..32).map(|n| (n << 20, vec![0; len])).collect();
        let mut parts: Vec<_> = outs.iter_mut().map(|(at, out)| Part { at: *at, out }).collect();
        file.read_parts(&mut parts, &mut ReadCounts::default()).expect("read");
        let asked = bucket.counts().since(&before);
        assert_eq!((asked.gets, asked.rounds), (32, rounds));
        let least = Duration::from_millis(rounds * 10);
        assert!(begun.elapsed() >= least, "{:?}", begun.elapsed());
    }
}

#[test]
fn many_files_and_folders_are_a_round() {
    let (server, bucket) = bucket("");
    let names: Vec<_> = (0..20).map(|n| name(&format!("{n}/a"))).collect();
    names.iter().for_each(|file| server.put(file.as_str(), file.as_str().as_bytes()));
    let before = bucket.counts();
    let folders: Vec<_> = (0..8).map(|n| name(&n.to_string())).collect();
    let listed = bucket.list_all(&folders);
    assert!(listed.iter().all(|listed| listed.as_ref().is_ok_and(|it| it[0].name == "a")));
    let asked = bucket.counts().since(&before);
    assert_eq!((asked.rounds, asked.lists), (1, 8));
    // As whole files, of which nobody knows how long they are.
    let read = bucket.read_all(&names, u64::MAX);
    let read: Vec<_> = read.into_iter().map(|read| read.expect("read")).collect();
    assert!(read.iter().zip(&names).all(|(read, file)| read == file.as_str().as_bytes()));
    // Eight at a time.
    let asked = bucket.counts().since(&before);
    assert_eq!((asked.rounds, asked.gets), (1 + 3, 20));
    let stopped = bucket.stopped_by(std::sync::Arc::new(|| true));
    server.wait(Duration::from_secs(3));
    let errors = stopped.read_all(&names[..2], 10).into_iter().map(|read| read.expect_err("end"));
    let classes: Vec<_> = errors.map(|error| error.class()).collect();
    assert_eq!(classes, [manicule_core::ErrorClass::Stopped; 2]);
}

#[test]
fn questions_of_all_kinds_are_a_round() {
    let (server, bucket) = bucket("p");
    let all = bytes(3 << 20);
    server.put("p/data/01/a", &all);
    server.put("p/data/02/b", b"0123456789");
    server.put("p/data-c", b"c");
    let before = bucket.counts();
    let range = |file: &str, range| Ask::Range { file: name(file), version: None, range };
    let asked = [
        Ask::Entries(name("data")),
        Ask::Below(name("data")),
        Ask::Beginning { folder: name(""), beginning: "data/0".to_owned() },
        Ask::Beginning { folder: name("data"), beginning: "02".to_owned() },
        Ask::Whole { file: name("data-c"), len_max: 10 },
        // Two near ones, a far one, one of another object, one past the end, one of none.
        range("data/01/a", 800..1600),
        range("data/01/a", 2000..2008),
        range("data/01/a", (2 << 20)..(2 << 20) + 8),
        range("data/02/b", 3..7),
        range("data/02/b", 8..12),
        Ask::Whole { file: name("none"), len_max: 10 },
        Ask::Whole { file: name("data/02/b"), len_max: 9 },
    ];
    let mut answers = bucket.ask_all(&asked).into_iter();
    let mut next = || answers.next().expect("an answer");
    let Ok(Answer::Entries(entries)) = next() else { panic!("entries") };
    let names: Vec<_> = entries.iter().map(|entry| entry.name.as_str()).collect();
    assert_eq!(names, ["01", "02"]);
    let Ok(Answer::Below { files, is_whole: true }) = next() else { panic!("files") };
    let files: Vec<_> = files.iter().map(|file| (file.name.as_str(), file.len)).collect();
    assert_eq!(files, [("01/a", Some(3 << 20)), ("02/b", Some(10))]);
    for want in [&["data/01/a", "data/02/b"][..], &["02/b"]] {
        let Ok(Answer::Below { files, is_whole: true }) = next() else { panic!("files") };
        assert_eq!(files.iter().map(|file| &*file.name).collect::<Vec<_>>(), want);
    }
    let mut is = |want: &[u8]| assert_eq!(next().expect("bytes"), Answer::Bytes(want.into()));
    is(b"c");
    is(&all[800..1600]);
    is(&all[2000..2008]);
    is(&all[2 << 20..(2 << 20) + 8]);
    // One request with the next, which ends after the object.
    is(b"3456");
    use std::io::ErrorKind::{FileTooLarge, NotFound, UnexpectedEof};
    let kinds: Vec<_> = answers.map(crate::kind).collect();
    assert_eq!(kinds, [UnexpectedEof, NotFound, FileTooLarge]);
    let asked = bucket.counts().since(&before);
    assert_eq!((asked.lists, asked.gets), (4, 6));
}

#[test]
fn near_ranges_of_one_version_are_one_request_and_of_another_an_error() {
    let (server, bucket) = bucket("");
    let all = bytes(1 << 20);
    server.put("a", &all);
    let seen = bucket.look(&name("a")).expect("a look").version;
    let range = |version, start| Ask::Range { file: name("a"), version, range: start..start + 8 };
    let asked = [0, 800, 900_000].map(|start| range(Some(seen), start));
    let before = bucket.counts();
    let answers = bucket.ask_all(&asked).into_iter();
    let read: Vec<_> = answers.map(|answer| answer.expect("a range").into_bytes()).collect();
    assert_eq!(read, [0, 800, 900_000].map(|start| all[start..start + 8].to_vec()));
    let counts = bucket.counts().since(&before);
    assert_eq!((counts.rounds, counts.gets), (1, 2));
    server.put("a", &bytes(1 << 19));
    // Whichever version it has; the old one; the old one after the end of the new one.
    let asked = [range(None, 800), range(Some(seen), 800), range(Some(seen), 900_000)];
    let mut answers = bucket.ask_all(&asked).into_iter();
    let first = answers.next().expect("an answer").expect("a range");
    assert_eq!(first.into_bytes(), all[800..808]);
    use std::io::ErrorKind::{StaleNetworkFileHandle, UnexpectedEof};
    let kinds: Vec<_> = answers.map(crate::kind).collect();
    assert_eq!(kinds, [StaleNetworkFileHandle, UnexpectedEof]);
}

#[test]
fn each_call_takes_one_request() {
    let (server, bucket) = bucket("");
    server.put("a", b"0123456789");
    let check = |want: (u64, u64, u64), call: &dyn Fn()| {
        let before = bucket.counts();
        call();
        let asked = bucket.counts().since(&before);
        assert_eq!((asked.rounds, asked.requests(), asked.read_bytes), want);
    };
    check((1, 1, 0), &|| drop(opened(&bucket, "a").expect("open")));
    check((1, 1, 10), &|| drop(whole(&bucket, "a").expect("read")));
    check((1, 1, 4), &|| bucket.read_at(&name("a"), 3, &mut [0; 4]).expect("read"));
    check((1, 1, 3), &|| bucket.read_rest(&name("a"), 7, &mut Vec::new()).expect("read"));
    let listed = bucket.list(&Name::root()).expect("list");
    assert_eq!((bucket.counts().lists, bucket.counts().read_bytes > 17), (1, true));
    check((0, 0, 0), &|| drop(bucket.open_listed(&Name::root(), &listed[0], crate::ACCESS)));
}

#[test]
fn a_call_that_is_stopped_does_not_wait_for_its_request() {
    let (server, bucket) = bucket("");
    server.put("a", b"0");
    server.wait(Duration::from_secs(3));
    let stopped = bucket.stopped_by(std::sync::Arc::new(|| true));
    let begun = Instant::now();
    let error = whole(&stopped, "a").expect_err("stopped");
    assert!(begun.elapsed() < Duration::from_secs(1), "{:?}", begun.elapsed());
    assert_eq!(error.class(), manicule_core::ErrorClass::Stopped, "{error}");
    assert!(error.to_string().ends_with("a: stopped before its end"), "{error}");
}

#[test]
fn a_web_server_is_read_by_ranges_and_lists_nothing() {
    let server = Server::start(Setup::Public);
    server.put("data/a b", b"0123456789");
    let address = format!("{}/bucket/data", server.endpoint());
    let plain = Options { limits: crate::LIMITS, ..Options::of_variables(Default::default()) };
    let web = open(&address, &plain).expect("an address");
    let file = opened(&web, "a b").expect("open");
    let mut out = [0; 3];
    file.read_at(4, &mut out, &mut ReadCounts::default()).expect("read");
    assert_eq!((&out, file.len()), (b"456", 10));
    assert_eq!(whole(&web, "a b").expect("read"), b"0123456789");
    assert_eq!(web.look(&name("a b")).expect("a look").len, 10);
    let error = web.look(&name("c")).expect_err("missing");
    assert!(error.is_missing(), "{error}");
    let error = web.list(&Name::root()).expect_err("no listings");
    assert_eq!(error.class(), manicule_core::ErrorClass::Unsupported, "{error}");
    // As one file.
    let one = open(&format!("{address}/a%20b"), &plain).expect("an address");
    assert_eq!(whole(&one, "").expect("read"), b"0123456789");
}

/// Objects below `p` of a bucket in another dialect than S3's; who asks is not checked.
#[track_caller]
fn check_dialect(address: &str, variables: &[(&str, &str)]) {
    let server = Server::start(Setup::Public);
    server.put("p/a", b"old");
    server.put("p/b/c", b"");
    let variables = variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let options = Options {
        endpoint: Some(server.endpoint()),
        limits: crate::LIMITS,
        ..Options::of_variables(variables.collect())
    };
    let bucket = open(address, &options).expect("an address");
    let file = opened(&bucket, "a").expect("open");
    let listed = bucket.list(&Name::root()).expect("list");
    let names: Vec<_> = listed.iter().map(|entry| &*entry.name).collect();
    assert_eq!((names, listed[0].version), (vec!["a", "b"], Some(file.version())));
    assert_eq!(whole(&bucket, "a").expect("read"), b"old");
    let mut out = [0; 2];
    file.read_at(1, &mut out, &mut ReadCounts::default()).expect("read");
    assert_eq!(&out, b"ld");
    assert_eq!(bucket.look(&name("b")).expect("a look").len, 0);
    assert!(bucket.look(&name("c")).expect_err("nothing").is_missing());
    let (one, two) = (Replace::If(None), Replace::If(Some(file.version())));
    let error = bucket.put(&name("a"), b"new", one).expect_err("it is there");
    assert!(error.is_replaced(), "{error}");
    let version = bucket.put(&name("a"), b"new", two).expect("put");
    assert!(bucket.put(&name("a"), b"late", two).expect_err("too late").is_replaced());
    assert_eq!(bucket.look(&name("a")).expect("a look").version, version);
    let gone = file.read_at(1, &mut out, &mut ReadCounts::default()).expect_err("replaced");
    assert_eq!(gone.kind(), std::io::ErrorKind::StaleNetworkFileHandle, "{gone}");
    for n in 0..1001 {
        server.put(&format!("p/many/{n}"), b"");
    }
    assert_eq!(bucket.list(&name("many")).expect("list").len(), 1001);
    bucket.remove(&name("a")).expect("remove");
    bucket.remove(&name("a")).expect("removed");
    assert!(opened(&bucket, "a").expect_err("gone").is_missing());
}

#[test]
fn the_dialect_of_google() {
    let account = r#"{"disable_oauth": true, "private_key": "", "private_key_id": "",
        "client_email": ""}"#;
    let variables = &[("GOOGLE_SERVICE_ACCOUNT_KEY", account)];
    check_dialect("gs://bucket/p", variables);
    check_dialect("gs:bucket:/p", variables);
}

#[test]
fn the_dialect_of_azure() {
    let (account, key) = (("AZURE_STORAGE_ACCOUNT", "account"), ("AZURE_STORAGE_KEY", "a2V5"));
    check_dialect("az://bucket/p", &[account, key]);
    check_dialect("azure:bucket:/p", &[account, key]);
    check_dialect("abfss://bucket@account.dfs.core.windows.net/p", &[key]);
    let string = "AccountName=account;AccountKey=a2V5";
    check_dialect("az://bucket/p", &[("AZURE_STORAGE_CONNECTION_STRING", string)]);
}
