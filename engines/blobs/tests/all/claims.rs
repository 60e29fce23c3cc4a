//! What an index claims is not asked memory for.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use manicule_blobs::history::{Entry, State, rows};
use manicule_blobs::{
    Index, Indexed, KeyLimits, KeySearch, Repository, RepositoryFiles, Snapshots,
};
use manicule_core::watch::Watch;
use manicule_format_restic::{
    BlobKind, Id, IndexWriter, KeyFile, PackedBlob, Place, Version, pack_unpacked,
};
use manicule_testkit::golden_repository;

const PASSWORD: &[u8] = b"manicule-golden";
const LIMITS: KeyLimits = KeyLimits { memory_bytes_max: 1 << 30, work_max: 1 << 24 };

/// The only index file of `repo`: a tree at the start of a pack, as long as a place can say.
fn put_index(repo: &Path, tree: Id, pack: Id) {
    let key = fs::read_dir(repo.join("keys")).unwrap().next().unwrap().unwrap().path();
    let key = KeyFile::parse(&fs::read(key).unwrap()).unwrap().open(PASSWORD, &LIMITS).unwrap();
    let mut index = IndexWriter::new();
    index.pack(&pack);
    let place = Place { offset: 0, len: u32::MAX, raw_len: 7 };
    index.blob(&PackedBlob { kind: Some(BlobKind::Tree), id: tree, place });
    let mut sealed = Vec::new();
    key.seal([7; 16], &pack_unpacked(Version::V2, &index.finish()), &mut sealed);
    fs::remove_dir_all(repo.join("index")).unwrap();
    fs::create_dir(repo.join("index")).unwrap();
    fs::write(repo.join("index").join(Id::of(&sealed).to_string()), sealed).unwrap();
}

#[test]
fn a_tree_of_four_gigabytes_is_refused_by_its_claim() {
    let golden = golden_repository("unused");
    let repo = golden.path().join("repo");
    let search = KeySearch { hint: None, keys_max: 20, limits: LIMITS, threads: 1 };
    let storage = Arc::new(RepositoryFiles::local(&repo));
    let repository = Repository::open(storage, PASSWORD, &search).unwrap().repository;
    let watch = Watch::none();
    let snapshots = Snapshots::load(&repository, 1, &watch).unwrap();
    let kept = &snapshots.kept[..1];
    let pack = Id::parse(b"cd5edae333386a1748aaf4ae5e48810a4c3c83f46f96d2747f8c8869b9ca7170");
    put_index(&repo, kept[0].snapshot.tree.unwrap(), pack.unwrap());
    let index = Index::load(&repository, Indexed::All, 1, 1, &watch, &mut Err).unwrap();
    let path = format!("{}/x", kept[0].snapshot.paths()[0]);
    let rows = rows(&repository, &index, kept, path.as_bytes(), &watch).unwrap();
    let State::Within(Entry::Unknown { why }) = &rows[0].state else { panic!("{rows:?}") };
    assert!(why.contains("wanted at most 268435456, got 4294967295"), "{why}");
    // The walk over all trees refuses it the same way.
    let reached = manicule_blobs::cost::Reached::of(&repository, &index, kept, 1, &watch).unwrap();
    let costs = manicule_blobs::cost::Costs::of(&index, reached);
    assert!(costs.gaps().iter().any(|gap| gap.contains("got 4294967295")), "{:?}", costs.gaps());
}
