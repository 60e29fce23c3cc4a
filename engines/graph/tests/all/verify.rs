//! Stores that are right have no findings; a changed byte, a file that is gone and orders that
//! disagree have one that names the place.

use std::fs;
use std::path::{Path, PathBuf};

use manicule_core::findings::Verdict;
use manicule_core::watch::Watch;
use manicule_format_leaf::manifest::{FileRow, Manifest, file_sum};
use manicule_format_leaf::statistics::Statistics;
use manicule_format_leaf::{Order, Tag};
use manicule_graph::bulk::{BulkOptions, compact};
use manicule_graph::term::TermRef;
use manicule_graph::verify::{StoreCounts, verify};
use manicule_graph::{GraphError, Id, Quad, Store, back_up, read_store};
use manicule_store::Disk;
use manicule_testkit::Rng;

use crate::common::{commit, on_disk, try_lines};

fn verified(store: &Path) -> (Verdict, StoreCounts) {
    let verified = verify(store, 3, &Watch::none()).expect("a verification");
    (verified.verdict, verified.counts)
}

/// Files and sections of findings, and what they are.
#[track_caller]
fn check(store: &Path, want: &[&str]) {
    let (verdict, _) = verified(store);
    let shown: Vec<String> = verdict.findings.list.iter().map(ToString::to_string).collect();
    assert_eq!(shown.len(), want.len(), "{shown:#?}");
    for (shown, want) in shown.iter().zip(want) {
        assert!(shown.contains(want), "{shown:#?} has no {want}");
    }
}

/// A store with leaves, two segments, a snapshot, and commits after all.
fn planted(folder: &Path) {
    let store = Store::create(folder, &on_disk()).expect("a store");
    for number in 1..12 {
        commit(&store, number).expect("a commit");
        match number {
            4 => store.name_snapshot("four").expect("a snapshot"),
            8 => drop(store.merge().expect("a merge")),
            _ => {}
        }
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for part in ["", "leaf", "dict", "stat", "log", "snapshots"] {
        let entries = fs::read_dir(folder.join(part)).expect("a folder");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        let is_lock = |path: &PathBuf| path.ends_with("lock") || path.ends_with("merging");
        files.extend(paths.filter(|path| path.is_file() && !is_lock(path)));
    }
    files.sort();
    files
}

#[test]
fn what_is_written_is_right() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = folder.path().join("s");
    Store::create(&store, &on_disk()).expect("a store");
    check(&store, &[]);
    let other = folder.path().join("t");
    planted(&other);
    let (verdict, counts) = verified(&other);
    assert!(verdict.findings.list.is_empty() && verdict.warnings.list.is_empty(), "{verdict:?}");
    assert_eq!((counts.manifests, counts.commits), (2, 3));
    // Two generations of three orders, and both dictionaries of the newer one, statistics of each.
    assert_eq!((counts.files, counts.rows), (10, 3 * counts.quads), "{counts:?}");
    for number in 12..70 {
        let store = Store::open(&other, &on_disk()).expect("a store");
        commit(&store, number).expect("a commit");
        if number % 25 == 0 {
            check(&other, &[]);
        }
    }
}

/// Number of findings, warnings and errors.
fn found(store: &Path) -> u64 {
    verify(store, 3, &Watch::none())
        .map_or(1, |verified| verified.verdict.findings.count + verified.verdict.warnings.count)
}

#[test]
fn a_changed_byte_is_found_wherever_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    planted(folder.path());
    let mut rng = Rng::new(5);
    for file in files(folder.path()) {
        let bytes = fs::read(&file).expect("a file");
        for _ in 0..6 {
            let mut damaged = bytes.clone();
            let at = rng.below(damaged.len());
            damaged[at] ^= 1 << rng.below(8);
            fs::write(&file, &damaged).expect("a file");
            let found = found(folder.path());
            assert!(found > 0, "{} at {at}", file.display());
        }
        // A named snapshot that is gone was dropped; and no store needs to say how far its log was
        // synced.
        let is_snapshot = file.parent().is_some_and(|folder| folder.ends_with("snapshots"));
        if is_snapshot || file.ends_with("log/synced") {
            fs::write(&file, &bytes).expect("a file");
            continue;
        }
        fs::remove_file(&file).expect("a file");
        assert!(found(folder.path()) > 0, "{} is missing", file.display());
        fs::write(&file, &bytes).expect("a file");
    }
    check(folder.path(), &[]);
}

/// A file of a store, as it is damaged in turn: bits flipped from 5 to 95 % of it, cut, longer,
/// empty, gone.
fn damages(bytes: &[u8]) -> Vec<Option<Vec<u8>>> {
    let flipped = (5..100).step_by(15).map(|percent| {
        let mut flipped = bytes.to_vec();
        flipped[bytes.len() * percent / 100] ^= 1 << (percent / 15);
        Some(flipped)
    });
    let cut = [0, bytes.len() / 2, bytes.len() - 1].map(|len| Some(bytes[..len].to_vec()));
    flipped.chain(cut).chain([Some([bytes, b"x"].concat()), None]).collect()
}

/// What a damaged store makes: the lines that are read, and those of a copy, of a compacted store
/// and of one with another commit and merged.
fn made(store: &Path, extra: u64) -> [Result<Vec<Vec<u8>>, String>; 4] {
    let said = |error: GraphError| error.to_string();
    let read =
        |store: &Path| read_store(store, 1).and_then(|snapshot| try_lines(&snapshot)).map_err(said);
    let whole = read(store);
    let copy = store.join("copy");
    let copied = back_up(store, None, &copy, &Disk::shared(), &Watch::none());
    let copied = copied.map_err(said).and_then(|_| read(&copy));
    let options = BulkOptions { memory: 1 << 20, threads: 1 };
    let open = || Store::open(store, &on_disk()).map_err(said);
    let compacted = open().and_then(|store| compact(&store, options, &Watch::none()).map_err(said));
    let compacted = compacted.and_then(|_| read(store));
    let merged = open().and_then(|store| {
        commit(&store, extra)?;
        store.merge().map_err(said)
    });
    [whole, copied, compacted, merged.and_then(|_| read(store))]
}

#[test]
fn damaged_files_give_no_other_rows_and_become_no_sound_ones() {
    let [planted_in, folder] = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    planted(planted_in.path());
    Store::open(planted_in.path(), &on_disk()).and_then(|store| store.merge()).expect("a merge");
    let copy = |name: &str| {
        let target = folder.path().join(name);
        if target.exists() {
            fs::remove_dir_all(&target).expect("ours");
        }
        for part in ["", "leaf", "dict", "stat", "log", "snapshots"] {
            fs::create_dir_all(target.join(part)).expect("a folder");
        }
        for file in files(planted_in.path()) {
            let name = file.strip_prefix(planted_in.path()).expect("below it");
            fs::copy(&file, target.join(name)).expect("a copy");
        }
        target
    };
    let [whole, .., merged] = made(&copy("whole"), 12).map(|lines| lines.expect("a sound store"));
    let (mut wrong, mut refused) = (Vec::new(), 0);
    for file in files(planted_in.path()) {
        let name = file.strip_prefix(planted_in.path()).expect("below it");
        for (at, damaged) in damages(&fs::read(&file).expect("a file")).into_iter().enumerate() {
            let store = copy("damaged");
            match damaged {
                Some(bytes) => fs::write(store.join(name), bytes).expect("a file"),
                None => fs::remove_file(store.join(name)).expect("a file"),
            }
            let wants = [&whole, &whole, &whole, &merged];
            for (way, (lines, want)) in made(&store, 12).into_iter().zip(wants).enumerate() {
                match lines {
                    Ok(lines) if lines == *want => {}
                    Ok(_) => wrong.push(format!("{}, damage {at}, way {way}", name.display())),
                    Err(_) => refused += 1,
                }
            }
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(refused > 100, "{refused}");
}

/// A store of one triple, whose object is given.
fn one(folder: &Path, object: TermRef<'_>) {
    let store = Store::create(folder, &on_disk()).expect("a store");
    let mut transaction = store.begin().expect("a transaction");
    let [subject, predicate] = ["http://a/s", "http://a/p"]
        .map(|text| transaction.intern(TermRef::Iri(text)).expect("an id"));
    let other = transaction.intern(TermRef::Iri("http://a/o")).expect("an id");
    let object = transaction.intern(object).expect("an id");
    for object in [object, other] {
        transaction.insert(Quad { subject, predicate, object, graph: Id::DEFAULT_GRAPH });
    }
    transaction.commit().expect("a commit");
    store.merge().expect("a merge");
}

/// Changes the manifest of a store.
fn edit(store: &Path, change: impl FnOnce(&mut Manifest)) {
    let name = fs::read_to_string(store.join("CURRENT")).expect("a name");
    let path = store.join(name.trim_end());
    let mut manifest = Manifest::decode(&fs::read(&path).expect("a file")).expect("a manifest");
    change(&mut manifest);
    fs::write(path, manifest.encode()).expect("a file");
}

/// The file that one store has for an order, in place of another's.
fn swap_order(from: &Path, into: &Path, order: Order) {
    let mut row = None;
    edit(from, |manifest| row = Some(manifest.leaves_of(order)[0].file));
    let FileRow { number, .. } = row.expect("a leaf");
    let name = format!("leaf/{number:010}.leaf");
    let bytes = fs::read(from.join(&name)).expect("a file");
    edit(into, |manifest| {
        let leaf = manifest.leaves.iter_mut().find(|leaf| leaf.order == order).expect("a leaf");
        leaf.file.len = bytes.len() as u64;
        leaf.file.sum = file_sum(&bytes);
        fs::write(into.join(format!("leaf/{:010}.leaf", leaf.file.number)), &bytes)
            .expect("a file");
    });
}

#[test]
fn orders_that_disagree_are_named_with_the_quad() {
    let folder = tempfile::tempdir().expect("a folder");
    let [left, right] = ["l", "r"].map(|name| folder.path().join(name));
    one(&left, TermRef::Simple("left"));
    one(&right, TermRef::Iri("http://a/right"));
    check(&left, &[]);
    swap_order(&right, &left, Order::Pos);
    check(
        &left,
        &[
            "<http://a/s> <http://a/p> \"left\": it is in SPO and not in POS",
            "<http://a/s> <http://a/p> 2:3: it is in POS and not in SPO",
        ],
    );
}

#[test]
fn ids_without_terms_are_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let [left, right] = ["l", "r"].map(|name| folder.path().join(name));
    one(&left, TermRef::Simple("left"));
    one(&right, TermRef::Iri("http://a/right"));
    for order in Order::DEFAULT {
        swap_order(&right, &left, order);
    }
    check(
        &left,
        &[
            "object 2:3 in OSP names no term",
            "objects of tag 2: wanted 2, got 1",
            "objects of tag 2, greatest: wanted at least 3, got 2",
            "objects of tag 3: wanted 0, got 1",
        ],
    );
    edit(&right, |manifest| {
        manifest.next_numbers.set(Tag::IRI, 5);
        manifest.default_count = 3;
    });
    check(&right, &["next number of tag 2: wanted 5, got 4", "quads of SPO: wanted 3, got 2"]);
}

/// Changes the statistics of a store.
fn edit_statistics(store: &Path, change: impl FnOnce(&mut Statistics)) {
    edit(store, |manifest| {
        let row = manifest.statistics.as_mut().expect("statistics");
        let path = store.join(format!("stat/{:010}.stat", row.number));
        let mut statistics =
            Statistics::decode(&fs::read(&path).expect("a file")).expect("statistics");
        change(&mut statistics);
        let bytes = statistics.encode();
        (row.len, row.sum) = (bytes.len() as u64, file_sum(&bytes));
        fs::write(path, bytes).expect("a file");
    });
}

#[test]
fn statistics_are_those_of_the_rows() {
    let folder = tempfile::tempdir().expect("a folder");
    one(folder.path(), TermRef::Simple("text"));
    check(folder.path(), &[]);
    edit_statistics(folder.path(), |statistics| {
        statistics.default.subject_count += 1;
        let row = &mut statistics.default.predicates[0];
        row.row_count -= 1;
        row.subject_rows_max = 1;
        row.tags[0].row_count = 4;
        statistics.graphs.push((Id::new(Tag::IRI, 0), 3));
    });
    check(
        folder.path(),
        &[
            "subjects of the default graph: wanted 1, got 2",
            "quads: wanted 2, got 1",
            "most of a subject: wanted at least 2, got 1",
            "objects of tag 2: wanted 1, got 4",
            "quads of graph 2:0: wanted 0, got 3",
        ],
    );
}
