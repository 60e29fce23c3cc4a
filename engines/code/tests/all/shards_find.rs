//! Searching zoekt's own shards finds what a plain look at every document finds: no less, and where
//! the engine says so.

mod damage;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use manicule_code::shards::ShardError;
use manicule_code::shards::find::query::{Answer, Hear, Query, search};
use manicule_code::shards::find::{
    Admit, Document, Foreseen, OpenShard, Order, Receipt, Request, ShardFiles, Skipped, Visit,
    visit,
};
use manicule_code::tree::{Flow, Look, Narrow, Nul, Reach};
use manicule_core::pattern::{Case, Dialect, Limits, need};
use manicule_core::watch::Watch;
use manicule_testkit::Rng;
use manicule_testkit::golden::golden_folder;
use regex::bytes::{Regex, RegexBuilder};

/// The folders of shards that are searched; each is of another kind.
const FOLDERS: [&str; 7] = ["ctags", "limits", "compound", "tomb", "delta", "git", "git-ctags"];

/// The folders, wherever they lie in the archive.
fn folders(root: &Path) -> Vec<PathBuf> {
    let inner = root.join("shards");
    let root = if inner.is_dir() { inner } else { root.to_owned() };
    FOLDERS.iter().map(|name| root.join(name)).collect()
}

/// What a document is known by: shard and number.
type Key = (PathBuf, usize);

#[derive(Clone, Debug)]
struct Seen {
    name: Vec<u8>,
    content: Vec<u8>,
    places: Vec<u32>,
    language: String,
    repository: Vec<u8>,
    branches: Vec<String>,
    symbols: Vec<Vec<u8>>,
}

struct Collector<'c>(&'c Mutex<BTreeMap<Key, Seen>>);

impl Visit for Collector<'_> {
    fn document(&mut self, document: &Document<'_>) -> Flow {
        let key = (document.shard.path().to_owned(), document.number);
        let ranges = document.shard.shard().symbol_ranges(document.number);
        let ranges =
            ranges.unwrap_or_default().into_iter().filter(|_| !document.content.is_empty());
        let symbol =
            |range: Range<u32>| document.content[range.start as usize..range.end as usize].to_vec();
        let seen = Seen {
            name: document.name.to_vec(),
            content: document.content.to_vec(),
            places: document.places.to_vec(),
            language: document.language().to_owned(),
            repository: document.repository().map_or(Vec::new(), |own| own.name.0.clone()),
            branches: document.branches().map(str::to_owned).collect(),
            symbols: ranges.map(symbol).collect(),
        };
        let again = self.0.lock().unwrap().insert(key, seen);
        assert!(again.is_none(), "no document comes twice");
        Flow::Continue
    }
}

fn request<'r>(
    look: &'r Look,
    admit: &'r Admit,
    watch: &'r Watch<'r>,
    threads: usize,
) -> Request<'r> {
    Request { look, admit, order: Order::Any, skipped: Skipped::Kept, threads, watch }
}

fn visited(
    shards: &[OpenShard<'_>],
    look: &Look,
    threads: usize,
) -> (BTreeMap<Key, Seen>, Receipt) {
    let found = Mutex::default();
    let (admit, watch) = (Admit::all(), Watch::none());
    let receipt =
        visit(shards, &request(look, &admit, &watch, threads), &|| Box::new(Collector(&found)));
    (found.into_inner().unwrap(), receipt.expect("golden shards are sound"))
}

/// Calls back with the shards of each folder.
fn each_folder(mut call: impl FnMut(&Path, &[OpenShard<'_>])) {
    let archive = golden_folder("code", "shards");
    for folder in folders(archive.path()) {
        let files = opened(&folder).expect("a folder of shards");
        call(&folder, &shards(&files).expect("sound shards"));
    }
}

/// A pattern of pieces that occur, some of them cut out of a document.
fn pattern(rng: &mut Rng, texts: &[Vec<u8>]) -> String {
    let piece = |rng: &mut Rng| match rng.below(8) {
        0..4 => {
            let text = rng.choose(texts);
            let text = String::from_utf8_lossy(text);
            let chars: Vec<char> = text.chars().filter(|char| *char != '\n').collect();
            if chars.is_empty() {
                return "lamp".to_owned();
            }
            let start = rng.below(chars.len());
            let len = 1 + rng.below(9);
            let cut: String = chars[start..(start + len).min(chars.len())].iter().collect();
            regex_syntax::escape(&cut)
        }
        4 => {
            rng.pick(&["lamp", "func", "日本", "é", "ring", "Kelvin", "ß", "ſ", "xyzzy"]).to_owned()
        }
        5 => rng
            .pick(&["[a-f]", "[^a]", "\\w", "\\d{2}", ".", "[日本é]", "\\pL", "[A-Z]"])
            .to_owned(),
        6 => rng.pick(&["^", "$", "\\b", "a*", "(?:b|cd)?", "\\s+"]).to_owned(),
        _ => rng.pick(&["(?:lamp|ring)", "(?:a|bc|日)", "(?:func|type) ", "(?i:Row)"]).to_owned(),
    };
    let count = 1 + rng.below(3);
    let parts: Vec<String> = (0..count).map(|_| piece(rng)).collect();
    parts.join(rng.pick(&["", "", ".*", "|"]))
}

#[test]
fn no_match_is_missed_and_places_tell_where() {
    each_folder(|folder, shards| {
        let (all, _) = visited(shards, &Look::Contents, 1);
        assert!(all.len() > 3, "{folder:?}");
        let texts: Vec<Vec<u8>> = all.values().map(|seen| seen.content.clone()).collect();
        let mut rng = Rng::new(1);
        let mut narrowed = 0;
        for round in 0..400 {
            let pattern = pattern(&mut rng, &texts);
            let folds = rng.one_in(2);
            let regex =
                RegexBuilder::new(&pattern).multi_line(true).case_insensitive(folds).build();
            let Ok(regex) = regex else { continue };
            let case = if folds { Case::Insensitive } else { Case::Sensitive };
            let dialect = Dialect { case, ..Dialect::RIPGREP };
            let need = need(&[&pattern], &dialect, &Limits::USUAL).expect("the matcher took it");
            let look = Look::Matches(Narrow { need, reach: Reach::Lines, nul: Nul::IsRead });
            let (found, receipt) = visited(shards, &look, 1 + round % 2);
            narrowed += u32::from(receipt.candidates < receipt.documents);
            for (key, seen) in &all {
                let told =
                    format!("{pattern:?} folds {folds} in {key:?} {:?}", seen.name.escape_ascii());
                let Some(candidate) = found.get(key) else {
                    assert!(!regex.is_match(&seen.content), "missed: {told}");
                    continue;
                };
                if candidate.places.is_empty() {
                    continue;
                }
                assert!(candidate.places.is_sorted(), "{told}");
                for hit in regex.find_iter(&seen.content) {
                    let overlaps = |place: &u32| hit.range().contains(&(*place as usize));
                    assert!(candidate.places.iter().any(overlaps), "{hit:?}: {told}");
                }
            }
        }
        assert!(narrowed > 100, "the index narrowed {narrowed} times only in {folder:?}");
    });
}

/// A part of a query, and what it means.
enum Part {
    Content(Regex),
    Name(Regex),
    Either(Regex),
    Language(String),
    Repository(Regex),
    Branch(&'static str),
    Symbol(Regex),
    Not(Box<Part>),
    All(Vec<Part>),
    Any(Vec<Part>),
}

impl Part {
    fn holds(&self, seen: &Seen) -> bool {
        match self {
            Part::Content(regex) => regex.is_match(&seen.content),
            Part::Name(regex) => regex.is_match(&seen.name),
            Part::Either(regex) => regex.is_match(&seen.content) || regex.is_match(&seen.name),
            Part::Language(name) => seen.language.to_lowercase() == *name,
            Part::Repository(regex) => regex.is_match(&seen.repository),
            Part::Branch(name) => seen.branches.iter().any(|own| own.contains(name)),
            Part::Symbol(regex) => seen.symbols.iter().any(|own| regex.is_match(own)),
            Part::Not(inner) => !inner.holds(seen),
            Part::All(parts) => parts.iter().all(|part| part.holds(seen)),
            Part::Any(parts) => parts.iter().any(|part| part.holds(seen)),
        }
    }
}

/// A random query and its meaning. Words are of ASCII, so that case is plain.
fn part(rng: &mut Rng, depth: usize) -> (String, Part) {
    const WORDS: [&str; 12] = [
        "lamp",
        "ring",
        "func",
        "Row",
        "if",
        "x",
        "tide",
        "[0-9]{2}",
        "r.ng",
        "hall$",
        "no.*lamp",
        "(lamp|hall)",
    ];
    let regex = |word: &str| {
        let folds = !word.bytes().any(|byte| byte.is_ascii_uppercase());
        RegexBuilder::new(word).multi_line(true).case_insensitive(folds).build().expect(word)
    };
    let word = rng.pick(&WORDS);
    match rng.below(if depth > 2 { 9 } else { 12 }) {
        0..3 => (format!("content:{word}"), Part::Content(regex(word))),
        3 => (word.to_owned(), Part::Either(regex(word))),
        4 => {
            let name = rng.pick(&["lamp", "\\.go$", "multi", "README", "[a-c]/"]);
            (format!("file:{name}"), Part::Name(regex(name)))
        }
        5 => {
            let name = rng.pick(&["go", "python", "rust", "nosuch"]);
            (format!("lang:{name}"), Part::Language(name.to_owned()))
        }
        6 => {
            let name = rng.pick(&["small", "beta", "example", "^e"]);
            (format!("repo:{name}"), Part::Repository(Regex::new(name).expect(name)))
        }
        7 => {
            let name = rng.pick(&["Hang", "ring", "^main$", "R.w", "[A-Z]", "lamp"]);
            (format!("sym:{name}"), Part::Symbol(regex(name)))
        }
        8 => {
            let name = rng.pick(&["main", "de", "nosuch"]);
            (format!("branch:{name}"), Part::Branch(name))
        }
        9 => {
            let (text, inner) = part(rng, depth + 1);
            (format!("-{text}"), Part::Not(Box::new(inner)))
        }
        kind => {
            let (between, is_all) = if kind == 10 { (" ", true) } else { (" or ", false) };
            let parts: Vec<(String, Part)> =
                (0..2 + rng.below(2)).map(|_| part(rng, depth + 1)).collect();
            let (texts, parts): (Vec<String>, Vec<Part>) = parts.into_iter().unzip();
            let meaning = if is_all { Part::All(parts) } else { Part::Any(parts) };
            (format!("({})", texts.join(between)), meaning)
        }
    }
}

type Answers = Mutex<BTreeMap<Key, Vec<Range<usize>>>>;

struct Listener<'l>(&'l Answers);

impl Hear for Listener<'_> {
    fn answer(&mut self, answer: &Answer<'_>) -> Flow {
        let key = (answer.document.shard.path().to_owned(), answer.document.number);
        let again = self.0.lock().unwrap().insert(key, answer.matches.to_vec());
        assert!(again.is_none(), "no document answers twice");
        Flow::Continue
    }

    fn range_end(&mut self, _: usize) {}
}

fn answers(
    shards: &[OpenShard<'_>],
    text: &str,
    threads: usize,
) -> BTreeMap<Key, Vec<Range<usize>>> {
    let query = Query::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let found = Mutex::default();
    let (admit, watch) = (Admit::all(), Watch::none());
    search(shards, &query, &request(&Look::Contents, &admit, &watch, threads), &|| {
        Box::new(Listener(&found))
    })
    .expect("golden shards are sound");
    found.into_inner().unwrap()
}

#[test]
fn queries_mean_what_a_plain_look_at_every_document_says() {
    each_folder(|folder, shards| {
        let (all, _) = visited(shards, &Look::Contents, 1);
        let mut rng = Rng::new(2);
        for round in 0..300 {
            let (text, meaning) = part(&mut rng, 0);
            let found = answers(shards, &text, 1 + round % 3);
            let want: Vec<&Key> =
                all.iter().filter(|(_, seen)| meaning.holds(seen)).map(|(key, _)| key).collect();
            assert_eq!(found.keys().collect::<Vec<_>>(), want, "{text} in {folder:?}");
        }
    });
}

#[test]
fn the_matches_of_a_word_are_those_of_its_regex() {
    each_folder(|folder, shards| {
        let (all, _) = visited(shards, &Look::Contents, 1);
        for word in ["lamp", "r.ng", "no.*lamp", "[a-z]+_[a-z]+", "^$", "hall$", "lamp|ring"] {
            let regex = RegexBuilder::new(word)
                .multi_line(true)
                .case_insensitive(true)
                .build()
                .expect(word);
            let found = answers(shards, &format!("content:{word}"), 2);
            for (key, matches) in &found {
                let content = &all[key].content;
                if std::str::from_utf8(content).is_err() {
                    continue;
                }
                let want: Vec<_> = regex.find_iter(content).map(|hit| hit.range()).collect();
                assert_eq!(*matches, want, "{word} in {folder:?} {key:?}");
            }
        }
    });
}

#[test]
fn tombstones_take_documents_out() {
    let archive = golden_folder("code", "shards");
    let count = |name: &str| {
        let index = FOLDERS.iter().position(|folder| *folder == name).expect(name);
        let files = opened(&folders(archive.path())[index]).expect(name);
        visited(&shards(&files).expect(name), &Look::Names, 1).0.len()
    };
    assert_eq!((count("compound"), count("tomb"), count("delta")), (11, 7, 16));
}

#[test]
fn what_was_not_indexed_can_be_left_out_and_is_counted() {
    each_folder(|_, shards| {
        let (all, _) = visited(shards, &Look::Contents, 1);
        let skipped =
            all.values().filter(|seen| seen.content.starts_with(b"NOT-INDEXED: ")).count();
        let census = manicule_code::shards::find::census(shards, &Admit::all()).expect("sound");
        assert_eq!(
            census.not_indexed.fields().iter().map(|field| field.1).sum::<u64>(),
            skipped as u64
        );
        assert_eq!(census.documents + skipped as u64, all.len() as u64);
    });
}

#[test]
fn a_stop_and_a_deadline_end_a_call() {
    each_folder(|_, shards| {
        let (admit, found) = (Admit::all(), Mutex::default());
        for watch in [Watch::none(), Watch::none().until(5, || 5)] {
            let is_deadline = watch_is_due(&watch);
            let request = request(&Look::Contents, &admit, &watch, 2);
            let receipt = visit(shards, &request, &|| Box::new(Collector(&found)));
            assert_eq!(receipt.expect("sound").visited, 0);
            assert_eq!(watch.deadline_passed(), is_deadline);
        }
    });
}

/// Stops what has no deadline; whether there is one.
fn watch_is_due(watch: &Watch<'_>) -> bool {
    let is_deadline = format!("{watch:?}").contains("Some");
    if !is_deadline {
        watch.cancel();
    }
    is_deadline
}

/// The files of shards, if all of them can be read.
fn opened(path: &Path) -> Result<ShardFiles, ShardError> {
    let mut first = None;
    let files = ShardFiles::open(path, &mut |error| first = first.take().or(Some(error)))?;
    first.map_or(Ok(files), Err)
}

/// The shards, if all of them are sound.
fn shards(files: &ShardFiles) -> Result<Vec<OpenShard<'_>>, ShardError> {
    let mut first = None;
    let shards = files.shards(Foreseen::Texts, &mut |error| first = first.take().or(Some(error)));
    first.map_or(Ok(shards), Err)
}

#[test]
fn one_bad_shard_or_sidecar_does_not_hide_the_others() {
    let archive = golden_folder("code", "shards");
    let whole = |name: &str| {
        let from = archive.path().join("shards").join(name);
        std::fs::read(&manicule_code::shards::list(&from).expect("a folder")[0]).expect("a shard")
    };
    let (sound, other) = (whole("git-ctags"), whole("compound"));
    let folder = tempfile::tempdir().expect("a folder");
    let put = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.path().join(name), bytes).expect("room");
    };
    put("a_v16.00000.zoekt", &sound);
    put("b_v17.00000.zoekt", &other);
    put("b_v17.00000.zoekt.meta", b"no JSON");
    put("cut_v16.00000.zoekt", &sound[..700]);
    put("empty_v16.00000.zoekt", b"");
    put("z_v16.plan", b"manicule plan 1\nmany\n");
    std::fs::create_dir(folder.path().join("folder_v16.00000.zoekt")).expect("a folder");
    let gone = folder.path().join("gone_v16.00000.zoekt");
    std::os::unix::fs::symlink("nowhere", gone).expect("a link");
    let mut told: Vec<String> = Vec::new();
    let mut failed = |error: ShardError| {
        let name = error.path().file_name().expect("a name").to_string_lossy().into_owned();
        // What is wrong is said once.
        let said = error.to_string();
        assert!(said.matches(&name).count() == 1, "{said}");
        told.push(name);
    };
    let files = ShardFiles::open(folder.path(), &mut failed).expect("a folder of shards");
    let opened = files.shards(Foreseen::Texts, &mut failed);
    assert_eq!(opened.len(), 1);
    told.sort();
    let want = [
        "b_v17.00000.zoekt.meta",
        "cut_v16.00000.zoekt",
        "empty_v16.00000.zoekt",
        "gone_v16.00000.zoekt",
        "z_v16.plan",
    ];
    assert_eq!(told, want);
    let lines = manicule_code::shards::summarise(folder.path()).expect("a folder of shards");
    assert_eq!(lines.iter().filter(|line| line.documents.is_ok()).count(), 1);
    assert_eq!(lines.len(), 6);
}

#[test]
fn what_is_no_shard_is_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let told = |path: &Path| match opened(path) {
        Err(error) => error.to_string(),
        Ok(files) => shards(&files).expect_err("no shard").to_string(),
    };
    assert!(told(folder.path()).contains("no finished shard"));
    assert!(told(&folder.path().join("none.zoekt")).contains("none.zoekt: "));
    let path = folder.path().join("a.zoekt");
    std::fs::write(&path, b"12345678").expect("a file");
    assert!(told(&path).contains("a.zoekt: "), "{}", told(&path));
}
