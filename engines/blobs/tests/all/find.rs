//! The search of distinct trees beside the plain one: every snapshot walked whole, every path
//! compared by itself.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use manicule_blobs::find::{Finds, Look, Patterns, Pieces, State};
use manicule_blobs::{
    Below, BlobKind, Id, Index, Indexed, Kept, KeyLimits, KeySearch, Node, NodeKind, RepoError,
    Repository, RepositoryFiles, Snapshots, Step, each_path,
};
use manicule_core::go::{Glob, clean, to_lower};
use manicule_core::watch::Watch;
use manicule_repositories::{FleetOptions, write_fleet};
use manicule_testkit::golden_repository;

const LIMITS: KeyLimits = KeyLimits { memory_bytes_max: 1 << 30, work_max: 1 << 24 };

struct Opened {
    repository: Repository,
    snapshots: Snapshots,
    index: Index,
}

fn open(repo: &Path) -> Opened {
    let search = KeySearch { hint: None, keys_max: 20, limits: LIMITS, threads: 1 };
    let storage = Arc::new(RepositoryFiles::local(repo));
    let repository = Repository::open(storage, b"manicule-golden", &search).unwrap().repository;
    let watch = Watch::none();
    let snapshots = Snapshots::load(&repository, 2, &watch).unwrap();
    let index = Index::load(&repository, Indexed::All, 1, 2, &watch, &mut Err).unwrap();
    Opened { repository, snapshots, index }
}

/// Everything that matches, with its size.
struct Sizes(Patterns);

impl Look for Sizes {
    type Kept = u64;

    fn start(&self) -> State {
        self.0.start()
    }

    fn node(&self, at: State, node: &Node<'_>, kept: &mut Vec<u64>) -> Option<State> {
        let after = self.0.after(at, &node.name());
        kept.extend(Patterns::is_match(after).then_some(node.size));
        self.0.may_match(after).then_some(after)
    }
}

/// restic's rule the plain way: `**` stands for any number of `*`, tried one after the other; then
/// the pattern's names have to match names of the path that follow each other, from the root on if
/// it begins with a slash.
fn matches(pattern: &[Vec<u8>], is_rooted: bool, names: &[&[u8]]) -> bool {
    if let Some(at) = pattern.iter().position(|part| part == b"**") {
        return (0..=names.len()).any(|count| {
            let stars = vec![b"*".to_vec(); count];
            let filled = [&pattern[..at], &stars, &pattern[at + 1..]].concat();
            matches(&filled, is_rooted, names)
        });
    }
    let is_at = |from: usize| {
        let globs = pattern.iter().map(|part| Glob::parse(part).unwrap());
        globs.zip(&names[from..]).all(|(glob, name)| glob.matches(name))
    };
    let spare = names.len().checked_sub(pattern.len());
    // Only the slash of the root has no names, and matches all.
    spare.is_some_and(|spare| (0..=if is_rooted { 0 } else { spare }).any(is_at))
}

fn names(path: &[u8]) -> Names {
    let names = path.split(|byte| *byte == b'/').filter(|name| !name.is_empty());
    names.map(<[u8]>::to_vec).collect()
}

fn is_match(pattern: &str, ignores_case: bool, path: &[u8]) -> bool {
    let (pattern, path) = if ignores_case {
        (to_lower(pattern.as_bytes()).into_owned(), to_lower(path).into_owned())
    } else {
        (pattern.as_bytes().to_vec(), path.to_vec())
    };
    let cleaned = clean(&pattern);
    let is_rooted = cleaned.starts_with(b"/");
    let path = names(&path);
    let path: Vec<&[u8]> = path.iter().map(Vec::as_slice).collect();
    matches(&names(&cleaned), is_rooted, &path)
}

/// Paths of a snapshot, each with what was kept of it.
type Rows<T> = Vec<(Vec<u8>, T)>;

/// Every path of a snapshot, with what a test takes of its node.
fn walked<T>(opened: &Opened, kept: &Kept, see: impl Fn(&Node<'_>) -> T) -> Rows<T> {
    let mut rows = Vec::new();
    let (repository, root) = (&opened.repository, kept.snapshot.tree.unwrap());
    let see = |path: &[u8], node: &Node<'_>| ((path.to_vec(), see(node)), Below::Enter);
    each_path::<_, RepoError>(repository, &opened.index, root, see, |row| {
        match row {
            Step::Row(row) => rows.push(row),
            Step::Leave => {}
            Step::Gap(why) => panic!("a sound tree: {why}"),
        }
        Ok(())
    })
    .unwrap();
    rows
}

/// The names of a path.
type Names = Vec<Vec<u8>>;

/// The distinct paths of matches, each with the number of snapshots that have it, the first and the
/// last.
fn distinct(opened: &Opened, look: &Sizes) -> Vec<(Names, [usize; 3])> {
    let kept: Vec<&Kept> = opened.snapshots.kept.iter().collect();
    let Opened { repository, index, .. } = opened;
    let finds = Finds::search(repository, index, &kept, look, 2, &Watch::none()).unwrap();
    let mut rows = Vec::new();
    let done = finds.each_distinct(|path, _, members| {
        let (first, last) = members.ends().expect("some snapshot");
        rows.push((names(path), [members.count(), first, last]));
        ControlFlow::<()>::Continue(())
    });
    assert!(done.is_continue());
    rows
}

fn search<L: Look<Kept: Send + Clone>>(
    opened: &Opened,
    look: &L,
    threads: usize,
) -> Vec<Rows<L::Kept>> {
    let kept: Vec<&Kept> = opened.snapshots.kept.iter().collect();
    let Opened { repository, index, .. } = opened;
    let finds = Finds::search(repository, index, &kept, look, threads, &Watch::none()).unwrap();
    assert_eq!(finds.gaps(), &[] as &[String]);
    let of = |at: usize| {
        let mut rows = Vec::new();
        let done = finds.each(index, at, |found| {
            rows.push((found.path.to_vec(), found.kept.clone()));
            ControlFlow::<()>::Continue(())
        });
        assert!(done.is_continue());
        rows
    };
    (0..kept.len()).map(of).collect()
}

const CALLS: &[(&[&str], bool)] = &[
    (&["*"], false),
    (&["/"], false),
    (&[""], false),
    (&["**"], false),
    (&["*.txt"], false),
    (&["*.TXT", "ETC"], true),
    (&["*.conf", "home/*"], false),
    (&["/srv/*/*/[a-m]*"], false),
    (&["/srv/**/deep/**/*"], false),
    (&["**/b/**/1*", "/srv/parts/a/./../b/"], false),
    (&["/data/*/*[02468]", "/data/0*"], false),
    (&["?*/?", "!srv/**/x"], false),
    (&["no such name"], false),
    (&["/srv/*/names", "odd/*/*", "*\\**"], true),
];

fn check_patterns(opened: &Opened) -> usize {
    let mut count = 0;
    let all: Vec<_> =
        opened.snapshots.kept.iter().map(|kept| walked(opened, kept, |node| node.size)).collect();
    for (number, (patterns, ignores_case)) in CALLS.iter().enumerate() {
        let bytes = patterns.iter().map(|pattern| pattern.as_bytes());
        let look = Sizes(Patterns::parse(bytes, *ignores_case).unwrap());
        let got = search(opened, &look, 1 + number % 3);
        let mut merged: BTreeMap<Names, Vec<usize>> = BTreeMap::new();
        for (at, (rows, got)) in all.iter().zip(got).enumerate() {
            let is = |path: &[u8]| {
                patterns.iter().any(|pattern| {
                    pattern.is_empty()
                        || is_match(pattern.trim_start_matches('!'), *ignores_case, path)
                })
            };
            let want: Vec<_> = rows.iter().filter(|(path, _)| is(path)).cloned().collect();
            assert!(got == want, "{patterns:?}: {} and {}", got.len(), want.len());
            count += want.len();
            for (path, _) in want {
                merged.entry(names(&path)).or_default().push(at);
            }
        }
        let merged =
            merged.into_iter().map(|(names, at)| (names, [at.len(), at[0], at[at.len() - 1]]));
        assert!(distinct(opened, &look) == merged.collect::<Vec<_>>(), "{patterns:?}");
    }
    count
}

/// Blobs and trees here and there, wanted by whole ids and by beginnings.
fn check_pieces(opened: &Opened) -> usize {
    let see = |node: &Node<'_>| (node.blobs().to_vec(), node.child(), node.kind);
    let all: Vec<_> = opened.snapshots.kept.iter().map(|kept| walked(opened, kept, see)).collect();
    let mut known: BTreeSet<(BlobKind, Id)> = BTreeSet::new();
    for (_, (blobs, tree, kind)) in all.iter().flatten() {
        known.extend(blobs.iter().map(|id| (BlobKind::Data, *id)));
        known.extend(tree.filter(|_| *kind == NodeKind::Dir).map(|id| (BlobKind::Tree, id)));
    }
    let step = known.len() / 40 + 1;
    let wanted: BTreeSet<_> = known.iter().copied().step_by(step).collect();
    let mut pieces = Pieces::nothing();
    for (number, (kind, id)) in wanted.iter().enumerate() {
        let digits = id.to_string();
        let len = if number % 2 == 0 { 64 } else { 12 };
        pieces
            .add_begun(*kind, manicule_blobs::IdPrefix::parse(&digits.as_bytes()[..len]).unwrap());
    }
    let got = search(opened, &pieces, 2);
    let mut count = 0;
    for (rows, got) in all.iter().zip(got) {
        let want = rows.iter().flat_map(|(path, (blobs, tree, _))| {
            let tree = tree.map(|id| (BlobKind::Tree, id));
            let all = tree.into_iter().chain(blobs.iter().map(|id| (BlobKind::Data, *id)));
            all.filter(|piece| wanted.contains(piece)).map(|piece| (path.clone(), piece))
        });
        let want: Vec<_> = want.collect();
        assert_eq!(got, want);
        count += want.len();
    }
    count
}

#[test]
fn golden_repositories_are_searched_as_the_plain_walk_searches_them() {
    for name in ["v2", "v1", "unused", "fleet", "drafts", "small"] {
        let golden = golden_repository(name);
        let opened = open(&golden.path().join("repo"));
        let counts = (check_patterns(&opened), check_pieces(&opened));
        assert!(counts.0 > 100 && counts.1 > 2, "{name}: {counts:?}");
    }
}

#[test]
fn a_fleet_through_time_is_searched_as_the_plain_walk_searches_it() {
    let folder = tempfile::tempdir().unwrap();
    let options =
        FleetOptions { seed: 5, data_count: 3000, snapshot_count: 40, blobs_in_pack: 100 };
    write_fleet(folder.path(), &options).unwrap();
    let opened = open(folder.path());
    let counts = (check_patterns(&opened), check_pieces(&opened));
    assert!(counts.0 > 20_000 && counts.1 > 50, "{counts:?}");
}

#[test]
fn patterns_are_refused_with_their_reason() {
    let error = Patterns::parse([b"a/[b".as_slice()], false).unwrap_err().to_string();
    assert!(error.contains("\"a/[b\", part \"[b\": byte 2: a bracket"), "{error}");
    let many = vec!["x"; 129].join("/");
    let error = Patterns::parse([many.as_bytes()], false).unwrap_err().to_string();
    assert!(error.contains("more than 127 names"), "{error}");
    let most = vec!["x"; 128].join("/");
    assert!(Patterns::parse([most.as_bytes()], false).is_ok());
    assert!(Patterns::parse(vec![b"*.c".as_slice(); 5000], false).is_ok());
}
