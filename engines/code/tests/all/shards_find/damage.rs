//! Damaged shards, searched and asked.

use std::path::Path;
use std::sync::Mutex;

use manicule_code::shards::find::query::{Query, search};
use manicule_code::shards::find::{Admit, Foreseen, ShardFiles, visit};
use manicule_code::tree::{Look, Narrow, Nul, Reach};
use manicule_core::pattern::{Dialect, Limits, need};
use manicule_core::watch::Watch;
use manicule_testkit::Rng;
use manicule_testkit::golden::golden_folder;

use super::{Collector, Listener, opened, request, shards};

/// Looks for `pattern` in the shard at `path`, whatever its bytes say; how many documents came, if
/// it was searched.
fn searched(path: &Path, pattern: &str) -> Option<u64> {
    let files = opened(path).ok()?;
    let shards = shards(&files).ok()?;
    let need = need(&[pattern], &Dialect::RIPGREP, &Limits::USUAL).expect("a pattern");
    let look = Look::Matches(Narrow { need, reach: Reach::Line, nul: Nul::IsRead });
    let (found, admit, watch) = (Mutex::default(), Admit::all(), Watch::none());
    let receipt =
        visit(&shards, &request(&look, &admit, &watch, 1), &|| Box::new(Collector(&found)));
    receipt.ok().map(|receipt| receipt.visited)
}

/// The same with a query.
fn queried(path: &Path, query: &str) -> Option<u64> {
    let files = opened(path).ok()?;
    let shards = shards(&files).ok()?;
    let query = Query::parse(query).expect("a query");
    let (found, admit, watch) = (Mutex::default(), Admit::all(), Watch::none());
    let request = request(&Look::Contents, &admit, &watch, 1);
    let receipt = search(&shards, &query, &request, &|| Box::new(Listener(&found)));
    receipt.ok().map(|receipt| receipt.visited)
}

#[test]
fn damaged_shards_give_errors_or_answers_and_nothing_else() {
    let archive = golden_folder("code", "shards");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a_v16.00000.zoekt");
    let mut rng = Rng::new(3);
    let (mut refused, mut answered) = (0, 0);
    for name in ["git-ctags", "compound"] {
        let from = archive.path().join("shards").join(name);
        let shard = manicule_code::shards::list(&from).expect("a folder")[0].clone();
        let whole = std::fs::read(shard).expect("a shard");
        let mut try_out = |bytes: &[u8]| {
            std::fs::write(&path, bytes).expect("room");
            for pattern in ["lamp", "[a-z]+ring", "é"] {
                match searched(&path, pattern) {
                    None => refused += 1,
                    Some(_) => answered += 1,
                }
            }
            for query in ["lang:go file:a -lamp (ring or wick)", "sym:[a-z] branch:main"] {
                match queried(&path, query) {
                    None => refused += 1,
                    Some(_) => answered += 1,
                }
            }
        };
        for len in (0..whole.len()).step_by(7) {
            try_out(&whole[..len]);
        }
        for at in (0..whole.len()).step_by(3) {
            let mut bytes = whole.clone();
            bytes[at] ^= 1 << rng.below(8);
            try_out(&bytes);
        }
    }
    assert!(refused > 1000 && answered > 1000, "{refused} refused, {answered} answered");
}

#[test]
fn a_document_is_compared_with_its_checksum_where_its_content_is_read() {
    let archive = golden_folder("code", "shards");
    let from = archive.path().join("shards/git-ctags");
    let path = manicule_code::shards::list(&from).expect("a folder")[0].clone();
    let mut bytes = std::fs::read(&path).expect("a shard");
    let (name, at) = {
        let files = ShardFiles::open(&path, &mut |error| panic!("{error}")).expect("a shard");
        let shards = files.shards(Foreseen::Texts, &mut |error| panic!("{error}"));
        let shard = shards[0].shard();
        let text = |number| (shard.names().text(number), shard.contents().texts().range(number));
        let (name, range) = text(shard.document_count() - 1);
        (String::from_utf8_lossy(name.expect("a name")).into_owned(), range.expect("a place").start)
    };
    bytes[at as usize] ^= 1;
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("a_v16.00000.zoekt");
    std::fs::write(&path, bytes).expect("space");
    let name = regex::escape(&name);
    for (query, is_answered) in [
        // Found in the name, and handed to whoever asks.
        (format!("file:^{name}$"), false),
        // Looked for, whether it is there or not.
        ("content:é|~".to_owned(), false),
        ("-content:é|~".to_owned(), false),
        (format!("file:^{name}$ content:xyzzyé|~"), false),
        // Left out by its name.
        (format!("-file:^{name}$"), true),
        (format!("-file:^{name}$ content:é|~"), true),
    ] {
        assert_eq!(queried(&path, &query).is_some(), is_answered, "{query}");
    }
}
