//! A search through everything: all kinds at once, with a kept index and without, stopped, and with
//! places that can't be searched.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use manicule::ErrorClass;
use manicule::cache::{Cache, Work};
use manicule::code::tree::{Reuse, WhenBusy};
use manicule::find::{Call, Event, Found, Item, ListedFile, Passwords, Sort, SortKey, files, find};
use manicule::graph::{LoadCall, Writing, load};
use manicule::kinds::System;
use manicule::watch::Watch;
use manicule_testkit::{golden_folder, golden_repository};
use tempfile::TempDir;

use super::{code, rows, series};

/// A folder with something of each kind in which `lamp` occurs, or `todo`.
struct Everything {
    folder: TempDir,
    repository: TempDir,
}

impl Everything {
    fn new() -> Everything {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        fs::create_dir(path.join("notes")).unwrap();
        fs::write(path.join("notes/a"), "one\ntwo lamps, a lamp\n").unwrap();
        fs::write(path.join("notes/binary"), "lamp\n\0lamp\n").unwrap();
        code::add(path, "works", "hay\na lamp\n");
        series::add(path, "lamp");
        rows::add(path, 1, "1,a lamp\n2,hay\n");
        let document = path.join("a.nt");
        fs::write(&document, "<http://a/lamp> <http://a/p> \"hay\" .\n").unwrap();
        let call = LoadCall::new(vec![document]);
        load(&path.join("store"), Writing::PLAIN, &call, &Watch::none()).unwrap();
        Everything { folder, repository: golden_repository("drafts") }
    }

    fn paths(&self) -> Vec<PathBuf> {
        let own = |name: &str| self.folder.path().join(name);
        let table = rows::place(self.folder.path());
        let own = [own("notes"), own("shards"), own("data"), table, own("store")];
        own.into_iter().chain([self.repository.path().join("repo")]).collect()
    }

    fn call(&self, pattern: &str) -> Call {
        let passwords = Passwords::new(|_| Ok(b"manicule-golden".to_vec()));
        let call = Call::new(pattern, self.paths()).unwrap();
        Call { index: None, passwords: Some(passwords), ..call }
    }
}

type Row = (System, String, Vec<String>);

/// What is found: system, text, and the parts that match; and what failed.
fn ask(call: &Call) -> (Found, Vec<Row>, Vec<(ErrorClass, String)>) {
    let (mut rows, mut failures) = (Vec::new(), Vec::new());
    let found = find(call, &Watch::none(), &mut |event| {
        match event {
            Event::Hit(hit) => {
                let text = hit.text();
                let shown = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
                let matches = hit.matches_in(&text).unwrap().into_iter();
                rows.push((hit.system, shown(&text), matches.map(|at| shown(&text[at])).collect()));
            }
            Event::Failure(failure) => failures.push((failure.class(), failure.to_string())),
            Event::Note(note) => panic!("{note}"),
        }
        ControlFlow::Continue(())
    });
    rows.sort();
    (found.unwrap(), rows, failures)
}

fn row(system: System, text: &str, parts: &[&str]) -> Row {
    (system, text.to_owned(), parts.iter().map(|part| (*part).to_owned()).collect())
}

/// The rows of [`Everything`] for `lamp|todo`.
fn all_rows() -> Vec<Row> {
    vec![
        row(System::TREE, "two lamps, a lamp", &["lamp", "lamp"]),
        row(System::ZOEKT, "a lamp", &["lamp"]),
        row(System::PROMETHEUS, "job=\"lamp\"", &["lamp"]),
        row(System::RESTIC, "/srv/drafts/notes/todo.txt", &["todo"]),
        row(System::CASSANDRA, "1 () v = 'a lamp'", &["lamp"]),
        row(System::GRAPH, "<http://a/lamp>", &["lamp"]),
    ]
}

#[test]
fn all_kinds_are_searched_at_once() {
    let everything = Everything::new();
    let (found, rows, failures) = ask(&everything.call("lamp|todo"));
    assert_eq!((rows, failures), (all_rows(), Vec::new()));
    assert_eq!((found.hits, found.failures), (6, 0));
    let counted = |name: &str| found.receipt.iter().any(|(own, count)| *own == name && *count > 0);
    assert!(["visited", "documents_visited", "paths_matched"].into_iter().all(counted));
    let of_graph = Call { systems: Some(vec![System::GRAPH]), ..everything.call("lamp|todo") };
    assert_eq!(ask(&of_graph).1, [row(System::GRAPH, "<http://a/lamp>", &["lamp"])]);
    // A file that is given is searched through its NULs, and is no text after the first.
    let binary = everything.folder.path().join("notes/binary");
    let call = Call { paths: vec![binary], ..everything.call("lamp") };
    let mut offsets = Vec::new();
    find(&call, &Watch::none(), &mut |event| {
        if let Event::Hit(hit) = event {
            offsets.push(match hit.item {
                Item::Line(line) => (line.number, line.offset),
                Item::Document { nul_offset } => (0, nul_offset),
                other => panic!("{other:?}"),
            });
        }
        ControlFlow::Continue(())
    })
    .unwrap();
    assert_eq!(offsets, [(0, 5)]);
}

#[test]
fn a_kept_index_of_a_tree_gives_the_same_hits() {
    let (tree, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for at in 0..300 {
        let text = format!("{}hay {at}\n", if at % 50 == 7 { "a lamp\n" } else { "" });
        fs::write(tree.path().join(format!("{at}.txt")), text).unwrap();
    }
    let cache = Cache { folder: cache.path().to_owned(), len_max: 1 << 30 };
    let (reuse, when_busy) = (Reuse::Unchanged, WhenBusy::Wait);
    let work = Work { reuse, when_busy, threads: 1, memory: 64 << 20 };
    cache.build(tree.path(), &work, &Watch::none()).unwrap();
    let paths = vec![tree.path().to_owned()];
    let walked = Call { index: None, ..Call::new("lamp", paths).unwrap() };
    let kept = Call { index: Some(cache.index_use(None)), ..walked.clone() };
    let (by_walk, by_index) = (ask(&walked), ask(&kept));
    assert_eq!((by_walk.0.hits, &by_walk.1), (6, &by_index.1));
    let known = |found: &Found| {
        found.receipt.iter().find(|(name, _)| *name == "files_known").map(|(_, count)| *count)
    };
    assert_eq!((known(&by_walk.0), known(&by_index.0)), (Some(0), Some(300)));
}

#[test]
fn a_break_a_limit_and_a_watch_end_it() {
    let everything = Everything::new();
    let call = everything.call("lamp|todo");
    for (limit, ends_after) in [(None, 1), (None, 3), (Some(2), 9)] {
        let mut seen = 0;
        let found = find(&Call { limit, ..call.clone() }, &Watch::none(), &mut |_| {
            seen += 1;
            if seen == ends_after { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        let want = limit.unwrap_or(ends_after).min(ends_after);
        assert_eq!((found.unwrap().hits, seen), (want, want));
    }
    // At each moment at which the watch is asked.
    let (nothing, mut stops) = (|_| {}, 0);
    for moment in 0.. {
        let asked = AtomicU64::new(0);
        let stop = || asked.fetch_add(1, Relaxed) >= moment;
        let watch = Watch::new(&nothing, &stop);
        let mut hits = 0;
        let found = find(&Call { threads: 1, ..call.clone() }, &watch, &mut |event| {
            hits += u64::from(matches!(event, Event::Hit(_)));
            ControlFlow::Continue(())
        });
        match found {
            Ok(found) => {
                assert_eq!((found.hits, hits), (6, 6));
                break;
            }
            Err(failure) => assert_eq!(failure.class(), ErrorClass::Stopped, "{failure}"),
        }
        stops += 1;
    }
    assert!(stops > 10, "{stops} moments");
}

#[test]
fn what_is_damaged_or_refused_is_reported_and_the_rest_is_searched() {
    let everything = Everything::new();
    let path = everything.folder.path();
    // A leaf of the store, and a missing file.
    let leaf = fs::read_dir(path.join("store/leaf")).unwrap().next().unwrap().unwrap().path();
    let bytes = fs::read(&leaf).unwrap();
    fs::write(&leaf, &bytes[..bytes.len() - 1]).unwrap();
    let missing = path.join("missing");
    let mut call = Call { passwords: None, ..everything.call("lamp|todo") };
    call.paths.insert(0, missing.clone());
    let (found, rows, failures) = ask(&call);
    let is_lost = |row: &Row| [System::GRAPH, System::RESTIC].contains(&row.0);
    let want: Vec<Row> = all_rows().into_iter().filter(|row| !is_lost(row)).collect();
    assert_eq!((rows, found.failures), (want, 3));
    for (class, path) in [
        (ErrorClass::Damaged, path.join("store")),
        (ErrorClass::Missing, missing),
        (ErrorClass::Denied, everything.repository.path().join("repo")),
    ] {
        let is_it = |(own, text): &(ErrorClass, String)| {
            *own == class && text.contains(&path.display().to_string())
        };
        assert!(failures.iter().any(is_it), "{class:?} {}: {failures:?}", path.display());
    }
    // Options that a kind can't heed: of several kinds it is left out, alone it is an error.
    let sort = Some(Sort { key: SortKey::Modified, reverse: false });
    let by_time = Call { sort, ..everything.call("lamp|todo") };
    let (_, rows, failures) = ask(&by_time);
    assert!(rows.iter().all(|row| row.0 == System::TREE) && rows.len() == 1, "{rows:?}");
    let refused = failures.iter().filter(|(class, _)| *class == ErrorClass::Unsupported);
    assert_eq!(refused.count(), 5, "{failures:?}");
    let alone = Call { paths: vec![path.join("shards")], ..by_time };
    let error = find(&alone, &Watch::none(), &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert_eq!(error.class(), ErrorClass::Unsupported);
    for wrong in ["(", "a{99999}{99999}"] {
        let call = Call::new(wrong, vec![path.to_owned()]).unwrap();
        let error = find(&call, &Watch::none(), &mut |_| ControlFlow::Continue(())).unwrap_err();
        assert_eq!(error.class(), ErrorClass::Asked, "{error}");
    }
}

#[test]
fn files_are_those_that_a_search_looks_into() {
    let golden = golden_folder("code", "trees");
    let root = golden.path();
    let list = |call: &Call| {
        let mut paths = Vec::new();
        files(call, &Watch::none(), &mut |listed| {
            match listed {
                ListedFile::File(path) => paths.push(path.to_owned()),
                ListedFile::Failure(failure) => panic!("{failure}"),
            }
            ControlFlow::Continue(())
        })
        .unwrap();
        paths
    };
    let sort = Some(Sort { key: SortKey::Path, reverse: false });
    let call = Call { sort, index: None, ..Call::new("", vec![root.to_owned()]).unwrap() };
    let (all, hidden) =
        (list(&call), list(&Call { hidden: true, no_ignore: true, ..call.clone() }));
    assert!(!all.is_empty() && all.is_sorted_by(|left, right| left < right));
    assert!(all.iter().all(|path| hidden.contains(path)), "{all:?}");
    let with_lines = |path: &Path| fs::metadata(path).is_ok_and(|meta| meta.len() > 0);
    let (_, rows, _) = ask(&call);
    assert!(!rows.is_empty() && all.iter().any(|path| with_lines(path)));
}
