//! Symbols of documents that wait for ctags side by side.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use manicule_code::shards::{
    CtagsError, IndexError, IndexOptions, IndexReport, Linguist, SymbolSource, index,
};
use manicule_core::watch::Watch;

use super::identity::{options, shards_in};

/// Answers each request with a tag of the document's own word, but dies on names with `bad`.
const CTAGS: &str = r#"#!/bin/sh
echo '{"_type":"program","name":"Universal Ctags"}'
while read -r request; do
  read -r word
  case $request in *bad*) exit 3;; esac
  echo '{"_type":"tag","name":"'"$word"'","line":1,"kind":"k"}'
  echo '{"_type":"completed","command":"generate-tags"}'
done
"#;

/// Puts the text of a program that answers as ctags does into a folder.
pub(super) fn put_ctags(folder: &Path, text: &str) -> PathBuf {
    let program = folder.join("ctags");
    fs::write(&program, text).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    program
}

/// Indexes documents with the symbols of such a program.
pub(super) fn indexed(
    documents: &Path,
    output: &Path,
    program: PathBuf,
    change: impl FnOnce(&mut IndexOptions<'_>),
) -> IndexReport {
    let linguist = Linguist::default();
    let symbols = SymbolSource::Ctags { program, must_succeed: false };
    let mut options = IndexOptions { symbols, ..options(documents, output, &linguist) };
    change(&mut options);
    loop {
        match index(&options, &Watch::none()) {
            // Another test's child has the file open, from its start to its exec.
            Err(IndexError::Symbols(CtagsError::Start { source, .. }))
                if source.kind() == io::ErrorKind::ExecutableFileBusy => {}
            done => return done.unwrap(),
        }
    }
}

#[test]
fn documents_behind_one_that_ctags_fails_on_have_their_symbols() {
    let folder = tempfile::tempdir().unwrap();
    let (documents, program) = (folder.path().join("documents"), put_ctags(folder.path(), CTAGS));
    fs::create_dir(&documents).unwrap();
    let is_bad = |number: usize| [3, 50, 51, 119].contains(&number);
    for number in 0..120 {
        let name = if is_bad(number) { "bad" } else { "good" };
        // Other words in each: symbols of another document would not be found in it.
        let word = format!("word{number}");
        fs::write(documents.join(format!("{number:03}{name}.go")), word + "\n").unwrap();
    }
    let mut shards = Vec::new();
    for threads in [1, 3] {
        let output = folder.path().join(format!("output{threads}"));
        let report =
            indexed(&documents, &output, program.clone(), |options| options.threads = threads);
        assert_eq!((report.symbol_count, report.without_symbols), (116, 4));
        shards.push(fs::read(&shards_in(&output)[0]).unwrap());
    }
    assert!(shards[0] == shards[1]);
}
