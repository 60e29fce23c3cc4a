//! Blocks and indexes by themselves, with their publishers stopped and failed at every step: each
//! block is whole or not there, each file is the old or the new one, and the next run leaves no
//! litter.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use manicule_core::watch::Watch;
use manicule_format_prometheus::Ulid;
use manicule_series::build::{BLOCK_RANGE, BuildOptions, Builder};
use manicule_series::merge::{MergeOptions, merge};
use manicule_series::openmetrics::Dialect;
use manicule_series::rewrite::{RewriteOptions, Rules, rewrite};
use manicule_series::split::{SplitBy, split};
use manicule_series::write::SymbolChoice;
use manicule_series::{Block, ReindexOptions, Target, block_paths, reindex_through};
use manicule_store::{Disk, SharedFiles};
use manicule_testkit::steps::{Publisher, Seen, Tally, at_every_step};
use manicule_testkit::{contents, golden_folder, names, restore};

type Files = BTreeMap<String, Vec<u8>>;

/// Makes blocks in a target, called as the next names say.
type Make<'m> = &'m dyn Fn(&Target, &mut dyn FnMut() -> Ulid) -> Result<(), String>;

/// A folder into which blocks are put.
struct Blocks<'m> {
    folder: tempfile::TempDir,
    make: Make<'m>,
    /// The blocks of a whole run.
    want: Vec<Files>,
    /// How many names were given.
    named: Cell<u64>,
}

/// The files of the blocks in a folder, without the blocks' names in their meta files.
fn blocks(folder: &Path) -> Vec<Files> {
    let files = |path: PathBuf| {
        let (mut files, name) = (contents(&path), path.file_name().unwrap().to_str().unwrap());
        let meta = files.get_mut("meta.json").expect("a meta file");
        *meta = String::from_utf8(std::mem::take(meta)).unwrap().replace(name, "").into_bytes();
        files
    };
    block_paths(folder).unwrap_or_default().into_iter().map(files).collect()
}

impl<'m> Blocks<'m> {
    /// Makes blocks once, to know them.
    fn new(make: Make<'m>, count: usize) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut blocks_of = Blocks { folder, make, want: Vec::new(), named: Cell::new(0) };
        blocks_of.publish(&Disk::shared()).unwrap();
        blocks_of.want = blocks(blocks_of.root());
        assert_eq!(blocks_of.want.len(), count);
        blocks_of
    }
}

impl Publisher for Blocks<'_> {
    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn reset(&self) {
        restore(self.root(), &Files::new());
        self.named.set(0);
    }

    fn publish(&self, files: &SharedFiles) -> Result<(), String> {
        // Blocks that a run before has made are no business of this one.
        for path in block_paths(self.root()).unwrap_or_default() {
            fs::remove_dir_all(path).unwrap();
        }
        let target = Target::open_through(files, self.root()).map_err(|error| error.to_string())?;
        let mut next_ulid = || {
            self.named.set(self.named.get() + 1);
            Ulid::new(self.named.get(), [7; 10])
        };
        (self.make)(&target, &mut next_ulid)
    }

    /// As long as blocks are missing it is the old.
    fn seen(&self) -> Result<Seen, String> {
        let made = blocks(self.root());
        if made == self.want {
            Ok(Seen::New)
        } else if self.want.starts_with(&made) {
            Ok(Seen::Old)
        } else {
            Err(format!("{} blocks that are not whole", made.len()))
        }
    }

    fn litter(&self) -> Vec<String> {
        names(self.root()).into_iter().filter(|name| name.parse::<Ulid>().is_err()).collect()
    }
}

fn check(make: Make<'_>, count: usize) -> Tally {
    at_every_step(&Blocks::new(make, count))
}

/// The only block of a golden folder.
fn golden(folder: &Path, name: &str) -> Block {
    let paths = block_paths(&folder.join("blocks").join(name)).unwrap();
    Block::open(&paths[0]).unwrap()
}

/// The steps by which a block is written and published, but for those of its chunks.
fn block_steps(ulid: u64, middle: &[&str]) -> Vec<String> {
    let ulid = Ulid::new(ulid, [7; 10]);
    let aside = format!("{ulid}.tmp-for-creation");
    let mut steps = vec![
        format!("open {ulid}.manicule-lock"),
        format!("create folder {aside}"),
        format!("create folder {aside}/chunks"),
        format!("open {aside}/chunks/000001"),
        format!("write {aside}/chunks/000001"),
        format!("sync {aside}/chunks/000001"),
    ];
    for name in middle {
        steps.extend([format!("open {aside}/{name}"), format!("write {aside}/{name}")]);
    }
    steps.extend([
        format!("sync {aside}/chunks/000001"),
        format!("sync folder {aside}/chunks"),
        format!("sync {aside}/index"),
        format!("sync {aside}/meta.json"),
        format!("sync {aside}/tombstones"),
        format!("sync folder {aside}"),
        format!("rename {aside} {ulid}"),
        "sync folder ".to_owned(),
        format!("remove {ulid}.manicule-lock"),
    ]);
    steps
}

#[test]
fn a_merged_block_is_whole_or_not_there_after_every_step() {
    let folder = golden_folder("series", "golden");
    let sources = ["gaps", "api"].map(|name| golden(folder.path(), name));
    let make = |target: &Target, next_ulid: &mut dyn FnMut() -> Ulid| {
        let options = MergeOptions { ulid: next_ulid(), memory: 64 << 20, skip_damaged: None };
        merge(&sources, Some(target), &options, &Watch::none())
            .map(drop)
            .map_err(|error| error.to_string())
    };
    let tally = check(&make, 1);
    assert_eq!(tally.shown(), block_steps(1, &["index", "meta.json", "tombstones"]));
    assert_eq!((tally.steps.len(), tally.old, tally.new), (38, 72, 6));
}

#[test]
fn a_rewritten_block_is_whole_or_not_there_after_every_step() {
    let folder = golden_folder("series", "golden");
    let source = golden(folder.path(), "gaps");
    let make = |target: &Target, next_ulid: &mut dyn FnMut() -> Ulid| {
        let options = RewriteOptions { ulid: next_ulid(), memory: 64 << 20, skip_damaged: None };
        let made = rewrite(&source, Some(target), &Rules::default(), &options, &Watch::none());
        made.map(drop).map_err(|error| error.to_string())
    };
    let tally = check(&make, 1);
    assert_eq!(tally.shown(), block_steps(1, &["index", "meta.json", "tombstones"]));
    assert_eq!((tally.steps.len(), tally.old, tally.new), (40, 76, 6));
}

#[test]
fn the_parts_of_a_block_are_whole_or_not_there_after_every_step() {
    let folder = golden_folder("series", "golden");
    let source = golden(folder.path(), "api");
    let make = |target: &Target, next_ulid: &mut dyn FnMut() -> Ulid| {
        let parts =
            split(&source, target, SplitBy::Hash { parts: 2 }, 64 << 20, next_ulid, &Watch::none());
        parts.map(drop).map_err(|error| error.to_string())
    };
    let tally = check(&make, 2);
    assert_eq!((tally.steps.len(), tally.old, tally.new), (80, 155, 7));
}

#[test]
fn built_blocks_are_whole_or_not_there_after_every_step() {
    // Two blocks, and more samples than memory is given for: they wait in a file.
    let mut text = String::new();
    for number in 0..300 {
        text += &format!("a{{n=\"{}\"}} {number} {}\n", number % 2, number * 40);
    }
    text += "# EOF\n";
    let make = |target: &Target, next_ulid: &mut dyn FnMut() -> Ulid| {
        let options = BuildOptions { range: BLOCK_RANGE, memory: 4096 };
        let mut builder = Builder::new(target.clone(), options, next_ulid);
        builder
            .read(text.as_bytes(), Dialect::OpenMetrics)
            .and_then(|()| builder.finish(&Watch::none()))
            .map(drop)
            .map_err(|error| error.to_string())
    };
    let tally = check(&make, 2);
    let aside = format!("{}.tmp-for-creation", Ulid::new(1, [7; 10]));
    let spill = [format!("open {aside}/samples"), format!("remove {aside}/samples")];
    assert!(tally.steps.windows(2).any(|steps| *steps == spill), "{:?}", tally.steps);
    assert_eq!((tally.steps.len(), tally.old, tally.new), (53, 97, 11));
}

/// A folder with an index and the side files of other systems, which are written again.
struct Index {
    folder: tempfile::TempDir,
    block: Block,
    old: Files,
    new: Files,
}

const OPTIONS: ReindexOptions = ReindexOptions {
    memory: 64 << 20,
    symbols: SymbolChoice::All,
    label_indices: true,
    index_header: true,
    sparse_header: true,
    threads: 1,
};

impl Index {
    fn new(golden: &Path) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let block = Block::open(&golden.join("index/1000/index")).unwrap();
        let made = |options: &ReindexOptions| {
            reindex_through(&Disk::shared(), &block, folder.path(), options, &Watch::none())
                .unwrap();
            contents(folder.path())
        };
        let old = made(&OPTIONS);
        let new = made(&ReindexOptions { label_indices: false, ..OPTIONS });
        assert!(old.len() == 3 && old.iter().all(|(name, bytes)| new[name] != *bytes));
        Index { folder, block, old, new }
    }
}

impl Publisher for Index {
    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn reset(&self) {
        restore(self.root(), &self.old);
    }

    fn publish(&self, files: &SharedFiles) -> Result<(), String> {
        let options = ReindexOptions { label_indices: false, ..OPTIONS };
        let written = reindex_through(files, &self.block, self.root(), &options, &Watch::none());
        written.map(drop).map_err(|error| error.to_string())
    }

    /// The index is put last: where it is the new one all files are. Each file is the old or the
    /// new one.
    fn seen(&self) -> Result<Seen, String> {
        let mut now = contents(self.root());
        now.retain(|name, _| self.old.contains_key(name));
        let is_known = |(name, bytes): (&String, &Vec<u8>)| {
            *bytes == self.old[name] || *bytes == self.new[name]
        };
        match (now.len(), now.iter().all(is_known), now["index"] == self.new["index"]) {
            (3, true, false) => Ok(Seen::Old),
            (3, true, true) if now == self.new => Ok(Seen::New),
            _ => Err(format!("{:?}", names(self.root()))),
        }
    }

    fn litter(&self) -> Vec<String> {
        names(self.root()).into_iter().filter(|name| !self.old.contains_key(name)).collect()
    }
}

#[test]
fn an_index_that_is_written_again_is_the_old_or_the_new_after_every_step() {
    let golden = golden_folder("series", "golden");
    let tally = at_every_step(&Index::new(golden.path()));
    let want = [
        "open index.tmp",
        "open index-header.tmp",
        "open sparse-index-header.tmp",
        "write index-header.tmp",
        "write index.tmp",
        "write index-header.tmp",
        "write index.tmp",
        "write index-header.tmp",
        "write index.tmp",
        "write index-header.tmp",
        "write sparse-index-header.tmp",
        "sync index-header.tmp",
        "rename index-header.tmp index-header",
        "sync sparse-index-header.tmp",
        "rename sparse-index-header.tmp sparse-index-header",
        "sync index.tmp",
        "rename index.tmp index",
        "sync folder ",
    ];
    assert_eq!(tally.shown(), want);
    assert_eq!((tally.steps.len(), tally.old, tally.new), (37, 72, 4));
}
