//! Compound shards beside those of zoekt-merge-index: byte for byte.

use std::fs;
use std::path::{Path, PathBuf};

use manicule_code::shards::{
    CompoundError, CompoundOptions, ShardsReport, explode, map_shards, merge, shards_of,
};
use manicule_core::watch::Watch;
use manicule_format_zoekt::{Section, Shard};
use manicule_testkit::golden_folder;
use tempfile::TempDir;

/// The golden shards, and a copy of some folders of them.
struct Golden {
    all: TempDir,
    copy: TempDir,
}

impl Golden {
    fn copied(folders: &[&str]) -> Golden {
        let (all, copy) = (golden_folder("code", "shards"), tempfile::tempdir().unwrap());
        for folder in folders {
            for entry in fs::read_dir(all.path().join("shards").join(folder)).unwrap() {
                let path = entry.unwrap().path();
                fs::copy(&path, copy.path().join(path.file_name().unwrap())).unwrap();
            }
        }
        Golden { all, copy }
    }

    /// Path of the only shard of a folder, or of the one whose name holds `part`.
    fn shard(&self, folder: &str, part: &str) -> PathBuf {
        let mut paths = shards_of(&self.all.path().join("shards").join(folder)).unwrap().shards;
        paths.retain(|path| path.to_str().unwrap().contains(part));
        assert_eq!(paths.len(), 1);
        paths.remove(0)
    }

    /// Paths of copies, in the order of the parts of names.
    fn paths(&self, parts: &[&str]) -> Vec<PathBuf> {
        let all = shards_of(self.copy.path()).unwrap().shards;
        let has = |part: &str| all.iter().find(|path| path.to_str().unwrap().contains(part));
        parts.iter().map(|part| has(part).expect(part).clone()).collect()
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.copy.path()).unwrap();
        let name = |entry: std::io::Result<fs::DirEntry>| entry.unwrap().file_name();
        let mut names: Vec<_> = entries.map(|e| name(e).into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn options(index_time: &str) -> CompoundOptions {
    let (index_time, zoekt_version) = (index_time.to_owned(), String::new());
    CompoundOptions { index_time, zoekt_version, threads: 2, memory: 1 << 30 }
}

fn index_time(shard: &Path) -> String {
    let bytes = fs::read(shard).unwrap();
    Shard::open(&bytes).unwrap().metadata().index_time.clone()
}

fn merged(paths: &[PathBuf], time: &str) -> ShardsReport {
    merge(paths, &options(time), &Watch::none()).unwrap()
}

fn exploded(path: &Path, time: &str) -> ShardsReport {
    explode(path, &options(time), &Watch::none()).unwrap()
}

fn expect_same(got: &Path, want: &Path) {
    assert_eq!(got.file_name(), want.file_name());
    let (got, want) = (fs::read(got).unwrap(), fs::read(want).unwrap());
    if got != want {
        let (got, want) = (Shard::open(&got).unwrap(), Shard::open(&want).unwrap());
        let differ = |section: &Section| got.section(*section) != want.section(*section);
        let differ: Vec<_> = Section::ALL.into_iter().filter(differ).map(Section::tag).collect();
        panic!("the bytes differ, in {differ:?}");
    }
}

#[test]
fn shards_of_three_repositories_are_merged_as_the_peer_does() {
    let golden = Golden::copied(&["meta"]);
    let want = golden.shard("compound", "");
    let paths = golden.paths(&["alpha", "beta", "gamma"]);
    let report = merged(&paths, &index_time(&want));
    expect_same(&report.shards[0].path, &want);
    assert_eq!(golden.names(), [want.file_name().unwrap().to_str().unwrap()]);
    let mut replaced = report.replaced;
    replaced.sort();
    assert_eq!(replaced, paths);
    let names: Vec<_> = report.shards[0].repositories.iter().map(ToString::to_string).collect();
    assert_eq!(names, ["example.org/beta", "example.org/alpha", "example.org/gamma"]);
    let documents = report.shards[0].document_count;
    assert_eq!((documents, report.shards[0].len), (11, fs::metadata(&want).unwrap().len()));
}

#[test]
fn a_compound_shard_is_exploded_as_the_peer_does() {
    for name in ["alpha", "beta", "gamma"] {
        let golden = Golden::copied(&["compound"]);
        let want = golden.shard("exploded", name);
        let report = exploded(&golden.paths(&["compound"])[0], &index_time(&want));
        let got = report.shards.iter().find(|shard| shard.path.to_str().unwrap().contains(name));
        expect_same(&got.unwrap().path, &want);
        assert_eq!((report.shards.len(), golden.names().len()), (3, 3));
    }
}

#[test]
fn a_repository_with_a_tombstone_is_left_out() {
    let golden = Golden::copied(&["tomb"]);
    let want = golden.shard("tombmerge", "");
    let report = merged(&golden.paths(&["compound"]), &index_time(&want));
    expect_same(&report.shards[0].path, &want);
    // The sidecar is gone with its shard.
    assert_eq!(golden.names(), [want.file_name().unwrap().to_str().unwrap()]);
    assert_eq!(report.left_out[0].to_string(), "example.org/alpha");

    let golden = Golden::copied(&["tomb"]);
    let report = exploded(&golden.paths(&["compound"])[0], "2026-01-01T00:00:00Z");
    assert_eq!((report.shards.len(), golden.names().len()), (2, 2));
}

#[test]
fn what_was_merged_and_exploded_is_merged_to_the_same_bytes() {
    let time = "2026-01-01T00:00:00Z";
    let golden = Golden::copied(&["ctags", "git-ctags", "meta"]);
    let paths = golden.paths(&["small", "lamps", "gamma", "beta"]);
    let originals: Vec<Vec<u8>> = paths.iter().map(|path| fs::read(path).unwrap()).collect();
    let first = merged(&paths, time).shards.remove(0).path;
    let bytes = fs::read(&first).unwrap();
    let compound = Shard::open(&bytes).unwrap();
    assert_eq!(compound.repositories().len(), 4);
    exploded(&first, time);
    assert_eq!(golden.paths(&["small", "lamps", "gamma", "beta"]), paths);
    for (path, original) in paths.iter().zip(&originals) {
        let got = fs::read(path).unwrap();
        expect_equal_documents(&Shard::open(&got).unwrap(), &Shard::open(original).unwrap());
    }
    let again = merged(&paths, time).shards.remove(0).path;
    assert_eq!((again, fs::read(&first).unwrap()), (first, bytes));
}

/// All but the numbers of kinds and parents, and what the run says of itself.
fn expect_equal_documents(got: &Shard<'_>, want: &Shard<'_>) {
    let numbered = [Section::SymbolMap, Section::SymbolKindMap, Section::SymbolMetaData];
    for section in Section::ALL {
        let is_about = matches!(section, Section::MetaData | Section::RepoMetaData);
        if !is_about && !numbered.contains(&section) {
            assert_eq!(got.section(section), want.section(section), "{}", section.tag());
        }
    }
    let mut symbol_count = 0;
    for document in 0..want.document_count() {
        for index in 0..want.symbol_ranges(document).unwrap().len() {
            let info = |shard: &Shard<'_>| {
                let info = shard.symbol_info(document, index).unwrap();
                [info.kind, info.parent, info.parent_kind].map(<[u8]>::to_vec)
            };
            assert_eq!(info(got), info(want));
            symbol_count += 1;
        }
    }
    assert_eq!(symbol_count > 0, want.has_symbols());
}

#[test]
fn a_shard_is_merged_with_itself_alone() {
    let golden = Golden::copied(&["compound"]);
    let path = golden.paths(&["compound"]).remove(0);
    let time = index_time(&path);
    let bytes = fs::read(&path).unwrap();
    assert_eq!(merged(std::slice::from_ref(&path), &time).shards[0].path, path);
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

#[test]
fn what_can_not_be_exchanged_is_refused_and_stays() {
    let golden = Golden::copied(&["compound", "meta", "limits", "delta"]);
    let before = golden.names();
    let merge = |parts: &[&str]| merge(&golden.paths(parts), &options(""), &Watch::none());
    let explode = |part: &str| explode(&golden.paths(&[part])[0], &options(""), &Watch::none());
    let said = |refused: Result<ShardsReport, CompoundError>| refused.unwrap_err().to_string();
    assert!(matches!(merge(&[]), Err(CompoundError::Nothing)));
    assert!(matches!(merge(&["small_v16.00000"]), Err(CompoundError::Several { .. })));
    assert!(matches!(merge(&["alpha", "lamps_v16.00001"]), Err(CompoundError::Several { .. })));
    assert_eq!(
        said(merge(&["alpha", "compound"])),
        "example.org/alpha is in two of the shards: leave one out"
    );
    assert!(matches!(explode("alpha"), Err(CompoundError::NotCompound { .. })));
    assert!(matches!(explode("compound"), Err(CompoundError::Exists { .. })));
    let other = Golden::copied(&["meta"]);
    let paths = [golden.paths(&["alpha"]), other.paths(&["beta"])].concat();
    let refused = self::merge(&paths, &options(""), &Watch::none());
    assert!(matches!(refused, Err(CompoundError::Folders { .. })));
    assert_eq!(golden.names(), before);
}

#[test]
fn a_damaged_document_is_told_and_nothing_is_written() {
    let golden = Golden::copied(&["meta"]);
    let before = golden.names();
    let paths = golden.paths(&["alpha", "beta"]);
    let mut bytes = fs::read(&paths[1]).unwrap();
    bytes[3] ^= 1;
    fs::write(&paths[1], bytes).unwrap();
    let error = merge(&paths, &options(""), &Watch::none()).unwrap_err().to_string();
    assert!(error.contains("beta_v16.00000.zoekt: checksum of a document"), "{error}");
    assert_eq!(golden.names(), before);
}

#[test]
fn a_merge_that_is_stopped_leaves_nothing() {
    let golden = Golden::copied(&["meta"]);
    let before = golden.names();
    let watch = Watch::none();
    watch.cancel();
    let stopped = merge(&golden.paths(&["alpha", "beta"]), &options(""), &watch);
    assert!(matches!(stopped, Err(CompoundError::Stopped)));
    assert_eq!(golden.names(), before);
    assert_eq!(map_shards(golden.copy.path()).unwrap().len(), 3);
}
