//! The index of a tree and shards, with their publishers stopped and failed at every step: a reader
//! sees the old index or the new one, whole, and the next run leaves no litter.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use manicule_code::shards::{
    Delta, GitOptions, IGNORE_DIRS, IgnoreDirs, InCompound, IndexOptions, Limits, Linguist,
    Submodules, SymbolSource, Unchanged, index_git_through, index_through, map_shards,
};
use manicule_code::tree::{
    BuildOptions, Kept, KeptState, Reuse, WhenBusy, build_through, list, verify,
};
use manicule_core::watch::Watch;
use manicule_format_tree::manifest::Manifest;
use manicule_format_zoekt::{Repository, Shard, Text};
use manicule_store::{Disk, SharedFiles};
use manicule_testkit::steps::{Publisher, Seen, at_every_step};
use manicule_testkit::{contents, names, restore, tree_folder};

use super::git::{Lamps, Stage, git_options};

/// A tree with an index, in which files have changed since.
struct Tree {
    _folder: tempfile::TempDir,
    tree: PathBuf,
    cache: PathBuf,
    /// Where the index lies.
    dir: PathBuf,
    old: BTreeMap<String, Vec<u8>>,
    /// When the old index was made.
    made_at_ns: u64,
    now_ns: u64,
}

impl Tree {
    fn new() -> Self {
        let folder = tree_folder();
        let root = folder.path().canonicalize().unwrap();
        let (tree, cache) = (root.join("tree"), root.join("cache"));
        fs::create_dir(&tree).unwrap();
        let write = |number: usize, text: &str| {
            fs::write(tree.join(format!("{number}.txt")), text.repeat(number * 50)).unwrap();
        };
        (0..6).for_each(|number| write(number, "some text\n"));
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
        // Late enough for all times to have settled.
        let made_at_ns = now + 10_000_000_000;
        build(&Disk::shared(), &tree, &cache, made_at_ns).unwrap();
        (4..6).for_each(|number| write(number, "other words\n"));
        let dir = list(&cache).unwrap()[0].path.clone();
        let (old, now_ns) = (contents(&dir), made_at_ns + 10_000_000_000);
        Tree { _folder: folder, tree, cache, dir, old, made_at_ns, now_ns }
    }
}

fn build(files: &SharedFiles, tree: &Path, cache: &Path, now_ns: u64) -> Result<(), String> {
    let options = BuildOptions {
        cache,
        reuse: Reuse::Unchanged,
        when_busy: WhenBusy::GiveUp,
        threads: 1,
        memory: 64 << 20,
        cache_len_max: u64::MAX,
        clock: &|| now_ns,
    };
    build_through(files, tree, &options, &Watch::none())
        .map(drop)
        .map_err(|error| error.to_string())
}

impl Publisher for Tree {
    fn root(&self) -> &Path {
        &self.dir
    }

    fn reset(&self) {
        restore(&self.dir, &self.old);
    }

    fn publish(&self, files: &SharedFiles) -> Result<(), String> {
        build(files, &self.tree, &self.cache, self.now_ns)
    }

    fn seen(&self) -> Result<Seen, String> {
        let kept = list(&self.cache).unwrap();
        let [Kept { state: KeptState::Whole, made_at_ns: Some(made_at_ns), .. }] = &kept[..] else {
            return Err(format!("{kept:?}"));
        };
        let (verified, _) = verify(None, &self.dir, 1, &Watch::none()).unwrap();
        match (verified.verdict.is_ok(), *made_at_ns == self.made_at_ns) {
            (false, _) => Err(format!("{:?}", verified.verdict.findings.list)),
            (true, true) => Ok(Seen::Old),
            (true, false) => Ok(Seen::New),
        }
    }

    fn litter(&self) -> Vec<String> {
        let bytes = fs::read(self.dir.join("manifest")).unwrap();
        let manifest = Manifest::open(&bytes).unwrap();
        let mut known: Vec<String> =
            manifest.segments().map(|row| format!("segment-{}", row.number)).collect();
        known.extend(["lock", "manifest"].map(str::to_owned));
        names(&self.dir).into_iter().filter(|name| !known.contains(name)).collect()
    }
}

#[test]
fn an_index_of_a_tree_is_the_old_or_the_new_after_every_step() {
    let tree = Tree::new();
    let tally = at_every_step(&tree);
    let shown: Vec<String> = tally
        .shown()
        .into_iter()
        // Segments are numbered by the clock.
        .map(|step| step.replace(&tree.made_at_ns.to_string(), "OLD"))
        .map(|step| step.replace(&(tree.made_at_ns + 1).to_string(), "NEW"))
        .map(|step| step.replace(&(tree.made_at_ns + 2).to_string(), "MERGED"))
        .collect();
    let want = [
        "open lock",
        "open segment-NEW.aside",
        "write segment-NEW.aside",
        "sync segment-NEW.aside",
        "rename segment-NEW.aside segment-NEW",
        "sync folder ",
        "open segment-MERGED.aside",
        "write segment-MERGED.aside",
        "sync segment-MERGED.aside",
        "rename segment-MERGED.aside segment-MERGED",
        "sync folder ",
        "open manifest.aside",
        "write manifest.aside",
        "sync manifest.aside",
        "rename manifest.aside manifest",
        "sync folder ",
        "remove segment-OLD",
        "remove segment-NEW",
    ];
    assert_eq!(shown, want);
    assert_eq!((tally.steps.len(), tally.old, tally.new), (18, 30, 8));
}

/// A folder of documents, and shards of what they were before: one more, and a sidecar.
struct Shards {
    folder: tempfile::TempDir,
    output: PathBuf,
    old: BTreeMap<String, Vec<u8>>,
}

const OLD: &str = "old0000000000000run0";
const NEW: &str = "new0000000000000run0";

impl Shards {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (documents, output) = (folder.path().join("documents"), folder.path().join("output"));
        fs::create_dir(&documents).unwrap();
        let write = |number: usize, text: &str| {
            fs::write(documents.join(format!("{number}.txt")), text.repeat(150)).unwrap();
        };
        (0..6).for_each(|number| write(number, "some text\n"));
        index(&Disk::shared(), &documents, &output, OLD).unwrap();
        fs::write(output.join("documents_v16.00001.zoekt.meta"), "").unwrap();
        (0..4).for_each(|number| write(number, "other words\n"));
        (4..6).for_each(|number| fs::remove_file(documents.join(format!("{number}.txt"))).unwrap());
        let old = contents(&output);
        assert_eq!(old.len(), 4, "three shards and a sidecar");
        Shards { folder, output, old }
    }
}

fn index(files: &SharedFiles, folder: &Path, output: &Path, id: &str) -> Result<(), String> {
    let options = IndexOptions {
        folder: folder.to_owned(),
        output: output.to_owned(),
        repository: Repository {
            name: "documents".into(),
            ..Repository::from_json(b"{}").unwrap()
        },
        source: Text::from("documents"),
        shard_prefix: None,
        limits: Limits { size_max: 2 << 20, trigrams_max: 20_000 },
        large_files: Vec::new(),
        ignore_dirs: IgnoreDirs::parse(IGNORE_DIRS),
        shard_len_max: 3000,
        cache: None,
        now_ns: 0,
        index_time: "2026-11-22T11:03:39Z".to_owned(),
        shard_id: id.to_owned(),
        zoekt_version: String::new(),
        classify: &Linguist::default(),
        symbols: SymbolSource::Off,
        threads: 1,
        // Documents wait in the spill.
        memory: 1,
        unchanged: Unchanged::IsWrittenAgain,
        in_compound: InCompound::Stays,
    };
    index_through(files, &options, &Watch::none()).map(drop).map_err(|error| error.to_string())
}

impl Publisher for Shards {
    fn root(&self) -> &Path {
        &self.output
    }

    fn reset(&self) {
        restore(&self.output, &self.old);
    }

    fn publish(&self, files: &SharedFiles) -> Result<(), String> {
        index(files, &self.folder.path().join("documents"), &self.output, NEW)
    }

    fn seen(&self) -> Result<Seen, String> {
        let mut said = Vec::new();
        for found in map_shards(&self.output).unwrap() {
            let found = found.unwrap();
            let shard = Shard::open(&found.bytes).unwrap();
            said.push((shard.metadata().id.clone(), shard.document_count()));
        }
        let said: Vec<(&str, _)> = said.iter().map(|(id, count)| (&id[..], *count)).collect();
        match said[..] {
            [(OLD, 2), (OLD, 2), (OLD, 2)] => Ok(Seen::Old),
            [(NEW, 2), (NEW, 2)] => Ok(Seen::New),
            _ => Err(format!("shards of two runs, or not all: {said:?}")),
        }
    }

    fn litter(&self) -> Vec<String> {
        names(&self.output).into_iter().filter(|name| !name.ends_with(".zoekt")).collect()
    }
}

#[test]
fn shards_are_the_old_or_the_new_after_every_step() {
    let tally = at_every_step(&Shards::new());
    // Shards are synced while the next ones are written: that order is not always the same.
    let plan = tally.steps.iter().position(|step| step.ends_with("plan.zoekt.tmp"));
    let want = [
        "open documents_v16.plan.zoekt.tmp",
        "write documents_v16.plan.zoekt.tmp",
        "sync documents_v16.plan.zoekt.tmp",
        "sync folder ",
        "rename documents_v16.plan.zoekt.tmp documents_v16.plan",
        "sync folder ",
        "remove documents_v16.00001.zoekt.meta",
        "rename documents_v16.00000.zoekt.tmp documents_v16.00000.zoekt",
        "rename documents_v16.00001.zoekt.tmp documents_v16.00001.zoekt",
        "remove documents_v16.00002.zoekt",
        "sync folder ",
        "remove documents_v16.plan",
    ];
    assert_eq!(tally.steps[plan.unwrap()..], want);
    let spill = "documents_v16.00000.spool.zoekt.tmp";
    let spilled = ["open", "remove", "write"].map(|step| format!("{step} {spill}"));
    assert_eq!(tally.steps[1..4], spilled);
    assert_eq!((tally.steps.len(), tally.old, tally.new), (79, 144, 16));
}

/// A git repository whose branch has moved since its shards were made.
struct Commits {
    lamps: Lamps,
    git: GitOptions,
    output: PathBuf,
    old: BTreeMap<String, Vec<u8>>,
}

impl Commits {
    fn new() -> Self {
        let lamps = Lamps::new();
        let whole = git_options(Submodules::Off);
        let output = lamps.options("lamps").output;
        index_git_through(&Disk::shared(), &whole, &lamps.options("lamps"), &Watch::none())
            .unwrap();
        lamps.at(Stage::Second);
        let old = contents(&output);
        let git = GitOptions { delta: Delta::UpTo(0), ..whole };
        Commits { lamps, git, output, old }
    }
}

impl Publisher for Commits {
    fn root(&self) -> &Path {
        &self.output
    }

    fn reset(&self) {
        restore(&self.output, &self.old);
    }

    fn publish(&self, files: &SharedFiles) -> Result<(), String> {
        let options = IndexOptions { threads: 1, ..self.lamps.options("lamps") };
        index_git_through(files, &self.git, &options, &Watch::none())
            .map(drop)
            .map_err(|error| error.to_string())
    }

    fn seen(&self) -> Result<Seen, String> {
        // Of each shard, its documents and the paths that are gone from it.
        let mut said = Vec::new();
        for found in map_shards(&self.output).unwrap() {
            let found = found.unwrap();
            let mut shard = Shard::open(&found.bytes).unwrap();
            if let Some(sidecar) = &found.sidecar {
                shard.replace_repositories(&sidecar.bytes).unwrap();
            }
            let gone = shard.repositories()[0].file_tombstones.clone().unwrap_or_default();
            said.push((shard.document_count(), gone.len()));
        }
        match said[..] {
            [(_, 0)] => Ok(Seen::Old),
            [(_, 2), (_, 0)] => Ok(Seen::New),
            _ => Err(format!("a part of a delta: {said:?}")),
        }
    }

    fn litter(&self) -> Vec<String> {
        let is_ours = |name: &String| name.ends_with(".zoekt") || name.ends_with(".zoekt.meta");
        names(&self.output).into_iter().filter(|name| !is_ours(name)).collect()
    }
}

#[test]
fn a_delta_is_there_or_not_after_every_step() {
    let tally = at_every_step(&Commits::new());
    let plan = tally.steps.iter().position(|step| step == "open lamps_v16.00000.zoekt.meta.tmp");
    let want = [
        "open lamps_v16.00000.zoekt.meta.tmp",
        "write lamps_v16.00000.zoekt.meta.tmp",
        "sync lamps_v16.00000.zoekt.meta.tmp",
        "open lamps_v16.plan.zoekt.tmp",
        "write lamps_v16.plan.zoekt.tmp",
        "sync lamps_v16.plan.zoekt.tmp",
        "sync folder ",
        "rename lamps_v16.plan.zoekt.tmp lamps_v16.plan",
        "sync folder ",
        "rename lamps_v16.00000.zoekt.meta.tmp lamps_v16.00000.zoekt.meta",
        "rename lamps_v16.00001.zoekt.tmp lamps_v16.00001.zoekt",
        "sync folder ",
        "remove lamps_v16.plan",
        "remove lamps_v16.00000.zoekt.tmp",
    ];
    assert_eq!(tally.steps[plan.unwrap()..], want);
    assert!(tally.old > 0 && tally.new > 0);
}
