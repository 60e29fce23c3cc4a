//! Shards, asked while folders are indexed.

use std::fs;
use std::path::Path;
use std::sync::Mutex;

use manicule::code::search::{Answer, Hear, RepositoryEntry};
use manicule::code::tree::Flow;
use manicule::code::{IndexCall, SearchCall, Shards, index};
use manicule::watch::Watch;

use super::ask_at_once;

/// Indexes a folder with a file of a text.
pub(super) fn add(folder: &Path, name: &str, text: &str) {
    let sources = folder.join(name);
    fs::create_dir_all(&sources).unwrap();
    fs::write(sources.join(format!("{name}.txt")), text).unwrap();
    index(&IndexCall::new(sources, folder.join("shards")), &Watch::none()).unwrap();
}

struct Names<'n>(&'n Mutex<Vec<String>>);

impl Hear for Names<'_> {
    fn answer(&mut self, answer: &Answer<'_>) -> Flow {
        let name = String::from_utf8_lossy(answer.document.name).into_owned();
        self.0.lock().unwrap().push(name);
        Flow::Continue
    }

    fn range_end(&mut self, _: usize) {}
}

/// Names of the documents with a text, and those of all repositories.
fn ask(shards: &Shards, text: &str) -> [Vec<String>; 2] {
    let (moment, names) = (shards.moment(), Mutex::default());
    let opened = moment.open(&mut |error| panic!("{error}"));
    let call = SearchCall { threads: 2, ..SearchCall::new(text).unwrap() };
    opened.search(&call, &Watch::none(), &|| Box::new(Names(&names))).unwrap();
    let mut names = names.into_inner().unwrap();
    names.sort();
    let repositories = opened.list(None, &Watch::none()).unwrap();
    let name = |entry: RepositoryEntry| entry.repository.name.to_string();
    [names, repositories.into_iter().map(name).collect()]
}

/// Where the bytes of each shard lie: another map is elsewhere.
fn maps(shards: &Shards) -> Vec<*const u8> {
    let moment = shards.moment();
    let opened = moment.open(&mut |error| panic!("{error}"));
    opened
        .iter()
        .map(|shard| shard.shard().contents().text(0).expect("a document").as_ptr())
        .collect()
}

#[test]
fn shards_are_asked_by_many_threads() {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path();
    let place = folder.join("shards");
    add(folder, "one", "a lamp\n");
    add(folder, "two", "a lamp\n");
    let mut shards = Shards::default();
    shards.add(&place, &mut |error| panic!("{error}")).unwrap();
    let before = ask_at_once(|| ask(&shards, "lamp"));
    assert_eq!(before, [["one.txt", "two.txt"], ["one", "two"]]);

    // One is new, one has changed, one is as it was.
    add(folder, "three", "a lamp\n");
    add(folder, "two", "a clamp, a lamp\n");
    assert_eq!(ask_at_once(|| ask(&shards, "lamp")), before);
    let (held, mapped) = (shards.moment(), maps(&shards));
    shards.look_again(&mut |error| panic!("{error}"));
    let [found, repositories] = ask_at_once(|| ask(&shards, "lamp"));
    assert_eq!((found.len(), repositories.len()), (3, 3));
    assert_eq!(ask(&shards, "clamp")[0], ["two.txt"]);
    let kept = maps(&shards).iter().filter(|map| mapped.contains(map)).count();
    assert_eq!(kept, 1, "of three shards one is the same");
    drop(held);

    for entry in fs::read_dir(&place).unwrap().flatten() {
        if entry.file_name().to_string_lossy().starts_with("one") {
            fs::remove_file(entry.path()).unwrap();
        }
    }
    assert_eq!(ask(&shards, "lamp")[0].len(), 3);
    shards.look_again(&mut |error| panic!("{error}"));
    assert_eq!(ask(&shards, "lamp")[0], ["three.txt", "two.txt"]);

    // A folder that can't be read keeps what was seen of it.
    fs::rename(&place, folder.join("aside")).unwrap();
    let mut errors = 0;
    shards.look_again(&mut |_| errors += 1);
    assert_eq!((errors, ask(&shards, "lamp")[0].len()), (1, 2));
}
