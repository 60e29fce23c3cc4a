//! Damage of every kind, made in a golden repository: kind and place of each finding.

mod bytes;
mod damage;
mod prune;
mod trees;

use std::fs;

use damage::{Repo, repo};
use manicule_blobs::FileKind;
use manicule_blobs::check::{Checked, Finding, Level, ReadPacks, Subset};

const TREES: ReadPacks = ReadPacks::Trees;
const HEADERS: ReadPacks = ReadPacks::Headers;
const DATA: ReadPacks = ReadPacks::Whole(Subset::All);

/// A pack of data that snapshots need: eight blobs, the first in 4,158 bytes.
const PACK: &str = "5f144547";
/// A pack of trees.
const TREE_PACK: &str = "12ba4612";
/// A pack that no snapshot needs.
const UNNEEDED: &str = "49fac4b2";

/// A finding as its kind, the first digits of its file and its blob, and its offset.
fn short(finding: &Finding) -> String {
    let id = finding.id.map_or_else(|| "-".to_owned(), |id| id.short());
    let mut text = format!("{} {id}", finding.kind.word());
    if let Some(blob) = finding.blob {
        text += &format!(" {}", blob.short());
    }
    if let Some(offset) = finding.offset {
        text += &format!(" @{offset}");
    }
    text
}

/// Checks what is found after a damage, errors and warnings, and that the number of threads changes
/// nothing.
#[track_caller]
fn check(damage: impl FnOnce(&Repo), read: ReadPacks, want: &[&str]) -> Checked {
    let repo = repo("unused");
    damage(&repo);
    let checked = repo.check(read, 1);
    let found: Vec<String> = checked.findings.iter().map(short).collect();
    assert_eq!(found, want, "{:#?}", checked.findings);
    let threads = repo.check(read, 4);
    assert_eq!(threads.findings, checked.findings);
    assert_eq!((threads.broken, threads.counts), (checked.broken.clone(), checked.counts));
    checked
}

#[test]
fn a_sound_repository_has_no_finding() {
    for read in [TREES, HEADERS, DATA] {
        let checked = check(|_| {}, read, &[]);
        assert!(checked.is_sound() && checked.broken.is_empty());
        let counts = checked.counts;
        assert_eq!(
            (counts.index_files, counts.packs, counts.snapshots, counts.trees),
            (4, 7, 2, 25)
        );
        assert_eq!((counts.blobs, counts.unused_blobs), (86, 43));
        let packs_read = if read == TREES { 0 } else { 7 };
        assert_eq!(counts.packs_read, packs_read);
    }
}

#[test]
fn missing_packs() {
    let remove = |pack| move |repo: &Repo| fs::remove_file(repo.pack(pack)).unwrap();
    let checked = check(remove(PACK), TREES, &["pack-missing 5f144547"]);
    let pack = &checked.broken[0];
    assert_eq!((pack.blob_count, pack.lost_blobs, pack.lost_used_blobs), (8, 8, 8));
    assert_eq!(
        (pack.lost.snapshots.len(), pack.lost.damaged.len(), pack.lost.unreadable.len()),
        (1, 8, 0)
    );
    assert!(checked.packs_to_salvage().is_empty());
    check(remove(PACK), DATA, &["pack-missing 5f144547"]);
    let want = ["pack-missing 12ba4612", "tree-unreadable 20125212"];
    let checked = check(remove(TREE_PACK), TREES, &want);
    let pack = &checked.broken[0];
    assert_eq!((pack.lost.damaged.len(), pack.lost.unreadable[0].path.as_slice()), (0, &b"/"[..]));
    let checked = check(remove(UNNEEDED), TREES, &["pack-missing 49fac4b2"]);
    assert_eq!((checked.broken[0].lost_blobs, checked.broken[0].lost_used_blobs), (8, 0));
}

#[test]
fn packs_of_another_length() {
    let cut = |len: u64| {
        move |repo: &Repo| {
            let file = fs::OpenOptions::new().write(true).open(repo.pack(PACK)).unwrap();
            file.set_len(len).unwrap();
        }
    };
    let checked = check(cut(20588), TREES, &["pack-size 5f144547"]);
    // All blobs are still there: the header is cut.
    assert_eq!((checked.broken[0].lost_blobs, checked.packs_to_salvage().len()), (0, 1));
    check(cut(20588), HEADERS, &["pack-size 5f144547"]);
    let checked = check(cut(6000), TREES, &["pack-size 5f144547"]);
    assert_eq!((checked.broken[0].lost_blobs, checked.broken[0].lost.damaged.len()), (7, 7));
    let read =
        check(cut(19000), DATA, &["pack-size 5f144547", "blob-damaged 5f144547 e8a9f09c @17307"]);
    assert_eq!((read.error_count(), read.broken[0].lost_blobs), (2, 1));
    // Whatever comes after the pack is not part of it.
    check(cut(20700), DATA, &["pack-size 5f144547"]);
}

#[test]
fn packs_in_no_index_file() {
    let index_of = |repo: &Repo| repo.file(FileKind::Index, "d57953ee");
    let checked = check(
        |repo| fs::remove_file(index_of(repo)).unwrap(),
        DATA,
        &["pack-orphaned 49fac4b2", "pack-orphaned ed44a038"],
    );
    assert!(checked.is_sound() && checked.suggests_prune() && !checked.suggests_repair_index());
    let want = ["tree-missing 20125212", "tree-missing c0958425"];
    let gone = |repo: &Repo| fs::remove_dir_all(repo.path.join("index")).unwrap();
    let checked = check(
        gone,
        TREES,
        &[
            &[
                "pack-orphaned 12ba4612",
                "pack-orphaned 37c60ab7",
                "pack-orphaned 498e4174",
                "pack-orphaned 49fac4b2",
                "pack-orphaned 5f144547",
                "pack-orphaned cd5edae3",
                "pack-orphaned ed44a038",
            ][..],
            &want,
        ]
        .concat(),
    );
    assert_eq!(checked.error_count(), 2);
}

#[test]
fn damaged_packs() {
    let flip = |pack, at: isize| {
        move |repo: &Repo| {
            let path = repo.pack(pack);
            let len = fs::metadata(&path).unwrap().len() as isize;
            repo.flip(&path, if at < 0 { len + at } else { at } as usize);
        }
    };
    check(flip(PACK, 40), TREES, &[]);
    let want = ["blob-damaged 5f144547 59791f2d @0", "pack-damaged 5f144547"];
    let checked = check(flip(PACK, 40), DATA, &want);
    let pack = &checked.broken[0];
    assert_eq!((checked.error_count(), pack.lost_blobs, pack.lost.damaged.len()), (1, 1, 1));
    assert_eq!((pack.lost.damaged[0].lost_bytes, pack.lost.damaged[0].size), (10282, 10282));
    let want = ["pack-damaged 5f144547", "header-damaged 5f144547"];
    assert_eq!(check(flip(PACK, -30), DATA, &want).broken[0].lost_blobs, 0);
    check(flip(PACK, -30), HEADERS, &want[1..]);
    check(flip(PACK, -1), HEADERS, &want[1..]);
    let want =
        ["tree-unreadable d8e4c0d6", "blob-damaged 12ba4612 d8e4c0d6 @0", "pack-damaged 12ba4612"];
    check(flip(TREE_PACK, 20), TREES, &want[..1]);
    let checked = check(flip(TREE_PACK, 20), DATA, &want);
    assert_eq!((checked.error_count(), checked.broken[0].lost.unreadable.len()), (2, 1));
    // Headers hold no blob.
    check(flip(PACK, 40), HEADERS, &[]);
}

#[test]
fn a_pack_in_the_wrong_folder_is_lost_whatever_is_read() {
    let moved = |repo: &Repo| {
        let path = repo.pack(PACK);
        fs::create_dir_all(repo.path.join("data/00")).unwrap();
        fs::rename(&path, repo.path.join("data/00").join(path.file_name().unwrap())).unwrap();
    };
    for read in [TREES, DATA] {
        let checked = check(moved, read, &["pack-misplaced 5f144547"]);
        assert_eq!((checked.broken[0].lost_blobs, checked.packs_to_salvage().len()), (8, 0));
    }
}

#[test]
fn an_index_file_that_can_not_be_read_ends_the_check() {
    let flip = |repo: &Repo| {
        fs::remove_file(repo.pack(PACK)).unwrap();
        repo.flip(&repo.file(FileKind::Index, "287075c7"), 60);
    };
    let checked = check(flip, DATA, &["index-unreadable 287075c7"]);
    assert!(checked.suggests_repair_index() && !checked.is_sound());
    // The form of 2015.
    let repo = repo("unused");
    repo.put(FileKind::Index, "[]\n");
    let checked = repo.check(TREES, 1);
    assert_eq!((checked.error_count(), checked.counts.index_files), (1, 4));
}

#[test]
fn packs_that_are_listed_more_than_once() {
    let again = |repo: &Repo| {
        let json = repo.json(FileKind::Index, &repo.files(FileKind::Index)[1]);
        repo.put(FileKind::Index, &json);
    };
    let checked = check(again, DATA, &["pack-repeated 37c60ab7"]);
    assert!(checked.is_sound() && checked.suggests_repair_index());
    let twice = |repo: &Repo| {
        let json = repo.json(FileKind::Index, &repo.files(FileKind::Index)[1]);
        let packs =
            json.trim_end().strip_prefix("{\"packs\":[").unwrap().strip_suffix("]}").unwrap();
        repo.edit(FileKind::Index, &json, &format!("{{\"packs\":[{packs},{packs}]}}\n"));
    };
    let checked = check(twice, DATA, &["pack-listed-twice 37c60ab7"]);
    assert!(checked.is_sound() && !checked.suggests_repair_index());
    let other = |repo: &Repo| {
        let json = repo.json(FileKind::Index, &repo.files(FileKind::Index)[1]);
        let (head, _) = json.split_once("},{").unwrap();
        repo.put(FileKind::Index, &format!("{head}}}]}}]}}\n"));
    };
    let checked = check(other, TREES, &["pack-differs 37c60ab7"]);
    assert_eq!((checked.error_count(), checked.packs_to_salvage().len()), (1, 1));
}

#[test]
fn what_the_index_says_of_a_pack_is_compared_with_its_header() {
    let edit = |from: &'static str, to: &'static str| {
        move |repo: &Repo| {
            repo.edit(FileKind::Index, from, to);
        }
    };
    let last = r#""offset":17307,"length":2927"#;
    check(edit(last, r#""offset":17307,"length":2928"#), TREES, &["pack-size 5f144547"]);
    let want =
        ["header-differs 5f144547 e8a9f09c @17307", "header-differs 5f144547 e8a9f09c @17308"];
    let gap = r#""offset":17308,"length":2927"#;
    check(edit(last, gap), TREES, &[]);
    check(edit(last, gap), HEADERS, &want);
    let read = ["pack-gaps 5f144547", "blob-damaged 5f144547 e8a9f09c @17308", want[0], want[1]];
    assert_eq!(check(edit(last, gap), DATA, &read).error_count(), 1);
    // A blob in the place of another.
    let overlap = r#""offset":0,"length":2927"#;
    let read = check(
        edit(last, overlap),
        DATA,
        &[
            "pack-gaps 5f144547",
            "blob-damaged 5f144547 e8a9f09c @0",
            "blob-damaged 5f144547 59791f2d @0",
            "header-differs 5f144547 e8a9f09c @0",
            want[0],
        ],
    );
    assert_eq!(read.error_count(), 1);
    // Lengths of plaintexts are compared by nobody else.
    let read = check(
        edit(
            r#""length":4158,"uncompressed_length":10282"#,
            r#""length":4158,"uncompressed_length":10283"#,
        ),
        DATA,
        &[
            "blob-size 5f144547 59791f2d @0",
            "header-differs 5f144547 59791f2d @0",
            "header-differs 5f144547 59791f2d @0",
        ],
    );
    assert!(!read.is_sound());
    // A blob that the index lacks makes the pack shorter than it is.
    let repo = repo("unused");
    let json = repo.json(FileKind::Index, &repo.files(FileKind::Index)[2]);
    let (start, rest) = json.split_once(r#",{"id":"e8a9f09c"#).unwrap();
    let lacking = format!("{start}{}", rest.split_once('}').unwrap().1);
    repo.edit(FileKind::Index, &json, &lacking);
    let found: Vec<String> = repo.check(DATA, 1).findings.iter().map(short).collect();
    let want = [
        "pack-size 5f144547",
        "blob-missing e27344ce e8a9f09c @10",
        "header-differs 5f144547 e8a9f09c @17307",
    ];
    assert_eq!(found, want);
}

#[test]
fn snapshots() {
    let flip = |repo: &Repo| repo.flip(&repo.file(FileKind::Snapshot, "985783f0"), 40);
    check(flip, TREES, &["snapshot-unreadable 985783f0"]);
    let put = |tree: &str| {
        let text = format!(r#"{{"time":"2025-01-01T00:00:00Z","tree":{tree},"paths":["/x"]}}"#);
        let repo = repo("unused");
        let snapshot = repo.put(FileKind::Snapshot, &text);
        (snapshot.short(), repo.check(TREES, 1).findings.iter().map(short).collect::<Vec<_>>())
    };
    let (snapshot, found) = put("null");
    assert_eq!(found, [format!("snapshot-without-tree {snapshot}")]);
    assert_eq!(put(&format!("\"{}\"", "ab".repeat(32))).1, ["tree-missing abababab"]);
}

#[test]
fn packs_that_rustic_marked_are_warnings() {
    let repo = repo("rustic");
    let found = repo.check(TREES, 1).findings;
    let marked: Vec<&Finding> =
        found.iter().filter(|finding| finding.kind.word() == "pack-marked").collect();
    assert_eq!(marked.len(), 1);
    assert!(marked.iter().all(|finding| finding.level() == Level::Warning));
    assert!(marked[0].what.contains("marked for deletion at 2026-"), "{}", marked[0]);
}
