//! An index written again from its own series, with the files of other systems: byte for byte what
//! these wrote.

use std::fs;
use std::path::Path;

use manicule_core::watch::Watch;
use manicule_series::write::SymbolChoice;
use manicule_series::{Block, ReindexOptions, block_paths, reindex};
use manicule_testkit::golden_folder;

const PLAIN: ReindexOptions = ReindexOptions {
    memory: 64 << 20,
    symbols: SymbolChoice::All,
    label_indices: false,
    index_header: false,
    sparse_header: false,
    threads: 1,
};

fn names(folder: &Path) -> Vec<String> {
    let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
    let mut names: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| name(entry.unwrap())).collect();
    names.sort();
    names
}

#[test]
fn indexes_and_side_files_are_those_of_their_systems() {
    let golden = golden_folder("series", "golden");
    let folder = golden.path().join("index/1000");
    let block = Block::open(&folder.join("index")).unwrap();
    for threads in [1, 2] {
        let out = tempfile::tempdir().unwrap();
        let options = ReindexOptions { index_header: true, sparse_header: true, threads, ..PLAIN };
        reindex(&block, out.path(), &options, &Watch::none()).unwrap();
        assert_eq!(names(out.path()), ["index", "index-header", "sparse-index-header"]);
        for name in ["index", "index-header"] {
            let (ours, theirs) = (fs::read(out.path().join(name)), fs::read(folder.join(name)));
            assert!(ours.unwrap() == theirs.unwrap(), "{name}");
        }
        let old = ReindexOptions { label_indices: true, threads, ..PLAIN };
        reindex(&block, out.path(), &old, &Watch::none()).unwrap();
        let theirs = fs::read(folder.join("index-with-label-indices")).unwrap();
        assert!(fs::read(out.path().join("index")).unwrap() == theirs);
    }
}

#[test]
fn every_golden_block_comes_out_the_same() {
    let golden = golden_folder("series", "golden");
    for name in ["mixed", "names", "native", "xor2", "gaps", "k5k"] {
        for path in block_paths(&golden.path().join("blocks").join(name)).unwrap() {
            let out = tempfile::tempdir().unwrap();
            reindex(&Block::open(&path).unwrap(), out.path(), &PLAIN, &Watch::none()).unwrap();
            let same = fs::read(out.path().join("index")).unwrap()
                == fs::read(path.join("index")).unwrap();
            assert!(same, "{}", path.display());
        }
    }
}
