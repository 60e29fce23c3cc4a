//! Damaged shards, searched and asked.

use std::path::Path;
use std::sync::Mutex;

use manicule_code::shards::find::query::{Query, search};
use manicule_code::shards::find::{Admit, visit};
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
