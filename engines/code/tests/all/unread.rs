//! A folder that has not changed is told by looks alone, and only where they prove it.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use manicule_code::shards::{IndexOptions, IndexReport, Linguist, SEEN, Unchanged, index};
use manicule_core::watch::Watch;
use manicule_testkit::{contents, tree_folder};

use super::identity::options;

/// Long after every change.
const LATER: u64 = u64::MAX;

struct Lamps {
    _folder: tempfile::TempDir,
    documents: PathBuf,
    output: PathBuf,
    cache: PathBuf,
}

impl Lamps {
    /// Twenty documents and a link, and their shards.
    fn new() -> Self {
        let folder = tree_folder();
        let (documents, output) = (folder.path().join("lamps"), folder.path().join("output"));
        fs::create_dir_all(documents.join("sub")).unwrap();
        for number in 0..20 {
            let text = format!("lamp {number} is lit\n").repeat(number);
            fs::write(documents.join(format!("sub/{number}.txt")), text).unwrap();
        }
        std::os::unix::fs::symlink("sub/1.txt", documents.join("link")).unwrap();
        let cache = folder.path().join("cache/not/there/yet");
        let lamps = Lamps { _folder: folder, documents, output, cache };
        let first = lamps.index(LATER);
        assert!(!first.is_unchanged && first.shards.len() > 1);
        lamps
    }

    fn file(&self, name: &str) -> PathBuf {
        self.documents.join(name)
    }

    fn index(&self, now_ns: u64) -> IndexReport {
        self.index_with(now_ns, |_| {})
    }

    fn index_with(&self, now_ns: u64, change: impl FnOnce(&mut IndexOptions<'_>)) -> IndexReport {
        let linguist = Linguist::default();
        let mut options = IndexOptions {
            shard_len_max: 1000,
            cache: Some(self.cache.clone()),
            now_ns,
            unchanged: Unchanged::Stays,
            ..options(&self.documents, &self.output, &linguist)
        };
        change(&mut options);
        index(&options, &Watch::none()).unwrap()
    }

    /// The next run reads the documents, and finds whether they have changed; the one after it
    /// need not.
    fn check_read(&self, is_unchanged: bool, why: &str) {
        let read = self.index(LATER);
        assert_eq!((read.is_unread, read.is_unchanged), (false, is_unchanged), "{why}");
        self.check_unread(why);
    }

    fn check_unread(&self, why: &str) {
        assert!(self.index(LATER).is_unread, "{why}");
    }
}

fn now_ns(path: &Path) -> u64 {
    let modified = fs::metadata(path).unwrap().modified().unwrap();
    modified.duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos() as u64
}

#[test]
fn an_unchanged_folder_is_not_read() {
    let lamps = Lamps::new();
    let before = contents(&lamps.output);
    let unread = lamps.index(LATER);
    assert!(unread.is_unread && unread.is_unchanged);
    assert_eq!(contents(&lamps.output), before);
    // What it tells is what reading would.
    fs::remove_file(lamps.cache.join(SEEN)).unwrap();
    let mut read = lamps.index(LATER);
    assert!(!read.is_unread);
    read.is_unread = true;
    assert_eq!(read, unread);
    assert_eq!(contents(&lamps.output), before);
}

#[test]
fn whatever_changes_is_read() {
    let lamps = Lamps::new();
    let number_7 = fs::read_to_string(lamps.file("sub/7.txt")).unwrap();
    fs::write(lamps.file("sub/7.txt"), number_7.replace("lit", "out")).unwrap();
    lamps.check_read(false, "a document of the same length");
    fs::rename(lamps.file("sub/7.txt"), lamps.file("sub/7b.txt")).unwrap();
    lamps.check_read(false, "a name");
    fs::write(lamps.file("sub/7b.txt.swap"), number_7.replace("lit", "out")).unwrap();
    fs::rename(lamps.file("sub/7b.txt.swap"), lamps.file("sub/7b.txt")).unwrap();
    lamps.check_read(true, "a file in the place of one with the same bytes");
    fs::remove_file(lamps.file("link")).unwrap();
    std::os::unix::fs::symlink("sub/2.txt", lamps.file("link")).unwrap();
    lamps.check_read(false, "a link");
    fs::write(lamps.file("new"), "a new lamp").unwrap();
    lamps.check_read(false, "a document more");
    fs::remove_file(lamps.file("new")).unwrap();
    lamps.check_read(false, "a document less");
    fs::create_dir(lamps.file(".sourcegraph")).unwrap();
    fs::write(lamps.file(".sourcegraph/ignore"), "sub/3.txt\n").unwrap();
    lamps.check_read(false, "rules");
}

#[test]
fn other_options_and_shards_are_read() {
    let lamps = Lamps::new();
    let other = |change: fn(&mut IndexOptions<'_>)| {
        let report = lamps.index_with(LATER, change);
        assert!(!report.is_unread && !report.is_unchanged);
        assert!(!lamps.index(LATER).is_unread);
        lamps.check_unread("after other options");
    };
    other(|options| options.limits.trigrams_max = 5);
    other(|options| options.limits.size_max = 100);
    other(|options| options.shard_len_max = 1500);
    other(|options| options.repository.rank = 7);
    other(|options| options.zoekt_version = "other".to_owned());
    let forced = lamps.index_with(LATER, |o| o.unchanged = Unchanged::IsWrittenAgain);
    assert!(!forced.is_unread && !forced.is_unchanged);
    lamps.check_unread("after --force");

    let shard = lamps.output.join("lamps_v16.00001.zoekt");
    let mut bytes = fs::read(&shard).unwrap();
    bytes[9] ^= 1;
    fs::write(&shard, &bytes).unwrap();
    lamps.check_read(false, "a damaged shard");
    let sums = fs::read_to_string(lamps.cache.join(SEEN)).unwrap();
    assert_eq!(sums.lines().count(), 1, "{sums}");
    fs::write(lamps.cache.join(SEEN), &sums[..sums.len() - 2]).unwrap();
    lamps.check_read(true, "a sum that is cut");
    let no_cache = lamps.index_with(LATER, |options| options.cache = None);
    assert!(no_cache.is_unchanged && !no_cache.is_unread);
}

#[test]
fn what_may_change_unseen_is_read() {
    let lamps = Lamps::new();
    let newest = lamps.file("sub/19.txt");
    fs::write(&newest, "just now").unwrap();
    let now = now_ns(&newest);
    assert!(!lamps.index(now).is_unchanged);
    assert!(!lamps.index(now).is_unread, "its next change may get the same time");
    lamps.check_read(true, "settled");

    let open = File::options().append(true).open(&newest).unwrap();
    lamps.index_with(LATER, |options| options.unchanged = Unchanged::IsWrittenAgain);
    assert!(!lamps.index(LATER).is_unread, "somebody has it open for writing");
    drop(open);
    lamps.check_read(true, "closed");
}
