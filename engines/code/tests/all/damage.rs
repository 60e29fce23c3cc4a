//! Damaged indexes: every file of one cut and flipped in many places. A search gives what a plain
//! walk gives, whatever the bytes say; what it finds damaged it asks to have built from scratch;
//! and an index built from scratch is in order.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use manicule_code::tree::{
    BuildOptions, Candidate, Flow, IndexUse, Look, Narrow, Nul, Order, Outcome, Reach, Request,
    Reuse, Rules, TreeCounts, Visit, WhenBusy, build, list, verify, visit,
};
use manicule_core::findings::Verified;
use manicule_core::pattern::{self, Dialect, Limits};
use manicule_core::watch::Watch;

fn now_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64)
}

/// A tree of 62 files in 6 folders, some larger than a piece, one with a NUL, and its index in a
/// cache beside it.
struct Planted {
    _folder: tempfile::TempDir,
    tree: PathBuf,
    cache: PathBuf,
    /// Where the index lies.
    dir: PathBuf,
}

/// In one file, in some, in all, in none; with a gram that lists are dense for and one that no list
/// has.
const LITERALS: [&str; 5] = ["needle_17", "seldom word", "every file", "nowhere at all", "§ 12"];

fn plant() -> Planted {
    let folder = manicule_testkit::tree_folder();
    let root = folder.path().canonicalize().unwrap();
    let (tree, cache) = (root.join("tree"), root.join("cache"));
    for number in 0..60usize {
        let place = tree.join(format!("folder{}", number % 6));
        fs::create_dir_all(&place).unwrap();
        let mut text = format!("every file has this\nneedle_{number}\n");
        if number % 7 == 0 {
            text += "a seldom word, § 12\n";
        }
        for line in 0..number * number / 2 {
            text += &format!("line {line} of {number}, {:x}\n", line * 7919 * (number + 1));
        }
        if number == 33 {
            text += "then\0a NUL\nneedle_17 behind it\n";
        }
        fs::write(place.join(format!("file{number}.txt")), text).unwrap();
    }
    fs::write(tree.join("folder5/twin_a.txt"), "a noodle\n").unwrap();
    fs::write(tree.join("folder5/twin_b.txt"), "a beetle\n").unwrap();
    fs::write(tree.join(".ignore"), "*.skip\n").unwrap();
    fs::write(tree.join("left.skip"), "needle_17\n").unwrap();
    // The index is sure only of what has settled.
    std::thread::sleep(Duration::from_millis(60));
    rebuild(&tree, &cache);
    let dir = list(&cache).unwrap()[0].path.clone();
    Planted { _folder: folder, tree, cache, dir }
}

fn rebuild(tree: &Path, cache: &Path) {
    rebuild_at(tree, cache, &now_ns);
}

fn rebuild_at(tree: &Path, cache: &Path, clock: &(dyn Fn() -> u64 + Sync)) {
    let options = BuildOptions {
        cache,
        reuse: Reuse::Nothing,
        when_busy: WhenBusy::GiveUp,
        threads: 2,
        memory: 64 << 20,
        cache_len_max: u64::MAX,
        clock,
    };
    build(tree, &options, &Watch::none()).unwrap();
}

/// Collects the paths of files that hold a literal.
struct Grep<'a> {
    literal: &'a str,
    found: &'a Mutex<BTreeSet<PathBuf>>,
}

fn holds(text: &[u8], literal: &str) -> bool {
    let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
    text.windows(literal.len()).any(|window| window == literal.as_bytes())
}

impl Visit for Grep<'_> {
    fn file(&mut self, candidate: Candidate<'_>) -> Flow {
        let mut text = Vec::new();
        match candidate.file {
            Some(mut file) => drop(file.read_to_end(&mut text).unwrap()),
            None => text = fs::read(candidate.path).unwrap(),
        }
        if holds(&text, self.literal) {
            self.found.lock().unwrap().insert(candidate.path.to_owned());
        }
        Flow::Continue
    }

    fn may_match(&mut self, text: &[u8]) -> bool {
        holds(text, self.literal)
    }

    fn left_out(&mut self, _: u64, _: u64) {}

    fn error(&mut self, error: &ignore::Error) -> Flow {
        panic!("{error}");
    }

    fn warning(&mut self, _: &ignore::Error) {}
}

fn grep(planted: &Planted, literal: &str, index: Option<IndexUse>) -> (BTreeSet<PathBuf>, Outcome) {
    let need = pattern::need(&[literal], &Dialect::RIPGREP, &Limits::USUAL).unwrap();
    let request = Request {
        paths: vec![planted.tree.clone()],
        rules: Rules::plain(planted.tree.clone()),
        order: Order::Any,
        threads: 1,
        look: Look::Matches(Narrow { need, reach: Reach::Line, nul: Nul::EndsText }),
        index,
        notice: None,
    };
    let found = Mutex::default();
    let outcome = visit(&request, &Watch::none(), &|| Box::new(Grep { literal, found: &found }));
    (found.into_inner().unwrap(), outcome)
}

impl Planted {
    fn index_use(&self, max_age: Option<Duration>) -> IndexUse {
        IndexUse { cache: self.cache.clone(), max_age, clock: now_ns }
    }

    fn verify(&self) -> Verified<TreeCounts> {
        verify(Some(&self.cache), &self.tree, 2, &Watch::none()).unwrap().0
    }

    /// The index's files that have bytes, but for the lock.
    fn files(&self) -> Vec<(String, Vec<u8>)> {
        let read = |path: PathBuf| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read(path).unwrap())
        };
        let entries = fs::read_dir(&self.dir).unwrap();
        let mut files: Vec<_> = entries.map(|entry| read(entry.unwrap().path())).collect();
        files.retain(|file| file.0 != "lock" && !file.1.is_empty());
        files.sort();
        files
    }
}

/// Calls `each` with every damage of a file: cuts, flipped bytes, bytes after its end.
fn damages(bytes: &[u8], count: usize, mut each: impl FnMut(&str, &[u8])) {
    let step = bytes.len().div_ceil(count).max(1);
    // Odd steps, so that all places within a row come up; and every byte of header and footer.
    let places = (0..bytes.len()).step_by(step | 1);
    let ends = (0..16).chain(bytes.len().saturating_sub(24)..bytes.len());
    for at in places.chain(ends) {
        each(&format!("cut at {at}"), &bytes[..at]);
        let mut flipped = bytes.to_vec();
        flipped[at] ^= 1 << (at % 8);
        each(&format!("flipped at {at}"), &flipped);
    }
    each("longer", &[bytes, b"more"].concat());
    let mut page = bytes.to_vec();
    let len = page.len().min(4096);
    page[..len].fill(0);
    each("first page zero", &page);
}

#[test]
fn a_damaged_index_never_gives_a_wrong_answer() {
    let planted = plant();
    let truth = LITERALS.map(|literal| grep(&planted, literal, None).0);
    assert_eq!(truth.each_ref().map(BTreeSet::len), [1, 9, 60, 0, 9]);
    for (literal, truth) in LITERALS.iter().zip(&truth) {
        let (found, outcome) = grep(&planted, literal, Some(planted.index_use(None)));
        assert_eq!(&found, truth, "{literal}");
        assert_eq!(outcome.receipt.files_known, 62);
        assert!(outcome.upkeep.is_empty());
    }
    let whole = planted.verify();
    assert!(whole.verdict.is_ok(), "{:?}", whole.verdict.findings.list);
    assert_eq!((whole.counts.files_compared, whole.counts.files_changed), (62, 0));
    let files = planted.files();
    let names: Vec<&str> = files.iter().map(|file| file.0.as_str()).collect();
    assert!(matches!(names[..], ["manifest", segment] if segment.starts_with("segment-")));
    for (name, bytes) in &files {
        let path = planted.dir.join(name);
        let (mut round, mut asked) = (0, 0);
        damages(bytes, 500, |what, damaged| {
            fs::write(&path, damaged).unwrap();
            let literal = round % LITERALS.len();
            let use_index = Some(planted.index_use(None));
            let (found, outcome) = grep(&planted, LITERALS[literal], use_index);
            assert_eq!(found, truth[literal], "{name} {what}");
            // A page that this search does not touch may be damaged without its notice.
            assert!(outcome.upkeep.iter().all(|upkeep| upkeep.from_scratch), "{name} {what}");
            assert!(name != "manifest" || !outcome.upkeep.is_empty(), "{name} {what}");
            asked += usize::from(!outcome.upkeep.is_empty());
            // Nothing escapes a verification; it reads all, so not every time.
            if round % 40 == 0 {
                assert!(!planted.verify().verdict.is_ok(), "{name} {what}");
            }
            round += 1;
        });
        assert!(asked * 3 > round, "{name}: of {round} damages {asked} were noticed");
        fs::write(&path, bytes).unwrap();
    }
    assert!(planted.verify().verdict.is_ok());
}

#[test]
fn what_is_missing_or_swapped_never_gives_a_wrong_answer() {
    let planted = plant();
    let truth = grep(&planted, LITERALS[0], None).0;
    let files = planted.files();
    for (name, bytes) in &files {
        let path = planted.dir.join(name);
        fs::remove_file(&path).unwrap();
        let search = || grep(&planted, LITERALS[0], Some(planted.index_use(None))).0;
        assert_eq!(search(), truth, "{name} is missing");
        for (other, foreign) in files.iter().filter(|file| file.0 != *name) {
            fs::write(&path, foreign).unwrap();
            assert_eq!(search(), truth, "{other} instead of {name}");
        }
        fs::write(&path, bytes).unwrap();
    }
}

#[test]
fn a_damaged_check_is_not_believed() {
    let planted = plant();
    let believing = || Some(planted.index_use(Some(Duration::from_secs(600))));
    let truth = grep(&planted, LITERALS[1], None).0;
    assert_eq!(grep(&planted, LITERALS[1], believing()).0, truth);
    let path = planted.dir.join("checked");
    let bytes = fs::read(&path).unwrap();
    damages(&bytes, 100, |what, damaged| {
        fs::write(&path, damaged).unwrap();
        assert_eq!(grep(&planted, LITERALS[1], believing()).0, truth, "checked {what}");
    });
}

#[test]
fn an_index_built_anew_is_in_order() {
    let planted = plant();
    for place in 0..2 {
        // Segments built again have new names.
        let (name, bytes) = planted.files().remove(place);
        fs::write(planted.dir.join(&name), &bytes[..bytes.len() / 2]).unwrap();
        assert!(!planted.verify().verdict.is_ok(), "{name}");
        rebuild(&planted.tree, &planted.cache);
        let verified = planted.verify();
        assert!(verified.verdict.is_ok(), "{name}: {:?}", verified.verdict.findings.list);
        assert_eq!(verified.counts.files_compared, 62);
    }
}

#[test]
fn a_wrong_list_is_found_though_its_checksums_are_right() {
    let planted = plant();
    // Segments are numbered by the clock: one that stands gives both the same number.
    let noon = now_ns() + 3_600_000_000_000;
    rebuild_at(&planted.tree, &planted.cache, &|| noon);
    let segment = planted.files().remove(1);
    // The index of a tree whose twins were swapped since: every checksum is right, and the lists
    // are not.
    fs::write(planted.tree.join("folder5/twin_a.txt"), "a beetle\n").unwrap();
    fs::write(planted.tree.join("folder5/twin_b.txt"), "a noodle\n").unwrap();
    rebuild_at(&planted.tree, &planted.cache, &|| noon);
    let new = planted.files().remove(1);
    assert_eq!(new.1.len(), segment.1.len(), "the same shape, so that only the grams differ");
    fs::write(planted.dir.join(&new.0), &segment.1).unwrap();
    let verified = planted.verify();
    let told: Vec<String> =
        verified.verdict.findings.list.iter().map(ToString::to_string).collect();
    let of = |gram: &str, says: &str| {
        let wanted = format!("gram {gram:?}: piece ");
        told.iter().any(|line| line.contains(&wanted) && line.ends_with(says))
    };
    assert!(of("bee", "twin_a.txt holds it and is not listed"), "{told:?}");
    assert!(of("noo", "twin_a.txt is listed and does not hold it"), "{told:?}");
    assert!(told.iter().all(|line| line.contains("section lists, offset ")), "{told:?}");
    assert!(told.iter().all(|line| line.contains("folder5/twin_")), "{told:?}");
}

/// Who has a file open for writing keeps it unsure, and no index is renewed before that may have
/// ended.
#[test]
fn many_unsure_files_have_the_index_renewed_after_a_while() {
    let planted = plant();
    let many = planted.tree.join("many");
    fs::create_dir(&many).unwrap();
    let open: Vec<fs::File> =
        (0..300).map(|number| fs::File::create(many.join(number.to_string())).unwrap()).collect();
    std::thread::sleep(Duration::from_millis(60));
    rebuild(&planted.tree, &planted.cache);
    drop(open);
    let upkeep = |clock: fn() -> u64| {
        let index = IndexUse { clock, ..planted.index_use(None) };
        let (_, outcome) = grep(&planted, LITERALS[3], Some(index));
        assert_eq!(outcome.receipt.opened, 300, "every call reads them");
        outcome.upkeep.len()
    };
    let later = || now_ns() + 100_000_000_000;
    assert_eq!((upkeep(now_ns), upkeep(later)), (0, 1));
    rebuild(&planted.tree, &planted.cache);
    let (_, outcome) = grep(&planted, LITERALS[3], Some(planted.index_use(None)));
    assert_eq!((outcome.receipt.opened, outcome.upkeep.len()), (0, 0), "they were closed");
}
