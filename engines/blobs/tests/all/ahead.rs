//! A repository where each question costs a round answers as a near one does, in few of them.

use std::cell::RefCell;
use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;

use manicule_blobs::check::{CheckOptions, ReadPacks, Subset, check as check_repository};
use manicule_blobs::diff::{Compared, diff};
use manicule_blobs::find::{Finds, Pieces};
use manicule_blobs::history::{rows, versions};
use manicule_blobs::{
    Ahead, ArchiveForm, Below, ContentReader, FileKind, Id, Index, Indexed, KeyLimits, KeySearch,
    Listed, Located, Node, RepoError, Repository, RepositoryFiles, Snapshots, Step, Storage,
    each_path, locate, put_archive,
};
use manicule_core::watch::Watch;
use manicule_repositories::{FleetOptions, PASSWORD, write_doubled, write_fleet};
use manicule_store::store::{MemoryStore, Name, Replace, Store, StoreCounts, WriteStore};
use manicule_testkit::{golden_repository, in_memory, whole_golden_set};

fn search() -> KeySearch {
    let limits = KeyLimits { memory_bytes_max: 1 << 30, work_max: 1 << 24 };
    KeySearch { hint: None, keys_max: 20, limits, threads: 1 }
}

fn open(storage: RepositoryFiles, ahead: Ahead) -> Repository {
    let opened = Repository::open_ahead(Arc::new(storage), PASSWORD.as_bytes(), &search(), ahead);
    opened.expect("it opens").repository
}

fn loaded(repository: &Repository) -> (Snapshots, Index) {
    let watch = Watch::none();
    let snapshots = Snapshots::load(repository, 1, &watch).expect("snapshots");
    let index = Index::load(repository, Indexed::All, 1, 1, &watch, &mut Err).expect("an index");
    (snapshots, index)
}

/// What calls answer, each with the rounds that it took.
fn answers(repository: &Repository, rounds_now: impl Fn() -> u64) -> Vec<(Vec<u8>, u64)> {
    let watch = Watch::none();
    let (snapshots, index) = loaded(repository);
    let root = |at: usize| snapshots.kept[at].snapshot.tree.expect("a root");
    let last = snapshots.kept.len() - 1;
    let mut answers = Vec::new();
    let mut answer = |give: &mut dyn FnMut(&mut Vec<u8>)| {
        let (mut out, before) = (Vec::new(), rounds_now());
        give(&mut out);
        answers.push((out, rounds_now() - before));
    };
    answer(&mut |out| {
        let see = |path: &[u8], _: &Node<'_>| (path.to_vec(), Below::Enter);
        let take = |step: Step<Vec<u8>>| {
            out.extend_from_slice(format!("{step:?}\n").as_bytes());
            Ok::<(), RepoError>(())
        };
        each_path(repository, &index, root(last), see, take).expect("paths");
    });
    answer(&mut |out| {
        let take = &mut |compared: Compared<'_>| {
            out.extend_from_slice(format!("{compared:?}\n").as_bytes());
            Ok::<(), RepoError>(())
        };
        let sums = diff(repository, &index, [root(0), root(last)], true, &watch, take);
        sums.expect("a difference");
    });
    answer(&mut |out| {
        put_archive(repository, &index, root(last), b"/", ArchiveForm::Tar, &watch, out)
            .expect("an archive");
    });
    answer(&mut |out| {
        let rows = rows(repository, &index, &snapshots.kept, b"/", &watch).expect("a history");
        *out = format!("{:?}", versions(&snapshots.kept, &rows)).into_bytes();
    });
    answers
}

/// Compares answers of a folder and of a store that has its files, and the rounds of a call.
#[track_caller]
fn check(folder: &Path, rounds_max: [u64; 4]) {
    let near = answers(&open(RepositoryFiles::local(folder), Ahead::Index), || 0);
    let store = in_memory(folder);
    let far = open(RepositoryFiles::new(Arc::new(store.clone())), Ahead::Index);
    let far = answers(&far, || store.counts().rounds);
    for (at, (near, far)) in near.iter().zip(&far).enumerate() {
        assert!(near.0 == far.0, "answer {at}");
    }
    assert!(near.iter().filter(|(answer, _)| !answer.is_empty()).count() >= 3);
    let rounds: Vec<u64> = far.iter().map(|(_, rounds)| *rounds).collect();
    let is_within = rounds.iter().zip(rounds_max).all(|(rounds, max)| *rounds <= max);
    assert!(is_within, "{rounds:?}, wanted at most {rounds_max:?}");
}

#[test]
fn answers_are_those_of_a_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let options =
        FleetOptions { seed: 7, data_count: 4000, snapshot_count: 12, blobs_in_pack: 300 };
    write_fleet(folder.path(), &options).expect("written");
    check(folder.path(), [8, 60, 120, 4]);
    let folder = tempfile::tempdir().expect("a folder");
    write_doubled(folder.path(), 11).expect("written");
    check(folder.path(), [4, 4, 4, 4]);
}

/// Rounds that a call takes with opening, in memory, beside those of restic by its log.
#[test]
fn calls_take_a_fourth_of_the_rounds_of_restic() {
    let Some(golden) = whole_golden_set("rounds beside restic's") else { return };
    let store = in_memory(&golden.join("buckets/restic/bucket/backups/alpha"));
    let (watch, tally) = (Watch::none(), RefCell::new(Vec::new()));
    let call = |name: &'static str, of_restic: u64, ahead, ask: &dyn Fn(&Repository)| {
        store.fail(None);
        ask(&open(RepositoryFiles::new(Arc::new(store.clone())), ahead));
        let StoreCounts { rounds, requests, read_bytes } = store.counts();
        println!("{name}: {rounds} rounds, {requests} requests, {read_bytes} bytes");
        tally.borrow_mut().push((name, rounds));
        assert!(rounds * 4 <= of_restic + 3, "{name}: {rounds} rounds, restic {of_restic}");
    };
    call("snapshots", 10, Ahead::Snapshots, &|repository| {
        Snapshots::load(repository, 1, &watch).expect("snapshots");
    });
    call("ls", 32, Ahead::Index, &|repository| {
        let (snapshots, index) = loaded(repository);
        let root = snapshots.kept[2].snapshot.tree.expect("a root");
        let take = |_| Ok::<(), RepoError>(());
        each_path(repository, &index, root, |_, _| ((), Below::Enter), take).expect("paths");
    });
    call("find", 85, Ahead::Index, &|repository| {
        let (snapshots, index) = loaded(repository);
        let kept: Vec<_> = snapshots.kept.iter().collect();
        let pieces = Pieces::nothing();
        Finds::search(repository, &index, &kept, &pieces, 1, &watch).expect("finds");
    });
    for (name, of_restic, read) in
        [("check", 21, ReadPacks::Trees), ("check --read-data", 22, ReadPacks::Whole(Subset::All))]
    {
        call(name, of_restic, Ahead::Packs, &|repository| {
            let options = CheckOptions { read, paths_max: 10 };
            let checked = check_repository(repository, &options, 1, 1, &watch).expect("a check");
            assert!(checked.is_sound());
        });
    }
    call("dump", 15, Ahead::Index, &|repository| {
        let (snapshots, index) = loaded(repository);
        let root = snapshots.kept[2].snapshot.tree.expect("a root");
        let located = locate(repository, &index, root, b"/desk/grown.bin").expect("a path");
        let Located::Node(node) = located else { panic!("a file") };
        let mut len = 0;
        let read = ContentReader::new(repository, &index, &watch).read(
            node.content.as_deref().expect("a file"),
            |plain| {
                len += plain.len() as u64;
                Ok::<(), Infallible>(())
            },
        );
        assert!(read.is_ok() && len == node.size);
    });
    let want = [
        ("snapshots", 2),
        ("ls", 4),
        ("find", 3),
        ("check", 3),
        ("check --read-data", 4),
        ("dump", 4),
    ];
    assert_eq!(tally.into_inner(), want);
}

#[test]
fn what_is_brought_with_the_key_is_asked_once() {
    let golden = golden_repository("small");
    let store = in_memory(&golden.path().join("repo"));
    let far = || RepositoryFiles::new(Arc::new(store.clone()));
    for (ahead, rounds) in [
        (Ahead::Nothing, 6),
        (Ahead::Snapshots, 4),
        (Ahead::Listings, 4),
        (Ahead::Index, 2),
        (Ahead::Packs, 2),
    ] {
        store.fail(None);
        let repository = open(far(), ahead);
        loaded(&repository);
        assert_eq!(store.counts().rounds, rounds, "{ahead:?}");
        // From then on everything is as it is when it is asked for.
        loaded(&repository);
        assert_eq!(store.counts().rounds, rounds + 4, "{ahead:?}");
    }
}

#[test]
fn an_index_that_was_listed_before_the_snapshots_is_listed_again() {
    let golden = golden_repository("small");
    let store = in_memory(&golden.path().join("repo"));
    let near = open(RepositoryFiles::local(&golden.path().join("repo")), Ahead::Nothing);
    let want = loaded(&near).1.entry_count();
    let files: Vec<(Name, Vec<u8>)> = near
        .storage()
        .list(FileKind::Index)
        .expect("index files")
        .into_iter()
        .map(|Listed { id, .. }| {
            let name = Name::new(&FileKind::Index.path(&id)).expect("a name");
            let mut bytes = Vec::new();
            store.read(&name, u64::MAX, &mut bytes).expect("it is there");
            (name, bytes)
        })
        .collect();
    // As if the index had been listed before a backup has put its files, and the snapshots after.
    files.iter().for_each(|(name, _)| store.remove(name).expect("memory"));
    let far = open(RepositoryFiles::new(Arc::new(store.clone())), Ahead::Index);
    for (name, bytes) in &files {
        store.put(name, bytes, Replace::Any).expect("memory");
    }
    assert_eq!(loaded(&far).1.entry_count(), want);
}

#[test]
fn packs_of_many_pages_are_listed_by_their_folders() {
    let store = MemoryStore::new(1);
    let ids: Vec<Id> = (0..1500_u64).map(|number| Id::of(&number.to_le_bytes())).collect();
    let put = |name: &str, len: usize| {
        store.put(&Name::new(name).expect("a name"), &vec![0; len], Replace::Any).expect("memory");
    };
    ids.iter().for_each(|id| put(&FileKind::Pack.path(id), 7));
    // In another folder, in no folder, in two, and in one that restic hasn't.
    let [other, above, twice, odd] = [1, 2, 3, 4].map(|byte| Id([byte; 32]));
    put(&format!("data/77/{other}"), 1);
    put(&format!("data/{above}"), 2);
    put(&FileKind::Pack.path(&twice), 3);
    put(&format!("data/77/{twice}"), 3);
    put(&format!("data/odd/{odd}"), 4);
    put(&format!("data/77/deep/{}", Id([5; 32])), 5);
    let files = RepositoryFiles::new(Arc::new(store.clone()));
    let mut want: Vec<Listed> = ids.iter().map(|id| Listed { id: *id, len: 7 }).collect();
    for (id, len) in [(other, 1), (above, 2), (twice, 3), (twice, 3), (odd, 4)] {
        want.push(Listed { id, len });
    }
    want.sort_unstable();
    store.fail(None);
    assert!(files.list(FileKind::Pack).expect("packs") == want);
    let rounds = store.counts().rounds;
    assert!(rounds <= 7, "{rounds}");
    let misplaced = files.misplaced_packs().expect("packs");
    let misplaced: Vec<Id> = misplaced.into_iter().map(|pack| pack.id).collect();
    assert_eq!(misplaced, [other, above, odd]);
    assert_eq!(store.counts().rounds, rounds, "the listing has said it");
}
